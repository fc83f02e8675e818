//! What `tests/suite/wasm.rs` runs under Node: its bakes, for a caller that writes into memory.

#[path = "../../../tests/wasm/bake.rs"]
mod bake;

/// Memory for the caller to write to, of a length that it gives back.
#[unsafe(no_mangle)]
pub extern "C" fn take(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// As [`bake::bake`], of memory that was [taken](take). What comes back are two `u32` and bytes:
/// whether that failed, how many bytes there are, and the files or a message.
///
/// # Safety
///
/// `model` and `length` must be as `take` gave them, and not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bake_taken(model: *mut u8, length: usize, threads: usize) -> *const u8 {
    let model = std::ptr::slice_from_raw_parts_mut(model, length);
    // SAFETY: the caller promises that it is the box that `take` made.
    let model = unsafe { Box::from_raw(model) };
    let result = bake::bake(&model, (threads > 0).then_some(threads));
    let (failed, bytes) = match result {
        Ok(bytes) => (0u32, bytes),
        Err(message) => (1, message.into_bytes()),
    };
    let mut answer = Vec::with_capacity(8 + bytes.len());
    answer.extend(failed.to_le_bytes());
    answer.extend((bytes.len() as u32).to_le_bytes());
    answer.extend(bytes);
    Vec::leak(answer).as_ptr()
}
