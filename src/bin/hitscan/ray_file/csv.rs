//! Rays as comma-separated values.

use std::io::Read;

use csv::{Error, ErrorKind, Reader, ReaderBuilder, StringRecord, Terminator, Trim};
use hitscan::Ray;

use super::format::TextError;

/// The columns: without a header they are in this order, and the last two may be missing.
const COLUMNS: [&str; 8] =
    ["origin_x", "origin_y", "origin_z", "dir_x", "dir_y", "dir_z", "t_min", "t_max"];
/// As many as a ray needs.
const NEEDED: usize = 6;

pub(crate) struct CsvRays {
    reader: Reader<Box<dyn Read>>,
    record: StringRecord,
    /// What each column of the file holds, as an index of `COLUMNS`; empty before the first line.
    columns: Vec<usize>,
}

impl CsvRays {
    pub(crate) fn new(reader: Box<dyn Read>) -> Self {
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).trim(Trim::All);
        // One terminator, after which lines are counted. What comes before it is trimmed.
        builder.terminator(Terminator::Any(b'\n'));
        // The last line may have none.
        let reader = builder.from_reader(Box::new(reader.chain(&b"\n"[..])) as Box<dyn Read>);
        Self { reader, record: StringRecord::new(), columns: Vec::new() }
    }

    /// The ray of the next line, if there is one.
    pub(crate) fn next(&mut self) -> Result<Option<Ray>, TextError> {
        if !self.read()? {
            return Ok(None);
        }
        if self.columns.is_empty() {
            self.columns = (0..COLUMNS.len()).collect();
            if self.record.iter().all(|field| field.parse::<f32>().is_err()) {
                self.columns = header(&self.record).map_err(|reason| self.at(reason))?;
                if !self.read()? {
                    return Ok(None);
                }
            } else {
                self.columns.truncate(self.record.len().max(NEEDED));
            }
        }
        self.ray().map(Some).map_err(|reason| self.at(reason))
    }

    /// Reads the next line that is not blank.
    fn read(&mut self) -> Result<bool, TextError> {
        loop {
            match self.reader.read_record(&mut self.record) {
                Ok(true) if self.record.len() == 1 && self.record[0].is_empty() => {}
                Ok(is_there) => return Ok(is_there),
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    fn failed(&self, error: Error) -> TextError {
        match error.into_kind() {
            ErrorKind::Io(error) => TextError::Io(error),
            ErrorKind::Utf8 { .. } => self.at("it is not UTF-8 text".to_owned()),
            _ => self.at("it is not CSV".to_owned()),
        }
    }

    /// At the line that was just read. The reader stands at the next one.
    fn at(&self, reason: String) -> TextError {
        let line = self.reader.position().line().saturating_sub(1).max(1);
        TextError::At(format!("line {line}"), reason)
    }

    fn ray(&self) -> Result<Ray, String> {
        let (found, expected) = (self.record.len(), self.columns.len());
        if found != expected {
            return Err(format!("{found} values where {expected} are expected"));
        }
        // Where a ray ends if nothing is said of it.
        let mut numbers = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, f32::INFINITY];
        for (field, &column) in self.record.iter().zip(&self.columns) {
            if field.is_empty() && column >= NEEDED {
                continue;
            }
            let number = field.parse();
            numbers[column] = number
                .map_err(|_| format!("{}: `{}` is not a number", COLUMNS[column], shown(field)))?;
        }
        let [x, y, z, dx, dy, dz, t_min, t_max] = numbers;
        Ok(Ray::new([x, y, z], [dx, dy, dz]).with_range(t_min, t_max))
    }
}

/// What the columns of a header are.
fn header(record: &StringRecord) -> Result<Vec<usize>, String> {
    let mut columns = Vec::new();
    for name in record {
        let column = COLUMNS.iter().position(|column| name.eq_ignore_ascii_case(column));
        let column = column.ok_or_else(|| {
            let known = COLUMNS.join(", ");
            format!("there is no column `{}`; the columns are {known}", shown(name))
        })?;
        if columns.contains(&column) {
            return Err(format!("the column {} is there twice", COLUMNS[column]));
        }
        columns.push(column);
    }
    match (0..NEEDED).find(|column| !columns.contains(column)) {
        Some(missing) => Err(format!("the column {} is missing", COLUMNS[missing])),
        None => Ok(columns),
    }
}

/// The beginning of a text, for a message of one line.
fn shown(text: &str) -> &str {
    let end = text.char_indices().nth(40).map_or(text.len(), |(end, _)| end);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Result<Vec<Ray>, String> {
        let mut csv = CsvRays::new(Box::new(text.as_bytes()));
        let mut rays = Vec::new();
        loop {
            match csv.next() {
                Ok(Some(ray)) => rays.push(ray),
                Ok(None) => return Ok(rays),
                Err(TextError::At(place, reason)) => return Err(format!("{place}: {reason}")),
                Err(TextError::Io(error)) => return Err(error.to_string()),
            }
        }
    }

    #[test]
    fn columns_come_in_order_or_by_name() {
        let ray = Ray::new([1.0, 2.0, 3.0], [0.0, -1.0, 0.5]);
        assert_eq!(read("1,2,3,0,-1,.5\n"), Ok(vec![ray]));
        assert_eq!(read("1, 2,3 ,0,-1,5e-1\r\n\r\n1,2,3,0,-1,0.5"), Ok(vec![ray; 2]));
        let short = ray.with_range(-1.0, 8.0);
        assert_eq!(read("1,2,3,0,-1,0.5,-1,8\n1,2,3,0,-1,0.5,,\n"), Ok(vec![short, ray]));
        let head = "t_max,DIR_X,dir_y,dir_z,origin_x,origin_y,origin_z\n";
        let named = format!("{head}8,0,-1,0.5,1,2,3\n,0,-1,0.5,1,2,3\n");
        let named = read(Box::leak(named.into_boxed_str()));
        assert_eq!(named, Ok(vec![ray.with_range(0.0, 8.0), ray]));
        assert_eq!(
            read("1,2,3,0,-1,0.5,-inf,inf"),
            Ok(vec![ray.with_range(f32::NEG_INFINITY, f32::INFINITY)])
        );
        assert_eq!((read(""), read(head)), (Ok(vec![]), Ok(vec![])));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, error) in [
            ("1,2,3\n", "line 1: 3 values where 6 are expected"),
            ("1,2,3,4,5,6\n1,2,3,4,5\n", "line 2: 5 values where 6 are expected"),
            ("1,2,3,4,5,6\n\n1,2,x,4,5,6\n", "line 3: origin_z: `x` is not a number"),
            ("1,2,3,4,5,6\r\n\r\n\r\n1,2,x,4,5,6\r\n", "line 4: origin_z: `x` is not a number"),
            ("1,2,3,4,5,6\n1,2,x,4,5,6", "line 2: origin_z: `x` is not a number"),
            ("1,2,3,4,5,\n", "line 1: dir_z: `` is not a number"),
            ("1,2,3,4,5,6,7,8,9\n", "line 1: 9 values where 8 are expected"),
            ("origin_x,dir_x\n", "line 1: the column origin_y is missing"),
            ("dir_x,dir_x\n", "line 1: the column dir_x is there twice"),
        ] {
            assert_eq!(read(text), Err(error.to_owned()));
        }
        assert!(read("x,y,z\n").unwrap_err().starts_with("line 1: there is no column `x`; the"));
    }
}
