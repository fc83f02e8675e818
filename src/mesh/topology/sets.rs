//! Sets of things that are numbered.

/// Disjoint sets: at first each number is one by itself.
pub(super) struct Sets {
    /// A lower number of the same set, or the same number.
    lower: Vec<u32>,
}

impl Sets {
    pub(super) fn new(count: usize) -> Self {
        Self { lower: (0..count as u32).collect() }
    }

    /// The lowest number of a set.
    pub(super) fn first(&mut self, mut number: u32) -> u32 {
        let lower = &mut self.lower;
        while lower[number as usize] != number {
            let next = lower[number as usize];
            lower[number as usize] = lower[next as usize];
            number = next;
        }
        number
    }

    /// Makes one set of two, and returns its lowest number.
    pub(super) fn unite(&mut self, one: u32, other: u32) -> u32 {
        let (one, other) = (self.first(one), self.first(other));
        let first = one.min(other);
        self.lower[one.max(other) as usize] = first;
        first
    }
}
