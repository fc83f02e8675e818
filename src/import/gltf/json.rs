//! JSON that is read lazily: a value is a slice of the text, so a document costs no more
//! memory than its text, and parts that are not looked at need not be right.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::import::ImportErrorKind::{self, Invalid, OutOfRange, Syntax, Truncated};
use crate::import::error::{ImportError, Result};
use crate::import::work;

/// A string. A surrogate without its partner becomes U+FFFD instead of an error.
#[derive(PartialEq, Eq, Hash)]
struct Text(String);

impl std::borrow::Borrow<str> for Text {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> std::result::Result<Text, E> {
                Ok(Text(String::from_utf8_lossy(bytes).into_owned()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// A JSON value, and its path in the document (`meshes[2].primitives[0]`).
pub(super) struct Json<'a> {
    text: &'a str,
    place: String,
}

impl<'a> Json<'a> {
    /// A whole document, which must be well-formed from end to end.
    pub(super) fn parse(text: &'a str) -> Result<Self> {
        if text.is_empty() {
            return Err(ImportError::at(Truncated, "whole file", "it is empty (0 bytes)"));
        }
        work::count(text.len());
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| {
            // The message ends with the place, which is told before.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            ImportError::at(
                if error.is_eof() { Truncated } else { Syntax },
                format_args!("line {} column {}", error.line(), error.column()),
                format_args!("malformed JSON: {message}"),
            )
        })?;
        Ok(Self { text: raw.get(), place: String::new() })
    }

    pub(super) fn place(&self) -> &str {
        if self.place.is_empty() { "document" } else { &self.place }
    }

    pub(super) fn error(&self, kind: ImportErrorKind, reason: impl fmt::Display) -> ImportError {
        ImportError::at(kind, self.place(), reason)
    }

    /// The path of a member.
    pub(super) fn path(&self, member: &str) -> String {
        if self.place.is_empty() { member.to_owned() } else { format!("{}.{member}", self.place) }
    }

    pub(super) fn missing(&self, member: &str) -> ImportError {
        ImportError::at(Invalid, self.path(member), "missing")
    }

    fn wrong_type(&self, wanted: &str) -> ImportError {
        let found = match self.text.as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            _ => self.text.get(..40).unwrap_or(self.text),
        };
        self.error(Syntax, format_args!("expected {wanted}, found {found}"))
    }

    fn value<T: Deserialize<'a>>(&self, wanted: &str) -> Result<T> {
        work::count(self.text.len());
        serde_json::from_str(self.text).map_err(|error| match error.classify() {
            Category::Data => self.wrong_type(wanted),
            _ => self.error(Syntax, error),
        })
    }

    /// An object, parsed once for all its members.
    pub(super) fn object(&self) -> Result<Object<'a>> {
        Ok(Object { members: self.value("an object")?, place: self.place.clone() })
    }

    /// Members of an object, `None` where they are absent or null.
    pub(super) fn members<const N: usize>(
        &self,
        names: [&str; N],
    ) -> Result<[Option<Json<'a>>; N]> {
        let object = self.object()?;
        Ok(names.map(|name| object.get(name)))
    }

    /// One member of an object.
    pub(super) fn member(&self, name: &str) -> Result<Option<Json<'a>>> {
        Ok(self.object()?.get(name))
    }

    /// The elements of an array.
    pub(super) fn items(&self) -> Result<Items<'a>> {
        let mut items: Vec<&RawValue> = self.value("an array")?;
        items.shrink_to_fit();
        Ok(Items { items, place: self.place.clone() })
    }

    pub(super) fn string(&self) -> Result<String> {
        self.value("a string").map(|Text(text)| text)
    }

    pub(super) fn number(&self) -> Result<f64> {
        self.value("a number")
    }

    pub(super) fn boolean(&self) -> Result<bool> {
        self.value("a boolean")
    }

    /// A whole number that is not negative.
    pub(super) fn size(&self) -> Result<u64> {
        work::count(self.text.len());
        if let Ok(size) = serde_json::from_str(self.text) {
            return Ok(size);
        }
        // The glTF specification asks readers to accept 3.0 for 3.
        match serde_json::from_str::<f64>(self.text) {
            Ok(size) if size >= 0.0 && size.fract() == 0.0 && size < 1e15 => Ok(size as u64),
            _ => Err(self.wrong_type("a whole number, zero or more")),
        }
    }

    /// The text of a number, or of a string without its quotes.
    pub(super) fn plain_text(&self) -> Result<String> {
        match self.text.as_bytes().first() {
            Some(b'-' | b'0'..=b'9') => Ok(self.text.to_owned()),
            _ => self.string(),
        }
    }

    /// Whether it is -1, which some exporters write for a reference to nothing.
    pub(super) fn is_minus_one(&self) -> bool {
        self.text == "-1"
    }

    /// A reference to one of `count` things of a kind.
    pub(super) fn index(&self, count: usize, things: &str) -> Result<usize> {
        let index = self.size()?;
        usize::try_from(index).ok().filter(|&index| index < count).ok_or_else(|| {
            self.error(OutOfRange, format_args!("{index}, but the file has {count} {things}"))
        })
    }

    /// Exactly `N` numbers.
    pub(super) fn numbers<const N: usize>(&self) -> Result<[f64; N]> {
        let items = self.items()?;
        if items.len() != N {
            let reason = format_args!("{} numbers instead of {N}", items.len());
            return Err(self.error(Invalid, reason));
        }
        let mut numbers = [0.0; N];
        for (i, number) in numbers.iter_mut().enumerate() {
            *number = items.at(i)?.number()?;
        }
        Ok(numbers)
    }
}

