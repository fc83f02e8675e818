//! Errors: a number for the kind, and a text that JavaScript asks for.

use crate::output;

/// How a call failed, as a number below zero.
#[derive(Clone, Copy, Debug)]
#[repr(i32)]
pub enum Kind {
    /// No such handle, or no longer.
    Handle = -1,
    /// An argument out of its range.
    Argument = -2,
    /// The bytes are not a sound file.
    File = -3,
    /// The scene refuses a change.
    Scene = -4,
    /// A mesh has no inside.
    NotClosed = -5,
    /// There is not enough memory.
    Memory = -6,
    /// The bake refuses its input.
    Bake = -7,
}

/// Why a call failed.
#[derive(Debug)]
pub struct Fault {
    kind: Kind,
    text: String,
}

impl Fault {
    /// One of a kind, with its text.
    pub fn new(kind: Kind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }

    /// The same for a library's error.
    pub fn of(kind: Kind, error: &dyn std::error::Error) -> Self {
        Self::new(kind, error.to_string())
    }

    /// No such handle, or no longer.
    pub fn handle(what: &str) -> Self {
        Self::new(Kind::Handle, format!("this {what} was disposed of"))
    }

    /// There is not enough memory for something.
    pub fn memory(what: &str) -> Self {
        Self::new(Kind::Memory, format!("there is not enough memory for {what}"))
    }
}

/// What a call gives to JavaScript: the number, or below zero the kind of the fault, whose text is
/// then the [output].
pub fn answer(result: Result<u32, Fault>) -> i32 {
    match result {
        // All are numbers of things, of which there are fewer.
        Ok(number) => i32::try_from(number).unwrap_or(i32::MAX),
        Err(fault) => {
            output::put_bytes(fault.text.into_bytes());
            fault.kind as i32
        }
    }
}
