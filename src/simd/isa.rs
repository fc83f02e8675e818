//! What a kernel may do on an instruction set.

use std::mem::MaybeUninit;

use super::child_sort::{CHILDREN, Entry, SORTED, last_key, sort_children, sorted};
use super::{BlockVector, F32x4, F64x4, Vector};

/// Something to do on an instruction set that is known at run time only.
pub(crate) trait Task {
    type Output;

    /// Does it. Implementations are `#[inline(always)]`, and called with the set switched on.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// A proof that this CPU has an instruction set: only detection makes one.
///
/// What is best for a ray that has a processor to itself is not what is best for many: it waits for
/// one result after the other, and the widest vectors may take longer there.
pub(crate) trait Isa: Copy {
    /// The widest useful vectors: for many rays at once.
    type Wide: Vector<Isa = Self>;
    /// For one ray and the sixteen boxes of a node.
    type Node: Vector<Isa = Self>;
    /// For one ray and the eight triangles of a leaf block.
    type Leaf: Vector<Isa = Self>;
    /// For as many rays, each with a leaf block, as are met at once in a stream of rays.
    type Blocks: BlockVector<Isa = Self>;
    type Point: F32x4<Isa = Self>;
    type F64x4: F64x4<Isa = Self>;

    /// Whether a product and a sum are one instruction.
    const FUSES: bool;

    /// Whether [`sort_children`](Self::sort_children) pays for a ray that does not follow the one
    /// before: it takes more steps, but none is a branch that would be guessed wrong. Such a ray
    /// then meets nodes side by side.
    const SORTS: bool = false;

    /// Whether [`put_off`](Self::put_off) and [`keep`](Self::keep) are free of branches, as streams
    /// of rays need them. (What is given here is not.)
    const BRANCH_FREE: bool = false;

    /// Does a task in a function of its own that has the set switched on.
    fn call_outlined<T: Task>(self, task: T) -> T::Output;

    /// Writes the children whose bits are set, [`SORTED`] at most, in the order of their lanes, as
    /// if they were entered at zero. What else there is room for may be written, too.
    #[inline(always)]
    fn list_children(
        self,
        child: &[u32; CHILDREN],
        mask: u32,
        to: &mut [MaybeUninit<Entry>; SORTED],
    ) {
        let lanes = (0..CHILDREN).filter(|lane| mask >> lane & 1 != 0);
        for (to, lane) in to.iter_mut().zip(lanes) {
            to.write(Entry { key: 0, child: child[lane] });
        }
    }

    /// Writes the children whose bits are set, [`SORTED`] at most, the farthest first. (Their keys
    /// may be off by the last four bits.) What else there is room for may be written, too.
    #[inline(always)]
    fn sort_children(
        self,
        enter: &[f32; CHILDREN],
        child: &[u32; CHILDREN],
        mask: u32,
        to: &mut [MaybeUninit<Entry>; SORTED],
    ) {
        sort_children(enter, child, mask, to);
    }

    /// Writes the children whose bits are set, and, if they are to be in order, their keys, the
    /// farthest first. What else there is room for may be written, too.
    #[inline(always)]
    fn put_off<const ORDERED: bool>(
        self,
        enter: &[f32; CHILDREN],
        child: &[u32; CHILDREN],
        mask: u32,
        keys: &mut [MaybeUninit<u32>; CHILDREN],
        children: &mut [MaybeUninit<u32>; CHILDREN],
    ) {
        put_off::<ORDERED>(enter, child, mask, keys, children);
    }

    /// Drops all but those of the first `count` that are entered at `most` at the latest, and says
    /// how many are left.
    ///
    /// # Safety
    /// At both addresses `count` must have been written, and there must be room for [`CHILDREN`]
    /// more.
    #[inline(always)]
    unsafe fn keep(self, keys: *mut u32, children: *mut u32, count: usize, most: f32) -> usize {
        let last = last_key(most);
        let mut kept = 0;
        for i in 0..count {
            // SAFETY: the caller has written `count` of both, and `kept` is not more than `i`.
            unsafe {
                let key = *keys.add(i);
                *keys.add(kept) = key;
                *children.add(kept) = *children.add(i);
                kept += usize::from(key as i32 <= last);
            }
        }
        kept
    }

