//! Vectors of `f64`.

use std::ops::{Add, Mul, Sub};

use hitscan::glam::Vec3;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Real3(pub(super) [f64; 3]);

impl From<Vec3> for Real3 {
    fn from(v: Vec3) -> Self {
        Self(v.to_array().map(f64::from))
    }
}

impl Add for Real3 {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self([0, 1, 2].map(|k| self.0[k] + other.0[k]))
    }
}

impl Sub for Real3 {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

impl Mul<f64> for Real3 {
    type Output = Self;

    fn mul(self, scale: f64) -> Self {
        Self(self.0.map(|x| x * scale))
    }
}

impl Real3 {
    pub(super) fn dot(self, other: Self) -> f64 {
        (0..3).map(|k| self.0[k] * other.0[k]).sum()
    }

    pub(super) fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    pub(super) fn square(self) -> f64 {
        self.dot(self)
    }

    pub(super) fn length(self) -> f64 {
        self.square().sqrt()
    }

    pub(super) fn normalized(self) -> Self {
        let length = self.length();
        if length > 0.0 { self * (1.0 / length) } else { self }
    }

    /// The largest coordinate.
    pub(super) fn largest(self) -> f64 {
        self.0.iter().fold(0.0, |largest, x| x.abs().max(largest))
    }
}
