//! Sine, cosine, rotations, random numbers and noise whose bits are the same on every machine.
//!
//! The C library's `sin`, `cos` and `pow` differ in their last bits between platforms, and glam's
//! `Quat` takes another order of operations where it uses SIMD. This file uses nothing but
//! `+ - * /`, `sqrt` and `floor` in a written order, which IEEE 754 defines to the last bit.

use glam::{Vec2, Vec3, vec2, vec3};

/// Cosine and sine of an angle given in full turns: `turn(0.25)` is exactly `(0, 1)`.
pub(crate) fn turn(turns: f32) -> Vec2 {
    let turns = f64::from(turns);
    let quarters = (turns - turns.floor()) * 4.0;
    let quarter = quarters.floor();
    let (cos, sin) = quarter_turns(quarters - quarter);
    let (cos, sin) = (cos as f32, sin as f32);
    match quarter as u32 % 4 {
        0 => vec2(cos, sin),
        1 => vec2(-sin, cos),
        2 => vec2(-cos, -sin),
        _ => vec2(sin, -cos),
    }
}

/// Cosine and sine of at most one quarter turn, by their Taylor series on half of it.
fn quarter_turns(quarters: f64) -> (f64, f64) {
    if quarters > 0.5 {
        let (cos, sin) = quarter_turns(1.0 - quarters);
        return (sin, cos);
    }
    let x = quarters * std::f64::consts::FRAC_PI_2;
    let (mut cos, mut sin) = (1.0, x);
    let (mut even, mut odd) = (1.0, x);
    for k in 1..9 {
        let n = f64::from(2 * k);
        even *= -x * x / (n * (n - 1.0));
        odd *= -x * x / (n * (n + 1.0));
        cos += even;
        sin += odd;
    }
    (cos, sin)
}

/// A rotation as a unit quaternion.
#[derive(Clone, Copy)]
pub(crate) struct Rotation {
    pub(crate) v: Vec3,
    pub(crate) w: f32,
}

impl Rotation {
    pub(crate) const NONE: Rotation = Rotation { v: Vec3::ZERO, w: 1.0 };

    /// About a unit axis, by a number of turns.
    pub(crate) fn about(axis: Vec3, turns: f32) -> Rotation {
        let half = turn(turns * 0.5);
        Rotation { v: axis * half.y, w: half.x }
    }

    /// The rotation that lays the x axis along `direction`, without roll.
    pub(crate) fn aim(direction: Vec3) -> Rotation {
        let d = direction / direction.length();
        let level = (d.x * d.x + d.z * d.z).sqrt();
        let yaw = if level > 0.0 { half_angle(d.x / level, -d.z) } else { vec2(1.0, 0.0) };
        let pitch = half_angle(level, d.y);
        let yaw = Rotation { v: Vec3::Y * yaw.y, w: yaw.x };
        yaw.after(Rotation { v: Vec3::Z * pitch.y, w: pitch.x })
    }

    /// This rotation applied after another.
    pub(crate) fn after(self, first: Rotation) -> Rotation {
        Rotation {
            v: first.v * self.w + self.v * first.w + self.v.cross(first.v),
            w: self.w * first.w - self.v.dot(first.v),
        }
    }

    /// A vector, turned.
    pub(crate) fn turn(self, p: Vec3) -> Vec3 {
        let t = self.v.cross(p) * 2.0;
        p + t * self.w + self.v.cross(t)
    }
}

/// Cosine and sine of half the angle whose cosine and sign of sine are given.
fn half_angle(cos: f32, sign: f32) -> Vec2 {
    let c = ((1.0 + cos) * 0.5).max(0.0).sqrt();
    let s = ((1.0 - cos) * 0.5).max(0.0).sqrt();
    vec2(c, if sign < 0.0 { -s } else { s })
}

/// SplitMix64, a random generator of one word; every part of the level seeds its own.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number in `low..high`.
    pub(crate) fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * unit(self.next())
    }

    /// A whole number in `0..count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// A point in the cube from -1 to 1.
    pub(crate) fn cube(&mut self) -> Vec3 {
        let mut side = || self.range(-1.0, 1.0);
        vec3(side(), side(), side())
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The upper 24 bits as a number in `0..1`: as many as an `f32` holds.
fn unit(bits: u64) -> f32 {
    (bits >> 40) as f32 / 16_777_216.0
}

/// Smooth value noise in -1..1 with features about one unit wide.
pub(crate) fn noise(p: Vec3, seed: u64) -> f32 {
    let cell = p.floor();
    let f = p - cell;
    let s = f * f * (Vec3::splat(3.0) - f * 2.0);
    let corner = |dx: i64, dy: i64, dz: i64| {
        let (x, y, z) = (cell.x as i64 + dx, cell.y as i64 + dy, cell.z as i64 + dz);
        let key = mix(mix(mix(seed ^ x as u64) ^ y as u64) ^ z as u64);
        unit(key) * 2.0 - 1.0
    };
    let along_x = |dy, dz| lerp(corner(0, dy, dz), corner(1, dy, dz), s.x);
    let along_y = |dz| lerp(along_x(0, dz), along_x(1, dz), s.y);
    lerp(along_y(0), along_y(1), s.z)
}

/// From `a` to `b` as `t` goes from 0 to 1.
pub(crate) fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// From 0 to 1, smoothly, as `x` goes from `low` to `high`.
pub(crate) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
