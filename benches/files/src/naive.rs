//! What people do without a format: a binary tree in plain vectors, handed to an encoder.

use std::path::Path;

use bincode::config::standard;
use bincode::{Decode, Encode};
use serde::{Deserialize, Serialize};

use hitscan_levels::Triangle;

#[derive(Encode, Decode, Serialize, Deserialize)]
struct Node {
    min: [f32; 3],
    max: [f32; 3],
    /// The first child, the second behind it; or the first triangle.
    first: u32,
    /// Triangles; 0 for an inner node.
    count: u32,
}

/// A tree over triangles, four at most in a leaf, halved by count: its bytes are those of any
/// other tree.
#[derive(Encode, Decode, Serialize, Deserialize)]
pub struct Tree {
    nodes: Vec<Node>,
    triangles: Vec<Triangle>,
    ids: Vec<u32>,
}

impl Tree {
    /// Builds it.
    pub fn new(triangles: &[Triangle]) -> Self {
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut nodes = vec![Node {
            min: [0.0; 3],
            max: [0.0; 3],
            first: 0,
            count: triangles.len() as u32,
        }];
        let mut next = 0;
        while next < nodes.len() {
            let (first, count) = (nodes[next].first as usize, nodes[next].count as usize);
            let ids = &mut order[first..first + count];
            let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
            for vertex in ids.iter().flat_map(|&id| triangles[id as usize]) {
                for k in 0..3 {
                    min[k] = min[k].min(vertex[k]);
                    max[k] = max[k].max(vertex[k]);
                }
            }
            (nodes[next].min, nodes[next].max) = (min, max);
            if count > 4 {
                let axis = (0..3)
                    .max_by(|&a, &b| (max[a] - min[a]).total_cmp(&(max[b] - min[b])))
                    .expect("three axes");
                let half = count / 2;
                ids.select_nth_unstable_by(half, |&a, &b| {
                    triangles[a as usize][0][axis].total_cmp(&triangles[b as usize][0][axis])
                });
                nodes[next].count = 0;
                nodes[next].first = nodes.len() as u32;
                for (first, count) in [(first, half), (first + half, count - half)] {
                    nodes.push(Node {
                        min,
                        max,
                        first: first as u32,
                        count: count as u32,
                    });
                }
            }
            next += 1;
        }
        Self {
            nodes,
            triangles: order.iter().map(|&id| triangles[id as usize]).collect(),
            ids: order,
        }
    }

    /// Writes it by bincode's own traits.
    pub fn save(&self, path: &Path) {
        let bytes = bincode::encode_to_vec(self, standard()).expect("encoded");
        std::fs::write(path, bytes).expect("written");
    }

    /// Writes it by serde's.
    pub fn save_serde(&self, path: &Path) {
        let bytes = bincode::serde::encode_to_vec(self, standard()).expect("encoded");
        std::fs::write(path, bytes).expect("written");
    }

    /// Reads it by bincode's own traits.
    pub fn load(path: &Path) -> Self {
        let bytes = std::fs::read(path).expect("read");
        bincode::decode_from_slice(&bytes, standard())
            .expect("decoded")
            .0
    }

    /// Reads it by serde's.
    pub fn load_serde(path: &Path) -> Self {
        let bytes = std::fs::read(path).expect("read");
        bincode::serde::decode_from_slice(&bytes, standard())
            .expect("decoded")
            .0
    }
}
