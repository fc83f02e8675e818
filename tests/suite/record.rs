//! Recording and replay: answers are the plain ones, a replay gives them again on every instruction
//! set, and no bytes are trusted. A million mutations: `HITSCAN_LONG=100`.

mod frame;
mod writers;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use hitscan::glam::{Affine3A, Vec3};
use hitscan::record::{Asked, Content, Keep, Kind, Record, Recorder, Recording, Ring, World};
use hitscan::{Bvh, Hit, InstructionSet, Query, Ray, RecordingErrorKind, Snapshot};
use xxhash_rust::xxh3::xxh3_64;

use crate::support::{Random, long};

const FILE_HEADER: usize = 16;
const BLOCK_HEADER: usize = 32;

/// A writer whose bytes can be looked at.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a frame that is asked through recorders writes.
fn recorded(bvh: &Bvh, now: &Snapshot) -> Vec<u8> {
    let file = Shared::default();
    let mut recorder = Recorder::to_writer(file.clone());
    recorder.set_frame(7);
    frame::of_recorded_tree(&recorder.with_tag("level").wrap(bvh));
    frame::of_recorded_scene(&recorder.with_tag("scene").wrap(now));
    recorder.flush().unwrap();
    file.bytes()
}

fn ring_bytes(ring: &Ring) -> Vec<u8> {
    let mut bytes = Vec::new();
    ring.write_to(&mut bytes).unwrap();
    bytes
}

fn records(bytes: &[u8]) -> Vec<Record> {
    Recording::from_bytes(bytes).unwrap().records().map(Result::unwrap).collect()
}

/// The world of a record.
fn world<'a>(record: &Record, bvh: &'a Bvh, now: &'a Snapshot) -> World<'a> {
    match record.content {
        Content::Tree(_) => bvh.into(),
        Content::Scene(_) => now.into(),
    }
}

#[test]
fn recorded_answers_are_the_plain_ones() {
    let bvh = frame::bake(&frame::meshes(None));
    let now = frame::scene(&bvh).snapshot().clone();
    let recorder = Ring::new(Keep::Bytes(usize::MAX)).recorder();
    assert_eq!(frame::of_tree(&bvh).0, frame::of_recorded_tree(&recorder.wrap(&bvh)).0);
    assert_eq!(frame::of_scene(&now).0, frame::of_recorded_scene(&recorder.wrap(&now)).0);
}

#[test]
fn a_replay_gives_the_same_bits_on_every_instruction_set() {
    let bvh = frame::bake(&frame::meshes(None));
    let now = frame::scene(&bvh).snapshot().clone();
    let records = records(&recorded(&bvh, &now));
    let kinds: Vec<Kind> = records.iter().map(|record| record.kind).collect();
    assert!(Kind::ALL.iter().all(|kind| kinds.contains(kind)));
    assert!(records.iter().filter(|record| !record.rejected.is_empty()).count() > 100);
    for isa in InstructionSet::available() {
        for threads in [1, 2] {
            let ask = || {
                for record in &records {
                    let answer = record.ask(world(record, &bvh, &now), isa).expect("of its kind");
                    let difference = record.difference(&answer);
                    assert!(difference.is_none(), "{isa}: {}", difference.unwrap());
                }
            };
            #[cfg(feature = "parallel")]
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(ask);
            #[cfg(not(feature = "parallel"))]
            (ask(), std::convert::identity(threads));
        }
    }
}

