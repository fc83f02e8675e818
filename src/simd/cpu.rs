//! What a CPU tells of itself.

/// AMD's family of the Zen 5.
#[cfg(target_arch = "x86_64")]
const ZEN_5: u32 = 0x1a;

/// Whether it is AMD's Zen 5 or a later one.
#[cfg(target_arch = "x86_64")]
pub(super) fn is_zen_5_or_later() -> bool {
    x86::facts().amd_family >= Some(ZEN_5)
}

/// Bytes of its first data cache, if it tells.
pub(crate) fn first_cache() -> Option<usize> {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        x86::facts().first_cache
    }
    #[cfg(any(not(target_arch = "x86_64"), miri))]
    {
        None
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{__cpuid_count, CpuidResult};
    use std::sync::OnceLock;

    pub(super) struct Facts {
        /// If AMD made it.
        pub(super) amd_family: Option<u32>,
        pub(super) first_cache: Option<usize>,
    }

    /// Asked once: on virtual machines each question takes many microseconds.
    pub(super) fn facts() -> &'static Facts {
        static FACTS: OnceLock<Facts> = OnceLock::new();
        FACTS.get_or_init(|| {
            let vendor = ask(0, 0);
            let amd_family =
                amd_family([vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes), || {
                    ask(1, 0).eax
                });
            let caches = if amd_family.is_some() { 0x8000_001d } else { 4 };
            Facts { amd_family, first_cache: first_cache(caches) }
        })
    }

    /// The family, by the maker's name and the signature, of a CPU by AMD.
    pub(super) fn amd_family(vendor: [[u8; 4]; 3], signature: impl FnOnce() -> u32) -> Option<u32> {
        (vendor.as_flattened() == b"AuthenticAMD").then(|| family(signature()))
    }

    /// The family that its maker counts it to: what the base has no room for stands apart.
    pub(super) fn family(signature: u32) -> u32 {
        let (base, more) = (signature >> 8 & 0xf, signature >> 20 & 0xff);
        if base == 0xf { base + more } else { base }
    }

    /// By the leaf that lists caches: Intel's and AMD's have the same form.
    fn first_cache(leaf: u32) -> Option<usize> {
        if ask(leaf & 0x8000_0000, 0).eax < leaf {
            return None;
        }
        const DATA_OF_LEVEL_1: u32 = 1 | (1 << 5);
        let mut caches = (0..4).map(|i| ask(leaf, i));
        let cache = caches.find(|cache| cache.eax & 0xff == DATA_OF_LEVEL_1)?;
        let ways = (cache.ebx >> 22) as usize + 1;
        let partitions = (cache.ebx >> 12 & 0x3ff) as usize + 1;
        let line = (cache.ebx & 0xfff) as usize + 1;
        Some(ways * partitions * line * (cache.ecx as usize + 1))
    }

    fn ask(leaf: u32, part: u32) -> CpuidResult {
        // SAFETY: every x86-64 has the instruction. (Newer compilers ask for no promise.)
        #[allow(unused_unsafe)]
        unsafe {
            __cpuid_count(leaf, part)
        }
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_family_is_told_by_amd_alone() {
        use super::x86::amd_family;
        let signature = || 0x00b0_0f21;
        let (amd, intel) = ([*b"Auth", *b"enti", *b"cAMD"], [*b"Genu", *b"ineI", *b"ntel"]);
        assert_eq!(amd_family(amd, signature), Some(super::ZEN_5));
        assert_eq!(amd_family(intel, signature), None);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn families_are_read_from_signatures() {
        use super::x86::family;
        assert_eq!(family(0x00a1_0f11), 0x19, "a Zen 4");
        assert_eq!(family(0x00b0_0f21), super::ZEN_5);
        assert_eq!(family(0x0005_0657), 6, "a Cascade Lake");
    }

    #[test]
    fn a_first_cache_is_small_if_it_is_told() {
        let size = super::first_cache();
        println!("{size:?} bytes");
        assert!(size.is_none_or(|size| (4 << 10..=1 << 20).contains(&size)));
    }
}
