//! All questions, and what else is done with trees and scenes.

use std::ops::ControlFlow;

use hitscan::geometry::{ConvexHull, Turn};
use hitscan::glam::{Mat3, Vec3, Vec4};
use hitscan::scene::{Scene, Snapshot};
use hitscan::{
    Aabb, Builder, Bvh, Capsule, ConvexShape, Frustum, Hit, InstructionSet, Layers, Obb, Quality,
    Query, Ray, Shape, Sphere, Targets,
};

use crate::support::Random;
use crate::worlds::{Level, Worlds, large};

pub(crate) struct Question {
    /// The row of the table.
    pub(crate) row: &'static str,
    pub(crate) name: &'static str,
    pub(crate) ask: Ask,
}

pub(crate) fn questions() -> Vec<Question> {
    let all = [rays(), points(), shapes(), sweeps(), scenes(), others()];
    all.into_iter().flatten().collect()
}

type Ask = fn(&Worlds);

/// A filter.
fn is_seen(hit: &Hit) -> bool {
    !hit.triangle.is_multiple_of(3)
}

fn of(row: &'static str, questions: &[(&'static str, Ask)]) -> Vec<Question> {
    questions.iter().map(|&(name, ask)| Question { row, name, ask }).collect()
}

/// In every tree, on every instruction set.
fn in_each(worlds: &Worlds, ask: impl Fn(&Level, &Query)) {
    for level in &worlds.levels {
        for query in &worlds.queries {
            ask(level, query);
        }
    }
}

fn in_each_scene(worlds: &Worlds, ask: impl Fn(&Snapshot, &[Ray], &Query)) {
    for (scene, rays) in &worlds.scenes {
        for query in &worlds.queries {
            ask(scene.snapshot(), rays, query);
        }
    }
}

/// On a pool of one thread, which is this one: it has its stack.
fn on_this_thread(work: impl FnOnce() + Send) {
    #[cfg(feature = "parallel")]
    {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        pool.expect("a pool of this thread").install(work);
    }
    #[cfg(not(feature = "parallel"))]
    work();
}

fn rays() -> Vec<Question> {
    let one = of(
        "one ray",
        &[
            ("closest_hit", |worlds| {
                in_each(worlds, |level, query| {
                    for ray in &level.rays {
                        let _ = level.tree.closest_hit(ray, query);
                        let _ = level.tree.closest_hit(ray, &query.filter(&is_seen));
                    }
                })
            }),
            ("any_hit", |worlds| {
                in_each(worlds, |level, query| {
                    for ray in &level.rays {
                        let _ = level.tree.any_hit(ray, query);
                        let _ = level.tree.any_hit(ray, &query.filter(&is_seen));
                    }
                })
            }),
            ("all_hits", |worlds| {
                in_each(worlds, |level, query| {
                    let mut hits = Vec::new();
                    for ray in &level.rays {
                        level.tree.all_hits(ray, query, &mut hits);
                        let filter = query.filter(&is_seen);
                        level.tree.all_hits(ray, &filter, &mut hits);
                    }
                })
            }),
            ("for_each_hit", |worlds| {
                in_each(worlds, |level, query| {
                    let mut hits = Vec::new();
                    for ray in &level.rays {
                        level
                            .tree
                            .for_each_hit(ray, query, &mut hits, |_| ControlFlow::Continue(()));
                    }
                })
            }),
        ],
    );
    let many = of(
        "rays in a batch",
        &[
            ("closest_hit_batch", |worlds| {
                on_this_thread(|| {
                    in_each(worlds, |level, query| {
                        let mut hits = vec![None; level.many.len()];
                        level.tree.closest_hit_batch(&level.many, query, &mut hits).unwrap();
                        let filter = query.filter_by_index(&|_, hit: &Hit| is_seen(hit));
                        level.tree.closest_hit_batch(&level.many, &filter, &mut hits).unwrap();
                    })
                })
            }),
            ("any_hits", |worlds| {
                on_this_thread(|| {
                    in_each(worlds, |level, query| {
                        let mut found = vec![false; level.many.len()];
                        level.tree.any_hit_batch(&level.many, query, &mut found).unwrap();
                        let filter = query.filter_by_index(&|_, hit: &Hit| is_seen(hit));
                        level.tree.any_hit_batch(&level.many, &filter, &mut found).unwrap();
                    })
                })
            }),
            ("all_hits_batch", |worlds| {
                on_this_thread(|| {
                    in_each(worlds, |level, query| {
                        let mut hits = vec![Vec::new(); level.many.len()];
                        level.tree.all_hits_batch(&level.many, query, &mut hits).unwrap();
                    })
                })
            }),
            ("closest_hit_batch of shuffled rays", |worlds| {
                on_this_thread(|| {
                    // That takes minutes.
                    if !crate::is_optimised() {
                        return;
                    }
                    let (tree, rays) = large();
                    let mut hits = vec![None; rays.len()];
                    for query in &worlds.queries {
                        tree.closest_hit_batch(&rays, query, &mut hits).unwrap();
                    }
                })
            }),
        ],
    );
    [one, many].into_iter().flatten().collect()
}