#[test]
fn a_vertex_that_has_moved_is_found() {
    let bvh = frame::bake(&frame::meshes(None));
    let now = frame::scene(&bvh).snapshot().clone();
    let recording = Recording::from_bytes(recorded(&bvh, &now)).unwrap();
    let moved = frame::bake(&frame::meshes(Some(Vec3::Y * 0.5)));
    let later = frame::scene(&moved).snapshot().clone();
    let mut different = [0; 2];
    for record in recording.records().map(Result::unwrap) {
        let same = record.ask(world(&record, &bvh, &now), InstructionSet::detect()).unwrap();
        let other = record.ask(world(&record, &moved, &later), InstructionSet::detect()).unwrap();
        let difference = record.difference(&other);
        assert_eq!(difference.is_none(), same.has_bits_of(&other));
        let Some(difference) = difference else { continue };
        different[usize::from(matches!(record.content, Content::Scene(_)))] += 1;
        assert_eq!((difference.number, difference.frame), (record.number, 7));
        assert_eq!((&difference.tag, difference.kind), (&record.tag, record.kind));
        assert!(!difference.recorded.has_bits_of(&difference.found), "{difference}");
        let text = difference.to_string();
        assert!(text.contains("recorded ") && text.contains("; found "), "{text}");
    }
    assert!(different.iter().all(|&count| count > 10), "{different:?}");
    assert!(recording.first_difference(&moved).unwrap().is_some());
    // A question of a scene only is left out for a tree.
    for record in recording.records().map(Result::unwrap) {
        let asked = [
            record.ask(&bvh, InstructionSet::detect()),
            record.ask(&now, InstructionSet::detect()),
        ];
        let expected = [!record.kind.name().contains("volume"), true];
        assert_eq!(asked.map(|answer| answer.is_some()), expected, "{}", record.kind);
    }
}

#[test]
fn hashes_follow_the_content() {
    let meshes = frame::meshes(None);
    let bvh = frame::bake(&meshes);
    let before = Content::of(&bvh);
    assert_eq!(before, Content::of(&Bvh::from_bytes(&bvh.to_bytes()).unwrap()));
    let changed = frame::meshes(Some(Vec3::Y * 0.5));
    let refit = || {
        let mut bvh = Bvh::from_bytes(&bvh.to_bytes()).unwrap();
        // The hash is made before the refit, which must not keep it.
        assert_eq!(Content::of(&bvh), before);
        let views: Vec<_> = changed.iter().map(|mesh| mesh.view()).collect();
        bvh.refit(&views).unwrap();
        bvh
    };
    let [one, other] = [refit(), refit()];
    assert_eq!(Content::of(&one), Content::of(&other));
    assert_ne!(Content::of(&one), before);
    let mut masked = bvh.clone();
    masked.set_mask(0, 5);
    assert_ne!(Content::of(&masked), before);
    masked.set_mask(0, meshes[0].mask);
    masked.set_user_data(vec![1]);
    assert_eq!((Content::of(&masked), Content::of(&bvh)), (before, before));

    let mut scene = frame::scene(&bvh);
    let before = Content::of(scene.snapshot());
    let first = scene.snapshot().instances().next().unwrap();
    scene.set_mask(first, 1).unwrap();
    assert_ne!(Content::of(&scene.commit()), before);
    scene.set_mask(first, 0b0111).unwrap();
    assert_eq!(Content::of(&scene.commit()), before);
    scene.set_transform(first, Affine3A::from_translation(Vec3::X)).unwrap();
    assert_ne!(Content::of(&scene.commit()), before);
}

/// Blocks by their places.
fn blocks(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut at = FILE_HEADER;
    let mut blocks = Vec::new();
    while at < bytes.len() {
        let length = u64::from_le_bytes(bytes[at + 8..at + 16].try_into().unwrap()) as usize;
        blocks.push(at..at + BLOCK_HEADER + length);
        at += BLOCK_HEADER + length;
    }
    blocks
}

