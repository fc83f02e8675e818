//! JSON read where it stands: nothing is kept but slices of the text, so a document
//! costs no more memory than itself, and what is not looked at need not be right.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::import::error::{Fault, ImportErrorKind};

/// A JSON value, and its path in the document (`meshes[2].primitives[0]`).
pub(super) struct Json<'a> {
    text: &'a str,
    place: String,
}

impl<'a> Json<'a> {
    /// The whole document, which must be JSON from end to end.
    pub(super) fn document(text: &'a str) -> Result<Self, Fault> {
        if text.is_empty() {
            let reason = format_args!("it is empty (0 bytes), and no JSON document");
            return Err(Fault::new(ImportErrorKind::Truncated, format_args!("whole file"), reason));
        }
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| {
            // It ends with the place, which is told before.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            Fault::new(
                if error.is_eof() { ImportErrorKind::Truncated } else { ImportErrorKind::Syntax },
                format_args!("line {} column {}", error.line(), error.column()),
                format_args!("malformed JSON: {message}"),
            )
        })?;
        Ok(Self { text: raw.get(), place: String::new() })
    }

    pub(super) fn place(&self) -> &str {
        if self.place.is_empty() { "document" } else { &self.place }
    }

    pub(super) fn fault(&self, kind: ImportErrorKind, reason: impl fmt::Display) -> Fault {
        Fault::new(kind, self.place(), reason)
    }

    /// The path of a member, for faults about one that is missing.
    pub(super) fn path(&self, member: &str) -> String {
        if self.place.is_empty() { member.to_owned() } else { format!("{}.{member}", self.place) }
    }

    pub(super) fn missing(&self, member: &str) -> Fault {
        Fault::new(ImportErrorKind::Invalid, self.path(member), "missing")
    }

    fn wrong_type(&self, wanted: &str) -> Fault {
        let found = match self.text.as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            _ => self.text.get(..40).unwrap_or(self.text),
        };
        self.fault(ImportErrorKind::Syntax, format_args!("{wanted} is wanted, but this is {found}"))
    }

    /// Members of an object, `None` where they are absent or null.
    pub(super) fn members<const N: usize>(
        &self,
        names: [&str; N],
    ) -> Result<[Option<Json<'a>>; N], Fault> {
        if !self.text.starts_with('{') {
            return Err(self.wrong_type("an object"));
        }
        let mut json = serde_json::Deserializer::from_str(self.text);
        let found = json
            .deserialize_map(Members { names })
            .map_err(|error| self.fault(ImportErrorKind::Syntax, error))?;
        let mut members = names.map(|_| None);
        for ((member, raw), name) in members.iter_mut().zip(found).zip(names) {
            *member = raw
                .filter(|raw| raw.get() != "null")
                .map(|raw| Json { text: raw.get(), place: self.path(name) });
        }
        Ok(members)
    }

    /// One member of an object.
    pub(super) fn member(&self, name: &str) -> Result<Option<Json<'a>>, Fault> {
        let [member] = self.members([name])?;
        Ok(member)
    }

    /// The elements of an array.
    pub(super) fn items(&self) -> Result<Items<'a>, Fault> {
        if !self.text.starts_with('[') {
            return Err(self.wrong_type("an array"));
        }
        let mut items: Vec<&RawValue> = serde_json::from_str(self.text)
            .map_err(|error| self.fault(ImportErrorKind::Syntax, error))?;
        items.shrink_to_fit();
        Ok(Items { items, place: self.place.clone() })
    }

    pub(super) fn string(&self) -> Result<Cow<'a, str>, Fault> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Cow<'de, str>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(text))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Cow::Owned(text.to_owned()))
            }
        }
        if !self.text.starts_with('"') {
            return Err(self.wrong_type("a string"));
        }
        serde_json::Deserializer::from_str(self.text)
            .deserialize_str(Text)
            .map_err(|error| self.fault(ImportErrorKind::Syntax, error))
    }

    pub(super) fn number(&self) -> Result<f64, Fault> {
        serde_json::from_str(self.text).map_err(|_| self.wrong_type("a number"))
    }

    pub(super) fn boolean(&self) -> Result<bool, Fault> {
        serde_json::from_str(self.text).map_err(|_| self.wrong_type("a boolean"))
    }

    /// A whole number that is not negative.
    pub(super) fn size(&self) -> Result<u64, Fault> {
        if let Ok(size) = serde_json::from_str(self.text) {
            return Ok(size);
        }
        // glTF asks readers to take 3.0 for 3.
        match serde_json::from_str::<f64>(self.text) {
            Ok(size) if size >= 0.0 && size.fract() == 0.0 && size < 1e15 => Ok(size as u64),
            _ => Err(self.wrong_type("a whole number, zero or more,")),
        }
    }

    /// The number of one of `count` things of a kind.
    pub(super) fn index(&self, count: usize, things: &str) -> Result<usize, Fault> {
        let index = self.size()?;
        match usize::try_from(index) {
            Ok(index) if index < count => Ok(index),
            _ => Err(self.fault(
                ImportErrorKind::OutOfRange,
                format_args!("{index}, but the file has {count} {things}"),
            )),
        }
    }

    /// Exactly `N` numbers.
    pub(super) fn numbers<const N: usize>(&self) -> Result<[f64; N], Fault> {
        let items = self.items()?;
        if items.len() != N {
            return Err(self.fault(
                ImportErrorKind::Invalid,
                format_args!("{} numbers, not {N}", items.len()),
            ));
        }
        let mut numbers = [0.0; N];
        for (i, number) in numbers.iter_mut().enumerate() {
            *number = items.at(i)?.number()?;
        }
        Ok(numbers)
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
    pub(super) fn of(array: Option<Json<'a>>) -> Result<Self, Fault> {
        array.map_or_else(|| Ok(Self::default()), |array| array.items())
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn at(&self, index: usize) -> Result<Json<'a>, Fault> {
        match self.items.get(index) {
            Some(raw) => Ok(Json { text: raw.get(), place: format!("{}[{index}]", self.place) }),
            None => Err(Fault::new(
                ImportErrorKind::OutOfRange,
                format_args!("{}[{index}]", self.place),
                "missing",
            )),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Result<Json<'a>, Fault>> {
        (0..self.len()).map(|index| self.at(index))
    }
}

struct Members<'n, const N: usize> {
    names: [&'n str; N],
}

impl<'de, const N: usize> Visitor<'de> for Members<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; N];
        while let Some(wanted) = map.next_key_seed(Key { names: &self.names })? {
            match wanted.and_then(|i| found.get_mut(i)) {
                Some(slot) => *slot = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}

/// Which of the names a key is; a string of its own is never made.
struct Key<'n> {
    names: &'n [&'n str],
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        key.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.names.iter().position(|name| *name == key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(fault: Fault) -> String {
        fault.in_file("f").to_string()
    }

    #[test]
    fn values_are_found_by_path() {
        let text = r#" {"a":{"b":[1, 2.0, "x", null, true]}, "\u0063":"d\n", "e":null} "#;
        let json = Json::document(text).unwrap();
        let [a, c, e] = json.members(["a", "c", "e"]).unwrap();
        assert_eq!(c.unwrap().string().unwrap(), "d\n");
        assert!(e.is_none());
        let b = a.unwrap().member("b").unwrap().unwrap().items().unwrap();
        assert_eq!(b.len(), 5);
        assert_eq!(b.at(0).unwrap().size().unwrap(), 1);
        assert_eq!(b.at(1).unwrap().index(3, "things").unwrap(), 2);
        assert!(b.at(4).unwrap().boolean().unwrap());
        for (fault, message) in [
            (
                b.at(2).unwrap().size().unwrap_err(),
                "f: a.b[2]: a whole number, zero or more, is wanted, but this is a string",
            ),
            (
                b.at(1).unwrap().index(2, "nodes").unwrap_err(),
                "f: a.b[1]: 2, but the file has 2 nodes",
            ),
            (
                b.at(3).unwrap().items().err().unwrap(),
                "f: a.b[3]: an array is wanted, but this is null",
            ),
            (b.at(5).err().unwrap(), "f: a.b[5]: missing"),
        ] {
            assert_eq!(reason(fault), message);
        }
    }

    #[test]
    fn depth_does_not_overflow_the_stack() {
        for open in ["[", "{\"a\":"] {
            let fault = Json::document(&open.repeat(1_000_000)).err().unwrap();
            assert!(reason(fault).contains("malformed JSON"));
        }
        let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        let deep = Json::document(&deep).unwrap();
        assert_eq!(deep.items().unwrap().len(), 1);
    }
}
