//! Trees in pieces: whatever the order of a file, and however many threads there are.

use glam::{Affine3A, Vec3};

use super::{ends, is_large, pieces};
use crate::bvh::{Bvh, LEAF, Node, Sections};
use crate::mesh::{Mesh, MeshView};
use crate::platform::parallel;
use crate::{Builder, Quality};

/// Quads of hills, with large triangles above that spatial splits cut.
fn meshes(time: f32) -> Vec<Mesh> {
    let quads = 160;
    let height = |x: f32, z: f32| (0.3 * x + time).sin() + (0.2 * z - time).cos();
    let point = |i: usize| {
        let (x, z) = ((i % quads) as f32, (i / quads) as f32);
        [x, height(x, z), z]
    };
    let quad = |i: usize| [i, i + quads, i + 1, i + 1, i + quads, i + quads + 1];
    let inner = (0..quads * (quads - 1)).filter(|i| i % quads + 1 < quads);
    let indices = inner.flat_map(quad).map(|i| i as u32).collect();
    let ground = Mesh::new((0..quads * quads).map(point).collect(), indices);
    let beam = |i: u32| {
        let (a, b) = (i as f32 * 0.4, ((i * 71) % 300) as f32 * 0.35);
        [[a, 3.0 + time, 0.0], [b, 2.5, 110.0], [a + 0.3, 3.2 + 0.1 * time, 0.0]]
    };
    let beams = Mesh::from_soup((0..280).flat_map(beam).collect());
    vec![ground, beams]
}

fn bake(quality: Quality) -> Bvh {
    Builder::new().quality(quality).bake(&meshes(0.0)).expect("sound").0
}

fn refit(bvh: &mut Bvh, time: f32) {
    let meshes = meshes(time);
    let views: Vec<_> = meshes.iter().map(MeshView::from).collect();
    bvh.refit(&views).expect("the same meshes");
}

/// The same tree in another order: nodes level by level, leaf blocks from the last to the first.
fn renumbered(bvh: &Bvh) -> Bvh {
    let view = bvh.view();
    let mut order = vec![0];
    for at in 0..view.nodes.len() {
        let node: &Node = &view.nodes[order[at]];
        order.extend(node.inner().map(|(_, child)| child));
    }
    let mut place = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new as u32;
    }
    let last = view.blocks.len() as u32 - 1;
    let nodes = order.iter().map(|&old| {
        let mut node = view.nodes[old];
        for lane in 0..node.len() {
            let child = &mut node.child[lane];
            *child = match *child & LEAF {
                0 => place[*child as usize],
                _ => LEAF | (last - (*child & !LEAF)),
            };
        }
        node
    });
    Bvh::new(Sections {
        nodes: nodes.collect(),
        blocks: view.blocks.iter().rev().copied().collect(),
        meshes: view.meshes.to_vec(),
        materials: view.materials.to_vec(),
        metadata: view.metadata.to_vec(),
        user: view.user.to_vec(),
        content_hash: 0,
    })
}

fn count_pieces(bvh: &Bvh) -> usize {
    let view = bvh.view();
    let mut areas = vec![0.0; view.nodes.len()];
    let (mut nodes, mut blocks) = (view.nodes.to_vec(), view.blocks.to_vec());
    let ends = ends(&nodes, blocks.len());
    let pieces = pieces(&ends, &mut nodes, &mut blocks, &mut areas);
    assert_eq!(pieces.iter().map(|piece| piece.nodes.len()).sum::<usize>(), view.nodes.len());
    assert_eq!(pieces.iter().map(|piece| piece.blocks.len()).sum::<usize>(), view.blocks.len());
    pieces.len()
}

#[test]
fn the_order_of_a_file_changes_no_box() {
    let turn = Affine3A::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.5);
    let mirror = Affine3A::from_scale(Vec3::new(-1.0, 2.0, 1.0));
    for quality in [Quality::Balanced, Quality::Best] {
        let mut bvh = bake(quality);
        let mut other = renumbered(&bvh);
        other.validate().expect("it is as a file may be");
        assert!(count_pieces(&bvh) > 2, "{} pieces", count_pieces(&bvh));
        assert_eq!(count_pieces(&other), 1);
        for time in [0.5, 1.0] {
            refit(&mut bvh, time);
            refit(&mut other, time);
            assert!(renumbered(&bvh) == other, "{quality:?}: another tree after a refit");
            for map in [turn, mirror] {
                let reports = [&mut bvh, &mut other].map(|bvh| bvh.apply_transform(&map).unwrap());
                assert_eq!(reports[0], reports[1]);
                assert!(renumbered(&bvh) == other, "{quality:?}: another tree after a move");
            }
            let beams = &meshes(time + 0.25)[1];
            bvh.refit_mesh(1, &beams.view()).unwrap();
            other.refit_mesh(1, &beams.view()).unwrap();
            assert!(renumbered(&bvh) == other, "{quality:?}: another tree after one mesh");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let turn = Affine3A::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.5);
    for quality in [Quality::Balanced, Quality::Best] {
        let baked = bake(quality);
        assert!(is_large(baked.view().nodes));
        let on = |threads: usize| {
            let mut bvh = baked.clone();
            let work = || {
                refit(&mut bvh, 0.7);
                let report = bvh.apply_transform(&turn).unwrap();
                refit(&mut bvh, 1.1);
                let last = bvh.apply_transform(&turn).unwrap();
                (report, last)
            };
            let reports = parallel::on_threads(Some(threads), true, work).expect("they start");
            (bvh, reports)
        };
        let one = on(1);
        for threads in [2, 3, 7] {
            assert!(on(threads) == one, "{quality:?}, {threads} threads");
        }
    }
}

#[test]
fn memory_is_written_in_place_once_it_is_ours() {
    let mut bvh = bake(Quality::Balanced);
    let lies = |bvh: &Bvh| (bvh.view().nodes.as_ptr(), bvh.view().blocks.as_ptr());
    let first = lies(&bvh);
    refit(&mut bvh, 0.5);
    assert_eq!(lies(&bvh), first);
    let clone = bvh.clone();
    refit(&mut bvh, 1.0);
    assert_eq!(lies(&clone), first);
    let second = lies(&bvh);
    assert!(second.0 != first.0 && second.1 != first.1);
    bvh.apply_transform(&Affine3A::from_rotation_x(1.0)).unwrap();
    assert_eq!(lies(&bvh), second);
    drop(bvh);
    let mut clone = clone;
    refit(&mut clone, 2.0);
    assert_eq!(lies(&clone), first);
}
