//! Bytes on their way in. JavaScript asks for room, writes there, and then calls what takes them.

use std::cell::Cell;

use bytemuck::{Pod, Zeroable};

use crate::fault::Fault;

/// Sixty-four bytes on a boundary of sixty-four, as files that are used in place need them.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Bytes that came in. They start on a 64-byte boundary.
#[derive(Default)]
pub struct Input {
    lines: Vec<Line>,
    length: usize,
}

thread_local! {
    static INPUT: Cell<Input> = const { Cell::new(Input { lines: Vec::new(), length: 0 }) };
}

/// Makes room for bytes, in place of what came in before. Null if there is not enough memory.
pub fn make_room(length: usize) -> *mut u8 {
    let Input { mut lines, .. } = INPUT.take();
    lines.clear();
    let count = length.div_ceil(64).max(1);
    if lines.try_reserve_exact(count).is_err() {
        return std::ptr::null_mut();
    }
    lines.resize(count, Line([0; 64]));
    let address = lines.as_mut_ptr().cast();
    INPUT.set(Input { lines, length });
    address
}

/// Takes what came in.
pub fn take() -> Input {
    INPUT.take()
}

/// Gives back what was taken, whose memory the next input then uses, unless it is large.
pub fn give_back(input: Input) {
    if input.lines.len() <= 1 << 14 {
        INPUT.set(input);
    }
}

impl Input {
    /// The bytes as plain values.
    ///
    /// # Errors
    ///
    /// If they are no whole number of them.
    pub fn values<T: Pod>(&self) -> Result<&[T], Fault> {
        let values = bytemuck::try_cast_slice(self.as_ref());
        values.map_err(|error| Fault::new(crate::Kind::Argument, format!("input: {error}")))
    }
}

impl AsRef<[u8]> for Input {
    fn as_ref(&self) -> &[u8] {
        let bytes: &[u8] = bytemuck::cast_slice(&self.lines);
        bytes.get(..self.length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{give_back, make_room, take};

    #[test]
    fn an_input_is_taken_once_and_its_memory_is_used_again() {
        let address = make_room(100);
        assert_eq!(address.addr() % 64, 0);
        let input = take();
        assert_eq!(input.as_ref(), [0; 100]);
        assert_eq!(input.values::<[f32; 5]>().map(<[_]>::len).ok(), Some(5));
        assert!(input.values::<[f32; 8]>().is_err(), "100 bytes are no whole number of rays");
        assert!(take().as_ref().is_empty());
        give_back(input);
        assert_eq!(make_room(70), address);
        assert_eq!(take().as_ref().len(), 70);
    }

    #[test]
    fn too_much_room_is_refused() {
        assert!(make_room(usize::MAX).is_null());
        assert!(make_room(isize::MAX as usize).is_null());
        assert!(take().as_ref().is_empty());
    }
}
