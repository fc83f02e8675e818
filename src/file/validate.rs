//! Whether a tree is sound: invariants I6 to I18 of the specification.
//!
//! One forward pass over the nodes, each followed at once by the leaf blocks below it; no
//! recursion, and nothing of the tree is used as an index before it has been compared with
//! what it indexes.

use super::header::invalid;
use super::lanes::{Slot, check_block, check_node};
use super::metadata::Outline;
use crate::bvh::{LANES, LEAF, LeafBlock, MAX_DEPTH, MeshRecord, Node, UNUSED_ID};
use crate::{Bvh, BvhView, LoadError};

impl BvhView<'_> {
    /// Checks that the tree is sound, as every checked door has done: for trees from an
    /// `unchecked` door, and for tests. Takes O(bytes) at memory speed, and memory of about
    /// a tenth of the tree's, or a third with many spatial splits.
    ///
    /// # Errors
    ///
    /// Of kind [`Invalid`](crate::LoadErrorKind::Invalid), for the first invariant that
    /// does not hold: which, where, what was expected and what was found.
    pub fn validate(&self) -> Result<(), LoadError> {
        let outline = Outline::read(self.metadata)?;
        let total = check_meshes(self.meshes, self.materials.len())?;
        let found = check_tree(self.nodes, self.blocks, total)?;

        let [_, nodes, blocks, meshes, materials] = self.section_bytes().map(<[u8]>::len);
        let summary = &outline.summary;
        for (invariant, what, expected, found) in [
            (
                "I6",
                "number of mesh names",
                self.meshes.len() as u64,
                outline.mesh_count,
            ),
            ("I7", "triangles_in", u64::from(total), summary.triangles_in),
            (
                "I7",
                "triangles_kept",
                found.triangles,
                summary.triangles_kept,
            ),
            ("I7", "references", found.references, summary.references),
            ("I7", "nodes", self.nodes.len() as u64, summary.nodes),
            ("I7", "leaves", self.blocks.len() as u64, summary.leaves),
            (
                "I7",
                "depth",
                u64::from(found.depth),
                u64::from(summary.depth),
            ),
            (
                "I7",
                "tree_bytes",
                (nodes + blocks + meshes + materials) as u64,
                summary.tree_bytes,
            ),
        ] {
            if expected != found {
                return Err(invalid(
                    invariant,
                    format!("metadata: {what} is {found}, the tree says {expected}"),
                ));
            }
        }
        Ok(())
    }
}

impl Bvh {
    /// As [`BvhView::validate`]. Holds of every `Bvh`, short of a bug in this crate.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn validate(&self) -> Result<(), LoadError> {
        self.view().validate()
    }
}

/// Checks the mesh table and the materials (I8 to I10); returns how many triangles there
/// are, dropped ones counted.
fn check_meshes(meshes: &[MeshRecord], materials: usize) -> Result<u32, LoadError> {
    let mut total = 0_u32;
    let mut has_materials = false;
    for (index, mesh) in meshes.iter().enumerate() {
        if mesh.first_triangle != total {
            return Err(invalid(
                "I8",
                format!(
                    "mesh {index}: first_triangle is {}, expected {total}",
                    mesh.first_triangle
                ),
            ));
        }
        total = match total.checked_add(mesh.triangle_count) {
            Some(sum) if sum < UNUSED_ID => sum,
            _ => {
                return Err(invalid(
                    "I8",
                    format!(
                        "mesh {index}: with its {} triangles there are 2^32 - 1 or more",
                        mesh.triangle_count
                    ),
                ));
            }
        };
        if mesh.flags & !MeshRecord::KNOWN_FLAGS != 0 || mesh.reserved != 0 {
            return Err(invalid(
                "I9",
                format!(
                    "mesh {index}: flags are {:#x}, at most {:#x} expected; reserved is {:#x}, \
                     0 expected",
                    mesh.flags,
                    MeshRecord::KNOWN_FLAGS,
                    mesh.reserved
                ),
            ));
        }
        has_materials |= mesh.flags & MeshRecord::MATERIALS != 0;
    }
    let expected = if has_materials { total as usize } else { 0 };
    if materials != expected {
        return Err(invalid(
            "I10",
            format!("there are {materials} materials, expected {expected}"),
        ));
    }
    Ok(total)
}

