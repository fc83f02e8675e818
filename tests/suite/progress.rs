//! A bake reports its progress evenly and never backwards. It can be cancelled at any point within
//! a few thousand triangles, also in the middle of a large set.
//!
//! `HITSCAN_LONG=10` also cancels bakes of a real level and prints how long they take to end.

use crate::{scenes, support};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use hitscan::{BakeError, BakeErrorKind, Builder, Bvh, Mesh, Quality, Stage};

const QUALITIES: [Quality; 3] = [Quality::Fast, Quality::Balanced, Quality::Best];

/// Bakes, records every progress call, and cancels at call number `at`.
fn bake_until(
    meshes: &[Mesh],
    quality: Quality,
    threads: usize,
    at: usize,
) -> (Result<Bvh, BakeError>, Vec<(Stage, f32)>) {
    let views: Vec<_> = meshes.iter().map(Mesh::view).collect();
    let mut calls = Vec::new();
    let outcome = Builder::new().quality(quality).threads(threads).bake_with_progress(
        &views,
        &mut |progress| {
            calls.push((progress.stage, progress.fraction));
            if calls.len() == at + 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    (outcome.map(|(bvh, _)| bvh), calls)
}

fn assert_rises(calls: &[(Stage, f32)]) {
    assert!(calls.iter().all(|call| (0.0..=1.0).contains(&call.1)));
    assert!(calls.is_sorted_by(|a, b| a.1 <= b.1), "{calls:?}");
    assert!(calls.is_sorted_by_key(|call| call.0 as u8), "{calls:?}");
}

#[test]
fn progress_rises_evenly_from_nothing_to_one() {
    let meshes = [scenes::soup(150_000, 10.0, 0.2, 9), Mesh::default(), scenes::terrain(60, 1)];
    for quality in QUALITIES {
        let plain = Builder::new().quality(quality).threads(1).bake(&meshes);
        let plain = plain.expect("sound").0;
        for threads in [1, 2, 8] {
            let (outcome, calls) = bake_until(&meshes, quality, threads, usize::MAX - 1);
            assert!(outcome.unwrap() == plain, "watching changes nothing");
            assert_rises(&calls);
            assert_eq!(calls[0], (Stage::Gather, 0.0));
            assert_eq!(*calls.last().unwrap(), (Stage::Layout, 1.0));
            // Only the last step may be one, or round to it.
            assert!(calls.iter().filter(|call| call.1 == 1.0).count() <= 2);
            let steps = calls.windows(2).map(|pair| pair[1].1 - pair[0].1);
            let longest = steps.fold(0.0, f32::max);
            println!("{quality:?}, {threads} threads: {} calls", calls.len());
            // With several threads, calls may be skipped while another thread makes one.
            let most = if threads == 1 { 0.05 } else { 0.34 };
            assert!(longest < most, "a step of {longest} with {threads} threads");
        }
    }
    // Also without triangles.
    for meshes in [vec![], vec![Mesh::default()], vec![scenes::soup(1, 1.0, 1.0, 1)]] {
        let (outcome, calls) = bake_until(&meshes, Quality::default(), 1, usize::MAX - 1);
        assert!(outcome.is_ok());
        assert_rises(&calls);
        assert_eq!(calls.last().unwrap().1, 1.0);
    }
}

/// Every pass over a large set makes several progress calls.
#[test]
fn every_pass_over_a_large_set_reports_progress() {
    let count = 120_000;
    let soup = scenes::soup(count, 10.0, 0.2, 9);
    let alike = Mesh::from_soup(soup.positions[..3].repeat(count));
    let materials = (0..count as u32).collect();
    let indices = (0..3 * count as u32).collect();
    let indexed = Mesh::new(soup.positions.clone(), indices).with_materials(materials);
    for (what, mesh) in [("soup", soup), ("alike", alike), ("indexed", indexed)] {
        for quality in QUALITIES {
            let meshes = std::slice::from_ref(&mesh);
            let (_, calls) = bake_until(meshes, quality, 1, usize::MAX - 1);
            for (stage, least) in [
                (Stage::Gather, 8),
                // Passes over the whole set, its halves, and their halves.
                (Stage::Split, 3 * 3 * 4),
                (Stage::Collapse, 8),
                (Stage::Layout, 8),
            ] {
                let told = calls.iter().filter(|call| call.0 == stage).count();
                assert!(told >= least, "{what}, {quality:?}, {stage:?}: {told} calls");
            }
        }
    }
}

/// A level whose coordinates are subnormal numbers.
fn tiny(mesh: &Mesh) -> Mesh {
    let tiny = |v: &[f32; 3]| v.map(|x| x * 2f32.powi(-80));
    Mesh::from_soup(mesh.positions.iter().map(tiny).collect())
}

/// So do passes that only few meshes need.
#[test]
fn rare_passes_report_progress() {
    let count = 120_000;
    let soup = scenes::soup(count, 10.0, 0.2, 9);
    let one = scenes::soup(1, 10.0, 0.2, 1);
    let mut flat = soup.clone();
    flat.positions[1] = flat.positions[0];
    flat.positions[2] = flat.positions[0];
    let with_materials = one.clone().with_materials(vec![7]);
    for quality in QUALITIES {
        let told = |meshes: &[Mesh], stage: Stage| {
            let (outcome, calls) = bake_until(meshes, quality, 1, usize::MAX - 1);
            assert!(outcome.is_ok());
            assert_rises(&calls);
            calls.iter().filter(|call| call.0 == stage).count()
        };
        // A skipped triangle: those after it move up.
        let gather = told(std::slice::from_ref(&soup), Stage::Gather);
        let moved = told(std::slice::from_ref(&flat), Stage::Gather) - gather;
        let gather = told(&[one.clone(), soup.clone()], Stage::Gather);
        let materials = [with_materials.clone(), soup.clone()];
        let given = told(&materials, Stage::Gather) - gather;
        // Subnormal coordinates: triangles are scaled up, and nodes scaled down again.
        let split = told(std::slice::from_ref(&soup), Stage::Split);
        let resized = told(&[tiny(&soup)], Stage::Split) - split;
        println!("{quality:?}: {moved}, {given}, {resized} calls more");
        assert!(moved >= 7 && given >= 8 && resized >= 4 * 8);
    }
}

#[test]
fn a_bake_can_be_cancelled_at_every_call() {
    let count = 70_000;
    let soup = scenes::soup(count, 10.0, 0.5, 10);
    let alike = Mesh::from_soup(soup.positions[..3].repeat(count));
    for quality in QUALITIES {
        for meshes in
            [vec![soup.clone(), scenes::terrain(40, 1)], vec![alike.clone()], vec![tiny(&soup)]]
        {
            let (outcome, calls) = bake_until(&meshes, quality, 1, usize::MAX - 1);
            assert!(outcome.is_ok());
            // Every call at the beginning, where sets are largest, and at the end.
            let last = calls.len().saturating_sub(5);
            let step = (calls.len() / (6 * support::long())).max(1);
            let points = (0..30).chain((30..last).step_by(step)).chain(last..calls.len());
            for at in points.clone() {
                let (outcome, until) = bake_until(&meshes, quality, 1, at);
                let error = outcome.err();
                let error = error.unwrap_or_else(|| panic!("call {at} does not cancel"));
                assert_eq!(error.kind(), BakeErrorKind::Cancelled);
                assert_eq!(error.to_string(), "the bake was cancelled");
                // No calls follow, and the calls before are the same as ever.
                assert_eq!(until, calls[..=at]);
            }
            println!("cancelled at {} of {} calls", points.count(), calls.len());
        }
    }
}

#[test]
fn the_bake_of_a_real_level_ends_soon_after_it_is_cancelled() {
    let name = if support::long() < 10 { "recast_dungeon" } else { "pc_cave" };
    let Some(mesh) = support::shared_mesh(name) else {
        return;
    };
    let views = [mesh.view()];
    for quality in QUALITIES {
        for threads in [1, 2] {
            let builder = Builder::new().quality(quality).threads(threads);
            let mut longest = [(Duration::ZERO, 0.0); 4];
            for percent in 0..100 {
                let mut told = None;
                let outcome = builder.bake_with_progress(&views, &mut |progress| {
                    if told.is_none() && progress.fraction < percent as f32 / 100.0 {
                        return ControlFlow::Continue(());
                    }
                    told.get_or_insert((Instant::now(), progress));
                    ControlFlow::Break(())
                });
                let error = outcome.expect_err("cancelled");
                assert_eq!(error.kind(), BakeErrorKind::Cancelled);
                let (at, progress) = told.expect("it was");
                let longest = &mut longest[progress.stage as usize];
                if at.elapsed() > longest.0 {
                    *longest = (at.elapsed(), progress.fraction);
                }
            }
            println!("{name}, {quality:?}, {threads} threads, by stage: {longest:.1?}");
        }
    }
}

#[test]
fn a_bake_on_several_threads_can_be_cancelled_early_and_late() {
    let meshes = [scenes::soup(100_000, 10.0, 0.2, 11)];
    for quality in QUALITIES {
        let total = bake_until(&meshes, quality, 8, usize::MAX - 1).1.len();
        for at in [0, 1, 2, 5, 20, total / 4, total / 2, total / 4 * 3] {
            let (outcome, calls) = bake_until(&meshes, quality, 8, at);
            // The number of calls depends on the threads. With fewer than `at` the bake is done.
            match outcome {
                Err(error) => assert_eq!(error.kind(), BakeErrorKind::Cancelled),
                Ok(_) => assert!(calls.len() <= at, "{} calls, not {at}", calls.len()),
            }
            assert!(!calls.is_empty());
            assert_rises(&calls);
        }
    }
}
