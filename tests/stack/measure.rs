//! How much of a stack is used.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

/// More than anything needs.
const SIZE: usize = 64 << 20;

/// The part of a thread's stack that is written while it does this, in bytes. What the system keeps
/// there belongs to it.
pub(crate) fn used<F: FnOnce() + Send>(work: F) -> usize {
    extern "C" fn run<F: FnOnce()>(work: *mut c_void) -> *mut c_void {
        // SAFETY: it is the work below, which nothing else takes.
        let work = unsafe { (*work.cast::<Option<F>>()).take() };
        work.expect("it is called once")();
        ptr::null_mut()
    }
    let mut work = Some(work);
    // SAFETY: the memory is new, all zeros, and given back when the thread, which has it as its
    // stack, has ended. The work outlives the thread.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let stack = libc::mmap(ptr::null_mut(), SIZE, access, flags, -1, 0);
        assert_ne!(stack, libc::MAP_FAILED);
        let mut attributes = MaybeUninit::uninit();
        assert_eq!(libc::pthread_attr_init(attributes.as_mut_ptr()), 0);
        assert_eq!(libc::pthread_attr_setstack(attributes.as_mut_ptr(), stack, SIZE), 0);
        let mut thread = MaybeUninit::uninit();
        let attributes = attributes.as_ptr();
        let given = (&raw mut work).cast();
        assert_eq!(libc::pthread_create(thread.as_mut_ptr(), attributes, run::<F>, given), 0);
        assert_eq!(libc::pthread_join(thread.assume_init(), ptr::null_mut()), 0);
        let words = std::slice::from_raw_parts(stack.cast::<u64>(), SIZE / 8);
        let unused = words.iter().position(|&word| word != 0).unwrap_or(words.len());
        libc::munmap(stack, SIZE);
        SIZE - 8 * unused
    }
}
