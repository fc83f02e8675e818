//! What a peer is: shared, as source, by the bench and by the library in `native/`.

/// A ray: the points `origin + t * dir` with `t_min <= t <= t_max`.
///
/// In this bench `dir` is of unit length and `t_min` is zero, because some peers know
/// no other.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where `t` is zero.
    pub origin: [f32; 3],
    /// The least `t` that counts as a hit.
    pub t_min: f32,
    /// The step that `t` counts.
    pub dir: [f32; 3],
    /// The greatest `t` that counts as a hit.
    pub t_max: f32,
}

/// What the closest hit is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Its distance; infinite where there is none.
    pub t: f32,
    /// Its triangle, as the scene counts them; `u32::MAX` where there is none.
    pub triangle: u32,
}

/// The answer of a ray that hits nothing.
pub const MISS: Answer = Answer { t: f32::INFINITY, triangle: u32::MAX };

/// Three vertices.
pub type Triangle = [[f32; 3]; 3];

/// A tree, built over a scene's triangles, that answers rays.
///
/// Each call answers a whole set of rays in a loop of the peer's own, so that nothing
/// dynamic happens per ray. One ray at a time, all from the bench's ray to the bench's
/// answer is timed, the making of the peer's own kind of ray included. A peer that takes
/// rays in bulk gets them in its own layout by `prepare`, and hands its answers over in
/// `collect_*`, both untimed.
pub trait Peer {
    /// The closest hit of each ray.
    fn closest_all(&mut self, rays: &[Ray], answers: &mut [Answer]);

    /// Whether each ray hits anything.
    fn any_all(&mut self, rays: &[Ray], answers: &mut [bool]);

    /// Untimed, before each call of the above with the same rays.
    fn prepare(&mut self, _rays: &[Ray]) {}

    /// Untimed, after `closest_all`.
    fn collect_closest(&mut self, _answers: &mut [Answer]) {}

    /// Untimed, after `any_all`.
    fn collect_any(&mut self, _answers: &mut [bool]) {}

    /// Nodes, leaf blocks and triangles that an average ray of closest or any hits looks at, if the
    /// peer can tell. Untimed.
    fn looked_at(&self, _any: bool, _rays: &[Ray]) -> Option<[f64; 3]> {
        None
    }
}
