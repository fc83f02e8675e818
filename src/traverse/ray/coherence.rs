//! What a thread remembers of the ray that it asked last.
//!
//! Rays often come one after the other that run much the same way: a picture's lines, a light's shadows, a
//! guard's look at a player from frame to frame. Such a ray is likely to go the way of the one before (see
//! [`guess`](super::guess)); and what was in the way of that is likely to be in the way of this, so a ray that
//! asks for any hit looks there first (Haines and Greenberg 1986), and most often need not go through the tree
//! at all. No answer depends on any of this: whatever the tree keeps of a triangle is within its boxes. (In a forged
//! file it need not be, see [`file`](crate::file); then hits may be found or not, but no others.)

use std::cell::Cell;

use super::setup::RaySetup;
use crate::bvh::TreeView;
use crate::simd::F32x4;

/// How far apart the shears of rays may be that take much the same way; and their origins, in units of half the
/// tree's size.
const SPREAD: f32 = 1.0 / 16.0;

/// A ray's origin and shears, as in [`RaySetup`].
type Line = [[f32; 4]; 2];

thread_local! {
    /// The last ray of this thread.
    static LINE: Cell<Line> = const { Cell::new([[0.0; 4]; 2]) };
    /// The leaf block in which the last ray that asked for any hit found one.
    static OCCLUDER: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Whether a ray is likely to take the way of the one that this thread asked last. Hits do not depend on it.
#[inline(always)]
pub(crate) fn follows<P: F32x4>(isa: P::Isa, tree: &TreeView<'_>, ray: &RaySetup) -> bool {
    // SAFETY: the line is this thread's own, and nothing below can come back here.
    let [last_origin, last_shear] = unsafe { &mut *LINE.with(Cell::as_ptr) };
    let (origin, shear) = (P::load(isa, &ray.origin), P::load(isa, &ray.shear));
    let origin_step = origin.sub(P::load(isa, last_origin)).abs();
    let shear_step = shear.sub(P::load(isa, last_shear)).abs();
    origin.replace_at(last_origin, 0);
    shear.replace_at(last_shear, 0);
    let near = origin_step.le(P::splat(isa, SPREAD * tree.facts.reach));
    let alike = shear_step.le(P::splat(isa, SPREAD));
    // Of the shears two count. (Of the origins, too: it is nearly always so of the third.)
    near & alike & 3 == 3
}

/// The leaf block, if this tree has as many, in which the last ray of this thread that asked for any hit found
/// one. (Of this tree or of another: whatever is there is as good a guess.)
#[inline(always)]
pub(crate) fn occluder(tree: &TreeView<'_>) -> Option<u32> {
    OCCLUDER.get().filter(|&index| (index as usize) < tree.blocks.len())
}

/// In which leaf block a ray that asked for any hit found one, if it did.
#[inline(always)]
pub(crate) fn set_occluder(index: Option<u32>) {
    OCCLUDER.set(index);
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use super::*;
    use crate::bake::Builder;
    use crate::bvh::Bvh;
    use crate::geometry::Ray;
    use crate::mesh::Mesh;
    use crate::simd::{self, InstructionSet, Isa, Task};
    use crate::test_rng;
    use crate::traverse::cast::Cast;
    use crate::traverse::collect::{AcceptAll, Any, Counted};
    use crate::traverse::options::Query;
    use crate::traverse::ray::setup::set_up_ray;

    const WIDE: usize = 64;
    const LINES: usize = if cfg!(miri) { 2 } else { WIDE };

    fn tree() -> Bvh {
        let mut state = 1;
        let mut number = || test_rng::number(&mut state);
        let corners: Vec<[f32; 3]> =
            (0..60 * LINES).map(|i| [0; 3].map(|_| 10.0 * number() + 0.01 * i as f32)).collect();
        Builder::new().bake(&[Mesh::from_soup(corners)]).unwrap().0
    }

    /// Line by line.
    fn picture() -> Vec<Ray> {
        let part = |i: usize| i as f32 / WIDE as f32 - 0.5;
        (0..WIDE * LINES)
            .map(|i| Ray::new([5.0, 5.0, -20.0], [part(i % WIDE), part(i / WIDE), 1.0]))
            .collect()
    }

    /// How many of some rays follow the one before.
    struct Followers<'a>(&'a Bvh, &'a [Ray]);

    impl Task for Followers<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> usize {
            let tree = &self.0.view();
            let follows = |ray: &&Ray| {
                let mut setup = MaybeUninit::uninit();
                set_up_ray::<I::Point>(isa, tree, ray, &mut setup) && {
                    // SAFETY: a ray that is worked out is there.
                    let setup = unsafe { setup.assume_init_ref() };
                    follows::<I::Point>(isa, tree, setup)
                }
            };
            self.1.iter().filter(follows).count()
        }
    }

    #[test]
    fn neighbours_in_a_picture_follow_and_rays_from_elsewhere_do_not() {
        let tree = tree();
        let picture = picture();
        let away = Ray::new([5.0, 9.0, -20.0], [0.0, 0.0, 1.0]);
        let back = Ray::new([5.0, 5.0, -20.0], [0.4, -0.4, 1.0]);
        for isa in InstructionSet::available() {
            let count = |rays: &[Ray]| simd::run(isa, Followers(&tree, rays));
            // All but those that begin a line.
            let followers = count(&picture);
            assert!(followers >= LINES * (WIDE - 1), "{isa}: {followers}");
            assert_eq!(count(&[back, away, back, away]), 0, "{isa}");
            let turned = Ray::new(back.origin, [-0.4, 0.4, 1.0]);
            assert_eq!(count(&[turned, back, turned]), 0, "{isa}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes many minutes there")]
    fn hits_are_the_same_whichever_ray_came_before() {
        let tree = tree();
        let picture = picture();
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa);
            // One question at a time: the second about a ray would follow the first.
            let closest = |i: usize| tree.closest_hit(&picture[i], &query);
            let any = |i: usize| tree.any_hit(&picture[i], &query);
            let in_order: Vec<_> = (0..picture.len()).map(closest).collect();
            assert!(in_order.iter().any(Option::is_some));
            // In an order in which hardly any follows.
            let shuffled = || (0..picture.len()).map(|i| i * 1013 % picture.len());
            for i in shuffled() {
                assert_eq!(closest(i), in_order[i], "{isa}");
            }
            for i in (0..picture.len()).chain(shuffled()) {
                assert_eq!(any(i), in_order[i].is_some(), "{isa}");
            }
        }
    }

    #[test]
    fn what_was_in_the_way_is_looked_at_first() {
        let tree = tree();
        let (tree, query) = (&tree.view(), &Query::new());
        let query_filter = &tree.query_filter(query, AcceptAll);
        let picture = picture();
        for isa in InstructionSet::available() {
            let ask = |ray: &Ray| {
                let input = query_filter;
                simd::run(isa, Cast::<Counted<Any<'_, _>, true>> { tree, ray, index: (), input })
            };
            let mut in_the_way = 0;
            for pair in picture[..WIDE * LINES.min(8)].chunks_exact(2) {
                let (found, first) = ask(&pair[0]);
                assert_eq!(occluder(tree).is_some(), found);
                // The same again: no node, one block, the same answer.
                let (again, then) = ask(&pair[0]);
                assert_eq!(again, found);
                if found {
                    assert_eq!((then.nodes, then.blocks), (0, 1), "{isa}");
                    in_the_way += usize::from(first.nodes > 0);
                }
                // A neighbour's answer is its own.
                let answer = ask(&pair[1]).0;
                set_occluder(None);
                assert_eq!(ask(&pair[1]).0, answer, "{isa}");
            }
            assert!(in_the_way > 0, "{isa}");
        }
    }

    #[test]
    fn what_was_in_the_way_in_another_tree_changes_nothing() {
        let large = tree();
        let corner = [[4.0, 4.0, 0.0], [6.0, 4.0, 0.0], [4.0, 6.0, 0.0]];
        let (small, _) = Builder::new().bake(&[Mesh::from_soup(corner.to_vec())]).unwrap();
        let (empty, _) = Builder::new().bake(&[]).unwrap();
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa);
            let mut found = [0; 2];
            for ray in picture().iter().step_by(3) {
                set_occluder(None);
                let alone = small.any_hit(ray, &query);
                found[0] += usize::from(large.any_hit(ray, &query));
                assert_eq!(small.any_hit(ray, &query), alone, "{isa}: {ray:?}");
                assert!(!empty.any_hit(ray, &query));
                found[1] += usize::from(alone);
            }
            assert!(found[0] > found[1], "{isa}");
            assert!(cfg!(miri) || found[1] > 0, "{isa}");
        }
    }
}
