use hitscan::glam::Vec3;
use hitscan::{Bvh, Query, Ray};

use super::placed::Placed;
use super::repair::repair;

/// All ways to open a file agree, and an accepted file is sound. The first byte says whether the
/// checksums are corrected first, so that the rest of the validation is reached.
pub(crate) fn open(data: &[u8]) {
    let [mode, bytes @ ..] = data else {
        return;
    };
    let mut bytes = bytes.to_vec();
    if mode & 1 != 0 {
        repair(&mut bytes);
    }
    let opened = Bvh::from_bytes(&bytes);
    let read = Bvh::read_from(&bytes[..]);
    assert_eq!(opened.is_ok(), read.is_ok());

    // A copy that is aligned like a mapped file.
    let view = Bvh::from_owner(Placed::new(&bytes, 0));
    match (&opened, &view) {
        (Ok(_), Ok(_)) => {}
        (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string()),
        _ => panic!("{opened:?}, but in place {view:?}"),
    }

    let Ok(bvh) = opened else {
        return;
    };
    bvh.validate().expect("it was let in");
    assert_eq!(bvh.to_bytes(), bytes);
    let bounds = bvh.bounds();
    // The boxes of a cut triangle may be damaged so that they no longer cover it.
    let summary = bvh.metadata().summary;
    let whole = summary.references == summary.triangles_kept;
    let mut list = Vec::new();
    for i in 0..64u32 {
        let side = |k: u32| (i >> k & 1) as f32;
        let from = bounds.min.lerp(bounds.max, side(0));
        let to = bounds.max.lerp(bounds.min, side(1)) + Vec3::new(side(2), side(3), side(4));
        for dir in [to - from, Vec3::X, -Vec3::Y, Vec3::new(1.0, side(5), -0.5)] {
            let ray = Ray::new(from, dir);
            let hit = bvh.closest_hit(&ray, &Query::new());
            let any = bvh.any_hit(&ray, &Query::new());
            bvh.all_hits(&ray, &Query::new(), &mut list);
            if whole {
                assert_eq!(hit.is_some(), any);
                assert_eq!(hit, list.first().copied());
            }
        }
    }
}
