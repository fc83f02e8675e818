//! `hitscan render`: the built binary, on the project's own level and on small scenes.

use std::fs;
use std::io::Cursor;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use hitscan::file::write_rays;
use hitscan::glam::{Affine3A, Vec3A};
use hitscan::query::{QueryStats, Question};
use hitscan::scene::Instance;
use hitscan::{Builder, Bvh, Import, InstructionSet, Mesh, Query, Ray, Scene};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

const LEVEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/level.glb");

const MODES: [&str; 10] = [
    "shaded", "depth", "normals", "facing", "mesh", "material", "quality", "edges", "boxes", "cost",
];

/// The project's level, and a scene where it stands twice, once smaller, turned and mirrored.
static LEVELS: OnceLock<[Vec<u8>; 2]> = OnceLock::new();

fn levels() -> [Vec<u8>; 2] {
    let (bvh, _) = Builder::new().bake(&Import::open(LEVEL).unwrap().meshes).unwrap();
    let mut scene = Scene::new();
    let [x, y, z] = [[0.0, 0.0, 0.5], [0.0, 0.5, 0.0], [0.5, 0.0, 0.0f32]].map(Vec3A::from);
    let at = Affine3A::from_cols(x, y, z, Vec3A::new(3.0, 12.0, -4.0));
    scene.insert(Instance::new(bvh.clone()).with_name("large")).unwrap();
    scene.insert(Instance::new(bvh.clone()).with_transform(at).with_name("small")).unwrap();
    scene.commit();
    [bvh.to_bytes(), scene.to_bytes()]
}

/// A temporary folder, and the binary to run in it.
struct Folder(TempDir);

/// What a PNG holds.
struct Picture {
    size: (u32, u32),
    pixels: Vec<u8>,
    texts: Vec<(String, String)>,
}

impl Folder {
    /// With `level.hbvh` and `level.hscn`.
    fn new() -> Self {
        let folder = Self(TempDir::new().unwrap());
        let [tree, scene] = LEVELS.get_or_init(levels);
        fs::write(folder.path("level.hbvh"), tree).unwrap();
        fs::write(folder.path("level.hscn"), scene).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hitscan"));
        command.current_dir(self.0.path()).arg("render").args(args).output().unwrap()
    }

    /// What a render prints.
    fn ok(&self, args: &[&str]) -> String {
        let output = self.run(&[args, &["-o", "out.png"]].concat());
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn render(&self, args: &[&str]) -> Picture {
        self.ok(args);
        self.picture()
    }

    fn picture(&self) -> Picture {
        let bytes = fs::read(self.path("out.png")).unwrap();
        let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let info = reader.info();
        let texts = info.utf8_text.iter();
        let texts = texts.map(|text| (text.keyword.clone(), text.get_text().unwrap())).collect();
        Picture { size: info.size(), pixels, texts }
    }
}

/// A row of what a render prints.
fn row<'a>(text: &'a str, label: &str) -> &'a str {
    let row = text.lines().find_map(|line| line.strip_prefix(&format!("{label:<10} ")));
    row.unwrap_or_else(|| panic!("no {label} in {text}"))
}

/// A view from outside, small enough to be quick.
const VIEW: [&str; 8] =
    ["--eye", "9,7,11", "--target", "0,1,-1", "--fov", "55", "--size", "160x90"];

#[test]
fn each_mode_has_the_same_pixels_everywhere() {
    let folder = Folder::new();
    let mut hashes = Vec::new();
    for file in ["level.hbvh", "level.hscn"] {
        for mode in MODES {
            let picture = folder.render(&[&[file, "--mode", mode], &VIEW[..]].concat());
            assert_eq!(picture.size, (160, 90));
            hashes.push(xxh3_64(&picture.pixels));
        }
    }
    let shown: String = hashes.iter().map(|hash| format!("0x{hash:016x},\n")).collect();
    assert!(hashes == GOLDEN, "{shown}");
}

