//! Writers of recordings: quick, slow, and broken ones.

use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use hitscan::glam::Vec3;
use hitscan::record::Recorder;
use hitscan::{Bvh, Query, Ray, RecordingErrorKind};

use super::{Shared, frame, records};

fn ball() -> Bvh {
    frame::bake(&[crate::scenes::sphere(4, 3, 2.0, Vec3::ZERO)])
}

const RAY: Ray =
    Ray { origin: Vec3::new(0.1, 0.2, 5.0), dir: Vec3::NEG_Z, t_min: 0.0, t_max: f32::INFINITY };

#[test]
fn frames_before_the_last_are_written_soon() {
    let bvh = ball();
    let file = Shared::default();
    // 65 bytes: it is cut before the last letter, which has two.
    let tag = format!("{}ü", "x".repeat(63));
    let mut level = Recorder::to_writer(file.clone()).with_tag(&tag).wrap(&bvh);
    for frame in 0..5 {
        level.set_frame(frame);
        let _ = level.any_within([0.0; 3], 1.0, &Query::new());
        // As a process that dies now leaves the file: it is not flushed.
        let is_written = || records(&file.bytes()).iter().map(|record| record.frame).eq(0..frame);
        let patience = Instant::now() + Duration::from_secs(60);
        while !is_written() {
            assert!(Instant::now() < patience, "{frame}");
            thread::sleep(Duration::from_millis(1));
        }
    }
    assert_eq!(*records(&file.bytes())[0].tag, "x".repeat(63));
}

#[test]
fn a_writer_that_fails_is_told_of_by_flush() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let bvh = ball();
    for room in [3, 20] {
        let recorder = Recorder::to_writer(Full(room));
        let level = recorder.wrap(&bvh);
        for _ in 0..2 {
            let hit = level.closest_hit(&RAY, &Query::new());
            assert_eq!(hit, bvh.closest_hit(&RAY, &Query::new()));
            let error = recorder.flush().unwrap_err();
            assert_eq!(error.kind(), RecordingErrorKind::Io);
        }
    }
}

/// Writes a block only when it is let.
struct Slow(Receiver<()>, Shared);

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.recv();
        self.1.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Questions do not wait for a block, only for the 66th: one is being written, 64 wait.
#[test]
fn a_slow_writer_is_waited_for_when_too_much_waits() {
    let bvh = ball();
    let file = Shared::default();
    let (let_write, may_write) = mpsc::channel();
    let_write.send(()).unwrap();
    let recorder = Recorder::to_writer(Slow(may_write, file.clone()));
    let (asked, has_asked) = mpsc::channel();
    let mut level = recorder.wrap(&bvh);
    let asking = thread::spawn(move || {
        // Each frame ends the block of the one before.
        for frame in 0..70 {
            level.set_frame(frame);
            let _ = level.closest_hit(&RAY, &Query::new());
            asked.send(frame).unwrap();
        }
    });
    let mut last = 0;
    while let Ok(frame) =
        has_asked.recv_timeout(Duration::from_secs(if last < 65 { 60 } else { 1 }))
    {
        last = frame;
    }
    // With frame 66 the block of frame 65 comes, which is the 66th.
    assert_eq!(last, 65);
    assert!(records(&file.bytes()).is_empty());
    // Now it goes on.
    drop(let_write);
    asking.join().unwrap();
    recorder.flush().unwrap();
    assert!(records(&file.bytes()).iter().map(|record| record.frame).eq(0..70));
}

#[test]
fn a_writer_that_panics_is_told_of_by_flush() {
    struct Panics(usize);
    impl Write for Panics {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(1).expect("this writer panics, as it should");
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let bvh = ball();
    let recorder = Recorder::to_writer(Panics(2));
    let level = recorder.wrap(&bvh);
    let _ = level.closest_hit(&RAY, &Query::new());
    recorder.flush().unwrap();
    for _ in 0..2 {
        let hit = level.closest_hit(&RAY, &Query::new());
        assert_eq!(hit, bvh.closest_hit(&RAY, &Query::new()));
        let error = recorder.flush().unwrap_err();
        assert_eq!(error.kind(), RecordingErrorKind::Io);
        assert!(error.to_string().contains("panicked"), "{error}");
    }
    // Nor does the last handle wait for ever.
    drop((recorder, level));
}