fn points_of(level: &Level) -> Vec<Vec3> {
    let random = &mut Random::new(3);
    let mut points = Vec::new();
    for triangle in level.triangles.iter().step_by(level.triangles.len().div_ceil(6)) {
        let middle = 0.5 * (triangle.v0 + triangle.v1);
        points.extend([triangle.v0, middle, middle + random.direction(), middle * 2.0]);
    }
    points.retain(|point| point.is_finite());
    points
}

fn points() -> Vec<Question> {
    let one = of(
        "a point",
        &[
            ("closest_point", |worlds| {
                in_each(worlds, |level, query| {
                    for point in points_of(level) {
                        let _ = level.tree.closest_point(point, f32::INFINITY, query);
                        let filter = query.filter(&is_seen);
                        let _ = level.tree.closest_point(point, f32::INFINITY, &filter);
                    }
                })
            }),
            ("any_within", |worlds| {
                in_each(worlds, |level, query| {
                    for point in points_of(level) {
                        let _ = level.tree.any_within(point, 1.0, query);
                    }
                })
            }),
            ("all_within", |worlds| {
                in_each(worlds, |level, query| {
                    let mut near = Vec::new();
                    for point in points_of(level) {
                        level.tree.all_within(point, 1.0, query, &mut near);
                    }
                })
            }),
            ("signed_distance, contains", |worlds| {
                in_each(worlds, |level, _| {
                    for point in points_of(level) {
                        for layers in layers() {
                            let _ = level.tree.signed_distance(point, f32::INFINITY, layers);
                            let _ = level.tree.contains(point, layers);
                        }
                    }
                })
            }),
        ],
    );
    let many = of(
        "points in a batch",
        &[("closest_points", |worlds| {
            on_this_thread(|| {
                in_each(worlds, |level, query| {
                    let points: Vec<_> =
                        std::iter::repeat_n(points_of(level), 4).flatten().collect();
                    let mut near = vec![None; points.len()];
                    level
                        .tree
                        .closest_point_batch(&points, f32::INFINITY, query, &mut near)
                        .unwrap();
                    let filter = query.filter_by_index(&|_, hit: &Hit| is_seen(hit));
                    level
                        .tree
                        .closest_point_batch(&points, f32::INFINITY, &filter, &mut near)
                        .unwrap();
                })
            })
        })],
    );
    [one, many].into_iter().flatten().collect()
}

/// All of them, on every instruction set.
fn layers() -> impl Iterator<Item = Layers> {
    InstructionSet::available().into_iter().map(|isa| Layers::ALL.instruction_set(isa))
}

/// Sizes for shapes at a point: as small as its neighbours', and large.
fn sizes(at: Vec3) -> [f32; 4] {
    [0.0, 0.5, 1e-3, at.abs().max_element()]
}

fn boxes(at: Vec3) -> Vec<Aabb> {
    sizes(at).map(|size| Aabb::from_center_half_size(at, Vec3::splat(size))).into()
}

fn turned_boxes(at: Vec3) -> Vec<Obb> {
    let turns = [
        Mat3::from_cols(Vec3::new(0.6, 0.8, 0.0), Vec3::new(-0.8, 0.6, 0.0), Vec3::Z),
        Mat3::from_cols(Vec3::new(1.0, 2.0, 0.5), Vec3::new(-0.8, 1e-3, 1.0), Vec3::Z),
    ];
    let turned = turns.iter().flat_map(|turn| sizes(at).map(|size| (turn, size)));
    turned
        .filter_map(|(turn, size)| {
            let axes = [turn.x_axis, turn.y_axis, turn.z_axis];
            Obb::from_axes(at, axes, Vec3::splat(size))
        })
        .collect()
}

fn spheres(at: Vec3) -> Vec<Sphere> {
    sizes(at).map(|size| Sphere::new(at, size)).into()
}