/// Of the tree, mode by mode, then of the scene.
const GOLDEN: [u64; 20] = [
    0x70fa_8cb8_9b72_5088,
    0xcee1_31a3_883d_94be,
    0x6ce2_6e94_b6ba_d560,
    0xc9f0_0d80_256e_9ae4,
    0xe0b5_31e2_600b_77c8,
    0x59af_bce8_a7da_9c2c,
    0xb2ef_967e_fecc_c03e,
    0x24b6_b2fa_8708_81b5,
    0xe65d_2cb9_6d1c_ff0f,
    0xe862_a05a_070c_ad04,
    0x5809_5386_6e87_c139,
    0x4abd_bea8_b916_e082,
    0x3ce1_f169_29e2_8f1c,
    0x0c15_e8b1_866d_ec7a,
    0x2dd6_2693_9262_fa0b,
    0x2b53_624d_e475_5202,
    0xf953_91e1_e0fc_933e,
    0xd2d0_fcec_fbf1_44c5,
    0x7573_bbf5_d5b3_e5f0,
    0xf5c3_b6e8_f1e0_f480,
];

#[test]
fn threads_and_instruction_sets_change_no_byte() {
    let folder = Folder::new();
    let mut variants = vec![["--threads", "1"], ["--threads", "2"]];
    for isa in InstructionSet::available() {
        variants.push(["--isa", isa.name()]);
    }
    for (file, mode) in [("level.hbvh", "shaded"), ("level.hscn", "edges"), ("level.hscn", "cost")]
    {
        let mut first = None;
        for variant in &variants {
            folder.ok(&[&[file, "--mode", mode][..], &VIEW, variant].concat());
            let bytes = fs::read(folder.path("out.png")).unwrap();
            assert!(*first.get_or_insert(bytes.clone()) == bytes, "{mode} {variant:?}");
        }
    }
}

/// The numbers of the legend are counts of `query_stats`, for rays that are formed here.
#[test]
fn costs_are_the_counts_of_query_stats() {
    let folder = Folder::new();
    let bvh = Bvh::open(folder.path("level.hbvh")).unwrap();
    let scene = Scene::open(folder.path("level.hscn")).unwrap();
    // The tangent of half the field of view is 1, and the axes are the axes of the world.
    let view = ["--eye=0.5,2,8", "--target=0.5,2,0", "--fov", "90", "--size", "160x90"];
    let rays = (0..160 * 90).map(|pixel| {
        let (x, y) = (f64::from(pixel % 160) + 0.5, f64::from(pixel / 160) + 0.5);
        let (x, y) = ((2.0 * x / 160.0 - 1.0) * (160.0 / 90.0), 1.0 - 2.0 * y / 90.0);
        Ray::new([0.5, 2.0, 8.0], [x as f32, y as f32, -1.0])
    });
    let rays: Vec<Ray> = rays.collect();
    let (query, now) = (Query::new(), scene.snapshot());
    let nodes = |stats: QueryStats| stats.nodes;
    let triangles = |stats: QueryStats| stats.triangles;
    for (asked, question) in [("closest", Question::ClosestHit), ("any", Question::AnyHit)] {
        let stats_in_tree = |ray: &Ray| bvh.query_stats(ray, &query, question);
        let stats_in_scene = |ray: &Ray| now.query_stats(ray, &query, question);
        for (file, stats) in [
            ("level.hbvh", &stats_in_tree as &dyn Fn(&Ray) -> QueryStats),
            ("level.hscn", &stats_in_scene),
        ] {
            for (counted, count) in
                [("nodes", nodes as fn(QueryStats) -> u32), ("triangles", triangles)]
            {
                let mut costs: Vec<u32> = rays.iter().map(|ray| count(stats(ray))).collect();
                costs.sort_unstable();
                let sum: u64 = costs.iter().copied().map(u64::from).sum();
                let mean = sum as f64 / costs.len() as f64;
                let at = |percent: usize| costs[costs.len() * percent / 100 - 1];
                let expected = format!(
                    "{counted} per ray, {asked} hit: least {}, mean {mean}, p50 {}, p95 {}, p99 \
                     {}, most {}",
                    costs[0],
                    at(50),
                    at(95),
                    at(99),
                    at(100)
                );
                let mode = [file, "--mode", "cost", "--count", counted, "--question", asked];
                let text = folder.ok(&[&mode[..], &view].concat());
                assert_eq!(row(&text, "values"), expected);
                assert!(at(100) > costs[0]);
            }
        }
    }
}

