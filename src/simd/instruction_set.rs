//! The instruction set that a query runs on.

use std::fmt;
use std::str::FromStr;

#[cfg(all(target_arch = "x86_64", not(hitscan_no_avx2)))]
use super::avx2::Avx2;
#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
#[allow(unused_imports, reason = "not a set of every build")]
use super::scalar::Scalar;
#[cfg(target_arch = "x86_64")]
use super::sse2::Sse2;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::wasm128::Wasm128;
use super::{Isa, Task};
#[cfg(all(target_arch = "x86_64", not(any(hitscan_no_avx2, hitscan_no_avx512))))]
use super::{avx512::Avx512, avx512_256::Avx512Half};
use crate::error::{InstructionSetError, InstructionSetErrorKind};

/// The instruction set that a query runs on. Only sets that this CPU and this build have can be
/// made, and every set gives the same hits, bit for bit.
///
/// Plain code, `scalar`, is there where a CPU may lack vectors, and elsewhere with the feature
/// `scalar`, to compare with. For smaller binaries on x86-64, `--cfg hitscan_no_avx512` or
/// `--cfg hitscan_no_avx2` in `RUSTFLAGS` leaves these sets out (the second one both).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct InstructionSet(Token);

/// Defines what depends on each set: its variant, its token, its name, and the set that tasks with
/// many questions run on.
macro_rules! sets {
    ($($(#[$target:meta])? $set:ident, $for_many:ident = $name:literal;)*) => {
        /// The proofs that this CPU has a set.
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        enum Token {
            $($(#[$target])? $set($set),)*
        }

        /// The names of all sets, whether this CPU has them or not.
        const NAMES: &[&str] = &[$($name),*];

        impl InstructionSet {
            /// Its name: `scalar`, `sse`, `avx2`, `avx512`, `avx512-256` (AVX-512; queries of a
            /// single ray use 256-bit vectors), `neon` or `simd128` (WebAssembly).
            #[must_use]
            pub fn name(self) -> &'static str {
                match self.0 {
                    $($(#[$target])? Token::$set(_) => $name,)*
                }
            }
        }

        /// Runs a task with an instruction set switched on.
        #[inline(always)]
        pub(crate) fn run<T: Task>(isa: InstructionSet, task: T) -> T::Output {
            match isa.0 {
                $($(#[$target])? Token::$set(isa) => isa.call_outlined(task),)*
            }
        }

        /// As [`run`], for a task that answers many questions together: with the widest vectors.
        #[inline(always)]
        pub(crate) fn run_many<T: Task>(isa: InstructionSet, task: T) -> T::Output {
            match isa.0 {
                $($(#[$target])? Token::$set(isa) => $for_many::from(isa).call_outlined(task),)*
            }
        }

        impl InstructionSet {
            /// Every set that this build and this CPU have, plainest first.
            #[must_use]
            pub fn available() -> Vec<Self> {
                let mut sets = Vec::new();
                $($(#[$target])? sets.extend($set::detect().map(|isa| Self(Token::$set(isa))));)*
                sets
            }
        }
    };
}
sets! {
    // Where every CPU has vectors this is never the best, and takes as long to build as any other.
    #[cfg(any(test, miri, feature = "scalar", not(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        all(target_arch = "wasm32", target_feature = "simd128"),
    ))))]
    Scalar, Scalar = "scalar";
    #[cfg(target_arch = "x86_64")]
    Sse2, Sse2 = "sse";
    #[cfg(all(target_arch = "x86_64", not(hitscan_no_avx2)))]
    Avx2, Avx2 = "avx2";
    #[cfg(all(target_arch = "x86_64", not(any(hitscan_no_avx2, hitscan_no_avx512))))]
    Avx512, Avx512 = "avx512";
    #[cfg(all(target_arch = "x86_64", not(any(hitscan_no_avx2, hitscan_no_avx512))))]
    Avx512Half, Avx512 = "avx512-256";
    #[cfg(target_arch = "aarch64")]
    Neon, Neon = "neon";
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Wasm128, Wasm128 = "simd128";
}

impl InstructionSet {
    /// The best set of this CPU, by measurement. With AVX-512 that is `avx512` from AMD's Zen 5 on,
    /// and `avx512-256` on others. On those others, 512-bit vectors slow single rays down (by 1 to
    /// 3 % on Zen 4, by 3 to 25 % on Intel), but batches take a seventh less time with them, so
    /// batches use them.
    #[must_use]
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            #[cfg(not(any(hitscan_no_avx2, hitscan_no_avx512)))]
            if let Some(avx512) = Avx512::detect() {
                return Self(if super::cpu::is_zen_5_or_later() {
                    Token::Avx512(avx512)
                } else {
                    Token::Avx512Half(Avx512Half(avx512))
                });
            }
            #[cfg(not(hitscan_no_avx2))]
            if let Some(avx2) = Avx2::detect() {
                return Self(Token::Avx2(avx2));
            }
            Self(Token::Sse2(Sse2))
        }
        #[cfg(target_arch = "aarch64")]
        {
            Self(Token::Neon(Neon))
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        {
            Self(Token::Wasm128(Wasm128))
        }
        #[cfg(not(any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            all(target_arch = "wasm32", target_feature = "simd128")
        )))]
        {
            Self(Token::Scalar(Scalar))
        }
    }

    /// Plain code for any CPU.
    #[cfg(test)]
    pub(crate) fn scalar() -> Self {
        Self(Token::Scalar(Scalar))
    }
}

impl fmt::Debug for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InstructionSet({})", self.name())
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for InstructionSet {
    type Err = InstructionSetError;

    /// `auto` (the best of this CPU), or a set's [name](InstructionSet::name).
    fn from_str(name: &str) -> Result<Self, InstructionSetError> {
        if name == "auto" {
            return Ok(Self::detect());
        }
        let available = Self::available();
        if let Some(&isa) = available.iter().find(|isa| isa.name() == name) {
            return Ok(isa);
        }
        let have: Vec<_> = available.iter().map(|isa| isa.name()).collect();
        let have = have.join(", ");
        Err(if NAMES.contains(&name) {
            let message = format!("this CPU or this build lacks `{name}`; it has auto, {have}");
            InstructionSetError::new(InstructionSetErrorKind::Unavailable, message)
        } else {
            let all = NAMES.join(", ");
            let message = format!("`{name}` is not an instruction set; choose auto, {all}");
            InstructionSetError::new(InstructionSetErrorKind::Unknown, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_set_is_available_and_names_differ() {
        let sets = InstructionSet::available();
        println!("{sets:?}, of which {} is the best", InstructionSet::detect());
        assert!(sets.contains(&InstructionSet::detect()));
        assert_eq!(sets[0], InstructionSet::scalar());
        for isa in sets {
            assert_eq!(isa.name().parse().ok(), Some(isa));
            assert!(NAMES.contains(&isa.name()));
        }
        assert_eq!("auto".parse().ok(), Some(InstructionSet::detect()));
        let error = "mmx".parse::<InstructionSet>().unwrap_err();
        assert_eq!(error.kind(), InstructionSetErrorKind::Unknown);
    }

    /// Which set it runs on, by its lanes: one ray alone, and many.
    struct Lanes;

    impl Task for Lanes {
        type Output = (usize, usize);

        fn run<I: Isa>(self, _: I) -> (usize, usize) {
            use crate::simd::Vector;
            (I::Node::LANES, I::Wide::LANES)
        }
    }

    #[test]
    fn a_set_may_have_other_vectors_for_many_rays() {
        for isa in InstructionSet::available() {
            let lanes = run(isa, Lanes);
            match isa.name() {
                "scalar" => assert_eq!(lanes.0, lanes.1),
                "sse" | "neon" | "simd128" => assert_eq!(lanes, (4, 4)),
                "avx2" => assert_eq!(lanes, (8, 8)),
                "avx512" => assert_eq!(lanes, (16, 16)),
                name => assert_eq!((name, lanes), ("avx512-256", (8, 16))),
            }
        }
    }
}