fn capsules(at: Vec3) -> Vec<Capsule> {
    let up = |size: f32| Vec3::new(0.0, size, 0.25 * size);
    sizes(at).map(|size| Capsule::new(at, at + up(size), 0.5 * size)).into()
}

/// Points are as seen from the first one, one by one, so more of them need no more of the stack.
fn hulls(at: Vec3) -> Vec<ConvexHull> {
    let random = &mut Random::new(2);
    let mut hulls = Vec::new();
    for (count, size) in [(8, 1.0), (8, at.abs().max_element()), (16, 1.0)] {
        let points: Vec<_> = (0..count).map(|_| at + random.direction() * size).collect();
        hulls.extend(ConvexHull::from_points(points));
    }
    hulls
}

fn frusta(at: Vec3) -> Vec<Frustum> {
    let planes = |size: f32| {
        [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z].map(|normal| {
            let normal = normal + Vec3::new(0.01, 0.02, 0.03);
            Vec4::from((normal, size - normal.dot(at)))
        })
    };
    sizes(at).iter().filter_map(|&size| Frustum::from_planes(&planes(size), at)).collect()
}

fn overlap<S: Into<Shape> + Clone>(worlds: &Worlds, shapes: fn(Vec3) -> Vec<S>) {
    in_each(worlds, |level, query| {
        let (mut overlaps, mut meshes) = (Vec::new(), Vec::new());
        for point in points_of(level) {
            for shape in shapes(point) {
                let _ = level.tree.any_overlap(shape.clone(), query);
                level.tree.all_overlaps(shape.clone(), query, &mut overlaps);
                level.tree.all_mesh_overlaps(shape.clone(), Layers::ALL, &mut meshes);
                let filter = query.filter(&is_seen);
                let _ = level.tree.any_overlap(shape, &filter);
            }
        }
    });
}

fn shapes() -> Vec<Question> {
    of(
        "overlaps",
        &[
            ("overlaps of a sphere", |worlds| overlap(worlds, spheres)),
            ("overlaps of a capsule", |worlds| overlap(worlds, capsules)),
            ("overlaps of a box", |worlds| overlap(worlds, boxes)),
            ("overlaps of a turned box", |worlds| overlap(worlds, turned_boxes)),
            ("overlaps of a frustum", |worlds| overlap(worlds, frusta)),
            ("overlaps of a triangle", |worlds| {
                in_each(worlds, |level, query| {
                    for triangle in level.triangles.iter().take(30) {
                        let _ = level.tree.any_overlap(*triangle, &query.filter(&|_: &Hit| false));
                    }
                });
            }),
        ],
    )
}

fn sweep<S: Into<ConvexShape> + Clone>(worlds: &Worlds, shapes: fn(Vec3) -> Vec<S>) {
    in_each(worlds, |level, query| {
        let mut contacts = Vec::new();
        for (i, point) in points_of(level).into_iter().step_by(3).enumerate() {
            let motion = [Vec3::ZERO, Vec3::NEG_Y, Vec3::new(3.0, 0.3, 1e-3), -point][i % 4];
            for shape in shapes(point - 0.5 * motion) {
                let _ = level.tree.first_contact(shape.clone(), motion, query);
                level.tree.all_contacts(shape.clone(), motion, query, &mut contacts);
                level.tree.penetrations(shape.clone(), query, &mut contacts);
                let _ = level.tree.closest_to_shape(shape.clone(), f32::INFINITY, query);
                let turn = Turn::new(point, Vec3::Y, 0.5);
                let _ = level.tree.first_contact_turning(shape.clone(), motion, &turn, 0.1, query);
                let filter = query.filter(&is_seen);
                let _ = level.tree.first_contact(shape, motion, &filter);
            }
        }
    });
}

fn sweeps() -> Vec<Question> {
    let solid = of(
        "sweeps of spheres, capsules and boxes",
        &[
            ("sweeps of a sphere", |worlds| sweep(worlds, spheres)),
            ("sweeps of a capsule", |worlds| sweep(worlds, capsules)),
            ("sweeps of a box", |worlds| sweep(worlds, boxes)),
            ("sweeps of a turned box", |worlds| sweep(worlds, turned_boxes)),
        ],
    );
    let hull = of(
        "overlaps and sweeps of hulls",
        &[
            ("overlaps of a hull", |worlds| overlap(worlds, hulls)),
            ("sweeps of a hull", |worlds| sweep(worlds, hulls)),
        ],
    );
    [solid, hull].into_iter().flatten().collect()
}

