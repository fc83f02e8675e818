//! The fuzz targets' work. `cargo test` does the same with the committed inputs.

#![allow(dead_code, unused_imports, reason = "each target has one of these")]

mod bake;
mod import;
mod open;
#[path = "../../support/placed.rs"]
mod placed;
#[path = "../../support/repair.rs"]
mod repair;
mod scene;

pub(crate) use bake::bake;
pub(crate) use import::import;
pub(crate) use open::open;
pub(crate) use scene::scene;

/// Numbers from a fuzzer's input; zeros when there is no more.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        match self.0 {
            [first, rest @ ..] => {
                self.0 = rest;
                *first
            }
            [] => 0,
        }
    }

    /// Mostly small and round, so that things coincide; now and then any bits at all.
    fn number(&mut self) -> f32 {
        let tag = self.byte();
        match tag >> 6 {
            0 | 1 => f32::from(self.byte() as i8) / f32::from(1u8 << (tag & 7)),
            2 => {
                let exponent = i32::from(tag & 63) * 4 - 126;
                f32::from(self.byte() as i8) * 2f32.powi(exponent)
            }
            _ => f32::from_le_bytes([(); 4].map(|()| self.byte())),
        }
    }

    fn point(&mut self) -> [f32; 3] {
        [(); 3].map(|()| self.number())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
