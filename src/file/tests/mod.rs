//! The format held against its specification, with trees made by hand.

mod corruption;
mod doors;
mod invariants;
pub(crate) mod page;
mod save;
mod specification;

use std::collections::HashSet;

use super::{Metadata, Source};
use crate::bvh::{
    BakeSummary, Bvh, LANES, LEAF, LeafBlock, MeshRecord, Node, Quality, Sections,
    UNUSED_COORDINATE, UNUSED_ID, WIDTH,
};

/// Numbers that look random and are the same each time (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Zero to one.
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32
    }
}

const BLANK_NODE: Node = Node {
    min: [[f32::INFINITY; WIDTH]; 3],
    max: [[f32::NEG_INFINITY; WIDTH]; 3],
    child: [0; WIDTH],
};

const BLANK_BLOCK: LeafBlock = LeafBlock {
    vertex: [[[f32::from_bits(UNUSED_COORDINATE); LANES]; 3]; 3],
    id: [UNUSED_ID; LANES],
};

/// A sound tree of some leaf blocks: triangles at random, nodes filled from the left,
/// level by level. Two meshes, of which the second has materials.
fn tree(block_count: usize) -> Sections {
    let mut random = Random(block_count as u64);
    let mut triangles = 0;
    let mut level = Vec::new();
    let mut blocks = Vec::new();
    for index in 0..block_count {
        let used = 1 + random.below(LANES);
        let mut block = BLANK_BLOCK;
        let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for lane in 0..used {
            block.id[lane] = triangles;
            triangles += 1;
            for vertex in &mut block.vertex {
                for (axis, plane) in vertex.iter_mut().enumerate() {
                    plane[lane] = index as f32 + 4.0 * random.unit() - 2.0;
                    min[axis] = min[axis].min(plane[lane]);
                    max[axis] = max[axis].max(plane[lane]);
                }
            }
        }
        blocks.push(block);
        level.push((index as u32 | LEAF, min, max));
    }

    // Levels from the leaves up; a child's number counts within its level as yet.
    let mut levels: Vec<Vec<Node>> = Vec::new();
    while block_count > 0 && (levels.is_empty() || level.len() > 1) {
        let mut nodes = Vec::new();
        let mut above = Vec::new();
        for children in level.chunks(WIDTH) {
            let mut node = BLANK_NODE;
            let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
            for (lane, child) in children.iter().enumerate() {
                node.child[lane] = child.0;
                for axis in 0..3 {
                    node.min[axis][lane] = child.1[axis];
                    node.max[axis][lane] = child.2[axis];
                    min[axis] = min[axis].min(child.1[axis]);
                    max[axis] = max[axis].max(child.2[axis]);
                }
            }
            above.push((nodes.len() as u32, min, max));
            nodes.push(node);
        }
        levels.push(nodes);
        level = above;
    }
    levels.reverse();
    let depth = levels.len() as u32;
    let mut nodes: Vec<Node> = Vec::new();
    for mut level in levels {
        let behind = (nodes.len() + level.len()) as u32;
        for child in level.iter_mut().flat_map(|node| &mut node.child) {
            // Blank lanes of the lowest level stay blank, as those are all leaves.
            if *child & LEAF == 0 {
                *child += behind;
            }
        }
        nodes.append(&mut level);
    }
    for node in &mut nodes {
        for lane in 0..WIDTH {
            if node.min[0][lane] == f32::INFINITY {
                node.child[lane] = 0;
            }
        }
    }

    let first = triangles / 3;
    let mut mesh = |first_triangle, triangle_count, flags| MeshRecord {
        first_triangle,
        triangle_count,
        vertex_count: 3 * triangle_count,
        mask: u32::MAX,
        user_id: 7,
        index_hash: random.next(),
        flags,
        reserved: 0,
    };
    let meshes = vec![
        mesh(0, first, MeshRecord::SWAPPED),
        // Two triangles were dropped.
        mesh(first, triangles - first + 2, MeshRecord::MATERIALS),
    ];
    let materials = (0..triangles + 2).collect();
    let mut tree = Sections { nodes, blocks, meshes, materials, ..Sections::default() };
    describe(&mut tree, depth);
    tree.content_hash = random.next();
    tree.user = (0..random.below(100)).map(|_| random.next() as u8).collect();
    tree
}

/// Gives a tree the metadata that fits it.
fn describe(tree: &mut Sections, depth: u32) {
    let tree_bytes = (size_of_val(&tree.nodes[..])
        + size_of_val(&tree.blocks[..])
        + size_of_val(&tree.meshes[..])
        + size_of_val(&tree.materials[..])) as u64;
    let ids = tree.blocks.iter().flat_map(|block| block.id);
    let ids: Vec<u32> = ids.filter(|&id| id != UNUSED_ID).collect();
    let different: HashSet<u32> = ids.iter().copied().collect();
    let metadata = Metadata {
        builder: "hitscan's tests".to_owned(),
        quality: Quality::Fast,
        spatial_budget: 0.25,
        sources: vec![Source { name: "hall.glb".to_owned(), hash: 0x0123_4567_89ab_cdef }],
        mesh_names: (0..tree.meshes.len()).map(|n| format!("Wändé {n}")).collect(),
        material_names: vec!["Stein".to_owned(), String::new(), "Öl".to_owned()],
        summary: BakeSummary {
            triangles_in: tree.meshes.iter().map(|m| u64::from(m.triangle_count)).sum(),
            triangles_kept: different.len() as u64,
            references: ids.len() as u64,
            skipped_degenerate: 2,
            nodes: tree.nodes.len() as u64,
            leaves: tree.blocks.len() as u64,
            depth,
            sah_cost: 12.5,
            tree_bytes,
            ..BakeSummary::default()
        },
    };
    tree.metadata = metadata.encode().expect("small metadata");
}

impl Sections {
    fn tree(&self) -> Bvh {
        Bvh::new(self.clone())
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.tree().to_bytes()
    }
}

fn without_meshes() -> Sections {
    let mut tree = Sections::default();
    describe(&mut tree, 0);
    tree
}

/// Bytes of any length on a 64-byte boundary.
struct AlignedBytes {
    memory: Vec<Node>,
    length: usize,
}

impl AlignedBytes {
    fn new(bytes: &[u8]) -> Self {
        let mut memory = vec![BLANK_NODE; bytes.len().div_ceil(size_of::<Node>())];
        bytemuck::cast_slice_mut(&mut memory)[..bytes.len()].copy_from_slice(bytes);
        let length = bytes.len();
        Self { memory, length }
    }
}

impl AsRef<[u8]> for AlignedBytes {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.memory)[..self.length]
    }
}

/// Makes header and checksums right again after sections were changed.
fn repair(bytes: &mut [u8]) {
    use super::header::HEADER_LENGTH;
    use xxhash_rust::xxh3::xxh3_64;
    for entry in (64..HEADER_LENGTH).step_by(40) {
        let number = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[entry + at..][..8]);
            u64::from_le_bytes(number) as usize
        };
        let (offset, length) = (number(8), number(16));
        let section = bytes.get(offset..).and_then(|rest| rest.get(..length));
        if let Some(checksum) = section.map(crate::file::checksum::checksum) {
            bytes[entry + 32..][..8].copy_from_slice(&checksum.to_le_bytes());
        }
    }
    let checksum = xxh3_64(&bytes[24..HEADER_LENGTH]);
    bytes[16..24].copy_from_slice(&checksum.to_le_bytes());
}