/// Around where rays go.
fn points_in(rays: &[Ray]) -> impl Iterator<Item = Vec3> {
    rays.iter().step_by(4).map(|ray| ray.origin + 0.6 * ray.dir)
}

fn overlap_in_scenes<S: Into<Shape> + Clone>(worlds: &Worlds, shapes: fn(Vec3) -> Vec<S>) {
    in_each_scene(worlds, |scene, rays, query| {
        let (mut overlaps, both) = (Vec::new(), query.targets(Targets::Both));
        let mut instances = Vec::new();
        for point in points_in(rays) {
            let _ = scene.contains(point, Layers::ALL);
            let _ = scene.signed_distance(point, f32::INFINITY, Layers::ALL);
            for shape in shapes(point) {
                let _ = scene.any_overlap(shape.clone(), query);
                scene.all_overlaps(shape.clone(), query, &mut overlaps);
                scene.all_overlaps(shape.clone(), &both, &mut overlaps);
                scene.all_instance_overlaps(shape, Layers::ALL, &mut instances);
            }
        }
    });
}

fn sweep_in_scenes<S: Into<ConvexShape> + Clone>(worlds: &Worlds, shapes: fn(Vec3) -> Vec<S>) {
    in_each_scene(worlds, |scene, rays, query| {
        let mut contacts = Vec::new();
        for (i, point) in points_in(rays).enumerate() {
            let motion = [Vec3::ZERO, Vec3::NEG_Y, Vec3::new(3.0, 0.3, 1e-3), -point][i % 4];
            for shape in shapes(point - 0.5 * motion) {
                let _ = scene.first_contact(shape.clone(), motion, query);
                scene.all_contacts(shape.clone(), motion, query, &mut contacts);
                scene.penetrations(shape.clone(), query, &mut contacts);
                let both = query.targets(Targets::Both);
                let _ = scene.first_contact(shape.clone(), motion, &both);
                scene.penetrations(shape.clone(), &both, &mut contacts);
                let _ = scene.closest_to_shape(shape.clone(), f32::INFINITY, query);
                let turn = Turn::new(point, Vec3::Y, 0.5);
                let _ = scene.first_contact_turning(shape, motion, &turn, 0.1, query);
            }
        }
    });
}

