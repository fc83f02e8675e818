//! Refits and moves write in place what a handle holds alone, and copy what others hold too.

#[path = "support/counting.rs"]
mod counting;
mod moves;
mod scenes;
mod support;

use counting::{alone, peak};
use hitscan::glam::{Affine3A, Vec3};
use hitscan::{Builder, Bvh, Mesh, Quality, RefitErrorKind};
use moves::{affine, bake_both, deformation, refit, size_of, subjects};
use support::{Judge, Random};

fn moved(meshes: &[Mesh], size: f32, random: &mut Random) -> Vec<Mesh> {
    let deform = deformation(random, size);
    let moved = meshes.iter().map(|mesh| {
        let mut mesh = mesh.clone();
        for p in &mut mesh.positions {
            *p = deform(Vec3::from_array(*p)).to_array();
        }
        if random.below(4) == 0 {
            mesh.transform = affine(random, size) * mesh.transform;
        }
        mesh
    });
    moved.collect()
}

/// A change of a tree.
type Change<'a> = Box<dyn Fn(&mut Bvh) + 'a>;

fn changes<'a>(meshes: &'a [Mesh], map: &'a Affine3A) -> Vec<Change<'a>> {
    vec![
        Box::new(|bvh| _ = refit(bvh, meshes).unwrap()),
        Box::new(|bvh| _ = bvh.apply_transform(map).unwrap()),
        Box::new(|bvh| {
            let last = meshes.len() - 1;
            bvh.refit_mesh(last as u32, &meshes[last].view()).unwrap();
        }),
    ]
}

/// In place or in a copy, the bits are the same, and clones keep theirs.
#[test]
fn clones_stay_as_they_were() {
    let _alone = alone();
    let random = &mut Random::new(0xc0);
    for (name, meshes) in subjects() {
        let size = size_of(&Judge::new(&meshes));
        for baked in bake_both(&meshes) {
            let bytes = baked.to_bytes();
            // Read into memory of its own.
            let mut owned = Bvh::from_bytes(&bytes).unwrap();
            let mut clones = vec![(baked.clone(), bytes)];
            for _ in 0..6 {
                let target = moved(&meshes, size, random);
                let map = affine(random, size);
                for change in changes(&target, &map) {
                    let mut shared = clones.last().unwrap().0.clone();
                    change(&mut shared);
                    change(&mut owned);
                    assert!(shared == owned, "{name}: other bits in place than in a copy");
                    let bytes = shared.to_bytes();
                    clones.push((shared, bytes));
                }
            }
            for (clone, bytes) in &clones {
                assert!(clone.to_bytes() == *bytes, "{name}: a clone has changed");
                assert!(Bvh::from_bytes(bytes).unwrap() == *clone);
            }
        }
    }
}

/// Counts the memory that changes take.
#[test]
fn only_shared_memory_is_copied() {
    let _alone = alone();
    let meshes = [scenes::terrain(150, 1), scenes::city(300, 2)];
    let turn = Affine3A::from_rotation_y(0.1);
    for quality in [Quality::Balanced, Quality::Best] {
        let (baked, report) = Builder::new().quality(quality).bake(&meshes).unwrap();
        let (bytes, size) = (baked.to_bytes(), report.summary.tree_bytes as usize);
        let tree = |what| match what {
            "read" => Bvh::from_bytes(&bytes).unwrap(),
            "of another owner" => Bvh::from_owner(aligned(&bytes)).unwrap(),
            _ => baked.clone(),
        };
        for (what, is_copied) in [("read", false), ("of another owner", true), ("shared", true)] {
            for change in changes(&meshes, &turn) {
                let mut bvh = tree(what);
                // So that threads have been started.
                let mut warm = tree(what);
                change(&mut warm);
                drop(warm);
                let ((), first) = peak(|| change(&mut bvh));
                let ((), second) = peak(|| change(&mut bvh));
                println!("{what}: {first}, then {second} of {size} bytes");
                assert_eq!(first > size, is_copied, "{what}: {first} of {size} bytes");
                assert!(second < size / 50, "{what}: {second} of {size} bytes");
                let clone = bvh.clone();
                let ((), third) = peak(|| change(&mut bvh));
                assert!(third > size, "{what}: a clone's memory is written");
                drop(clone);
            }
        }
    }
}

/// Bytes on a boundary of 64, as a tree is used in place.
struct Lines {
    lines: Vec<[u8; 128]>,
    start: usize,
    length: usize,
}

fn aligned(bytes: &[u8]) -> Lines {
    let mut lines = vec![[0; 128]; bytes.len() / 128 + 2];
    let start = lines.as_flattened().as_ptr().align_offset(64);
    lines.as_flattened_mut()[start..start + bytes.len()].copy_from_slice(bytes);
    Lines { lines, start, length: bytes.len() }
}

impl AsRef<[u8]> for Lines {
    fn as_ref(&self) -> &[u8] {
        &self.lines.as_flattened()[self.start..self.start + self.length]
    }
}

/// An error in the last mesh comes before the first triangle is written.
#[test]
fn an_error_leaves_a_tree_in_place_unchanged() {
    let _alone = alone();
    let meshes = [scenes::terrain(40, 1), scenes::city(80, 2)];
    for baked in bake_both(&meshes) {
        let mut bvh = Bvh::from_bytes(&baked.to_bytes()).unwrap();
        refit(&mut bvh, &meshes).unwrap();
        let before = bvh.to_bytes();
        let mut bad = meshes.clone();
        for mesh in &mut bad {
            mesh.positions.iter_mut().for_each(|p| p[0] += 5.0);
        }
        *bad[1].positions.last_mut().unwrap() = [f32::NAN; 3];
        assert_eq!(refit(&mut bvh, &bad).unwrap_err().kind(), RefitErrorKind::NonFinite);
        assert!(bvh.to_bytes() == before);
        bad[1] = meshes[1].clone();
        bad[1].indices.as_mut().unwrap().rotate_left(3);
        assert_eq!(refit(&mut bvh, &bad).unwrap_err().kind(), RefitErrorKind::Mismatch);
        assert!(bvh.to_bytes() == before);
        let far = Affine3A::from_scale(Vec3::new(1.0, 1.0, f32::MAX));
        assert_eq!(bvh.apply_transform(&far).unwrap_err().kind(), RefitErrorKind::NonFinite);
        assert!(bvh.to_bytes() == before);
    }
}

#[test]
fn an_empty_tree_has_nothing_to_write() {
    let _alone = alone();
    let mut bvh = Builder::new().bake(&[] as &[Mesh]).unwrap().0;
    refit(&mut bvh, &[]).unwrap();
    bvh.apply_transform(&Affine3A::from_scale(Vec3::splat(2.0))).unwrap();
    assert!(bvh.bounds().is_empty());
}