/// A recording of three blocks, each with records of most kinds.
fn small() -> (Bvh, Snapshot, Vec<u8>) {
    let bvh = frame::bake(&[crate::scenes::sphere(4, 3, 2.0, Vec3::ZERO)]);
    let now = frame::scene(&bvh).snapshot().clone();
    let file = Shared::default();
    let mut recorder = Recorder::to_writer(file.clone());
    for number in 0..3 {
        recorder.set_frame(number);
        let (level, scene) = (recorder.with_tag("a").wrap(&bvh), recorder.with_tag("ü").wrap(&now));
        let ray = Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -1.0]);
        let odd = |hit: &Hit| hit.triangle % 2 == 1;
        let (query, layers) = (Query::new().filter(&odd), hitscan::Layers::ALL);
        let body = hitscan::Capsule::new([0.0, 3.5, 0.0], [0.0, 4.0, 0.0], 0.5);
        let frustum = hitscan::geometry::Frustum::from_planes(&[], [0.0; 3]).unwrap();
        let (mut hits, mut near, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let _ = level.closest_hit(&ray, &query);
        let _ = scene.any_hit(&ray, &query);
        level.all_hits(&ray, &query, &mut hits);
        level.closest_hit_batch(&[ray; 3], &query, &mut [None; 3]).unwrap();
        level.any_hit_batch(&[ray; 2], &query, &mut [false; 2]).unwrap();
        level.all_hits_batch(&[ray; 2], &query, &mut [Vec::new(), Vec::new()]).unwrap();
        let _ = level.closest_point([0.0, 3.0, 0.1], 9.0, &query);
        level.all_within([0.0, 3.0, 0.1], 1.5, &query, &mut near);
        let _ = scene.any_overlap(frustum, &query);
        level.all_overlaps(body, &query, &mut Vec::new());
        let _ = scene.first_contact(body, [0.0, -4.0, 0.0], &query);
        level.penetrations(body, &query, &mut Vec::new());
        let _ = level.contains([0.0; 3], layers);
        let _ = level.signed_distance([0.0; 3], 3.0, layers);
        scene.all_volume_hits(&ray, layers, &mut Vec::new());
        let volumes = query.targets(hitscan::Targets::Volumes);
        let _ = scene.closest_hit(&ray, &volumes);
        scene.all_overlaps(body, &volumes, &mut found);
    }
    recorder.flush().unwrap();
    (bvh, now, file.bytes())
}

#[test]
fn a_file_cut_at_any_byte_gives_what_is_whole_before() {
    let (_, _, bytes) = small();
    let (all, blocks) = (records(&bytes), blocks(&bytes));
    assert_eq!(blocks.len(), 3);
    for cut in 0..=bytes.len() {
        let recording = Recording::from_bytes(&bytes[..cut]).unwrap();
        let whole = blocks.iter().filter(|block| block.end <= cut).count();
        let found: Vec<Record> = recording.records().map(Result::unwrap).collect();
        assert_eq!(found, all[..whole * (all.len() / 3)], "{cut}");
        let is_end =
            cut >= FILE_HEADER && (cut == FILE_HEADER || blocks.iter().any(|b| b.end == cut));
        assert_eq!(recording.cut_at().is_none(), is_end, "{cut}");
    }
}

#[test]
fn damage_is_told() {
    let (_, _, bytes) = small();
    let kind = |bytes: &[u8]| Recording::from_bytes(bytes).map(|_| ()).unwrap_err().kind();
    let changed = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        kind(&bytes)
    };
    assert_eq!(changed(0), RecordingErrorKind::NotRecording);
    assert_eq!(changed(8), RecordingErrorKind::Version);
    assert_eq!(changed(13), RecordingErrorKind::Invalid);
    assert_eq!(changed(FILE_HEADER), RecordingErrorKind::Checksum);
    assert_eq!(changed(FILE_HEADER + BLOCK_HEADER + 60), RecordingErrorKind::Checksum);
    let (bvh, ..) = small();
    assert_eq!(kind(&bvh.to_bytes()), RecordingErrorKind::NotRecording);
    let missing = Recording::open("/no/such/file.hrays").unwrap_err();
    assert_eq!(missing.kind(), RecordingErrorKind::Io);
    assert!(missing.to_string().starts_with("/no/such/file.hrays: reading: "), "{missing}");
}

#[test]
fn mutations_with_right_checksums_end_in_records_or_errors() {
    let (bvh, now, bytes) = small();
    let blocks = blocks(&bytes);
    let random = &mut Random::new(5);
    let (mut sound, mut refused) = (0, 0);
    for _ in 0..10_000 * long() {
        let mut bytes = bytes.clone();
        let block = blocks[random.below(blocks.len())].clone();
        for _ in 0..1 + random.below(3) {
            let at = block.start + 8 + random.below(block.len() - 8);
            let value = [0, 1, 0xff, random.next() as u8, bytes[at] ^ 1 << random.below(8)];
            bytes[at] = value[random.below(5)];
        }
        let sum = xxh3_64(&bytes[block.start + 8..block.end]);
        bytes[block.start..block.start + 8].copy_from_slice(&sum.to_le_bytes());
        let Ok(recording) = Recording::from_bytes(bytes) else {
            refused += 1;
            continue;
        };
        for record in recording.records() {
            match record {
                Ok(record) => {
                    sound += 1;
                    // Numbers may be anything now, and are asked about all the same.
                    if random.below(50) == 0 {
                        let world = world(&record, &bvh, &now);
                        let answer = record.ask(world, InstructionSet::detect());
                        let _ = answer.map(|answer| record.difference(&answer));
                    }
                }
                Err(error) => {
                    refused += 1;
                    assert_eq!(error.kind(), RecordingErrorKind::Invalid);
                    assert!(error.offset().is_some());
                }
            }
        }
    }
    assert!(sound > 100_000 && refused > 1_000, "{sound} {refused}");
}

