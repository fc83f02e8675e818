//! Which meshes touch a shape.

use std::ops::ControlFlow;

use crate::bvh::Bvh;
use crate::geometry::{Containment, Shape};
use crate::traverse::{Layers, MeshOverlap, MeshOverlapQuery, Query};

impl Bvh {
    /// The meshes that touch a shape, in order, each with whether the shape holds all of it: for an
    /// editor that selects whole meshes with a rectangle, by the
    /// [frustum](crate::geometry::Camera::frustum) of that. The list's old contents are replaced,
    /// and its memory is reused.
    ///
    /// Decided without rounding, as [`all_overlaps`](Self::all_overlaps) decides of triangles:
    /// a mesh is [`Inside`](Containment::Inside) if all of its triangles are, and
    /// [`Touching`](Containment::Touching) if not all, but any touches. Triangles that the bake has
    /// skipped do not count. Only layers matter, not sides.
    ///
    /// Triangles are not listed. A mesh whose [box](Self::mesh_bounds) the shape holds is inside
    /// without a look at them; of the others, triangles near the shape are looked at until one
    /// touches, and then all of the mesh's until one is not inside. Takes O(m) memory for m meshes;
    /// the first call also takes what [`mesh_bounds`](Self::mesh_bounds) and
    /// [`mesh_triangles`](Self::mesh_triangles) do.
    ///
    /// ```
    /// use hitscan::geometry::Containment;
    /// use hitscan::{Aabb, Builder, Layers, Mesh};
    ///
    /// let walls = [1.0, 2.0, 3.0].map(|z| {
    ///     let corners = vec![[0.0, 0.0, z], [4.0, 0.0, z], [4.0, 4.0, z], [0.0, 4.0, z + 0.5]];
    ///     Mesh::new(corners, vec![0, 1, 2, 0, 2, 3])
    /// });
    /// let (bvh, _report) = Builder::new().bake(&walls)?;
    /// let region = Aabb::from_min_max([0.0, 0.0, 2.0], [4.0, 4.0, 3.0]);
    /// let mut meshes = Vec::new();
    /// bvh.all_mesh_overlaps(region, Layers::ALL, &mut meshes);
    /// let found = meshes.iter().map(|found| (found.mesh, found.containment));
    /// assert!(found.eq([(1, Containment::Inside), (2, Containment::Touching)]));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[inline]
    pub fn all_mesh_overlaps(
        &self,
        shape: impl Into<Shape>,
        layers: Layers,
        meshes: &mut Vec<MeshOverlap>,
    ) {
        self.meshes_touching(&shape.into(), &layers.query(), meshes);
    }

    fn meshes_touching(&self, shape: &Shape, query: &Query<'_>, meshes: &mut Vec<MeshOverlap>) {
        /// How far a mesh is known.
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            /// It is not asked about, or has no triangles.
            Absent,
            Unknown,
            Touched,
            Inside,
        }
        let tree = self.view();
        let boxes = tree.meshes.iter().zip(self.all_mesh_bounds());
        let state = boxes.map(|(mesh, bounds)| match mesh.mask & query.mask {
            0 => State::Absent,
            _ if bounds.is_empty() => State::Absent,
            _ if shape.holds_box(bounds) => State::Inside,
            _ => State::Unknown,
        });
        let mut states: Vec<_> = state.collect();
        let mut unknown = states.iter().filter(|&&state| state == State::Unknown).count();
        if unknown > 0 {
            let question = MeshOverlapQuery { tree, isa: query.isa, shape, place: None };
            question.for_each(&mut |mesh, touches| {
                if states[mesh] == State::Unknown && touches() {
                    states[mesh] = State::Touched;
                    unknown -= 1;
                }
                if unknown == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        let is_inside = |mesh: u32| {
            let mut all = self.mesh_triangles(mesh);
            all.all(|found| shape.overlap(&found.vertices) == Some(Containment::Inside))
        };
        meshes.clear();
        meshes.extend((0..).zip(states).filter_map(|(mesh, state)| {
            let containment = match state {
                State::Absent | State::Unknown => return None,
                State::Touched if !is_inside(mesh) => Containment::Touching,
                State::Touched | State::Inside => Containment::Inside,
            };
            Some(MeshOverlap::new(mesh, containment))
        }));
    }
}
