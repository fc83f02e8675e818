//! How much is tested for points that are far away, and next to triangles that are tiny as measured
//! by their tree: not much more than for points nearby.

use glam::{Affine3A, Quat, Vec3};

use crate::bake::Builder;
use crate::bvh::Bvh;
use crate::mesh::Mesh;
use crate::scene::{Instance, Scene};
use crate::simd::InstructionSet;
use crate::test_rng::number;
use crate::test_work::{Work, work_of};
use crate::traverse::Query;

fn long() -> usize {
    std::env::var("HITSCAN_LONG").map_or(1, |n| n.parse().unwrap_or(1))
}

fn direction(state: &mut u64) -> Vec3 {
    loop {
        let v = Vec3::from([0; 3].map(|_| number(state)));
        if (0.01..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

/// Hills of `2 * cells * cells` triangles, 100 units wide, with a flat square in the middle.
fn hills(cells: usize) -> Vec<[f32; 3]> {
    let at = |x: usize, z: usize| {
        let [x, z] = [x, z].map(|i| 100.0 * (i as f32 / cells as f32 - 0.5));
        let is_flat = x.abs() < 20.0 && z.abs() < 20.0;
        [x, if is_flat { 4.0 } else { (x * 0.31).sin() + (z * 0.17).cos() }, z]
    };
    let mut soup = Vec::new();
    for z in 0..cells {
        for x in 0..cells {
            let [a, b, c, d] = [at(x, z), at(x + 1, z), at(x, z + 1), at(x + 1, z + 1)];
            soup.extend([a, c, b, b, c, d]);
        }
    }
    soup
}

/// Boxes on a grid, of some sizes: many have their roofs at one height.
fn blocks(side: usize) -> Vec<[f32; 3]> {
    let mut soup = Vec::new();
    for i in 0..side * side {
        let min = [(i % side) as f32 * 2.0, 0.0, (i / side) as f32 * 2.0];
        let size = [1.0, [1.0, 2.0, 3.0][i * 7 % 3], 1.5];
        let corner = |n: usize| [0, 1, 2].map(|k| min[k] + size[k] * (n >> k & 1) as f32);
        for [a, b, c, d] in
            [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 4, 5], [2, 3, 6, 7], [0, 2, 4, 6], [1, 3, 5, 7]]
        {
            soup.extend([a, b, c, b, d, c].map(corner));
        }
    }
    soup
}

fn bake(soup: Vec<[f32; 3]>) -> Bvh {
    Builder::new().bake(&[Mesh::from_soup(soup)]).expect("sound").0
}

/// The sum, and the most of one question.
#[derive(Debug, Default)]
struct Sum {
    count: usize,
    all: Work,
    most: Work,
}

impl Sum {
    fn add(&mut self, work: Work) {
        self.count += 1;
        self.all.nodes += work.nodes;
        self.all.triangles += work.triangles;
        self.all.exact += work.exact;
        self.most.nodes = self.most.nodes.max(work.nodes);
        self.most.triangles = self.most.triangles.max(work.triangles);
        self.most.exact = self.most.exact.max(work.exact);
    }

    /// Nodes, triangles and decisions in integers for each question.
    fn mean(&self) -> [f64; 3] {
        [self.all.nodes, self.all.triangles, self.all.exact].map(|n| n as f64 / self.count as f64)
    }

    fn is_at_most(&self, times: f64, near: &Self) -> bool {
        let ([nodes, triangles, exact], [a, b, _]) = (self.mean(), near.mean());
        nodes <= times * a && triangles <= times * b && exact <= 2.0
    }
}

/// Points at a distance: anywhere, over and beside the middle, along the diagonals.
fn points(state: &mut u64, middle: Vec3, far: f32) -> Vec<Vec3> {
    let mut points: Vec<Vec3> = (0..20).map(|_| middle + far * direction(state)).collect();
    for k in 0..3 {
        let mut at = middle;
        at[k] += far;
        points.push(at);
        at[k] = -far;
        points.push(at);
    }
    for i in 0..8 {
        let sign = |k: usize| if i >> k & 1 == 0 { far } else { -far };
        points.push(middle + Vec3::new(sign(0), sign(1), sign(2)));
    }
    points.retain(|point| point.is_finite());
    points
}

#[test]
fn points_that_are_far_away_take_no_more_than_four_times_the_work() {
    let state = &mut 1;
    let size = if long() > 1 { 224 } else { 50 };
    for (what, soup) in [("hills", hills(size)), ("blocks", blocks(size * 2 / 5))] {
        let bvh = bake(soup);
        let [min, max] = [bvh.bounds().min, bvh.bounds().max];
        let ask =
            |point: Vec3, query: &Query| work_of(|| bvh.closest_point(point, f32::INFINITY, query));
        let mut near = Sum::default();
        for _ in 0..100 {
            let at = Vec3::from([0; 3].map(|_| 0.5 + 0.5 * number(state)));
            near.add(ask(min + at * (max - min), &Query::new()).1);
        }
        println!("{what} near {:?}", near.mean());
        for exponent in 0..=38 {
            let far = 10f32.powi(exponent);
            let mut sum = Sum::default();
            for point in points(state, (min + max) * 0.5, far) {
                let mut first = None;
                for isa in InstructionSet::available() {
                    let query = Query::new().instruction_set(isa);
                    let (found, work) = ask(point, &query);
                    sum.add(work);
                    assert_eq!(found, *first.get_or_insert(found), "{what} {isa} {point}");
                }
            }
            println!("{what} 1e{exponent} {:?}, most {:?}", sum.mean(), sum.most);
            assert!(sum.is_at_most(4.0, &near), "{what} 1e{exponent} {sum:?} {near:?}");
            // Nor is any question out of proportion.
            let most = sum.most.triangles as f64;
            assert!(most <= 20.0 * near.mean()[1], "{what} 1e{exponent} {sum:?} {near:?}");
        }
    }
}

/// A triangle of 3e38 units, and one of 1e-40, among ordinary ones.
#[test]
fn triangles_of_extreme_sizes_make_no_question_slow() {
    let state = &mut 2;
    let soup = hills(if long() > 1 { 224 } else { 50 });
    let plain = bake(soup.clone());
    let large = [[3e38, 3e38, 3e38], [-3e38, 3e38, 3e38], [0.0, 3e38, -3e38]];
    let tiny = [[1e-40, 0.0, 0.0], [0.0, 1e-40, 0.0], [0.0, 0.0, 1e-40]];
    let wide = [[1e20, -1e20, 0.0], [-1e20, -1e20, 1e20], [0.0, -1e20, -1e20]];
    for extreme in [large, wide] {
        let bvh = bake([soup.clone(), tiny.to_vec(), extreme.to_vec()].concat());
        let (mut near, mut sum) = (Sum::default(), Sum::default());
        for _ in 0..200 {
            let point = Vec3::from([0; 3].map(|_| 50.0 * number(state))) * Vec3::new(1.0, 0.2, 1.0);
            let (one, work) = work_of(|| plain.closest_point(point, f32::INFINITY, &Query::new()));
            near.add(work);
            let (other, work) = work_of(|| bvh.closest_point(point, f32::INFINITY, &Query::new()));
            sum.add(work);
            let nearer = other.expect("it is there");
            if (nearer.hit.triangle as usize) < soup.len() / 3 {
                assert_eq!(one, other);
            }
            // Within a distance, and whether there is any.
            let reach = 3.0f32;
            let (mut all, mut expected) = (Vec::new(), Vec::new());
            plain.all_within(point, reach, &Query::new(), &mut expected);
            let work = work_of(|| bvh.all_within(point, reach, &Query::new(), &mut all)).1;
            all.retain(|near| (near.hit.triangle as usize) < soup.len() / 3);
            assert_eq!(all, expected);
            assert!(work.triangles < 400 + 20 * all.len(), "{work:?} for {}", all.len());
        }
        println!(
            "{:?} plain, {:?} with extreme ones, most {:?}",
            near.mean(),
            sum.mean(),
            sum.most
        );
        // The walk that is given up, and the other.
        assert!(sum.is_at_most(4.0, &near), "{sum:?} {near:?}");
    }
}

#[test]
fn scenes_that_are_far_away_take_not_much_more_work_either() {
    let state = &mut 3;
    let (bvh, floor) = (bake(hills(30)), bake(blocks(8)));
    let mut scene = Scene::new();
    let side = if long() > 1 { 100 } else { 20 };
    for i in 0..side * side {
        let at = Vec3::new((i % side) as f32 * 120.0, number(state), (i / side) as f32 * 120.0);
        let turn = Quat::from_axis_angle(direction(state), [0.0, number(state)][i % 2]);
        let map = Affine3A::from_rotation_translation(turn, at);
        let bvh = if i % 3 == 0 { &floor } else { &bvh };
        scene.insert(Instance::new(bvh.clone()).with_transform(map)).expect("sound");
    }
    let now = scene.commit();
    let middle = Vec3::new(60.0 * side as f32, 0.0, 60.0 * side as f32);
    let ask = |point: Vec3| {
        let (found, work) = work_of(|| now.closest_point(point, f32::INFINITY, &Query::new()));
        assert!(found.is_some());
        work
    };
    let mut near = Sum::default();
    for _ in 0..200 {
        near.add(ask(middle + Vec3::from([0; 3].map(|_| 60.0 * number(state))) * side as f32));
    }
    println!("near {:?}", near.mean());
    for exponent in 0..=38 {
        let far = 10f32.powi(exponent);
        let mut sum = Sum::default();
        for _ in 0..40 {
            let point = middle + far * direction(state);
            if point.is_finite() {
                sum.add(ask(point));
            }
        }
        println!("1e{exponent} {:?}, most {:?}", sum.mean(), sum.most);
        assert!(sum.is_at_most(4.0, &near), "1e{exponent} {sum:?} {near:?}");
    }
}
