//! Values that the compiler may not look into.

/// The same reference, of which the compiler knows nothing else. It loads the value anew, and keeps
/// the branches that lead here as they are.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
#[expect(
    clippy::pointers_in_nomem_asm_block,
    reason = "there is nothing in the block that could read"
)]
#[inline(always)]
pub(crate) fn opaque<T>(of: &T) -> &T {
    let mut address: *const T = of;
    // SAFETY: there is no instruction in the block, so the address is still the address of `of`.
    // (`black_box` would write it to memory and read it again.)
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) address, options(nomem, nostack, preserves_flags));
        &*address
    }
}

/// The same where inline assembly is not available.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
#[inline(always)]
pub(crate) fn opaque<T>(of: &T) -> &T {
    std::hint::black_box(of)
}

/// The same number, of which the compiler knows nothing else, so that it makes no branch of what
/// depends on it.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub(crate) fn opaque_number(mut number: u32) -> u32 {
    // SAFETY: there is no instruction in the block, so the number stays as it is.
    unsafe {
        std::arch::asm!(
            "/* {0:e} */",
            inout(reg) number,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    number
}

/// The same where there is no such assembler. Only speed depends on it.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub(crate) fn opaque_number(number: u32) -> u32 {
    number
}
