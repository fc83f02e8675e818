//! A page of the documentation that is a specification, as tests read it.

use xxhash_rust::xxh3::xxh3_64;

/// The text of a page, a line for each line of the source.
pub(crate) struct Page(String);

impl Page {
    /// The page at the head of a source file.
    pub(crate) fn new(source: &str) -> Self {
        let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
        let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
        Self(lines.fold(String::new(), |all, line| all + line + "\n"))
    }

    /// The page as one line, without marks.
    pub(crate) fn text(&self) -> String {
        self.0.replace(['`', '*'], "").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The cells of the table's rows that follows `after`, without marks and without its head.
    pub(crate) fn table(&self, after: &str) -> Vec<Vec<String>> {
        let (_, rest) = self.0.split_once(after).unwrap_or_else(|| panic!("no `{after}`"));
        let lines = rest.lines().skip_while(|line| !line.starts_with('|'));
        let rows = lines.take_while(|line| line.starts_with('|')).skip(2);
        let cell = |cell: &str| cell.trim().replace(['`', '*'], "");
        rows.map(|row| row.trim_matches('|').split('|').map(cell).collect()).collect()
    }

    /// The rows of a table of offsets, which leave no gap: offset, size, name, and the last cell.
    pub(crate) fn fields(&self, after: &str, whole: usize) -> Vec<(usize, usize, String, String)> {
        let mut end = 0;
        let rows = self.table(after).into_iter().map(|row| {
            let (offset, size) = (number(&row[0]).expect("an offset") as usize, size(&row[1]));
            assert_eq!(offset, end, "{row:?} leaves a gap");
            end = offset + size;
            let name = row[2].split(':').next().unwrap_or_default().to_owned();
            (offset, size, name, row.last().cloned().unwrap_or_default())
        });
        let rows: Vec<_> = rows.collect();
        assert_eq!(end, whole, "{after}");
        rows
    }
}

/// The number that a text begins with, decimal or hexadecimal, with commas or without.
pub(crate) fn number(text: &str) -> Option<u64> {
    let word = text.split([' ', ':', ';']).next()?.replace(',', "");
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// The bytes of a type: of `u32`, of `8 bytes`, of `3 × 16 f32`.
fn size(of: &str) -> usize {
    let of = of.replace("bytes", "u8");
    let (counts, element) = of.rsplit_once(' ').unwrap_or(("1", &of));
    let element = match element {
        "u8" => 1,
        "u32" | "f32" => 4,
        "u64" | "f64" => 8,
        other => panic!("what is `{other}`?"),
    };
    counts
        .split('×')
        .map(|count| count.trim().parse::<usize>().expect("a count"))
        .product::<usize>()
        * element
}

/// Compares a field of a file's header, as [`Page::fields`] gives it, with the page; `header` is
/// the length of the header, with its table. `false` if it is none that the page has a value for.
pub(crate) fn check_field(
    bytes: &[u8],
    (offset, size, name, value): &(usize, usize, String, String),
    header: usize,
) -> bool {
    let (offset, size) = (*offset, *size);
    match &**name {
        "magic" => {
            let byte = |hex: &str| u8::from_str_radix(hex, 16).ok();
            let magic: Vec<u8> = value.split(' ').map_while(byte).collect();
            assert_eq!(bytes[offset..offset + size], magic);
        }
        "header checksum" => {
            let from = value.strip_prefix("xxh3-64 of bytes ").and_then(number);
            let from = from.expect("where it begins") as usize;
            assert_eq!(read(bytes, offset, size), xxh3_64(&bytes[from..header]));
        }
        "total length" => assert_eq!(read(bytes, offset, size), bytes.len() as u64),
        "source hash" | "content hash" | "section table" => return false,
        _ => assert_eq!(Some(read(bytes, offset, size)), number(value), "{name}"),
    }
    true
}

pub(crate) fn read(bytes: &[u8], offset: usize, size: usize) -> u64 {
    let mut number = [0; 8];
    number[..size].copy_from_slice(&bytes[offset..offset + size]);
    u64::from_le_bytes(number)
}

/// A number as the page writes it: `2²⁸`, `2²⁸ - 1`.
pub(crate) fn power(number: usize) -> String {
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let exponent = (number + 1).ilog2();
    let raised = |digit: char| RAISED.chars().nth(digit as usize - '0' as usize);
    let digits: String = exponent.to_string().chars().filter_map(raised).collect();
    if number.is_power_of_two() { format!("2{digits}") } else { format!("2{digits} - 1") }
}