#[test]
fn the_view_that_is_found_is_printed_and_can_be_given() {
    let folder = Folder::new();
    for file in ["level.hbvh", "level.hscn"] {
        let args = [file, "--mode", "normals", "--size", "160x90"];
        let text = folder.ok(&args);
        let found = folder.picture();
        let hits = row(&text, "hits").split_once(" of ").unwrap();
        let hits: usize = hits.0.replace(',', "").parse().unwrap();
        assert!(hits > 160 * 90 / 3, "{text}");
        let view: Vec<&str> = row(&text, "view").split(' ').collect();
        let view: Vec<String> = view.chunks(2).map(|pair| pair.join("=")).collect();
        let view: Vec<&str> = view.iter().map(String::as_str).collect();
        let again = folder.render(&[&[file, "--mode", "normals"], &view[..]].concat());
        assert!(again.pixels == found.pixels);
        assert!(folder.render(&[&args[..], &["--auto"]].concat()).pixels == found.pixels);
        // It is in the file, too.
        let settings = &found.texts.iter().find(|(keyword, _)| keyword == "hitscan").unwrap().1;
        assert!(settings.contains(&format!("view: {}", row(&text, "view"))), "{settings}");
        assert!(found.texts.contains(&("Software".into(), "hitscan 0.1.0".into())));
    }
}

/// A floor of 16 by 9 with a plate above its left half.
#[test]
fn a_plan_leaves_out_what_is_above_the_cut() {
    let folder = Folder(TempDir::new().unwrap());
    let quad = |y: f32, x: f32| {
        let [a, b, c, d] = [[0.0, y, 0.0], [0.0, y, 9.0], [x, y, 9.0], [x, y, 0.0]];
        Mesh::from_soup(vec![a, b, c, a, c, d])
    };
    let (bvh, _) = Builder::new().bake(&[quad(0.0, 16.0), quad(0.5, 8.0)]).unwrap();
    bvh.save(folder.path("level.hbvh")).unwrap();
    let plan = ["level.hbvh", "--top", "--mode", "depth", "--size", "160x90"];
    let pixel = |picture: &Picture, x: usize| picture.pixels[3 * (45 * 160 + x)..][..3].to_vec();
    let whole = folder.render(&plan);
    assert_ne!(pixel(&whole, 40), pixel(&whole, 120));
    let cut = folder.render(&[&plan[..], &["--cut", "0.25"]].concat());
    assert_eq!(pixel(&cut, 40), pixel(&cut, 120));
    // Nor does it cast a shadow.
    let shaded = ["level.hbvh", "--top", "--mode", "shaded", "--size", "160x90"];
    let whole = folder.render(&shaded);
    assert_ne!(pixel(&whole, 75), pixel(&whole, 85));
    let cut = folder.render(&[&shaded[..], &["--cut", "0.25"]].concat());
    assert_eq!(pixel(&cut, 75), pixel(&cut, 85));
    // Below everything there is the background alone.
    let text = folder.ok(&[&plan[..], &["--cut", "-1"]].concat());
    assert_eq!(row(&text, "hits"), "0 of 14,400 pixels");
    // The cut may lie in a surface.
    let text = folder.ok(&[&plan[..], &["--cut", "0"]].concat());
    assert_ne!(row(&text, "hits"), "0 of 14,400 pixels");
}

