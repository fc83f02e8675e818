//! The tree of nodes, walked without recursion, and the transforms along it.

use glam::Affine3A;

use super::json::{Items, Json};
use crate::import::ImportErrorKind::Invalid;
use crate::import::error::{Result, Warnings};

/// An affine map in `f64`: three columns, then the translation. Products are rounded to
/// `f32` once, at the end. The formulas are scalar, so that all machines get the same bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix([[f64; 3]; 4]);

impl Matrix {
    const IDENTITY: Self = Self([[1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [0., 0., 0.]]);

    /// First `inner`, then `self`.
    fn after(&self, inner: &Self) -> Self {
        let [x, y, z, t] = &self.0;
        let mut product =
            inner.0.map(|c| [0, 1, 2].map(|row| x[row] * c[0] + y[row] * c[1] + z[row] * c[2]));
        for (value, t) in product[3].iter_mut().zip(t) {
            *value += t;
        }
        Self(product)
    }

    fn to_affine(self) -> Affine3A {
        let [x, y, z, t] = self.0.map(|column| column.map(|value| value as f32));
        Affine3A::from_cols_array_2d(&[x, y, z, t])
    }

    /// The local transform of a node.
    fn of(node: &Json<'_>, warnings: &mut Warnings) -> Result<Self> {
        let [matrix, translation, rotation, scale] =
            node.members(["matrix", "translation", "rotation", "scale"])?;
        if let Some(matrix) = matrix {
            let m = matrix.numbers::<16>()?;
            if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
                warnings.add(
                    matrix.place(),
                    "its last row is not 0, 0, 0, 1; it is read as if it were",
                );
            }
            return Ok(Self([0, 4, 8, 12].map(|c| [m[c], m[c + 1], m[c + 2]])));
        }
        let translation = translation.map_or(Ok([0.0; 3]), |t| t.numbers::<3>())?;
        let scale = scale.map_or(Ok([1.0; 3]), |s| s.numbers::<3>())?;
        let mut axes = match rotation {
            Some(rotation) => {
                let quaternion = rotation.numbers::<4>()?;
                axes_of(quaternion).unwrap_or_else(|| {
                    warnings.add(rotation.place(), "it is zero; it is read as no rotation");
                    [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]]
                })
            }
            None => [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]],
        };
        for (axis, scale) in axes.iter_mut().zip(scale) {
            *axis = axis.map(|value| value * scale);
        }
        let [x, y, z] = axes;
        Ok(Self([x, y, z, translation]))
    }
}

/// The rotated axes. The quaternion need not have unit length: exporters round.
fn axes_of([x, y, z, w]: [f64; 4]) -> Option<[[f64; 3]; 3]> {
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    if !s.is_finite() {
        return None;
    }
    Some([
        [1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)],
        [s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x)],
        [s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y)],
    ])
}

/// A node that shows a mesh.
pub(super) struct Instance {
    pub(super) node: usize,
    pub(super) mesh: usize,
    pub(super) transform: Affine3A,
}

/// All nodes that show a mesh, in the order that the module `import` states.
pub(super) fn walk<'a>(
    scene: Option<Json<'a>>,
    scenes: &Items<'a>,
    nodes: &Items<'a>,
    meshes: usize,
    warnings: &mut Warnings,
) -> Result<Vec<Instance>> {
    let default = match &scene {
        Some(scene) if scenes.len() > 0 => Some(scenes.at(scene.index(scenes.len(), "scenes")?)?),
        Some(scene) => {
            scene.size()?;
            warnings.add(scene.place(), "the file has no scenes; all root nodes are read");
            None
        }
        None => None,
    };
    let mut walk = Walk {
        nodes,
        meshes,
        seen: vec![false; nodes.len()],
        open: Vec::new(),
        instances: Vec::new(),
        warnings,
    };
    match &default {
        Some(scene) => {
            if let Some(roots) = scene.member("nodes")? {
                walk.open(&roots, Matrix::IDENTITY)?;
                walk.finish()?;
            }
        }
        None => walk.all_roots()?,
    }
    Ok(walk.instances)
}

