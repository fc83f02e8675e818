//! The model of this CPU.

use std::arch::x86_64::{__cpuid_count, CpuidResult};
use std::sync::OnceLock;

use crate::array::Each;

/// AMD's family of the Zen 5.
const ZEN_5: u32 = 0x1a;

/// Whether this is AMD's Zen 5 or a later one. The answer is kept, because `cpuid` takes many
/// microseconds on virtual machines.
pub(super) fn is_zen_5_or_later() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let vendor = cpuid(0);
        let vendor = [vendor.ebx, vendor.edx, vendor.ecx].each(u32::to_le_bytes);
        amd_family(vendor, || cpuid(1).eax) >= Some(ZEN_5)
    })
}

/// The family of a CPU by AMD, by its vendor and signature.
fn amd_family(vendor: [[u8; 4]; 3], signature: impl FnOnce() -> u32) -> Option<u32> {
    (vendor.as_flattened() == b"AuthenticAMD").then(|| family(signature()))
}

/// The family: a base and, where the base is full, an extension.
fn family(signature: u32) -> u32 {
    let (base, more) = (signature >> 8 & 0xf, signature >> 20 & 0xff);
    if base == 0xf { base + more } else { base }
}

fn cpuid(leaf: u32) -> CpuidResult {
    // SAFETY: every x86-64 has `cpuid`. (Newer compilers know that.)
    #[allow(unused_unsafe)]
    unsafe {
        __cpuid_count(leaf, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_amd_has_an_amd_family() {
        let signature = || 0x00b0_0f21;
        let (amd, intel) = ([*b"Auth", *b"enti", *b"cAMD"], [*b"Genu", *b"ineI", *b"ntel"]);
        assert_eq!(amd_family(amd, signature), Some(ZEN_5));
        assert_eq!(amd_family(intel, signature), None);
    }

    #[test]
    fn families_are_read_from_signatures() {
        assert_eq!(family(0x00a1_0f11), 0x19, "a Zen 4");
        assert_eq!(family(0x00b0_0f21), ZEN_5);
        assert_eq!(family(0x0005_0657), 6, "a Cascade Lake");
    }
}
