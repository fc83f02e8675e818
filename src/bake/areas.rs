//! Surface areas, four boxes at a time: what the search for the cheapest plane spends its time on.

use glam::{Mat4, Vec4};

use super::bounds::Bounds;

/// Reckons areas in `f32`, as parts of what they would be if a set were as large in all directions
/// as it is in its largest: so they do not overflow, and what vanishes is of no account.
#[derive(Clone, Copy)]
pub(super) struct AreaScale {
    scale: f32,
}

impl AreaScale {
    /// For boxes within these bounds; `None` if they are too wide for a number to say.
    #[inline(always)]
    pub(super) fn within(bounds: &Bounds) -> Option<Self> {
        let width = |k: usize| bounds.max[k] - bounds.min[k];
        let most = width(0).max(width(1)).max(width(2));
        let scale = if most > 0.0 { 1.0 / most } else { 1.0 };
        // Of a width that is too small for its reciprocal.
        let scale = scale.min(f32::MAX);
        most.is_finite().then_some(Self { scale })
    }

    /// Half the areas of four boxes; infinite for boxes of nothing.
    #[inline(always)]
    pub(super) fn of(&self, boxes: &[Bounds; 4]) -> Vec4 {
        let [a, b, c, d] = boxes;
        let sides = Mat4::from_cols(widths(a), widths(b), widths(c), widths(d)).transpose();
        let x = sides.x_axis * self.scale;
        let y = sides.y_axis * self.scale;
        let z = sides.z_axis * self.scale;
        x * y + (x + y) * z
    }
}

#[inline(always)]
fn widths(bounds: &Bounds) -> Vec4 {
    Vec4::from_array(bounds.max) - Vec4::from_array(bounds.min)
}
