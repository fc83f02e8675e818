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