struct Walk<'n, 'a> {
    nodes: &'n Items<'a>,
    meshes: usize,
    /// Each node is visited once, so neither a cycle nor a shared node can make the walk
    /// longer than the file.
    seen: Vec<bool>,
    open: Vec<Children<'a>>,
    instances: Vec<Instance>,
    warnings: &'n mut Warnings,
}

/// A list of children that is being visited.
struct Children<'a> {
    list: Items<'a>,
    next: usize,
    parent: Matrix,
}

impl<'a> Walk<'_, 'a> {
    fn open(&mut self, list: &Json<'a>, parent: Matrix) -> Result<()> {
        self.open.push(Children { list: list.items()?, next: 0, parent });
        Ok(())
    }

    /// Visits all nodes in the open lists, and their descendants.
    fn finish(&mut self) -> Result<()> {
        while let Some(children) = self.open.last_mut() {
            if children.next == children.list.len() {
                self.open.pop();
                continue;
            }
            let entry = children.list.at(children.next)?;
            let parent = children.parent;
            children.next += 1;
            let index = entry.index(self.nodes.len(), "nodes")?;
            if self.seen[index] {
                let reason = format_args!(
                    "nodes[{index}] is reached a second time: nodes must form a tree, \
                     without cycles or shared children"
                );
                return Err(entry.error(Invalid, reason));
            }
            self.visit(index, &parent)?;
        }
        Ok(())
    }

    fn visit(&mut self, index: usize, parent: &Matrix) -> Result<()> {
        self.seen[index] = true;
        let node = self.nodes.at(index)?;
        let global = parent.after(&Matrix::of(&node, self.warnings)?);
        let [mesh, skin, children] = node.members(["mesh", "skin", "children"])?;
        if let Some(mesh) = mesh {
            // A skinned mesh is placed by its joints, not by its node. Its vertices are read
            // as they are stored.
            let own = if skin.is_some() { Matrix::IDENTITY } else { global };
            self.instances.push(Instance {
                node: index,
                mesh: mesh.index(self.meshes, "meshes")?,
                transform: own.to_affine(),
            });
        }
        match children {
            Some(children) => self.open(&children, global),
            None => Ok(()),
        }
    }

    /// Visits all nodes without a parent, and their descendants.
    fn all_roots(&mut self) -> Result<()> {
        let mut is_child = vec![false; self.nodes.len()];
        for node in self.nodes.iter() {
            if let Some(children) = node?.member("children")? {
                for child in children.items()?.iter() {
                    is_child[child?.index(self.nodes.len(), "nodes")?] = true;
                }
            }
        }
        for root in (0..self.nodes.len()).filter(|&node| !is_child[node]) {
            self.visit(root, &Matrix::IDENTITY)?;
            self.finish()?;
        }
        match self.seen.iter().position(|seen| !seen) {
            Some(unseen) => {
                let reason = "the node is part of a cycle, or below one";
                Err(self.nodes.at(unseen)?.error(Invalid, reason))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translation_rotation_scale_in_this_order() {
        let text = r#"{"translation":[1,2,3],"rotation":[0,0,2,2],"scale":[2,3,4]}"#;
        let node = Json::parse(text).unwrap();
        let matrix = Matrix::of(&node, &mut Warnings::default()).unwrap();
        // A quarter turn about z, given by a quaternion that is not of unit length.
        assert_eq!(matrix, Matrix([[0., 2., 0.], [-3., 0., 0.], [0., 0., 4.], [1., 2., 3.]]));
        let outer = Matrix([[0., 1., 0.], [-1., 0., 0.], [0., 0., 1.], [10., 0., 0.]]);
        assert_eq!(
            outer.after(&matrix),
            Matrix([[-2., 0., 0.], [0., -3., 0.], [0., 0., 4.], [8., 1., 3.]])
        );
    }

    #[test]
    fn no_transform_is_the_identity() {
        let node = Json::parse("{}").unwrap();
        let matrix = Matrix::of(&node, &mut Warnings::default()).unwrap();
        let both = Matrix::IDENTITY.after(&matrix);
        assert_eq!(both.to_affine(), Affine3A::IDENTITY);
    }
}
