//! What `hitscan diff` prints and draws, and what it refuses.

use std::fs;
use std::io::Cursor;

use hitscan::glam::Vec3;
use serde_json::Value;

use super::{bvh, cube, diff, folder, level, place};
use crate::command_line::Folder;

/// The colours of a picture, without the legend's corner.
fn pixels(folder: &Folder, name: &str) -> Vec<[u32; 3]> {
    let bytes = fs::read(folder.path(name)).unwrap();
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    assert_eq!(reader.info().size(), (1280, 720));
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels[..3 * 1280 * 600].chunks(3).map(|rgb| [0, 1, 2].map(|k| rgb[k].into())).collect()
}

#[test]
fn a_picture_shows_changes_in_colours() {
    let mut after = level();
    place(&mut after, "crate", |p| p + Vec3::new(0.0, 0.0, 2.5));
    after.push(("shelf", cube([-1.0, 3.0, 0.0], 0.5)));
    let folder = folder(&level(), &after);
    let draw = |name: &str, threads: &str| {
        let args = ["diff", "a.hbvh", "b.hbvh", "-o", name, "--threads", threads];
        let output = folder.run(&args);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = draw("one.png", "1");
    assert!(text.contains("\ndrawn      one.png (") && text.contains("\nview       --eye "));
    assert_eq!(draw("two.png", "2").replace("two.png", "one.png"), text);
    let [one, two] = ["one.png", "two.png"].map(|name| fs::read(folder.path(name)).unwrap());
    assert!(one == two);
    let pixels = pixels(&folder, "one.png");
    let count = |is: &dyn Fn([u32; 3]) -> bool| pixels.iter().filter(|&&pixel| is(pixel)).count();
    let blue = count(&|[r, g, b]| b > 2 * r && b > g);
    let orange = count(&|[r, g, b]| r > g && g > 2 * b);
    let magenta = count(&|[r, g, b]| r > g + 40 && b > g + 20);
    let grey = count(&|[r, g, b]| r == g && g == b);
    assert!(blue > 500 && orange > 1000 && magenta > 1000, "{blue} {orange} {magenta}");
    assert!(grey > 20_000, "{grey}");

    // Without a change there is a picture, too: in grey.
    folder.ok(&["diff", "a.hbvh", "a.hbvh", "-o", "none.png"]);
    let pixels = self::pixels(&folder, "none.png");
    let coloured = pixels.iter().filter(|[r, g, b]| r != g && *r > *b);
    assert_eq!(coloured.count(), 0);
}

#[test]
fn the_text_says_what_the_json_says() {
    let mut after = level();
    place(&mut after, "crate", |p| p + Vec3::X);
    place(&mut after, "chest", |p| if p.y > 1.0 { p + Vec3::Y * 0.25 } else { p });
    let folder = folder(&level(), &after);
    let output = folder.run(&["diff", "a.hbvh", "b.hbvh"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let report = diff(&folder, 3, &["a.hbvh", "b.hbvh"]);
    let of = |set: &str, kind: &str| report[set][kind].as_u64().unwrap();
    let count: u64 = ["answers", "at_changes"]
        .iter()
        .map(|set| of(set, "closest_different") + of(set, "any_different"))
        .sum();
    let count = count.to_string();
    let (thousands, rest) = count.split_at(count.len() - 3);
    let expected = format!("hitscan: b.hbvh: {thousands},{rest} questions answered otherwise\n");
    assert_eq!(said, expected);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\nmeshes     1 moved, 1 changed, 2 the same\n"), "{text}");
    assert!(text.contains("  moved             1                 12  crate: by 1,0,0\n"), "{text}");
    let changed = "chest: 10 triangles, a vertex by up to 0.2500 at 2,2.75,-3\n";
    assert!(text.contains(changed), "{text}");
}

#[test]
fn what_cannot_be_compared_is_told_in_one_line() {
    let folder = Folder::with_scene();
    let sound = fs::read(folder.path("level.hbvh")).unwrap();
    folder.write("empty.hbvh", "");
    folder.write("cut.hbvh", &sound[..sound.len() - 1]);
    folder.write("long.hbvh", [&sound[..], b"x"].concat());
    let mut damaged = sound.clone();
    damaged[sound.len() / 2] ^= 0x10;
    folder.write("damaged.hbvh", damaged);
    let scene = fs::read(folder.path("level.hscn")).unwrap();
    folder.write("cut.hscn", &scene[..scene.len() / 2]);
    bvh(&[]).save(folder.path("nothing.hbvh")).unwrap();
    let cases: [(&[&str], &str); 11] = [
        (&["level.hbvh", "level.hscn"], "it is a scene, and level.hbvh is a tree: bake both alike"),
        (&["level.hscn", "level.hbvh"], "it is a tree, and level.hscn is a scene: bake both alike"),
        (&["level.hbvh", "not-there.hbvh"], "not-there.hbvh: "),
        (&["empty.hbvh", "level.hbvh"], "empty.hbvh: "),
        (&["level.hbvh", "cut.hbvh"], "cut.hbvh: "),
        (&["level.hbvh", "long.hbvh"], "long.hbvh: "),
        (&["damaged.hbvh", "level.hbvh"], "damaged.hbvh: "),
        (&["level.hscn", "cut.hscn"], "cut.hscn: "),
        (&["level.hbvh", "level.obj"], "level.obj: "),
        (&["level.hbvh", "."], "."),
        (&["level.hbvh", "level.hbvh", "-o", "not-there/o.png"], "there is no folder"),
    ];
    for (args, reason) in cases {
        let said = folder.fails(1, &[&["diff"], args].concat());
        assert!(said.starts_with("hitscan: ") && said.lines().count() == 1, "{said}");
        assert!(said.contains(reason), "{said}");
        let output = folder.run(&[&["diff", "--json"], args].concat());
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(value["error"].as_str().unwrap().contains(reason), "{value}");
    }
    let said = folder.fails(1, &["diff", "level.hbvh", "nothing.hbvh", "-o", "o.png"]);
    assert!(said.contains("there are no triangles in it to draw"), "{said}");
    let wrong: [&[&str]; 7] = [
        &[],
        &["level.hbvh"],
        &["level.hbvh", "level.hbvh", "-o", "out.jpg"],
        &["level.hbvh", "level.hbvh", "--rays", "0"],
        &["level.hbvh", "level.hbvh", "--rays", "99999999"],
        &["level.hbvh", "level.hbvh", "--threads", "0"],
        &["level.hbvh", "level.hbvh", "level.hbvh"],
    ];
    for args in wrong {
        let said = folder.fails(2, &[&["diff"], args].concat());
        assert!(said.starts_with("error: "), "{said}");
    }
    // Empty levels can be compared.
    diff(&folder, 0, &["nothing.hbvh", "nothing.hbvh"]);
    diff(&folder, 3, &["nothing.hbvh", "level.hbvh"]);
}

/// Numbers as large, and levels as small, as there are.
#[test]
fn extreme_levels_are_compared() {
    for size in [f32::MAX, f32::MIN_POSITIVE] {
        let triangle = [[-size, 0.0, 0.0], [0.0, 0.0, size], [size, 0.0, -size]];
        let mut other = triangle;
        other[1][2] = 0.5 * size;
        let folder = folder(&[("", triangle.to_vec())], &[("", other.to_vec())]);
        let output = folder.run(&["diff", "a.hbvh", "b.hbvh", "-o", "o.png", "--any-change"]);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert!(folder.path("o.png").exists());
    }
}
