//! Files of every format version so far (`tests/golden/README.md`) open and give the hits that
//! were recorded when they were baked. Before hitscan 1.0 they may ask for a new bake instead.

use std::fs;
use std::path::PathBuf;

use hitscan::file::FORMAT_VERSION;
use hitscan::{Bvh, Face, InstructionSet, LoadErrorKind, Query, Ray};

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Records of 32 bytes.
fn records(name: &str) -> Vec<[u8; 32]> {
    let bytes = fs::read(golden(name)).expect("it is there");
    let (records, rest) = bytes.as_chunks();
    assert!(rest.is_empty());
    records.to_vec()
}

fn word(record: &[u8; 32], at: usize) -> u32 {
    u32::from_le_bytes(record[at..at + 4].try_into().expect("four bytes"))
}

#[test]
fn every_version_opens_or_says_rebake() {
    for version in 1..=FORMAT_VERSION {
        let opened = Bvh::open(golden(&format!("v{version}.hbvh")));
        let bvh = match opened {
            Ok(bvh) => bvh,
            Err(error) => {
                println!("v{version}: {error}");
                assert_ne!(version, FORMAT_VERSION, "{error}");
                assert!(env!("CARGO_PKG_VERSION").starts_with("0."), "{error}");
                assert_eq!(error.kind(), LoadErrorKind::Version);
                assert!(error.to_string().contains("rebake"), "{error}");
                continue;
            }
        };
        let (rays, hits) = (records("rays.bin"), records(&format!("v{version}.hits")));
        assert_eq!(rays.len(), hits.len());
        let mut count = 0;
        for (ray, expected) in rays.iter().zip(&hits) {
            let number = |at: usize| f32::from_bits(word(ray, at));
            let point = |at: usize| [number(at), number(at + 4), number(at + 8)];
            let ray = Ray::new(point(0), point(16)).with_range(number(12), number(28));
            for isa in InstructionSet::available() {
                let hit = bvh.closest_hit(&ray, &Query::new().instruction_set(isa));
                let front = |face| if face == Face::Front { 3 } else { 1 };
                let found = hit.map_or([ray.t_max.to_bits(), 0, 0, 0, 0, 0], |hit| {
                    let [t, u, v] = [hit.t, hit.u, hit.v].map(f32::to_bits);
                    [t, u, v, front(hit.face), hit.mesh, hit.triangle]
                });
                let expected = [0, 4, 8, 12, 16, 20].map(|at| word(expected, at));
                assert_eq!(found, expected, "v{version}, {isa}: {ray:?}");
            }
            count += usize::from(word(expected, 12) & 1 != 0);
        }
        println!("v{version}: {count} of {} rays hit as recorded", rays.len());
        assert!(count > 20);
    }
}

/// A bake gives the bytes of the golden file.
#[cfg(feature = "import")]
#[test]
fn the_newest_file_can_be_baked_again() {
    use hitscan::file::Source;
    use hitscan::{Builder, Quality};

    let model = golden("hall.obj");
    let hall = hitscan::Import::open(&model).expect("sound");
    let sources = vec![Source::read(&model).expect("it is there")];
    let builder =
        Builder::new().quality(Quality::Best).sources(sources).material_names(hall.material_names);
    let (bvh, _) = builder.bake(&hall.meshes).expect("sound");
    let file = fs::read(golden(&format!("v{FORMAT_VERSION}.hbvh"))).expect("it is there");
    assert!(bvh.to_bytes() == file, "another tree than the committed one");
}
