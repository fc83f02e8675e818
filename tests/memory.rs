//! A bake of a level takes at most 200 bytes of memory per triangle besides the meshes. It
//! estimates this before it begins, and refuses to exceed a limit.
//!
//! `HITSCAN_LONG=400` bakes a terrain of 50 million triangles, which takes 10 GB.

#[path = "support/counting.rs"]
mod counting;
mod scenes;
mod support;

use counting::{alone, peak};
use hitscan::{BakeErrorKind, Builder, Mesh, MeshView, Quality};
use support::long;

const QUALITIES: [Quality; 3] = [Quality::Fast, Quality::Balanced, Quality::Best];

/// Bytes that a bake takes at its peak.
fn bake_peak(builder: &Builder, meshes: &[Mesh]) -> usize {
    peak(|| builder.bake(meshes).expect("sound")).1
}

#[test]
fn a_bake_takes_at_most_200_bytes_per_triangle_and_estimates_it() {
    let _alone = alone();
    let materials = scenes::terrain(200, 1).with_materials(vec![7; 80_000]);
    for (name, mesh) in [
        ("terrain", scenes::terrain(250 * long().isqrt(), 1)),
        ("terrain with materials", materials),
        ("soup", scenes::soup(100_000, 10.0, 0.2, 2)),
        ("large triangles", scenes::soup(50_000, 10.0, 2.0, 2)),
        ("city", scenes::city(500, 3)),
    ] {
        let meshes = [mesh];
        let count = meshes[0].triangle_count();
        for quality in QUALITIES {
            let builder = Builder::new().quality(quality).threads(2);
            let peak = bake_peak(&builder, &meshes);
            let estimate = builder.memory_estimate(&[meshes[0].view()]) as usize;
            println!(
                "{name}, {quality:?}: {} bytes a triangle, {} expected",
                peak / count,
                estimate / count
            );
            assert!(peak <= 200 * count);
            // Threads and lists of pieces take a small constant amount.
            assert!(peak <= estimate + (1 << 20) && estimate < 2 * peak);
        }
    }
}

#[test]
fn a_bake_over_the_memory_limit_is_refused() {
    let _alone = alone();
    let meshes = [scenes::soup(20_000, 10.0, 0.2, 2)];
    let view = MeshView::from(&meshes[0]);
    for quality in QUALITIES {
        let builder = Builder::new().quality(quality);
        let estimate = builder.memory_estimate(&[view]);
        assert!(builder.clone().memory_limit(estimate).bake(&meshes).is_ok());
        let builder = builder.memory_limit(estimate - 1);
        let mut calls = 0;
        let error = builder.bake_with_progress(&[view], &mut |_| {
            calls += 1;
            std::ops::ControlFlow::Continue(())
        });
        let error = error.expect_err("too large");
        assert_eq!(error.kind(), BakeErrorKind::TooLarge);
        assert_eq!(calls, 0);
        let message = error.to_string();
        assert!(message.contains(" MB of memory"), "{message}");
    }
    assert_eq!(Builder::new().memory_estimate(&[]), 0);
    assert!(Builder::new().memory_limit(0).bake(&[]).is_ok());
}
