//! Files of rays and of hits: records of 32 bytes, as `hitscan help rays` describes them.
//!
//! They are little-endian, as is every machine that can open a tree.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use hitscan::file::read_rays;
use hitscan::{Face, Hit, InstanceId, Ray};

use crate::baked::instance_number;
use crate::failure::Failure;

/// Rays in memory at a time: enough to keep every core busy, about 40 MB with their hits.
const CHUNK: usize = 1 << 18;

/// Reads rays, a chunk at a time.
pub(crate) struct RayReader {
    path: PathBuf,
    reader: Box<dyn Read>,
    /// Bytes of the chunks before this one.
    done: u64,
}

impl RayReader {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let (path, reader): (_, Box<dyn Read>) = if path.as_os_str() == "-" {
            (Path::new("standard input"), Box::new(io::stdin().lock()))
        } else if path.is_dir() {
            return Err(Failure::folder(path));
        } else {
            let file = File::open(path).map_err(|error| Failure::io(path, "opening", &error))?;
            (path, Box::new(file))
        };
        Ok(Self { path: path.to_owned(), reader, done: 0 })
    }

    /// The next chunk of rays, if there are any more.
    pub(crate) fn read(&mut self) -> Result<Option<Vec<Ray>>, Failure> {
        let chunk = (&mut self.reader).take((CHUNK * size_of::<Ray>()) as u64);
        let rays = read_rays(chunk).map_err(|error| match error.offset() {
            Some(offset) => {
                let place = format!("byte {}", self.done + offset);
                let reason = format!("a ray has {} bytes, the last one fewer", size_of::<Ray>());
                Failure::at(&self.path, &place, &reason)
            }
            None => Failure::in_file(&self.path, &error),
        })?;
        self.done += size_of_val(&rays[..]) as u64;
        Ok((!rays.is_empty()).then_some(rays))
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
/// The number of an instance is in the bits from here on: there are at most 2^30.
const INSTANCE_BITS: u32 = 2;

impl HitRecord {
    pub(crate) fn closest(ray: &Ray, hit: Option<&Hit>) -> Self {
        let Some(hit) = hit else { return Self { t: ray.t_max, ..Self::zeroed() } };
        let flags = match hit.face {
            Face::Front => HIT | FRONT,
            Face::Back => HIT,
        };
        let &Hit { t, u, v, mesh, triangle, user_id, instance, .. } = hit;
        let instance = match instance {
            InstanceId::NONE => 0,
            instance => instance_number(instance),
        };
        Self { t, u, v, flags: flags | instance << INSTANCE_BITS, mesh, triangle, user_id }
    }

    pub(crate) fn any(is_hit: bool) -> Self {
        Self { flags: if is_hit { HIT } else { 0 }, ..Self::zeroed() }
    }

    pub(crate) fn is_hit(&self) -> bool {
        self.flags & HIT != 0
    }
}
