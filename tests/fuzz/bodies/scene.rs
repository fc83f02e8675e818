use hitscan::glam::Vec3;
use hitscan::scene::Body;
use hitscan::{Query, Ray, Scene, Targets};

use super::placed::Placed;
use super::repair::repair_scene;

/// All ways to open a scene agree, and an accepted scene is sound: it is written back byte for
/// byte, and rays give the hits of its instances asked one by one. The first byte says whether the
/// checksums are corrected first, so that the rest of the validation is reached.
pub(crate) fn scene(data: &[u8]) {
    let [mode, bytes @ ..] = data else {
        return;
    };
    let mut bytes = bytes.to_vec();
    if mode & 1 != 0 {
        repair_scene(&mut bytes);
    }
    let opened = Scene::from_bytes(&bytes);
    let read = Scene::read_from(&bytes[..]);
    assert_eq!(opened.is_ok(), read.is_ok());
    let in_place = Scene::from_owner(Placed::new(&bytes, 0));
    match (&opened, &in_place) {
        (Ok(_), Ok(_)) => {}
        (Err(a), Err(b)) => assert_eq!(a.kind(), b.kind(), "{a}, but in place {b}"),
        _ => panic!("{opened:?}, but in place {in_place:?}"),
    }

    let Ok(scene) = opened else {
        return;
    };
    assert_eq!(scene.to_bytes(), bytes);
    let now = scene.snapshot();
    let (mut whole, mut seen) = (true, Vec::new());
    for id in scene.instances() {
        let instance = scene.instance(id).expect("it is there");
        if let Body::Bvh(bvh) = &instance.body {
            bvh.validate().expect("it was let in");
            // The boxes of a cut triangle may be damaged so that they no longer cover it.
            let summary = bvh.metadata().summary;
            whole &= summary.references == summary.triangles_kept;
        }
        if scene.is_enabled(id).expect("it is there") && instance.mask != 0 {
            seen.push(id);
        }
    }
    let bounds = now.bounds();
    let mut list = Vec::new();
    for i in 0..16u32 {
        let side = |k: u32| (i >> k & 1) as f32;
        let from = bounds.min.lerp(bounds.max, side(0));
        let to = bounds.max.lerp(bounds.min, side(1)) + Vec3::new(side(2), side(3), 0.5);
        for dir in [to - from, Vec3::X, Vec3::new(1.0, side(2), -0.5)] {
            let ray = Ray::new(from, dir);
            let query = Query::new();
            let hit = now.closest_hit(&ray, &query);
            let volumes = seen.iter().filter_map(|&id| {
                Some((now.world_volume(id)?.ray_interval(&ray)?.clipped(&ray)?.enter, id))
            });
            let first = volumes.min_by(|a, b| a.partial_cmp(b).expect("no NaN"));
            let volume = now.closest_hit(&ray, &Query::new().targets(Targets::Volumes));
            assert_eq!(volume.map(|hit| (hit.t, hit.instance)), first);
            now.all_hits(&ray, &query, &mut list);
            let each = seen.iter().filter_map(|&id| {
                let local = now.local_ray(id, &ray)?;
                let hit = now.bvh(id)?.closest_hit(&local, &query)?;
                Some((hit.t, id, hit.mesh, hit.triangle))
            });
            let least = each.min_by(|a, b| a.partial_cmp(b).expect("no NaN"));
            if whole {
                let key = |hit: &hitscan::Hit| (hit.t, hit.instance, hit.mesh, hit.triangle);
                assert_eq!(hit.as_ref().map(key), least);
                assert_eq!(hit, list.first().copied());
                assert_eq!(hit.is_some(), now.any_hit(&ray, &query));
            }
        }
    }
}
