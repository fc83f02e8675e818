//! Rays that are asked of a scene, and what they test.

use std::collections::{BTreeMap, HashMap};

use hitscan::explain::SceneStep;
use hitscan::query::Question;
use hitscan::{Aabb, InstanceId, Query, Ray, Scene};

use super::sample::Sample;
use super::share::{Count, Share, largest_first};
use crate::level::baked::instance_number;
use crate::level::{Level, Placed};
use crate::terminal::text;

/// In how many boxes of other instances a ray must be for an instance to stand in a crowd.
const CROWD: usize = 4;
/// What a ray in a tree's coordinates may have, to be asked fast: its largest coordinate, and the
/// largest component of its direction.
const COORDINATES: f32 = 3e10;
const DIRECTIONS: std::ops::RangeInclusive<f32> = 1e-9..=1e9;

/// What rays test in a scene.
pub(super) struct SceneSample<'a> {
    scene: &'a Scene,
    pub(super) rays: u64,
    pub(super) hits: u64,
    /// Of the trees of instances.
    pub(super) nodes: u64,
    /// By their numbers.
    pub(super) trees: BTreeMap<u32, Sample<'a>>,
    /// In the order of their handles.
    pub(super) instances: Vec<Standing<'a>>,
    places: HashMap<InstanceId, usize>,
}

/// An instance, and how rays ask it.
pub(super) struct Standing<'a> {
    pub(super) placed: Placed<'a>,
    /// In the world.
    bounds: Aabb,
    /// How many rays ask its tree.
    pub(super) entered: u64,
    /// Of these, how many find nothing new there.
    pub(super) in_vain: u64,
    /// Of these, how many are in a crowd in the middle of their way through its box.
    pub(super) in_crowd: u64,
    /// Of these, how many have numbers in its tree's coordinates that make them slow.
    pub(super) slow: u64,
    pub(super) count: Count,
}

impl<'a> SceneSample<'a> {
    pub(super) fn new(scene: &'a Scene) -> Self {
        let mut trees = BTreeMap::new();
        let mut instances = Vec::new();
        for placed in Level::Scene(scene).trees() {
            trees.entry(placed.tree).or_insert_with(|| Sample::new(placed.bvh));
            let bounds = placed.bvh.bounds().transformed(&placed.transform);
            let count = Count::default();
            instances.push(Standing {
                placed,
                bounds,
                entered: 0,
                in_vain: 0,
                in_crowd: 0,
                slow: 0,
                count,
            });
        }
        let places = instances.iter().enumerate().map(|(at, one)| (one.placed.instance, at));
        let places = places.collect();
        Self { scene, rays: 0, hits: 0, nodes: 0, trees, instances, places }
    }

    pub(super) fn ask(&mut self, ray: &Ray, query: &Query<'_>, question: Question) {
        let walk = self.scene.snapshot().explain(ray, query, question);
        self.rays += 1;
        self.hits += u64::from(walk.hit.is_some());
        let mut ways = Vec::new();
        for step in &walk.steps {
            let SceneStep::Instance { instance, ray: local, walk, .. } = step else {
                self.nodes += 1;
                continue;
            };
            let Some(&at) = self.places.get(instance) else { continue };
            let standing = &mut self.instances[at];
            let Some(tree) = self.trees.get_mut(&standing.placed.tree) else { continue };
            standing.entered += 1;
            standing.in_vain += u64::from(walk.hit.is_none());
            standing.slow += u64::from(is_slow(local));
            standing.count.add(tree.count(walk));
            let interval = standing.bounds.ray_interval(ray);
            if let Some(way) = interval.and_then(|interval| interval.clipped(ray)) {
                ways.push((at, way.enter, way.exit));
            }
        }
        for at in in_crowd(&ways) {
            self.instances[at].in_crowd += 1;
        }
    }

    /// Tells each tree what all of them have tested, when all rays have been asked.
    pub(super) fn finish(&mut self) {
        let all_tests = self.tests();
        for tree in self.trees.values_mut() {
            (tree.rays, tree.all_tests) = (self.rays, all_tests);
        }
    }

    /// All tests of triangles.
    pub(super) fn tests(&self) -> u64 {
        self.instances.iter().map(|one| one.count.tests).sum()
    }

    /// A sum over all instances.
    pub(super) fn sum(&self, of: impl Fn(&Standing<'_>) -> u64) -> u64 {
        self.instances.iter().map(of).sum()
    }

    /// The instances that rays asked.
    pub(super) fn by_instance(&self) -> Vec<Share> {
        let asked = self.instances.iter().filter(|one| one.entered > 0);
        let mut shares: Vec<_> = asked
            .map(|one| Share {
                instance: Some(instance_number(one.placed.instance)),
                tree: Some(one.placed.tree),
                name: self.name(one.placed.instance),
                ..self.share(one.count)
            })
            .collect();
        shares.sort_by(largest_first);
        shares
    }

    pub(super) fn by_tree(&self) -> Vec<Share> {
        let mut counts = BTreeMap::<u32, (Count, usize)>::new();
        for one in &self.instances {
            let (count, instances) = counts.entry(one.placed.tree).or_default();
            count.add(one.count);
            *instances += 1;
        }
        let share = |(tree, (count, instances))| {
            let name = text::counted(instances, "instance");
            Share { tree: Some(tree), name: format!("({name})"), ..self.share(count) }
        };
        let mut shares: Vec<_> = counts.into_iter().map(share).collect();
        shares.sort_by(largest_first);
        shares
    }

    /// The shares of parts of all trees together, the largest first.
    pub(super) fn of_trees(&self, shares: impl Fn(&Sample<'_>) -> Vec<Share>) -> Vec<Share> {
        let of_tree = |(&tree, sample): (&u32, &Sample<'_>)| {
            let named = move |share| Share { tree: Some(tree), ..share };
            shares(sample).into_iter().map(named).collect::<Vec<_>>()
        };
        let mut all: Vec<_> = self.trees.iter().flat_map(of_tree).collect();
        all.sort_by(largest_first);
        all
    }

    pub(super) fn name(&self, instance: InstanceId) -> String {
        self.scene.snapshot().name(instance).unwrap_or_default().to_owned()
    }

    fn share(&self, count: Count) -> Share {
        Share::new(count, self.rays, self.tests())
    }
}

/// Whether a ray is beyond the range of box tests in `f32`.
fn is_slow(local: &Ray) -> bool {
    let (origin, dir) = (local.origin.abs().max_element(), local.dir.abs().max_element());
    origin > COORDINATES || !DIRECTIONS.contains(&dir)
}

/// The instances, of those that a ray enters from one `t` to another, in the middle of which it is
/// in a crowd of others.
fn in_crowd(ways: &[(usize, f32, f32)]) -> impl Iterator<Item = usize> {
    let mut enters: Vec<f32> = ways.iter().map(|way| way.1).collect();
    let mut exits: Vec<f32> = ways.iter().map(|way| way.2).collect();
    enters.sort_unstable_by(f32::total_cmp);
    exits.sort_unstable_by(f32::total_cmp);
    ways.iter().filter_map(move |&(at, enter, exit)| {
        let middle = enter.midpoint(exit);
        let entered = enters.partition_point(|&enter| enter <= middle);
        let left = exits.partition_point(|&exit| exit < middle);
        // One of them is the instance itself.
        (entered - left > CROWD).then_some(at)
    })
}
