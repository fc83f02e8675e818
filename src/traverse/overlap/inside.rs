//! Whether a point is inside a closed surface.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::candidates::{ShapeTests, for_each_candidate};
use super::setup::ShapeSetup;
use crate::bvh::{Solids, TreeView};
use crate::geometry::{Aabb, AxisRay, Crossing, Shape};
use crate::traverse::found::Found;
use crate::traverse::options::Query;
use crate::traverse::place::Place;

/// Where a point is, as seen from closed surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PointLocation {
    /// Inside at least one of them, and on none.
    Inside,
    /// On a triangle.
    OnSurface,
    /// Outside all of them.
    Outside,
}

/// A question about a point: whether it is inside.
#[derive(Clone, Copy)]
pub(crate) struct InsideQuery<'a> {
    pub(crate) tree: &'a TreeView<'a>,
    pub(crate) query: &'a Query<'a>,
    pub(crate) solids: &'a Solids,
    pub(crate) point: [f32; 3],
    /// Where the tree stands, if not where it was baked. The point is in the world.
    pub(crate) place: Option<&'a Place<'a>>,
}

/// The way of a ray out of a box: as a shape, for which triangles it may cross.
pub(crate) struct WayOut {
    ray: AxisRay,
    pub(crate) shape: Shape,
}

impl WayOut {
    /// The shortest way out of a box from a point; `None` if the point is outside.
    pub(crate) fn of(bounds: &Aabb, point: [f32; 3]) -> Option<Self> {
        let ray = AxisRay::out_of(bounds, point)?;
        Some(Self { ray, shape: Shape::Aabb(ray.within(bounds)) })
    }
}

impl InsideQuery<'_> {
    pub(crate) fn location(&self) -> PointLocation {
        let facts = &self.tree.facts;
        let way = WayOut::of(&facts.bounds(), self.point);
        let setup = way.as_ref().and_then(|way| ShapeSetup::new(facts, &way.shape));
        match (way, setup) {
            (Some(way), Some(setup)) => self.location_along(&way, &setup, &setup),
            _ => PointLocation::Outside,
        }
    }

    /// Crosses triangles along one way, with these tests of leaf blocks and nodes. The winding
    /// number of the point is their sum, for each solid.
    pub(crate) fn location_along(
        &self,
        way: &WayOut,
        blocks: &ShapeSetup,
        nodes: &ShapeSetup,
    ) -> PointLocation {
        let tests = ShapeTests { blocks, nodes, place: self.place };
        let mut sums = Sums { all: SmallVec::new(), after: None, is_full: false };
        let (mut solid, mut winding) = (0, 0);
        loop {
            let mut is_on_surface = false;
            for_each_candidate(self.tree, self.query.isa, tests, &mut |found, _| {
                let step = self.add(&way.ray, found, &mut sums);
                is_on_surface = step.is_break();
                step
            });
            if is_on_surface {
                return PointLocation::OnSurface;
            }
            for sum in &sums.all {
                if sum.key.solid != solid && winding != 0 {
                    return PointLocation::Inside;
                }
                (solid, winding) = (sum.key.solid, winding + sum.winding);
            }
            if !sums.is_full {
                break;
            }
            // Once more, for those that there was no room for.
            sums.after = sums.all.last().map(|sum| sum.key);
            sums.is_full = false;
            sums.all.clear();
        }
        if winding == 0 { PointLocation::Outside } else { PointLocation::Inside }
    }

    /// `Break` if the point is on the triangle.
    #[inline(never)]
    fn add(&self, ray: &AxisRay, found: &Found, sums: &mut Sums) -> ControlFlow<()> {
        let meshes = self.tree.meshes;
        let Some((mesh, solid, bounds)) = self.solids.of_triangle(meshes, found.id) else {
            return ControlFlow::Continue(());
        };
        // The sum of a solid whose box does not hold the point is zero. That box is in the
        // coordinates of the tree.
        let may_hold = self.place.is_some() || bounds.contains(self.point);
        if meshes[mesh].mask & self.query.mask == 0 || !may_hold {
            return ControlFlow::Continue(());
        }
        match ray.crossing(&found.corners) {
            Crossing::None => {}
            Crossing::Origin => return ControlFlow::Break(()),
            Crossing::Through(winding) => {
                let once = self.solids.each_triangle_once;
                let key = Key { solid, triangle: (!once).then_some(found.id) };
                sums.add(Sum { key, winding });
            }
        }
        ControlFlow::Continue(())
    }
}

/// The winding number of a solid, or the part of it that a triangle gives, if the walk may come
/// to the triangle several times.
#[derive(Clone, Copy)]
struct Sum {
    key: Key,
    winding: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    solid: u32,
    triangle: Option<u32>,
}

/// As many sums as there is room for, the sums of the lowest keys, in order.
struct Sums {
    all: SmallVec<[Sum; MOST]>,
    /// Only sums of higher keys.
    after: Option<Key>,
    /// Whether there were more than there is room for.
    is_full: bool,
}

/// Few points have as many crossed solids, or cut triangles, in their way.
const MOST: usize = 256;

impl Sums {
    fn add(&mut self, sum: Sum) {
        if self.after.is_some_and(|after| sum.key <= after) {
            return;
        }
        match self.all.binary_search_by_key(&sum.key, |sum| sum.key) {
            Ok(at) if sum.key.triangle.is_none() => self.all[at].winding += sum.winding,
            // A triangle that a spatial split cut is in several leaves.
            Ok(_) => {}
            Err(at) => {
                if self.all.len() == MOST {
                    self.is_full = true;
                    if at == MOST {
                        return;
                    }
                    self.all.pop();
                }
                self.all.insert(at, sum);
            }
        }
    }
}
