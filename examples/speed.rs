//! throw-away
use hitscan::*;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let bytes = std::fs::read(path).unwrap();
    let f: Vec<f32> = bytes[4..]
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
        .collect();
    let pos: Vec<[f32; 3]> = f.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
    let mesh = Mesh::from_soup(pos);
    let t = std::time::Instant::now();
    let (bvh, report) = Builder::new().bake(&[mesh.clone()]).unwrap();
    println!("{:?} {:#?}", t.elapsed(), report);
    println!(
        "{:.1} B/tri",
        report.summary.tree_bytes as f64 / report.summary.triangles_kept as f64
    );
    let b = bvh.bounds();
    let mut s = 12345u64;
    let mut r = || {
        s = s
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (s >> 40) as f32 / (1u64 << 24) as f32
    };
    let mut rays = vec![];
    for _ in 0..200000 {
        let o = b.min + (b.max - b.min) * glam::Vec3::new(r(), r(), r());
        let d = glam::Vec3::new(r() - 0.5, r() - 0.5, r() - 0.5);
        rays.push(Ray::new(o, d));
    }
    for level in Level::available() {
        let q = Query::new().level(level);
        let mut best = f64::INFINITY;
        let mut sum = 0.0;
        let mut n = 0;
        for _ in 0..5 {
            sum = 0.0;
            n = 0;
            let t = std::time::Instant::now();
            for ray in &rays {
                if let Some(h) = bvh.closest_hit(ray, &q) {
                    sum += h.t as f64;
                    n += 1;
                }
            }
            best = best.min(t.elapsed().as_secs_f64());
        }
        let t = std::time::Instant::now();
        let c = rays.iter().filter(|ray| bvh.any_hit(ray, &q)).count();
        println!(
            "{level}: {:.1} ns/ray closest, any {:.1}, hits {n} {c} sum {sum}",
            best * 1e9 / rays.len() as f64,
            t.elapsed().as_secs_f64() * 1e9 / rays.len() as f64
        );
    }
    // brute
    let mut bad = 0;
    let mut badany = 0;
    for ray in rays.iter().take(300) {
        let v = mesh.view();
        let mut bestt = f32::INFINITY;
        let mut id = None;
        for i in 0..mesh.triangle_count() {
            if let Some(h) = v.triangle(i).unwrap().intersect(ray) {
                if h.t < bestt {
                    bestt = h.t;
                    id = Some((i as u32, h));
                }
            }
        }
        for level in Level::available() {
            let got = bvh.closest_hit(ray, &Query::new().level(level));
            let ok = match (got, id) {
                (None, None) => true,
                (Some(g), Some((i, h))) => {
                    g.triangle == i && g.t == h.t && g.u == h.u && g.v == h.v
                }
                _ => false,
            };
            if !ok {
                bad += 1;
                if bad < 5 {
                    println!("{ray:?} {got:?} {id:?}");
                }
            }
            if bvh.any_hit(ray, &Query::new().level(level)) != id.is_some() {
                badany += 1;
            }
        }
    }
    println!("bad {bad} {badany}");
}