struct Found {
    depth: u32,
    triangles: u64,
    references: u64,
}

/// Checks nodes and leaf blocks (I11 to I18).
fn check_tree(nodes: &[Node], blocks: &[LeafBlock], total: u32) -> Result<Found, LoadError> {
    let mut found = Found {
        depth: 0,
        triangles: 0,
        references: 0,
    };
    if nodes.is_empty() && !blocks.is_empty() {
        let message = format!("there are {} leaf blocks, but no nodes", blocks.len());
        return Err(invalid("I18", message));
    }
    let mut node_slots = vec![Slot::UNSEEN; nodes.len()];
    let mut block_seen = vec![false; blocks.len()];
    let mut ids = Ids::new(total, blocks.len());
    // A bit for each triangle that is not all within its lane's box.
    let mut outside = vec![0u8; blocks.len()];
    let whole = Slot::whole(nodes.first().unwrap_or(&Node::EMPTY));
    if let Some(root) = node_slots.first_mut() {
        *root = Slot::ROOT;
    }

    for (index, node) in nodes.iter().enumerate() {
        let slot = node_slots[index];
        if slot.depth == 0 {
            let message = format!("node {index}: no node before it refers to it");
            return Err(invalid("I13", message));
        }
        found.depth = found.depth.max(slot.depth);
        let used = check_node(node, &slot, index)?;
        for (lane, &child) in node.child[..used].iter().enumerate() {
            let below = Slot::of(node, lane, slot.depth + 1);
            let number = (child & !LEAF) as usize;
            if child & LEAF != 0 {
                match block_seen.get_mut(number) {
                    Some(seen) if !*seen => *seen = true,
                    _ => return Err(bad_child(index, lane, child, nodes, blocks)),
                }
                let block = &blocks[number];
                let (used, lanes) = check_block(block, &below, &whole, number, total)?;
                ids.insert(&block.id);
                found.references += used as u64;
                outside[number] = lanes as u8;
            } else {
                match node_slots.get_mut(number) {
                    Some(seen) if number > index && seen.depth == 0 => *seen = below,
                    _ => return Err(bad_child(index, lane, child, nodes, blocks)),
                }
                if below.depth > MAX_DEPTH {
                    let message = format!("node {number} is on level {}", below.depth);
                    return Err(invalid("I14", format!("{message}, expected {MAX_DEPTH}")));
                }
            }
        }
    }
    if let Some(number) = block_seen.iter().position(|&seen| !seen) {
        let message = format!("leaf block {number}: no node refers to it");
        return Err(invalid("I13", message));
    }
    let ids = ids.finish();
    found.triangles = ids.different();
    check_repeated(blocks, &ids, &outside, found.references - found.triangles)?;
    Ok(found)
}

