//! What a compiler is not to see through.

/// The same reference, of which a compiler knows no more than that: it loads what is there anew, and leaves
/// the branches that lead here as they are.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
#[expect(
    clippy::pointers_in_nomem_asm_block,
    reason = "there is nothing in the block that could read"
)]
#[inline(always)]
pub(crate) fn opaque<T>(of: &T) -> &T {
    let mut address: *const T = of;
    // SAFETY: without any instruction, the address is still that of `of`.
    unsafe {
        // (`black_box` would write it to memory and read it again.)
        std::arch::asm!("/* {0} */", inout(reg) address, options(nomem, nostack, preserves_flags));
        &*address
    }
}

/// As above, where there is no such assembler.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
#[inline(always)]
pub(crate) fn opaque<T>(of: &T) -> &T {
    std::hint::black_box(of)
}

/// The same number, of which a compiler knows no more than that: it would make a branch of what depends on it.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub(crate) fn opaque_number(mut number: u32) -> u32 {
    // SAFETY: without any instruction, the number stays what it is.
    unsafe {
        std::arch::asm!("/* {0:e} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags));
    }
    number
}

/// As above, where there is no such assembler; nothing but time depends on it.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub(crate) fn opaque_number(number: u32) -> u32 {
    number
}
