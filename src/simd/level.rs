//! The instruction set that a query runs on.

use std::fmt;
use std::str::FromStr;

use crate::LevelError;

/// The instruction set that a query runs on. Only levels that this CPU has can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level(pub(crate) Isa);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Isa {
    Scalar,
}

impl Level {
    /// The best level of this CPU.
    #[must_use]
    pub fn detect() -> Self {
        Self(Isa::Scalar)
    }

    /// Plain code for any CPU.
    #[must_use]
    pub fn scalar() -> Self {
        Self(Isa::Scalar)
    }

    /// Every level of this CPU, plainest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        vec![Self(Isa::Scalar)]
    }

    /// Its name: `scalar`, `sse`, `avx2`, `avx512` or `neon`.
    #[must_use]
    pub fn name(self) -> &'static str {
        "scalar"
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = LevelError;

    /// `auto` (the best of this CPU), `scalar`, `sse`, `avx2`, `avx512` or `neon`.
    fn from_str(name: &str) -> Result<Self, LevelError> {
        if name == "auto" {
            return Ok(Self::detect());
        }
        Self::available()
            .into_iter()
            .find(|level| level.name() == name)
            .ok_or_else(|| LevelError {
                message: format!("this CPU or this build has no kernel level `{name}`"),
            })
    }
}