#[test]
fn rings_keep_what_came_last() {
    let bvh = frame::bake(&[crate::scenes::sphere(4, 3, 2.0, Vec3::ZERO)]);
    let ray = Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -1.0]);
    for keep in [Keep::Frames(5), Keep::Bytes(1 << 14)] {
        let ring = Ring::new(keep);
        let mut level = ring.recorder().wrap(&bvh);
        for frame in 0..100 {
            level.set_frame(frame);
            for _ in 0..10 {
                let _ = level.closest_hit(&ray, &Query::new());
            }
        }
        let bytes = ring_bytes(&ring);
        let records = records(&bytes);
        let numbers: Vec<u64> = records.iter().map(|record| record.number).collect();
        assert_eq!(numbers, Vec::from_iter(numbers[0]..1000));
        match keep {
            Keep::Bytes(most) => {
                assert!(bytes.len() <= most + (1 << 12) && bytes.len() > most / 2);
            }
            _ => assert_eq!(numbers[0], 950),
        }
        // It goes on.
        let _ = level.closest_hit(&ray, &Query::new());
        assert_eq!(self::records(&ring_bytes(&ring)).last().unwrap().number, 1000);
    }
}

#[test]
fn threads_write_whole_records() {
    let bvh = frame::bake(&[crate::scenes::sphere(4, 3, 2.0, Vec3::ZERO)]);
    let file = Shared::default();
    let recorder = Recorder::to_writer(file.clone());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let mut level = recorder.with_tag(&format!("thread {thread}")).wrap(&bvh);
            scope.spawn(move || {
                for frame in 0..200 {
                    level.set_frame(frame);
                    let ray =
                        Ray::new([0.01 * frame as f32, thread as f32 * 0.3, 5.0], Vec3::NEG_Z);
                    let _ = level.closest_hit(&ray, &Query::new());
                }
            });
        }
    });
    // The last handle writes the rest.
    drop(recorder);
    let records = records(&file.bytes());
    assert!(records.iter().map(|record| record.number).eq(0..800));
    for thread in 0..4 {
        let tag = format!("thread {thread}");
        let frames = records.iter().filter(|record| *record.tag == *tag).map(|record| record.frame);
        assert!(frames.eq(0..200));
    }
    let recording = Recording::from_bytes(file.bytes()).unwrap();
    assert_eq!(recording.first_difference(&bvh).unwrap(), None);
}

