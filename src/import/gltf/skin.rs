//! Skins: where their joints take a vertex.

use std::collections::HashMap;

use super::accessor::{Accessor, Accessors, Use};
use super::buffers::Buffers;
use super::json::Items;
use super::matrix::Matrix;
use super::nodes::Nodes;
use crate::import::error::{Result, Warnings};

/// All skins. Each is parsed and placed once, however many nodes use it.
pub(super) struct Skins<'a> {
    items: Items<'a>,
    opened: HashMap<usize, Skin>,
}

struct Skin {
    joints: Vec<usize>,
    inverse_binds: Option<Accessor>,
    /// For each joint its global transform after its inverse bind matrix, once it is known.
    matrices: Option<Vec<Matrix>>,
}

impl<'a> Skins<'a> {
    pub(super) fn new(items: Items<'a>) -> Self {
        Self { items, opened: HashMap::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Checks a skin. Returns the bytes of work that it adds, which are none the second time.
    pub(super) fn open(
        &mut self,
        index: usize,
        nodes: usize,
        accessors: &mut Accessors<'a>,
        buffers: &mut Buffers<'a>,
    ) -> Result<u64> {
        if self.opened.contains_key(&index) {
            return Ok(0);
        }
        let skin = self.items.at(index)?;
        let object = skin.object()?;
        let list = object.get("joints").ok_or_else(|| skin.missing("joints"))?.items()?;
        let mut joints = Vec::with_capacity(list.len());
        for joint in list.iter() {
            joints.push(joint?.index(nodes, "nodes")?);
        }
        let mut cost = 0;
        let mut inverse_binds = None;
        if let Some(reference) = object.reference("inverseBindMatrices") {
            let matrices = accessors.open(&reference, buffers, Use::Matrices)?;
            matrices.has_at_least(joints.len(), "joints")?;
            cost = matrices.count() as u64 * 64;
            inverse_binds = Some(matrices);
        }
        self.opened.insert(index, Skin { joints, inverse_binds, matrices: None });
        Ok(cost)
    }

    /// The matrices of a skin that was opened.
    pub(super) fn matrices(
        &mut self,
        index: usize,
        nodes: &mut Nodes<'a>,
        buffers: &Buffers<'a>,
        warnings: &mut Warnings,
    ) -> Result<&[Matrix]> {
        let Some(skin) = self.opened.get_mut(&index) else { return Ok(&[]) };
        if skin.matrices.is_none() {
            let mut matrices = Vec::with_capacity(skin.joints.len());
            for &joint in &skin.joints {
                matrices.push(nodes.global(joint, warnings)?);
            }
            if let Some(inverse_binds) = skin.inverse_binds {
                let inverse_binds = inverse_binds.numbers(buffers, matrices.len())?;
                for (matrix, inverse_bind) in matrices.iter_mut().zip(inverse_binds) {
                    *matrix = matrix.after(&Matrix::from_columns(inverse_bind));
                }
            }
            skin.matrices = Some(matrices);
        }
        Ok(skin.matrices.as_deref().unwrap_or_default())
    }
}
