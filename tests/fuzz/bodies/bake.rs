use hitscan::glam::Affine3A;
use hitscan::{BadTriangles, Builder, Bvh, InstructionSet, Mesh, Quality, Query, Ray, Triangle};

use super::Input;

/// Any triangles are baked or refused. Any rays get the hits of brute force on every instruction
/// set, single and in batches; also after a transform, and from the file.
pub(crate) fn bake(data: &[u8]) {
    let mut input = Input(data);
    let mode = input.byte();
    let count = usize::from(input.byte()).min(48);
    let moved = (mode & 1 != 0).then(|| {
        let numbers: Vec<f32> = (0..12).map(|_| input.number()).collect();
        let mut columns = [0.0; 12];
        columns.copy_from_slice(&numbers);
        Affine3A::from_cols_array(&columns)
    });
    let rays: Vec<Ray> = (0..8)
        .map(|_| {
            let ray = Ray::new(input.point(), input.point());
            match mode & 6 {
                0 => ray.with_range(input.number(), input.number()),
                2 => ray.with_range(f32::NEG_INFINITY, f32::INFINITY),
                _ => ray,
            }
        })
        .collect();
    let mut corners = Vec::new();
    while corners.len() < 3 * count {
        // When the numbers run out, the triangles are repeated with an offset.
        let corner = match corners.len().checked_sub(9) {
            Some(before) if input.is_empty() => {
                let [x, y, z]: [f32; 3] = corners[before];
                [x + 0.5, y, z - 0.25]
            }
            _ => input.point(),
        };
        corners.push(corner);
    }

    let mesh = Mesh::from_soup(corners.clone());
    let quality = match mode & 24 {
        0 => Quality::Balanced,
        8 => Quality::Best,
        _ => Quality::Fast,
    };
    let told = if mode & 32 != 0 { &rays[..] } else { &[] };
    let builder =
        Builder::new().quality(quality).rays(told.repeat(4)).bad_triangles(BadTriangles::Skip);
    let (mut bvh, report) = builder.bake(&[mesh]).expect("bad triangles are skipped");
    assert_eq!(report.summary.triangles_in, count as u64);
    bvh.validate().expect("a bake is sound");

    let mut triangles: Vec<_> = corners
        .chunks_exact(3)
        .map(|c| Triangle::new(c[0], c[1], c[2]))
        .enumerate()
        .filter(|(_, triangle)| !triangle.is_degenerate())
        .collect();
    compare(&bvh, &triangles, &rays);

    if let Some(transform) = moved {
        let before = bvh.clone();
        if bvh.apply_transform(&transform).is_err() {
            assert!(bvh == before, "an error leaves the tree as it was");
            return;
        }
        bvh.validate().expect("a moved tree is sound");
        let mirrored = hitscan::geometry::is_mirroring(&transform);
        for (_, triangle) in &mut triangles {
            let go = |v| hitscan::geometry::transform_point(&transform, v);
            let [v0, v1, v2] = [triangle.v0, triangle.v1, triangle.v2].map(go);
            *triangle =
                if mirrored { Triangle::new(v0, v2, v1) } else { Triangle::new(v0, v1, v2) };
        }
        compare(&bvh, &triangles, &rays);
    }
    let again = Bvh::from_bytes(&bvh.to_bytes()).expect("what was written can be read");
    assert!(again == bvh);
}

fn compare(bvh: &Bvh, triangles: &[(usize, Triangle)], rays: &[Ray]) {
    let mut list = Vec::new();
    for ray in rays {
        let mut expected: Vec<_> = triangles
            .iter()
            .filter_map(|(number, triangle)| Some((triangle.intersect(ray)?.t, *number as u32)))
            .collect();
        expected.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa);
            let hit = bvh.closest_hit(ray, &query).map(|hit| (hit.t, hit.triangle));
            assert_eq!(hit, expected.first().copied(), "{isa}: {ray:?}");
            assert_eq!(bvh.any_hit(ray, &query), hit.is_some(), "{isa}: {ray:?}");
            bvh.all_hits(ray, &query, &mut list);
            let all: Vec<_> = list.iter().map(|hit| (hit.t, hit.triangle)).collect();
            assert_eq!(all, expected, "{isa}: {ray:?}");
        }
    }
    // Neighbours that are alike go through the tree together, others each on a way of its own.
    // (Sixteen of either: as few as are worth it.)
    let alike = rays[..2].iter().flat_map(|ray| (0..8).map(|i| turned(ray, i)));
    let unlike = (0..2).flat_map(|i| rays.iter().map(move |ray| turned(ray, i)));
    for batch in [alike.collect::<Vec<_>>(), unlike.collect()] {
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa);
            let mut hits = vec![None; batch.len()];
            let mut found = vec![false; batch.len()];
            bvh.closest_hit_batch(&batch, &query, &mut hits).expect("as many hits");
            bvh.any_hit_batch(&batch, &query, &mut found).expect("as many answers");
            for ((ray, hit), found) in batch.iter().zip(hits).zip(found) {
                assert_eq!(hit, bvh.closest_hit(ray, &query), "{isa}: {ray:?}");
                assert_eq!(found, hit.is_some(), "{isa}: {ray:?}");
            }
        }
    }
}

/// The ray, turned a little: not at all if `times` is 0.
fn turned(ray: &Ray, times: usize) -> Ray {
    let by = times as f32 / 64.0;
    let mut turned = *ray;
    turned.dir.x += by * ray.dir.y;
    turned.dir.y -= by * ray.dir.z;
    turned
}