/// Rays of several batches: more than a chunk, more than a record, one less than a record, none.
#[test]
fn a_batch_is_written_in_order_on_any_number_of_threads() {
    let bvh = frame::bake(&frame::meshes(None));
    let now = frame::scene(&bvh).snapshot().clone();
    let rays = frame::rays(&mut Random::new(3), 17_000);
    let record = |threads: usize| {
        let ring = Ring::new(Keep::Bytes(usize::MAX));
        let recorder = ring.recorder();
        let (level, scene) = (recorder.wrap(&bvh), recorder.with_tag("scene").wrap(&now));
        let by_index = |index: usize, hit: &Hit| !(hit.triangle as usize + index).is_multiple_of(3);
        let query = Query::new().filter_by_index(&by_index);
        let ask = || {
            for count in [17_000, 1025, 1024, 1023, 0] {
                let (mut hits, mut found) = (vec![None; count], vec![false; count]);
                level.closest_hit_batch(&rays[..count], &query, &mut hits).unwrap();
                scene.any_hit_batch(&rays[..count], &query, &mut found).unwrap();
                let mut expected = vec![None; count];
                bvh.closest_hit_batch(&rays[..count], &query, &mut expected).unwrap();
                assert_eq!(hits, expected);
            }
        };
        #[cfg(feature = "parallel")]
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(ask);
        #[cfg(not(feature = "parallel"))]
        (ask(), std::convert::identity(threads));
        ring_bytes(&ring)
    };
    let bytes = record(1);
    let records = records(&bytes);
    let of_level = records.iter().filter(|record| record.tag.is_empty());
    let asked: Vec<Ray> = of_level
        .flat_map(|record| match &record.asked {
            Asked::Rays(rays) => rays.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    let counts = [17_000, 1025, 1024, 1023];
    assert_eq!(asked, counts.map(|count| &rays[..count]).concat());
    for record in &records {
        let answer = record.ask(world(record, &bvh, &now), InstructionSet::detect()).unwrap();
        assert!(record.difference(&answer).is_none(), "{}", record.number);
    }
    for threads in [2, 3, 5] {
        assert!(record(threads) == bytes, "{threads}");
    }
}

/// A ray and its hit take few bytes: origins and ranges that are the same are written once.
#[test]
fn batches_are_small() {
    let bvh = frame::bake(&frame::meshes(None));
    let eye = Vec3::new(0.0, 2.0, 0.5);
    let bytes_each = |rays: &[Ray]| {
        let ring = Ring::new(Keep::Bytes(usize::MAX));
        let mut hits = vec![None; rays.len()];
        ring.recorder().wrap(&bvh).closest_hit_batch(rays, &Query::new(), &mut hits).unwrap();
        assert!(hits.iter().flatten().count() > rays.len() / 4);
        ring_bytes(&ring).len() as f64 / rays.len() as f64
    };
    let mut rays = frame::rays(&mut Random::new(4), 4096);
    assert!(bytes_each(&rays) < 24.0 + 17.0 + 1.0);
    rays.iter_mut().for_each(|ray| ray.origin = eye);
    assert!(bytes_each(&rays) < 12.0 + 17.0 + 1.0);
}

/// A file of a few hundred bytes cannot ask for more rays than a record holds: rays that have all
/// in common take no bytes.
#[test]
fn a_record_has_no_more_rays_than_it_may() {
    let bvh = frame::bake(&[crate::scenes::sphere(4, 3, 2.0, Vec3::ZERO)]);
    let ring = Ring::new(Keep::Bytes(usize::MAX));
    let rays = [Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -1.0]); 1024];
    ring.recorder().wrap(&bvh).any_hit_batch(&rays, &Query::new(), &mut [false; 1024]).unwrap();
    let bytes = ring_bytes(&ring);
    assert!(bytes.len() < 400);
    assert_eq!(records(&bytes)[0].asked.count(), 1024);
    // The count of the record behind the context, with 8 rays more, and a byte more of answers.
    let count_at = FILE_HEADER + BLOCK_HEADER + 32 + 20;
    let more = |count: u32, answers: usize| {
        let mut bytes = bytes.clone();
        bytes.extend(vec![0xff; answers]);
        bytes[count_at..count_at + 4].copy_from_slice(&count.to_le_bytes());
        let entry = FILE_HEADER + BLOCK_HEADER + 32;
        let length = (bytes.len() - entry) as u64;
        bytes[entry..entry + 8].copy_from_slice(&length.to_le_bytes());
        let length = (bytes.len() - FILE_HEADER - BLOCK_HEADER) as u64;
        bytes[FILE_HEADER + 8..FILE_HEADER + 16].copy_from_slice(&length.to_le_bytes());
        let sum = xxh3_64(&bytes[FILE_HEADER + 8..]);
        bytes[FILE_HEADER..FILE_HEADER + 8].copy_from_slice(&sum.to_le_bytes());
        let recording = Recording::from_bytes(bytes).unwrap();
        recording.records().next().unwrap().map(|record| record.asked.count())
    };
    assert_eq!(more(1024, 0).unwrap(), 1024);
    for error in [more(1032, 1).unwrap_err(), more(1017, 0).unwrap_err()] {
        assert_eq!(error.kind(), RecordingErrorKind::Invalid, "{error}");
    }
    assert!(more(1032, 1).unwrap_err().to_string().contains("more rays or points"));
}
