//! The little vector mathematics that rays are made with, in `f64` and without
//! functions that differ between machines.

/// A vector or a point.
pub type Vec3 = [f64; 3];

/// From `f32`.
pub fn vec3(v: [f32; 3]) -> Vec3 {
    v.map(f64::from)
}

/// To `f32`.
pub fn round(v: Vec3) -> [f32; 3] {
    v.map(|x| x as f32)
}

/// The sum.
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The difference.
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// A multiple.
pub fn scale(a: Vec3, s: f64) -> Vec3 {
    a.map(|x| x * s)
}

/// The dot product.
pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The cross product.
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The length.
pub fn length(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

/// Of length one.
pub fn normalize(a: Vec3) -> Vec3 {
    scale(a, 1.0 / length(a))
}

/// A seeded stream of random numbers (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// In `0..1`.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Evenly over the unit sphere.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = [(); 3].map(|()| 2.0 * self.unit() - 1.0);
            let squared = dot(v, v);
            if squared > 1e-6 && squared <= 1.0 {
                return normalize(v);
            }
        }
    }
}

/// Spreads the bits of a number over all others.
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
