//! Files of rays and of hits: records of 32 bytes, as `hitscan help rays` describes them.
//!
//! They are little-endian, as is every machine that can open a tree.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use hitscan::{Face, Hit, Ray};

use crate::failure::Failure;

/// Bytes of a record.
const RECORD: usize = 32;

/// Rays in memory at a time: enough to keep every core busy, about 40 MB with their hits.
const CHUNK: usize = 1 << 18;

/// Reads rays, a chunk at a time.
pub(crate) struct RayReader {
    path: PathBuf,
    reader: Box<dyn Read>,
    bytes: Vec<u8>,
    /// Bytes of the chunks before this one.
    done: usize,
}

impl RayReader {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let (path, reader): (_, Box<dyn Read>) = if path.as_os_str() == "-" {
            (Path::new("standard input"), Box::new(io::stdin().lock()))
        } else {
            let file = File::open(path).map_err(|error| Failure::io(path, "opening", &error))?;
            (path, Box::new(file))
        };
        Ok(Self { path: path.to_owned(), reader, bytes: Vec::new(), done: 0 })
    }

    /// Appends the next chunk of rays. Returns whether there were any.
    pub(crate) fn read(&mut self, rays: &mut Vec<Ray>) -> Result<bool, Failure> {
        self.done += self.bytes.len();
        self.bytes.clear();
        (&mut self.reader)
            .take((CHUNK * RECORD) as u64)
            .read_to_end(&mut self.bytes)
            .map_err(|error| Failure::io(&self.path, "reading", &error))?;
        let (records, rest) = self.bytes.as_chunks::<RECORD>();
        if !rest.is_empty() {
            let place = format!("byte {}", self.done + records.len() * RECORD);
            let reason = format!("a ray has {RECORD} bytes, the last one {}", rest.len());
            return Err(Failure::at(&self.path, &place, &reason));
        }
        rays.extend(records.iter().map(|record| {
            let [x, y, z, t_min, dx, dy, dz, t_max]: [f32; 8] =
                bytemuck::pod_read_unaligned(record);
            Ray::new([x, y, z], [dx, dy, dz]).with_range(t_min, t_max)
        }));
        Ok(!records.is_empty())
    }
}

/// The result of a ray.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct HitRecord {
    t: f32,
    u: f32,
    v: f32,
    flags: u32,
    mesh: u32,
    triangle: u32,
    user_id: u64,
}

const HIT: u32 = 1;
const FRONT: u32 = 2;

impl HitRecord {
    pub(crate) fn closest(ray: &Ray, hit: Option<&Hit>) -> Self {
        let Some(hit) = hit else { return Self { t: ray.t_max, ..Self::zeroed() } };
        let flags = match hit.face {
            Face::Front => HIT | FRONT,
            Face::Back => HIT,
        };
        let &Hit { t, u, v, mesh, triangle, user_id, .. } = hit;
        Self { t, u, v, flags, mesh, triangle, user_id }
    }

    pub(crate) fn any(is_hit: bool) -> Self {
        Self { flags: if is_hit { HIT } else { 0 }, ..Self::zeroed() }
    }

    pub(crate) fn is_hit(&self) -> bool {
        self.flags & HIT != 0
    }
}
