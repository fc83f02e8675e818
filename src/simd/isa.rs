//! What a kernel may do on an instruction set.

use std::mem::MaybeUninit;

use super::child_sort::{CHILDREN, Entry, Sorted, last_key, sort_children, sorted};
use super::{BlockVector, F32x4, F64x4, Vector};

/// Something to do on an instruction set that is known at run time only.
pub(crate) trait Task {
    type Output;

    /// Does it, with the set switched on. Implementations are `#[inline(always)]`.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// A token: the proof that this CPU has an instruction set.
///
/// One ray and many rays use different vectors. One ray waits for one result after the other, and
/// on some CPUs the widest vectors have a longer latency.
pub(crate) trait Isa: Copy {
    /// The widest useful vectors, for many rays at once.
    type Wide: Vector<Isa = Self>;
    /// For one ray and the sixteen boxes of a node.
    type Node: Vector<Isa = Self>;
    /// For one ray and the eight triangles of a leaf block.
    type Leaf: Vector<Isa = Self>;
    /// For the leaf blocks of several rays of a stream at once.
    type Blocks: BlockVector<Isa = Self>;
    type Point: F32x4<Isa = Self>;
    type F64x4: F64x4<Isa = Self>;

    /// Whether [`sort_children`](Self::sort_children), [`put_off`](Self::put_off) and
    /// [`keep`](Self::keep) are free of branches, as streams of rays need them. (The default
    /// methods are not.) They take more instructions, but no branch is mispredicted, which also
    /// pays for a single ray that does not follow the path of the ray before. Such a ray then tests
    /// several nodes at once.
    const BRANCH_FREE: bool = false;

    /// Runs a task in a function of its own that has the set switched on.
    fn call_outlined<T: Task>(self, task: T) -> T::Output;

    /// Writes the children whose bits are set, no more than are [`Sorted`] at once, in the order of
    /// their lanes, as if the ray entered them at zero. The rest of `to` may be written, too.
    #[inline(always)]
    fn list_children(self, child: &[u32; CHILDREN], mask: u32, to: &mut Sorted) {
        let lanes = (0..CHILDREN).filter(|lane| mask >> lane & 1 != 0);
        for (to, lane) in to.iter_mut().zip(lanes) {
            to.write(Entry { key: 0, child: child[lane] });
        }
    }

    /// Writes the children whose bits are set, no more than are [`Sorted`] at once, the farthest
    /// first. The last four bits of their keys may be anything. The rest of `to` may be written,
    /// too.
    #[inline(always)]
    fn sort_children(
        self,
        enter: &[f32; CHILDREN],
        child: &[u32; CHILDREN],
        mask: u32,
        to: &mut Sorted,
    ) {
        sort_children(enter, child, mask, to);
    }

    /// Writes the children whose bits are set, and, if `ORDERED`, their keys, the farthest first.
    /// The rest of both arrays may be written, too.
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

    /// Keeps the subtrees that the ray enters at `t <= most`, of the first `count`, and returns how
    /// many they are.
    ///
    /// # Safety
    /// The first `count` numbers at both addresses must be initialized, and there must be room for
    /// [`CHILDREN`] more.
    #[inline(always)]
    unsafe fn keep(self, keys: *mut u32, children: *mut u32, count: usize, most: f32) -> usize {
        let last = last_key(most);
        let mut kept = 0;
        for i in 0..count {
            // SAFETY: `kept <= i < count`, and that many numbers are initialized.
            unsafe {
                let key = *keys.add(i);
                *keys.add(kept) = key;
                *children.add(kept) = *children.add(i);
                kept += usize::from(key as i32 <= last);
            }
        }
        kept
    }

    /// Gathers columns from tables whose columns are numbered on from table to table. Where an
    /// entry of `columns` is in table `number`, that column is copied to the same place in `to`.
    /// Returns a bit for each one copied.
    #[inline(always)]
    fn select_columns<const ROWS: usize>(
        self,
        number: u32,
        table: &[Row; ROWS],
        columns: &Row,
        to: &mut [Row; ROWS],
    ) -> u32 {
        // Often all are the same column.
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
                // SAFETY: this is a reference to a number of the row. The load is volatile because
                // the compiler would vectorize these copies, which is slower.
                to[i] = unsafe { std::ptr::read_volatile(&row[column as usize % COLUMNS]) };
            }
        }
        bits
    }
}

/// The columns of a table, and the columns that are gathered at once.
const COLUMNS: usize = 8;

/// One number of each column, as bits.
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

    /// Gathers these columns from some tables.
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
    fn columns_are_gathered_from_their_tables() {
        let mut state = 1;
        let mut below = |end: u32| test_rng::bits(&mut state) as u32 % end;
        let tables: Vec<[Row; 3]> = (0..4)
            .map(|_| [0; 3].map(|_| [0; COLUMNS].map(|_| u32::MAX - below(1 << 20))))
            .collect();
        for round in 0..200 {
            // Columns of one table or of several, or all the same; sometimes one that is in no
            // table.
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
