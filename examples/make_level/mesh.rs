//! A triangle mesh whose equal corners are one vertex.

use std::collections::HashMap;

use glam::Vec3;

use crate::place::{self, Place};

/// Positions and triangles, counter-clockwise seen from outside.
///
/// Two corners with the same bits share a vertex, so neighbouring faces meet without a crack.
#[derive(Clone, Default)]
pub(crate) struct Mesh {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
    known: HashMap<[u32; 3], u32>,
}

impl Mesh {
    /// The vertex at `p`, new or shared.
    fn vertex(&mut self, p: Vec3) -> u32 {
        // Adding zero turns -0.0 into 0.0: they are one place.
        let p = (p + Vec3::ZERO).to_array();
        let next = self.positions.len() as u32;
        let vertex = *self.known.entry(p.map(f32::to_bits)).or_insert(next);
        if vertex == next {
            self.positions.push(p);
        }
        vertex
    }

    /// Adds a triangle, unless it has no area.
    pub(crate) fn triangle(&mut self, a: Vec3, b: Vec3, c: Vec3) {
        if (b - a).cross(c - a) != Vec3::ZERO {
            let t = [a, b, c].map(|p| self.vertex(p));
            self.triangles.push(t);
        }
    }

    /// Adds four corners, counter-clockwise, as two triangles.
    pub(crate) fn quad(&mut self, a: Vec3, b: Vec3, c: Vec3, d: Vec3) {
        self.triangle(a, b, c);
        self.triangle(a, c, d);
    }

    /// Adds a copy of another mesh, moved; a mirrored copy keeps its outside outside.
    pub(crate) fn add(&mut self, other: &Mesh, by: Place) {
        let mirrored = by.is_mirrored();
        for t in &other.triangles {
            let [a, b, c] = t.map(|v| by.point(other.position(v)));
            if mirrored {
                self.triangle(a, c, b);
            } else {
                self.triangle(a, b, c);
            }
        }
    }

    /// This mesh, moved.
    pub(crate) fn moved(&self, by: Place) -> Mesh {
        let mut mesh = Mesh::default();
        mesh.add(self, by);
        mesh
    }

    /// This mesh, moved along.
    pub(crate) fn at(&self, x: f32, y: f32, z: f32) -> Mesh {
        self.moved(place::at(x, y, z))
    }

    /// This mesh and others as one.
    pub(crate) fn with(mut self, others: &[Mesh]) -> Mesh {
        for other in others {
            self.add(other, place::at(0.0, 0.0, 0.0));
        }
        self
    }

    /// Whether every edge is walked as often one way as the other: nothing leaks out.
    pub(crate) fn is_closed(&self) -> bool {
        let mut balance: HashMap<(u32, u32), i32> = HashMap::new();
        for t in &self.triangles {
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                *balance.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
            }
        }
        balance.values().all(|&sum| sum == 0)
    }

    /// Panics unless closed: a shape that should be closed and is not is a mistake here.
    #[track_caller]
    pub(crate) fn closed(self) -> Mesh {
        assert!(self.is_closed(), "a mesh that should be closed has open edges");
        self
    }

    fn position(&self, vertex: u32) -> Vec3 {
        Vec3::from(self.positions[vertex as usize])
    }
}
