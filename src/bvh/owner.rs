//! The memory behind a tree, and who holds it.

use std::any::Any;
use std::mem;
use std::sync::Arc;

use bytemuck::Pod;

use crate::platform::memory;

/// Keeps memory alive and in its place, for all handles that share it.
pub(super) type Owner = Arc<dyn Any + Send + Sync>;

/// Hands memory to an owner: that, and a slice of the memory, to be kept beside each other.
pub(super) fn share<O: Send + Sync + 'static, T>(
    memory: O,
    slice: impl FnOnce(&O) -> &[T],
) -> (Owner, &'static [T]) {
    let owner = Arc::new(memory);
    let slice: *const [T] = slice(&owner);
    // SAFETY: `slice` borrowed it from what now lies in the `Arc`, where that does not move until
    // it is dropped, and is borrowed mutably by `own` alone, which takes the slice back. So the
    // borrow holds for as long. It is `'static` in name only: a `Bvh` keeps the owner with it, and
    // shows it to others no longer than it lives.
    (owner, unsafe { &*slice })
}

/// Takes a shared slice back, to be written: in place if it is a vector that no other handle
/// holds, else in a copy, which the owner then holds instead.
pub(super) fn own<'a, T: Pod + Send + Sync>(
    owner: &'a mut Owner,
    shared: &mut &'static [T],
) -> &'a mut [T] {
    let shared = mem::take(shared);
    // After a panic while it was owned, nothing is shared, whatever the vector holds.
    let is_it = |memory: &Vec<T>| memory.len() == shared.len();
    if !owner.downcast_ref().is_some_and(is_it) || Arc::get_mut(owner).is_none() {
        *owner = Arc::new(memory::copied(shared));
    }
    // It always is such a vector now.
    let ours = Arc::get_mut(owner).and_then(|memory| memory.downcast_mut::<Vec<T>>());
    ours.map_or(&mut [], Vec::as_mut_slice)
}

/// Shares [owned](own) memory again.
pub(super) fn lend<T: Send + Sync + 'static>(owner: &Owner) -> &'static [T] {
    let slice = owner.downcast_ref::<Vec<T>>().map_or(&[][..], Vec::as_slice);
    let slice: *const [T] = slice;
    // SAFETY: as in `share`.
    unsafe { &*slice }
}