fn scenes() -> Vec<Question> {
    let one = of(
        "one ray in a scene",
        &[
            ("closest_hit in a scene", |worlds| {
                in_each_scene(worlds, |scene, rays, query| {
                    let filter = query.filter(&|hit: &Hit| is_seen(hit));
                    for ray in rays {
                        let _ = scene.closest_hit(ray, query);
                        let _ = scene.closest_hit(ray, &filter);
                    }
                })
            }),
            ("any_hit in a scene", |worlds| {
                in_each_scene(worlds, |scene, rays, query| {
                    for ray in rays {
                        let _ = scene.any_hit(ray, query);
                    }
                })
            }),
            ("all_hits in a scene", |worlds| {
                in_each_scene(worlds, |scene, rays, query| {
                    let mut hits = Vec::new();
                    for ray in rays {
                        scene.all_hits(ray, query, &mut hits);
                    }
                })
            }),
            ("volumes that a ray meets", |worlds| {
                in_each_scene(worlds, |scene, rays, query| {
                    let (mut hits, both) = (Vec::new(), query.targets(Targets::Both));
                    for ray in rays {
                        let _ = scene.closest_hit(ray, &both);
                        let _ = scene.any_hit(ray, &both);
                        scene.all_volume_hits(ray, Layers::ALL, &mut hits);
                    }
                })
            }),
        ],
    );
    let many = of(
        "rays in a batch in a scene",
        &[
            ("closest_hit_batch in a scene", |worlds| {
                on_this_thread(|| {
                    in_each_scene(worlds, |scene, rays, query| {
                        let rays = many(rays);
                        let mut hits = vec![None; rays.len()];
                        scene.closest_hit_batch(&rays, query, &mut hits).unwrap();
                        let filter = query.filter(&|hit: &Hit| is_seen(hit));
                        scene.closest_hit_batch(&rays, &filter, &mut hits).unwrap();
                    });
                })
            }),
            ("any_hits in a scene", |worlds| {
                on_this_thread(|| {
                    in_each_scene(worlds, |scene, rays, query| {
                        let rays = many(rays);
                        let mut found = vec![false; rays.len()];
                        scene.any_hit_batch(&rays, query, &mut found).unwrap();
                        let mut hits = vec![Vec::new(); rays.len()];
                        scene.all_hits_batch(&rays, query, &mut hits).unwrap();
                    });
                })
            }),
        ],
    );
    let points = of(
        "points in a scene",
        &[
            ("closest_point in a scene", |worlds| {
                in_each_scene(worlds, |scene, rays, query| {
                    let mut near = Vec::new();
                    for point in points_in(rays) {
                        let _ = scene.closest_point(point, f32::INFINITY, query);
                        let _ = scene.any_within(point, 1.0, query);
                        scene.all_within(point, 1.0, query, &mut near);
                    }
                })
            }),
            ("closest_points in a scene", |worlds| {
                on_this_thread(|| {
                    in_each_scene(worlds, |scene, rays, query| {
                        let points: Vec<_> = points_in(rays).collect();
                        let mut near = vec![None; points.len()];
                        scene
                            .closest_point_batch(&points, f32::INFINITY, query, &mut near)
                            .unwrap();
                    });
                })
            }),
        ],
    );
    let shapes = of(
        "overlaps in a scene",
        &[
            ("overlaps of a sphere in a scene", |worlds| overlap_in_scenes(worlds, spheres)),
            ("overlaps of a capsule in a scene", |worlds| overlap_in_scenes(worlds, capsules)),
            ("overlaps of a box in a scene", |worlds| overlap_in_scenes(worlds, boxes)),
            ("overlaps of a turned box in a scene", |worlds| {
                overlap_in_scenes(worlds, turned_boxes)
            }),
            ("overlaps of a frustum in a scene", |worlds| overlap_in_scenes(worlds, frusta)),
            ("overlaps of a hull in a scene", |worlds| overlap_in_scenes(worlds, hulls)),
        ],
    );
    let sweeps = of(
        "sweeps in a scene",
        &[
            ("sweeps of a sphere in a scene", |worlds| sweep_in_scenes(worlds, spheres)),
            ("sweeps of a capsule in a scene", |worlds| sweep_in_scenes(worlds, capsules)),
            ("sweeps of a box in a scene", |worlds| sweep_in_scenes(worlds, boxes)),
            ("sweeps of a turned box in a scene", |worlds| sweep_in_scenes(worlds, turned_boxes)),
            ("sweeps of a hull in a scene", |worlds| sweep_in_scenes(worlds, hulls)),
        ],
    );
    [one, many, points, shapes, sweeps].into_iter().flatten().collect()
}

fn many(rays: &[Ray]) -> Vec<Ray> {
    let random = &mut Random::new(7);
    let mut many = Vec::new();
    for ray in &rays[..3] {
        for _ in 0..64 {
            let off = random.direction() * ray.dir.length() * 1e-2;
            many.push(Ray { dir: ray.dir + off, ..*ray });
        }
        many.extend((0..70).map(|_| rays[random.below(rays.len())]));
    }
    many
}

fn others() -> Vec<Question> {
    of(
        "bakes, files, refits, commits",
        &[
            ("bake", |worlds| {
                on_this_thread(|| {
                    for level in &worlds.levels {
                        for quality in [Quality::Fast, Quality::Balanced, Quality::Best] {
                            let _ = Builder::new().quality(quality).bake(&level.meshes).unwrap();
                        }
                    }
                })
            }),
            ("from_bytes, to_bytes", |worlds| {
                on_this_thread(|| {
                    for level in &worlds.levels {
                        let _ = Bvh::from_bytes(&level.tree.to_bytes()).unwrap();
                    }
                })
            }),
            ("refit, refit_mesh, transform", |worlds| {
                on_this_thread(|| {
                    for level in &worlds.levels {
                        let mut tree = level.tree.clone();
                        let views: Vec<_> = level.meshes.iter().map(|mesh| mesh.view()).collect();
                        tree.refit(&views).unwrap();
                        tree.refit_mesh(0, &views[0]).unwrap();
                        let _ =
                            tree.apply_transform(&hitscan::glam::Affine3A::from_rotation_y(1.0));
                    }
                })
            }),
            ("commits, scene files", |worlds| {
                on_this_thread(|| {
                    for (scene, _) in &worlds.scenes {
                        let mut scene = Scene::from_bytes(&scene.to_bytes()).unwrap();
                        let instances: Vec<_> = scene.instances().collect();
                        for &instance in instances.iter().step_by(3) {
                            scene.disable(instance).unwrap();
                        }
                        scene.commit();
                    }
                })
            }),
        ],
    )
}
