//! All triangles of a level, asked one by one: what the answers of trees are compared with.

use std::sync::Arc;

use hitscan::bvh::MeshInfo;
use hitscan::geometry::Shape;
use hitscan::query::MeshTriangle;
use hitscan::{Bvh, ClosestPoint, Face, Hit, InstanceId, Ray, Snapshot, Sphere, Triangle};

use crate::level::baked::Baked;
use crate::level::in_world::Place;

pub(crate) struct BruteForce<'a> {
    scene: Option<&'a Snapshot>,
    /// In the order that decides between triangles that are equally near.
    parts: Vec<Part>,
    /// The number of triangles.
    len: usize,
}

/// The triangles of a tree, where it stands.
struct Part {
    instance: InstanceId,
    place: Place,
    /// The number of triangles in the parts before it.
    first: usize,
    triangles: Arc<[MeshTriangle]>,
}

impl<'a> BruteForce<'a> {
    pub(crate) fn new(baked: &'a Baked) -> Self {
        let scene = match baked {
            Baked::Tree(bvh) => {
                let (instance, triangles) = (InstanceId::NONE, visible(bvh));
                let len = triangles.len();
                let part = Part { instance, place: Place::AS_BAKED, first: 0, triangles };
                return Self { scene: None, parts: vec![part], len };
            }
            Baked::Scene(scene) => scene,
        };
        let (now, mut trees, mut parts) = (scene.snapshot(), Vec::new(), Vec::new());
        let mut len = 0;
        for instance in scene.instances() {
            let (Ok(tree), Ok(bvh)) = (scene.tree_number(instance), scene.bvh(instance)) else {
                continue;
            };
            // Trees are numbered in the order in which instances first show them.
            if tree as usize == trees.len() {
                trees.push(visible(bvh));
            }
            let is_seen = scene.instance(instance).is_ok_and(|placed| placed.mask != 0);
            // Without a transform in the snapshot it is disabled.
            if let (true, Some(transform), Some(triangles)) =
                (is_seen, now.transform(instance), trees.get(tree as usize))
                && !triangles.is_empty()
            {
                let place = Place::new(&transform);
                parts.push(Part { instance, place, first: len, triangles: triangles.clone() });
                len += triangles.len();
            }
        }
        Self { scene: Some(now), parts, len }
    }

    /// The number of triangles, each as often as it stands somewhere.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// A triangle in the world, by its number.
    pub(crate) fn triangle(&self, number: usize) -> Option<Triangle> {
        let after = self.parts.partition_point(|part| part.first <= number);
        let part = self.parts.get(after.checked_sub(1)?)?;
        let found = part.triangles.get(number - part.first)?;
        Some(part.place.in_world(&found.vertices))
    }

    /// Whether this is the closest hit of the ray.
    pub(crate) fn is_closest(&self, ray: &Ray, hit: Option<&Hit>) -> bool {
        let mut closest = None;
        let mut t = f32::INFINITY;
        for part in &self.parts {
            let local = self.scene.map_or(Some(*ray), |now| now.local_ray(part.instance, ray));
            let Some(ray) = local else { continue };
            for found in &*part.triangles {
                if let Some(hit) = found.vertices.intersect(&ray)
                    && (closest.is_none() || hit.t < t)
                {
                    t = hit.t;
                    closest = Some((part.instance, found, hit));
                }
            }
        }
        match (closest, hit) {
            (None, None) => true,
            (Some((instance, found, expected)), Some(hit)) => {
                let weights = [hit.u, hit.v];
                // Of a mesh that was mirrored, the stored triangle has its vertices swapped.
                let has_weights =
                    weights == [expected.u, expected.v] || weights == [expected.v, expected.u];
                let of: (_, _, _, Face) = (hit.instance, hit.mesh, hit.triangle, hit.face);
                hit.t == expected.t
                    && has_weights
                    && of == (instance, found.mesh, found.triangle, expected.face)
            }
            _ => false,
        }
    }