#[test]
fn rays_are_drawn_as_lines() {
    let folder = Folder::new();
    let down = Ray::new([0.0, 9.0, -1.0], [0.0, -1.0, 0.0]);
    let away = Ray::between([-4.0, 6.0, 0.0], [4.0, 6.0, 0.0]);
    let invalid = Ray::new([f32::NAN, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let mut bytes = Vec::new();
    write_rays(&mut bytes, &[down, away, invalid]).unwrap();
    fs::write(folder.path("rays.bin"), &bytes).unwrap();
    let args = [&["level.hbvh", "--mode", "facing"], &VIEW[..]].concat();
    let without = folder.render(&args);
    let text = folder.ok(&[&args[..], &["--rays", "rays.bin"]].concat());
    assert_eq!(row(&text, "rays"), "3 rays, 1 hit, 1 not drawn, as their numbers are invalid");
    let with = folder.picture();
    let of = |colour: [u8; 3]| with.pixels.chunks(3).filter(|pixel| *pixel == colour).count();
    assert!(of([255, 140, 0]) > 20 && of([40, 90, 255]) > 20);
    assert!(without.pixels != with.pixels);
    // Cut off within the last one.
    fs::write(folder.path("rays.bin"), &bytes[..90]).unwrap();
    let output = folder.run(&[&args[..], &["--rays", "rays.bin", "-o", "cut.png"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        error.trim_end(),
        "hitscan: rays.bin: byte 64: a ray has 32 bytes, the last one fewer"
    );
    assert!(!folder.path("cut.png").exists());
}

#[test]
fn a_legend_covers_a_corner_of_a_picture_that_has_room() {
    let folder = Folder::new();
    let corner = |picture: &Picture| picture.pixels[3 * 640 * 355..][..9].to_vec();
    for mode in ["depth", "facing", "mesh", "material", "quality", "edges", "cost"] {
        let args = [&["level.hbvh", "--mode", mode, "--size", "640x360"], &VIEW[..6]].concat();
        let with = folder.render(&args);
        let without = folder.render(&[&args[..], &["--no-legend"]].concat());
        assert_ne!(corner(&with), corner(&without), "{mode}");
        let right = 3 * 640 - 60..3 * 640;
        assert_eq!(with.pixels[right.clone()], without.pixels[right]);
    }
}

/// The legend of rays has both colours, above the legend of the mode if there is one.
#[test]
fn rays_have_a_legend() {
    let folder = Folder::new();
    let size = ["--size", "640x360"];
    // One hits the level; both are seen from their end, so hardly any of their lines is.
    let rays = [Ray::new([0.0, 9.0, -1.0], [0.0, -1.0, 0.0]), Ray::between([9e6; 3], [9e7; 3])];
    let mut bytes = Vec::new();
    write_rays(&mut bytes, &rays).unwrap();
    fs::write(folder.path("rays.bin"), &bytes).unwrap();
    for (mode, has_other) in [("shaded", false), ("facing", true)] {
        let args = [&["level.hbvh", "--mode", mode, "--rays", "rays.bin"], &size[..], &VIEW[..4]];
        let args = args.concat();
        let with = folder.render(&args);
        let without = folder.render(&[&args[..], &["--no-legend"]].concat());
        let rows_of = |picture: &Picture, colour: [u8; 3]| -> Vec<usize> {
            let pixels = picture.pixels.chunks(3).enumerate();
            let left = pixels.filter(|(i, pixel)| i % 640 < 40 && *pixel == colour);
            left.map(|(i, _)| i / 640).collect()
        };
        let (orange, blue) = ([255, 140, 0], [40, 90, 255]);
        for colour in [orange, blue] {
            assert!(rows_of(&without, colour).is_empty(), "{mode}");
            assert_eq!(rows_of(&with, colour).len(), 100, "{mode}");
        }
        let [hit, miss] = [orange, blue].map(|colour| rows_of(&with, colour)[0]);
        assert!(hit < miss, "{mode}");
        // Below are the last lines of this legend only, or all of the mode's too.
        assert_eq!(360 - miss > 60, has_other, "{mode} {miss}");
    }
}

#[test]
fn what_is_wrong_is_told_in_one_line() {
    let folder = Folder::new();
    let (nothing, _) = Builder::new().bake(&[] as &[Mesh]).unwrap();
    nothing.save(folder.path("empty.hbvh")).unwrap();
    fs::write(folder.path("level.png"), fs::read(folder.path("level.hbvh")).unwrap()).unwrap();
    fs::create_dir(folder.path("folder.png")).unwrap();
    let out = ["-o", "out.png"];
    let with = |args: &[&'static str]| [&["level.hbvh"], args, &out].concat();
    let cases = [
        (2, with(&["--size", "0x90"]), "expected 1 to 16,777,216 pixels"),
        (2, with(&["--size", "100000x100000"]), "expected 1 to 16,777,216 pixels"),
        (2, with(&["--size", "160"]), "expected a width and a height such as 1280x720"),
        (2, with(&["--eye", "1,2,3", "--target", "1,2,3"]), "are the same point"),
        (2, with(&["--eye", "1,NaN,3", "--target", "1,2,3"]), "expected finite numbers"),
        (2, with(&["--eye", "1,2,3"]), "--target"),
        (2, with(&["--mode", "wireframe"]), "possible values: shaded, depth"),
        (2, with(&["--fov", "0"]), "expected degrees between 1 and 170"),
        (2, with(&["--fov", "180"]), "expected degrees between 1 and 170"),
        (2, with(&["--fov", "NaN"]), "expected degrees between 1 and 170"),
        (2, with(&["--top", "--eye", "1,2,3", "--target", "0,0,0"]), "cannot be used with"),
        (2, with(&["--cut", "1"]), "--top"),
        (2, with(&["--top", "--cut", "inf"]), "expected a finite number"),
        (2, with(&["--mode", "boxes", "--depth", "99"]), "--depth 99: the deepest boxes are at"),
        (2, with(&["--depth", "1"]), "--depth goes with --mode boxes only"),
        (2, with(&["--count", "nodes"]), "go with --mode cost only"),
        (2, with(&["--threads", "0"]), "--threads"),
        (2, vec!["level.hbvh", "-o", "out.jpg"], "expected an output with the extension .png"),
        (2, vec!["level.png", "-o", "level.png"], "is one of the inputs"),
        (1, vec!["level.hbvh", "-o", "no/out.png"], "there is no folder `no`"),
        (1, vec!["level.hbvh", "-o", "folder.png"], "folder.png: it is a folder, not a file"),
        (1, vec!["empty.hbvh", "-o", "out.png"], "empty.hbvh: whole file: there are no triangles"),
        (1, vec!["no.hbvh", "-o", "out.png"], "no.hbvh"),
        (1, with(&["--rays", "no.bin"]), "no.bin: there is no such file"),
    ];
    for (code, args, message) in cases {
        let output = folder.run(&args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(error.contains(message), "{args:?}: {error}");
        assert!(code == 2 || error.lines().count() == 1, "{error}");
        assert!(output.stdout.is_empty() && !folder.path("out.png").exists(), "{args:?}");
    }
    let old = fs::read(folder.path("level.hbvh")).unwrap();
    assert!(fs::read(folder.path("level.png")).unwrap() == old);
}

#[test]
fn boxes_are_refused_that_nobody_could_tell_apart() {
    let folder = Folder::new();
    let bvh = Bvh::open(folder.path("level.hbvh")).unwrap();
    let count = bvh.boxes_at(3).len();
    assert!(count > 600, "{count}");
    let mut scene = Scene::new();
    for _ in 0..2000 {
        scene.insert(Instance::new(bvh.clone())).unwrap();
    }
    scene.commit();
    scene.save(folder.path("many.hscn")).unwrap();
    let output = folder.run(&["many.hscn", "-o", "o.png", "--mode", "boxes", "--depth", "3"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("boxes are too many to draw, 1,048,576 are the most"), "{error}");
}

/// Numbers as large, and levels as small, as there are.
#[test]
fn extreme_levels_and_views_are_drawn() {
    let folder = Folder(TempDir::new().unwrap());
    for size in [f32::MAX, f32::MIN_POSITIVE] {
        let soup = vec![[-size, 0.0, 0.0], [0.0, 0.0, size], [size, 0.0, -size]];
        let (bvh, _) = Builder::new().bake(&[Mesh::from_soup(soup)]).unwrap();
        bvh.save(folder.path("level.hbvh")).unwrap();
        for mode in MODES {
            let args = ["level.hbvh", "--mode", mode, "--size", "64x36"];
            folder.ok(&args);
            folder.ok(&[&args[..], &["--top"]].concat());
        }
        let far = ["--eye", "3e38,3e38,3e38", "--target", "-3e38,1e-38,0"];
        folder.ok(&[&["level.hbvh"], &far[..]].concat());
    }
    folder.ok(&["level.hbvh", "--size", "1x1"]);
    folder.ok(&["level.hbvh", "--size", "1x5000"]);
    folder.ok(&["level.hbvh", "--size", "5000x1", "--fov", "170", "--mode", "cost"]);
}
