//! Columns of tables, put side by side.

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