/// Checks what has to do with triangles being in several leaf blocks (I16 and I17).
fn check_repeated(
    blocks: &[LeafBlock],
    ids: &Ids,
    outside: &[u8],
    repetitions: u64,
) -> Result<(), LoadError> {
    for (number, (block, &outside)) in blocks.iter().zip(outside).enumerate() {
        let lanes = (0..LANES).filter(|&lane| outside >> lane & 1 != 0);
        let alone = |&lane: &usize| !ids.is_repeated(block.id[lane]);
        if let Some(lane) = lanes.into_iter().find(alone) {
            let message = format!(
                "leaf block {number}: triangle {} is in no other, and not within its lane's box",
                block.id[lane]
            );
            return Err(invalid("I16", message));
        }
    }
    if repetitions == 0 {
        return Ok(());
    }
    // At most twice as many are repeated as there are repetitions.
    let mut repeated = Vec::with_capacity(2 * repetitions as usize);
    for (number, block) in blocks.iter().enumerate() {
        let lanes = block.id.iter().enumerate();
        let lanes = lanes.filter(|&(_, &id)| id != UNUSED_ID && ids.is_repeated(id));
        repeated.extend(lanes.map(|(lane, &id)| (id, (number * LANES + lane) as u32)));
    }
    repeated.sort_unstable();
    let corners = |slot: u32| {
        let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
        blocks[block]
            .corners(lane)
            .map(|corner| corner.map(f32::to_bits))
    };
    for pair in repeated.windows(2) {
        let [(id, one), (other, two)] = [pair[0], pair[1]];
        if id == other && corners(one) != corners(two) {
            let message = format!(
                "triangle {id} has other vertices in leaf block {} than in leaf block {}",
                two as usize / LANES,
                one as usize / LANES
            );
            return Err(invalid("I17", message));
        }
    }
    Ok(())
}

#[cold]
fn bad_child(
    node: usize,
    lane: usize,
    child: u32,
    nodes: &[Node],
    blocks: &[LeafBlock],
) -> LoadError {
    let (what, count) = if child & LEAF != 0 {
        ("leaf block", blocks.len())
    } else {
        ("node", nodes.len())
    };
    let number = child & !LEAF;
    let why = if number as usize >= count {
        format!("there are {count} only")
    } else if child & LEAF == 0 && number as usize <= node {
        "a child lies behind its parent".to_owned()
    } else {
        "something else refers to it too".to_owned()
    };
    let message = format!("node {node}, lane {lane}: child is {what} {number}, but {why}");
    invalid("I13", message)
}

/// The triangles met so far. Two bits for each triangle that there may be; or, where most of
/// those are not in the tree, so that the bits could be far more than the file, a list.
enum Ids {
    Bits { met: Vec<u64>, repeated: Vec<u64> },
    List(Vec<u32>),
}

impl Ids {
    fn new(total: u32, blocks: usize) -> Self {
        let words = (total as usize).div_ceil(64);
        let most = blocks * LANES;
        if 2 * words * size_of::<u64>() <= most * size_of::<u32>() {
            Self::Bits {
                met: vec![0; words],
                repeated: vec![0; words],
            }
        } else {
            Self::List(Vec::with_capacity(most))
        }
    }

    /// Notes a block's ids, all of them below the total or unused.
    fn insert(&mut self, ids: &[u32; LANES]) {
        match self {
            Self::Bits { met, repeated } => {
                for &id in ids {
                    // Unused lanes note nothing in the first word: cheaper than a branch.
                    let used = id != UNUSED_ID;
                    let at = if used { id as usize } else { 0 };
                    let bit = u64::from(used) << (at % 64);
                    repeated[at / 64] |= met[at / 64] & bit;
                    met[at / 64] |= bit;
                }
            }
            Self::List(list) => list.extend(ids.iter().filter(|&&id| id != UNUSED_ID)),
        }
    }

    /// All have been met.
    fn finish(mut self) -> Self {
        if let Self::List(list) = &mut self {
            list.sort_unstable();
        }
        self
    }

    fn different(&self) -> u64 {
        match self {
            Self::Bits { met, .. } => met.iter().map(|word| u64::from(word.count_ones())).sum(),
            Self::List(list) => list.chunk_by(|a, b| a == b).count() as u64,
        }
    }

    fn is_repeated(&self, id: u32) -> bool {
        match self {
            Self::Bits { repeated, .. } => repeated[id as usize / 64] >> (id % 64) & 1 != 0,
            Self::List(list) => {
                let first = list.partition_point(|&other| other < id);
                list.get(first + 1) == Some(&id)
            }
        }
    }
}
