//! The instruction set that a query runs on.

use std::fmt;
use std::str::FromStr;

#[cfg(target_arch = "x86_64")]
use super::cpu::is_zen_5_or_later;
use super::{Task, scalar};
use crate::error::{InstructionSetError, InstructionSetErrorKind};

/// The instruction set that a query runs on. Only levels that this CPU has can be made, and
/// every level gives the same hits, bit for bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct InstructionSet(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Set {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Sse,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx512Half,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// The names of all levels, whether this CPU has them or not.
const NAMES: [&str; 6] = ["scalar", "sse", "avx2", "avx512", "avx512-256", "neon"];

impl InstructionSet {
    /// The best level of this CPU, by measurement. With AVX-512 that is `avx512` from AMD's Zen 5 on, and
    /// `avx512-256` on others, where one ray alone takes longer with vectors of 512 bits than with those of 256
    /// (Zen 4 1 to 3 %, Intel's 3 to 25 %), but many in a call take a seventh less.
    #[must_use]
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx512() {
                if is_zen_5_or_later() { Self(Set::Avx512) } else { Self(Set::Avx512Half) }
            } else if has_avx2() {
                Self(Set::Avx2)
            } else {
                // SSE2 is part of x86-64.
                Self(Set::Sse)
            }
        }
        #[cfg(target_arch = "aarch64")]
        {
            // NEON is part of AArch64.
            Self(Set::Neon)
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            Self::scalar()
        }
    }

    /// Plain code for any CPU.
    #[must_use]
    pub fn scalar() -> Self {
        Self(Set::Scalar)
    }

    /// Every level of this CPU, plainest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        vec![
            Self::scalar(),
            #[cfg(target_arch = "x86_64")]
            Self(Set::Sse),
            #[cfg(target_arch = "x86_64")]
            Self(Set::Avx2),
            #[cfg(target_arch = "x86_64")]
            Self(Set::Avx512),
            #[cfg(target_arch = "x86_64")]
            Self(Set::Avx512Half),
            #[cfg(target_arch = "aarch64")]
            Self(Set::Neon),
        ]
        .into_iter()
        .filter(|level| level.0.is_there())
        .collect()
    }

    /// Its name: `scalar`, `sse`, `avx2`, `avx512`, `avx512-256` (AVX-512, of which one ray alone uses vectors
    /// of 256 bits) or `neon`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Set::Sse => "sse",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Half => "avx512-256",
            #[cfg(target_arch = "aarch64")]
            Set::Neon => "neon",
        }
    }
}

impl Set {
    fn is_there(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => has_avx2(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 | Self::Avx512Half => has_avx512(),
            // Part of what the build is for.
            _ => true,
        }
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

    /// `auto` (the best of this CPU), or a level's [name](InstructionSet::name).
    fn from_str(name: &str) -> Result<Self, InstructionSetError> {
        if name == "auto" {
            return Ok(Self::detect());
        }
        let available = Self::available();
        if let Some(&level) = available.iter().find(|level| level.name() == name) {
            return Ok(level);
        }
        let have: Vec<_> = available.iter().map(|level| level.name()).collect();
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

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    // `avx512f` lets the compiler use `f16c`, too.
    has_avx2()
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
}

/// Runs a task on a level's instruction set.
#[inline(always)]
pub(crate) fn run<T: Task>(isa: InstructionSet, task: T) -> T::Output {
    match isa.0 {
        Set::Scalar => scalar::run(task),
        // SAFETY: `detect`, `available` and `scalar`, from which every `InstructionSet` comes, give only those
        // that the CPU has; that holds for each arm below.
        #[cfg(target_arch = "x86_64")]
        Set::Sse => unsafe { super::sse::run(task) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Set::Avx2 => unsafe { super::avx2::run(task) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Set::Avx512 => unsafe { super::avx512::run(task) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Set::Avx512Half => unsafe { super::avx512_256::run(task) },
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        Set::Neon => unsafe { super::neon::run(task) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_level_is_there_and_all_are_told_apart_by_name() {
        let levels = InstructionSet::available();
        println!("{levels:?}, of which {} is the best", InstructionSet::detect());
        assert!(levels.contains(&InstructionSet::detect()));
        assert_eq!(levels[0], InstructionSet::scalar());
        for isa in levels {
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

        // SAFETY: nothing here needs what the caller vouches for.
        unsafe fn run<I: crate::simd::Isa>(self) -> (usize, usize) {
            use crate::simd::Vector;
            (I::Boxes::LANES, I::Node::LANES)
        }
    }

    #[test]
    fn a_level_may_have_other_vectors_for_many_rays() {
        for isa in InstructionSet::available() {
            let lanes = run(isa, Lanes);
            match isa.name() {
                "scalar" => assert_eq!(lanes.0, lanes.1),
                "sse" | "neon" => assert_eq!(lanes, (4, 4)),
                "avx2" => assert_eq!(lanes, (8, 8)),
                "avx512" => assert_eq!(lanes, (16, 16)),
                name => assert_eq!((name, lanes), ("avx512-256", (8, 16))),
            }
        }
    }
}
