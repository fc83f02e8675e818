//! The volumes of a scene.

use super::body::PlacedBody;
use crate::geometry::{Aabb, Volume};

/// A volume that stands at an instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedVolume {
    /// In the coordinates of the instance.
    pub(super) local: Volume,
    /// In the world.
    pub(super) placed: Volume,
}

/// The volumes of a scene by number, one for each instance of such. A number is free again when the
/// instance is gone.
#[derive(Clone, Debug, Default)]
pub(super) struct Volumes {
    volumes: Vec<PlacedVolume>,
    free: Vec<u32>,
}

impl Volumes {
    pub(super) fn get(&self, number: u32) -> &PlacedVolume {
        &self.volumes[number as usize]
    }

    /// From now on it stands in another way.
    pub(super) fn set_placed(&mut self, number: u32, body: &PlacedBody) {
        self.volumes[number as usize].placed = placed(body);
    }

    /// The number of a new one.
    pub(super) fn add(&mut self, local: Volume, body: &PlacedBody) -> u32 {
        let volume = PlacedVolume { local, placed: placed(body) };
        match self.free.pop() {
            Some(number) => {
                self.volumes[number as usize] = volume;
                number
            }
            None => {
                self.volumes.push(volume);
                self.volumes.len() as u32 - 1
            }
        }
    }

    pub(super) fn remove(&mut self, number: u32) {
        self.free.push(number);
    }
}

fn placed(body: &PlacedBody) -> Volume {
    body.volume.unwrap_or(Aabb::EMPTY.into())
}
