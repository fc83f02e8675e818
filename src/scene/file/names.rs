//! The names of a file, one behind the other.

use super::kind::SCENE;
use crate::error::LoadError;

/// The names that are still to come.
pub(super) struct Names<'a> {
    rest: &'a [u8],
}

impl<'a> Names<'a> {
    pub(super) fn new(section: &'a [u8]) -> Self {
        Self { rest: section }
    }

    /// The next name, of that many bytes (I6). `of` says whose it is.
    pub(super) fn next(
        &mut self,
        length: u32,
        of: impl Fn() -> String,
    ) -> Result<&'a str, LoadError> {
        let Some((name, rest)) = self.rest.split_at_checked(length as usize) else {
            let message =
                format!("{}: its name has {length} bytes, {} are left", of(), self.rest.len());
            return Err(SCENE.invalid("I6", message));
        };
        self.rest = rest;
        std::str::from_utf8(name).map_err(|error| {
            SCENE.invalid("I6", format!("{}: its name is not UTF-8: {error}", of()))
        })
    }

    /// After the last name nothing is left (I6).
    pub(super) fn finish(&self) -> Result<(), LoadError> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let message = format!("{} bytes of names belong to nothing", self.rest.len());
        Err(SCENE.invalid("I6", message))
    }
}