    /// Whether this may be the closest point: no triangle is nearer, and its own is as near. Both
    /// are decided without rounding, by spheres whose radii are the numbers next to the distance.
    pub(crate) fn is_nearest(&self, point: [f32; 3], near: Option<&ClosestPoint>) -> bool {
        let distance = near.map_or(f32::INFINITY, |near| near.distance);
        if distance > 0.0 {
            let sphere = Shape::from(Sphere::new(point, distance.next_down()));
            let mut all = self.parts.iter().flat_map(|part| {
                part.triangles.iter().map(|found| part.place.in_world(&found.vertices))
            });
            if all.any(|triangle| sphere.overlap(&triangle).is_some()) {
                return false;
            }
        }
        let Some(ClosestPoint { hit, .. }) = near else { return true };
        let part = self.parts.iter().find(|part| part.instance == hit.instance);
        let own = part.and_then(|part| {
            let key = (hit.mesh, hit.triangle);
            let own = part.triangles.binary_search_by_key(&key, |t| (t.mesh, t.triangle)).ok()?;
            Some(part.place.in_world(&part.triangles.get(own)?.vertices))
        });
        let sphere = Shape::from(Sphere::new(point, distance.next_up()));
        own.is_some_and(|own| distance == f32::MAX || sphere.overlap(&own).is_some())
    }
}

/// The triangles of a tree that a query of all layers sees.
fn visible(bvh: &Bvh) -> Arc<[MeshTriangle]> {
    let is_seen = |mesh| bvh.mesh(mesh).is_some_and(|MeshInfo { mask, .. }| mask != 0);
    let meshes = (0..bvh.mesh_count()).filter(|&mesh| is_seen(mesh));
    meshes.flat_map(|mesh| bvh.mesh_triangles(mesh)).collect()
}

#[cfg(test)]
mod tests {
    use hitscan::{Builder, Mesh, Query};

    use super::*;

    fn walls() -> Bvh {
        let walls = [1.0, 2.0f32].map(|z| {
            let corners = vec![[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z]];
            Mesh::from_soup(corners)
        });
        Builder::new().bake(&walls).unwrap().0
    }

    #[test]
    fn wrong_hits_are_found() {
        let baked = Baked::Tree(walls());
        let brute_force = BruteForce::new(&baked);
        let ray = Ray::new([1.0, 2.0, 0.0], [0.0, 0.0, 1.0]);
        let mut hits = Vec::new();
        baked.level().all_hits(&ray, &Query::new(), &mut hits);
        assert_eq!((brute_force.len(), hits.len()), (2, 2));
        assert!(brute_force.is_closest(&ray, Some(&hits[0])));
        // The second wall, and nothing.
        assert!(!brute_force.is_closest(&ray, Some(&hits[1])));
        assert!(!brute_force.is_closest(&ray, None));
        let mut other = hits[0];
        other.u = other.u.next_up();
        assert!(!brute_force.is_closest(&ray, Some(&other)));
        let away = Ray::new([1.0, 2.0, 0.0], [0.0, 0.0, -1.0]);
        assert!(brute_force.is_closest(&away, None));
        assert!(!brute_force.is_closest(&away, Some(&hits[0])));
    }

    #[test]
    fn wrong_points_are_found() {
        let baked = Baked::Tree(walls());
        let brute_force = BruteForce::new(&baked);
        let point = [1.0, 2.0, 0.0];
        let mut near = Vec::new();
        baked.level().all_within(point.into(), 9.0, &Query::new(), &mut near);
        assert!(brute_force.is_nearest(point, Some(&near[0])));
        assert!(!brute_force.is_nearest(point, Some(&near[1])));
        assert!(!brute_force.is_nearest(point, None));
        // Two numbers too near, and two too far.
        let mut other = near[0];
        other.distance = near[0].distance.next_down().next_down();
        assert!(!brute_force.is_nearest(point, Some(&other)));
        other.distance = near[0].distance.next_up().next_up();
        assert!(!brute_force.is_nearest(point, Some(&other)));
    }
}