    /// Of many tables' columns, numbered one table after the other: where `columns` is one of this
    /// table's, that is put in place. A bit for each that is.
    #[inline(always)]
    fn select_columns<const ROWS: usize>(
        self,
        number: u32,
        table: &[Row; ROWS],
        columns: &Row,
        to: &mut [Row; ROWS],
    ) -> u32 {
        // Often it is one and the same.
        if columns.iter().all(|&column| column == columns[0])
            && columns[0] / COLUMNS as u32 == number
        {
            for (to, row) in to.iter_mut().zip(table) {
                *to = [row[columns[0] as usize % COLUMNS]; COLUMNS];
            }
            return (1 << COLUMNS) - 1;
        }
        let mut bits = 0;
        for (i, &column) in columns.iter().enumerate() {
            if column / COLUMNS as u32 != number {
                continue;
            }
            bits |= 1 << i;
            for (to, row) in to.iter_mut().zip(table) {
                // SAFETY: a reference is readable. (A compiler that sees vectors makes several
                // steps of what are two.)
                to[i] = unsafe { std::ptr::read_volatile(&row[column as usize % COLUMNS]) };
            }
        }
        bits
    }
}

/// Columns of a table, and how many are put side by side.
const COLUMNS: usize = 8;

/// A number of each column, by its bits.
pub(super) type Row = [u32; COLUMNS];

/// [`Isa::put_off`] in plain code.
#[inline(always)]
pub(super) fn put_off<const ORDERED: bool>(
    enter: &[f32; CHILDREN],
    child: &[u32; CHILDREN],
    mask: u32,
    keys: &mut [MaybeUninit<u32>; CHILDREN],
    children: &mut [MaybeUninit<u32>; CHILDREN],
) {
    let entered = if ORDERED { enter } else { &[0.0; CHILDREN] };
    let (entries, count) = sorted(entered, child, mask);
    for (i, entry) in entries.iter().enumerate().take(count) {
        keys[i].write(entry.key as u32);
        children[i].write(entry.child);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{self, InstructionSet};
    use crate::test_rng;

    /// Columns of some tables, put side by side.
    struct Select<'a>(&'a [[Row; 3]], &'a Row);

    impl Task for Select<'_> {
        type Output = [Row; 3];

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> [Row; 3] {
            let Self(tables, columns) = self;
            let mut selected = [[7; COLUMNS]; 3];
            for (number, table) in (0u32..).zip(tables) {
                let before = selected;
                let bits = isa.select_columns(number, table, columns, &mut selected);
                for i in 0..COLUMNS {
                    let here = columns[i] / COLUMNS as u32 == number;
                    assert_eq!(bits >> i & 1 != 0, here);
                    let unchanged = (0..3).all(|row| selected[row][i] == before[row][i]);
                    assert!(here || unchanged);
                }
                assert_eq!(bits >> COLUMNS, 0);
            }
            selected
        }
    }

    #[test]
    fn each_column_is_that_of_its_table() {
        let mut state = 1;
        let mut below = |end: u32| test_rng::bits(&mut state) as u32 % end;
        let tables: Vec<[Row; 3]> = (0..4)
            .map(|_| [0; 3].map(|_| [0; COLUMNS].map(|_| u32::MAX - below(1 << 20))))
            .collect();
        for round in 0..200 {
            // One table or more, one column or all; and now and then one of no table.
            let end = [1, COLUMNS as u32, 16, 32, 40][round % 5];
            let columns = [0; COLUMNS].map(|_| below(end));
            let expected = [0, 1, 2].map(|row| {
                columns.map(|column| {
                    let table = tables.get(column as usize / COLUMNS);
                    table.map_or(7, |table| table[row][column as usize % COLUMNS])
                })
            });
            for isa in InstructionSet::available() {
                assert_eq!(simd::run(isa, Select(&tables, &columns)), expected, "{isa}");
            }
        }
    }
}
