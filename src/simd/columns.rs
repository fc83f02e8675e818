//! Columns of tables, put side by side: from here and there, without a look at each by itself.

/// Columns of a table, and how many are put side by side.
const COLUMNS: usize = 8;

/// A number of each column, by its bits.
pub(crate) type Row = [u32; COLUMNS];

/// # Safety
///
/// As for [`Vector`](super::Vector), for every method.
pub(crate) trait Columns {
    /// Of many tables' columns, numbered one table after the other: where `columns` is one of this table's, that
    /// is put in place. A bit for each that is.
    ///
    /// # Safety
    /// As for the trait.
    #[inline(always)]
    unsafe fn put<const ROWS: usize>(
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
                // SAFETY: a reference is readable. (A compiler that sees vectors makes several steps of what are
                // two.)
                to[i] = unsafe { std::ptr::read_volatile(&row[column as usize % COLUMNS]) };
            }
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{self, InstructionSet, Isa, Task};
    use crate::test_rng;

    /// Columns of some tables, put side by side.
    struct Put<'a>(&'a [[Row; 3]], &'a Row);

    impl Task for Put<'_> {
        type Output = [Row; 3];

        #[inline(always)]
        unsafe fn run<I: Isa>(self) -> [Row; 3] {
            let Self(tables, columns) = self;
            let mut put = [[7; COLUMNS]; 3];
            for (number, table) in (0u32..).zip(tables) {
                let before = put;
                // SAFETY: the caller vouches for the instruction set.
                let bits = unsafe { I::put(number, table, columns, &mut put) };
                for i in 0..COLUMNS {
                    let here = columns[i] / COLUMNS as u32 == number;
                    assert_eq!(bits >> i & 1 != 0, here);
                    let unchanged = (0..3).all(|row| put[row][i] == before[row][i]);
                    assert!(here || unchanged);
                }
                assert_eq!(bits >> COLUMNS, 0);
            }
            put
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
                assert_eq!(simd::run(isa, Put(&tables, &columns)), expected, "{isa}");
            }
        }
    }
}