/// The members of an object.
pub(super) struct Object<'a> {
    members: HashMap<Text, &'a RawValue>,
    place: String,
}

impl<'a> Object<'a> {
    /// A member, `None` if it is absent or null.
    pub(super) fn get(&self, name: &str) -> Option<Json<'a>> {
        let raw = self.members.get(name).filter(|raw| raw.get() != "null")?;
        let place = &self.place;
        let place = if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
        Some(Json { text: raw.get(), place })
    }

    /// A reference to something, `None` if it is absent, null or -1.
    pub(super) fn reference(&self, name: &str) -> Option<Json<'a>> {
        self.get(name).filter(|reference| !reference.is_minus_one())
    }
}

/// The elements of an array.
#[derive(Default)]
pub(super) struct Items<'a> {
    items: Vec<&'a RawValue>,
    place: String,
}

impl<'a> Items<'a> {
    /// The elements of an array that may be absent.
    pub(super) fn of(array: Option<Json<'a>>) -> Result<Self> {
        array.map_or_else(|| Ok(Self::default()), |array| array.items())
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn at(&self, index: usize) -> Result<Json<'a>> {
        work::count(1);
        let place = format!("{}[{index}]", self.place);
        match self.items.get(index) {
            Some(raw) => Ok(Json { text: raw.get(), place }),
            None => Err(ImportError::at(OutOfRange, place, "missing")),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Result<Json<'a>>> {
        (0..self.len()).map(|index| self.at(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(error: ImportError) -> String {
        error.in_file("f").to_string()
    }

    #[test]
    fn values_are_found_by_path() {
        let text = r#" {"a":{"b":[1, 2.0, "x", null, true]}, "\u0063":"d\n", "e":null} "#;
        let json = Json::parse(text).unwrap();
        let [a, c, e] = json.members(["a", "c", "e"]).unwrap();
        assert_eq!(c.unwrap().string().unwrap(), "d\n");
        assert!(e.is_none());
        let b = a.unwrap().member("b").unwrap().unwrap().items().unwrap();
        assert_eq!(b.len(), 5);
        assert_eq!(b.at(0).unwrap().size().unwrap(), 1);
        assert_eq!(b.at(1).unwrap().index(3, "things").unwrap(), 2);
        assert!(b.at(4).unwrap().boolean().unwrap());
        for (error, expected) in [
            (
                b.at(2).unwrap().size().unwrap_err(),
                "f: a.b[2]: expected a whole number, zero or more, found a string",
            ),
            (
                b.at(1).unwrap().index(2, "nodes").unwrap_err(),
                "f: a.b[1]: 2, but the file has 2 nodes",
            ),
            (b.at(3).unwrap().items().err().unwrap(), "f: a.b[3]: expected an array, found null"),
            (b.at(5).err().unwrap(), "f: a.b[5]: missing"),
        ] {
            assert_eq!(message(error), expected);
        }
    }

    #[test]
    fn depth_does_not_overflow_the_stack() {
        for open in ["[", "{\"a\":"] {
            let error = Json::parse(&open.repeat(1_000_000)).err().unwrap();
            assert!(message(error).contains("malformed JSON"));
        }
        let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        let deep = Json::parse(&deep).unwrap();
        assert_eq!(deep.items().unwrap().len(), 1);
    }
}
