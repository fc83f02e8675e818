//! Files of rays: records of 32 bytes, CSV or JSON lines, as `hitscan help rays` describes them.

mod csv;
pub(crate) mod format;
pub(crate) mod hits;
mod json;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use hitscan::Ray;
use hitscan::file::read_rays;

use self::csv::CsvRays;
use self::format::{Format, TextError};
use self::json::JsonRays;
use crate::terminal::failure::Failure;

/// Rays in memory at a time: enough to keep every core busy, about 40 MB with their hits.
const CHUNK: usize = 1 << 18;

/// Reads rays, a chunk at a time.
pub(crate) struct RayReader {
    path: PathBuf,
    rays: Rays,
}

enum Rays {
    Bin {
        reader: Box<dyn Read>,
        /// Bytes of the chunks before this one.
        done: u64,
    },
    Csv(CsvRays),
    Json(JsonRays),
}

impl RayReader {
    /// Opens a file, or standard input for `-`. Without a format, the extension tells it.
    pub(crate) fn open(path: &Path, format: Option<Format>) -> Result<Self, Failure> {
        let format = format.unwrap_or_else(|| Format::of(path));
        let (path, reader): (_, Box<dyn Read>) = if path.as_os_str() == "-" {
            (Path::new("standard input"), Box::new(io::stdin().lock()))
        } else if path.is_dir() {
            return Err(Failure::folder(path));
        } else {
            let file = File::open(path).map_err(|error| Failure::opening(path, &error))?;
            (path, Box::new(file))
        };
        let rays = match format {
            Format::Bin => Rays::Bin { reader, done: 0 },
            Format::Csv => Rays::Csv(CsvRays::new(reader)),
            Format::Jsonl => Rays::Json(JsonRays::new(BufReader::new(reader))),
        };
        Ok(Self { path: path.to_owned(), rays })
    }

    /// The next chunk of rays, if there are any more.
    pub(crate) fn read(&mut self) -> Result<Option<Vec<Ray>>, Failure> {
        let path = &self.path;
        let rays = match &mut self.rays {
            Rays::Bin { reader, done } => read_records(path, reader, done)?,
            Rays::Csv(csv) => take(path, || csv.next())?,
            Rays::Json(json) => take(path, || json.next())?,
        };
        Ok((!rays.is_empty()).then_some(rays))
    }
}

fn take(
    path: &Path,
    mut next: impl FnMut() -> Result<Option<Ray>, TextError>,
) -> Result<Vec<Ray>, Failure> {
    let mut rays = Vec::new();
    while rays.len() < CHUNK {
        let ray = next().map_err(|error| match error {
            TextError::Io(error) => Failure::io(path, "reading", &error),
            TextError::At(place, reason) => Failure::at(path, &place, &reason),
        })?;
        let Some(ray) = ray else { break };
        rays.push(ray);
    }
    Ok(rays)
}

fn read_records(path: &Path, reader: &mut dyn Read, done: &mut u64) -> Result<Vec<Ray>, Failure> {
    let chunk = reader.take((CHUNK * size_of::<Ray>()) as u64);
    let rays = read_rays(chunk).map_err(|error| match error.offset() {
        Some(offset) => {
            let place = format!("byte {}", *done + offset);
            let reason = format!("a ray has {} bytes, the last one fewer", size_of::<Ray>());
            Failure::at(path, &place, &reason)
        }
        None => Failure::in_file(path, &error),
    })?;
    *done += size_of_val(&rays[..]) as u64;
    Ok(rays)
}
