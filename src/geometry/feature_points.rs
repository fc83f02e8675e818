//! The points of a part of a triangle.

use glam::Vec3;

use super::distance::point_distance::Feature;
use super::triangle::Triangle;
use crate::array::Each;

/// The points of a [`Feature`]: those that span it. See
/// [`Bvh::feature_points`](crate::Bvh::feature_points).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FeaturePoints {
    /// The three vertices of the triangle.
    Face([Vec3; 3]),
    /// The ends of an edge: the vertex that has its number, then the next one.
    Edge([Vec3; 2]),
    /// A vertex.
    Vertex(Vec3),
}

impl FeaturePoints {
    /// All of them: three, two or one.
    #[must_use]
    pub fn as_slice(&self) -> &[Vec3] {
        match self {
            Self::Face(points) => points,
            Self::Edge(points) => points,
            Self::Vertex(point) => std::slice::from_ref(point),
        }
    }

    /// Each point moved.
    pub(crate) fn map(self, to: impl Fn(Vec3) -> Vec3) -> Self {
        match self {
            Self::Face(points) => Self::Face(points.each(to)),
            Self::Edge(points) => Self::Edge(points.each(to)),
            Self::Vertex(point) => Self::Vertex(to(point)),
        }
    }
}

impl Triangle {
    /// The points of a part of this triangle, for a [`Feature`] that numbers its vertices as they
    /// are here. `None` if there is no edge or vertex of this number.
    ///
    /// For what a tree has found use [`Bvh::feature_points`](crate::Bvh::feature_points), which
    /// takes care of mirrored meshes.
    ///
    /// ```
    /// use hitscan::geometry::{ConvexShape, FeaturePoints};
    /// use hitscan::glam::Vec3;
    /// use hitscan::{Sphere, Triangle};
    ///
    /// let triangle = Triangle::new([0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]);
    /// let ball = ConvexShape::from(Sphere::new([1.0, -3.0, 0.0], 1.0));
    /// let contact = ball.first_contact([0.0, 4.0, 0.0], &triangle).expect("it is in the way");
    /// let edge = FeaturePoints::Edge([Vec3::ZERO, 4.0 * Vec3::X]);
    /// assert_eq!(triangle.feature_points(contact.feature), Some(edge));
    /// ```
    #[must_use]
    pub fn feature_points(&self, feature: Feature) -> Option<FeaturePoints> {
        let vertices = [self.v0, self.v1, self.v2];
        Some(match feature {
            Feature::Face => FeaturePoints::Face(vertices),
            Feature::Edge(number) => {
                let from = *vertices.get(usize::from(number))?;
                FeaturePoints::Edge([from, vertices[(usize::from(number) + 1) % 3]])
            }
            Feature::Vertex(number) => FeaturePoints::Vertex(*vertices.get(usize::from(number))?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_points_that_span_them() {
        let [a, b, c] = [Vec3::X, Vec3::Y, Vec3::Z];
        let triangle = Triangle::new(a, b, c);
        let points = |feature| triangle.feature_points(feature);
        assert_eq!(points(Feature::Face), Some(FeaturePoints::Face([a, b, c])));
        for (number, edge) in [[a, b], [b, c], [c, a]].into_iter().enumerate() {
            let number = number as u8;
            assert_eq!(points(Feature::Edge(number)), Some(FeaturePoints::Edge(edge)));
            assert_eq!(points(Feature::Vertex(number)), Some(FeaturePoints::Vertex(edge[0])));
            // With the second and the third vertex swapped.
            let swapped = Triangle::new(a, c, b).feature_points(Feature::Edge(number).mirrored());
            assert_eq!(swapped, Some(FeaturePoints::Edge([edge[1], edge[0]])));
            let swapped = Triangle::new(a, c, b).feature_points(Feature::Vertex(number).mirrored());
            assert_eq!(swapped, Some(FeaturePoints::Vertex(edge[0])));
        }
        assert_eq!(points(Feature::Edge(3)), None);
        assert_eq!(points(Feature::Vertex(255)), None);
        let all = [Feature::Face, Feature::Edge(1), Feature::Vertex(2)].map(|f| points(f).unwrap());
        assert_eq!(all.each_ref().map(|points| points.as_slice().len()), [3, 2, 1]);
        assert_eq!(all.map(|points| points.map(|point| -point).as_slice()[0]), [-a, -b, -c]);
    }
}
