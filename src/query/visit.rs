//! A walk through the tree that asks the caller where to go.

use std::ops::ControlFlow;

use super::surface::MeshTriangle;
use crate::bvh::{Bvh, LANES, MeshRecord, TreeView};
use crate::geometry::Aabb;
use crate::traverse::{BoxVisitor, visit_boxes};

/// What a [`visit`](Bvh::visit) asks and finds.
pub trait Visitor {
    /// Asked about a box of the tree. `None` leaves out all that is in it. `Some(order)` lets the
    /// visit in: of all boxes that wait, the one of the lowest order comes first. A distance is an
    /// order; where any will do, it is 0. An order that is not a number comes last.
    ///
    /// It is asked once more right before the box is entered, so what has been found meanwhile can
    /// leave the box out. The second order does not count.
    fn enter(&mut self, bounds: &Aabb) -> Option<f32>;

    /// Given each triangle of a leaf block, up to eight, whose box was entered. `Break` ends the
    /// visit.
    fn triangle(&mut self, triangle: &MeshTriangle) -> ControlFlow<()>;
}

impl Bvh {
    /// Visits boxes and triangles as the caller decides: for questions that no other call answers,
    /// such as which ten triangles are nearest, what a cone sees, or how near two levels come.
    ///
    /// Triangles of all layers come. One that a bake has cut, as bakes of
    /// [`Quality::Best`](crate::Quality::Best) do, comes once for each of its leaf blocks that the
    /// visit enters. The order of the visit depends on nothing but the tree and the visitor.
    ///
    /// Takes O(m log m) time and O(m) memory for m boxes that are let in. This is plain code
    /// without SIMD: where a call is made for a question, the call is faster.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use hitscan::glam::Vec3;
    /// use hitscan::query::{MeshTriangle, Visitor};
    /// use hitscan::{Aabb, Builder, Mesh};
    ///
    /// /// The three triangles nearest to a point, the nearest first.
    /// struct Nearest {
    ///     point: Vec3,
    ///     found: Vec<(f32, u32)>,
    /// }
    ///
    /// impl Visitor for Nearest {
    ///     fn enter(&mut self, bounds: &Aabb) -> Option<f32> {
    ///         let distance = bounds.closest_point(self.point).distance(self.point);
    ///         let is_too_far = self.found.get(2).is_some_and(|third| distance > third.0);
    ///         (!is_too_far).then_some(distance)
    ///     }
    ///
    ///     fn triangle(&mut self, triangle: &MeshTriangle) -> ControlFlow<()> {
    ///         let distance = triangle.vertices.closest_point(self.point).distance(self.point);
    ///         self.found.push((distance, triangle.triangle));
    ///         self.found.sort_by(|a, b| a.0.total_cmp(&b.0));
    ///         self.found.truncate(3);
    ///         ControlFlow::Continue(())
    ///     }
    /// }
    ///
    /// let tile = |x: f32| [[x, 0.0, 0.0], [x, 0.0, 1.0], [x + 1.0, 0.0, 0.0]];
    /// let floor = Mesh::from_soup((0..100).flat_map(|i| tile(i as f32)).collect());
    /// let (bvh, _report) = Builder::new().bake(&[floor])?;
    /// let mut nearest = Nearest { point: Vec3::new(40.2, 1.0, 0.1), found: Vec::new() };
    /// bvh.visit(&mut nearest);
    /// assert_eq!(nearest.found.iter().map(|near| near.1).collect::<Vec<_>>(), [40, 39, 41]);
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    pub fn visit(&self, visitor: &mut dyn Visitor) {
        visit_boxes(self.view().nodes, &mut InTree { bvh: self, visitor });
    }
}

/// A visit of a tree.
struct InTree<'a, 'v> {
    bvh: &'a Bvh,
    visitor: &'v mut dyn Visitor,
}

impl BoxVisitor for InTree<'_, '_> {
    fn enter(&mut self, bounds: &Aabb) -> Option<f32> {
        self.visitor.enter(bounds)
    }

    fn leaf(&mut self, block: u32) -> ControlFlow<()> {
        let TreeView { blocks, meshes, .. } = self.bvh.view();
        for lane in 0..blocks[block as usize].len() as u32 {
            let Some((id, vertices)) = self.bvh.stored(block * LANES as u32 + lane) else {
                continue;
            };
            let Some(mesh) = MeshRecord::find(meshes, id) else { continue };
            let triangle = id - meshes[mesh].first_triangle;
            self.visitor.triangle(&MeshTriangle { mesh: mesh as u32, triangle, vertices })?;
        }
        ControlFlow::Continue(())
    }
}
