//! The formulas of the closest point, nearly without branches: for one triangle, or several.
//!
//! Each number is computed by the same operations in the same order, so it has the same bits
//! however many triangles there are.

/// A number of one triangle, or of each of several.
pub(crate) trait Number: Copy {
    /// `x` for each triangle. `self` only carries the instruction set.
    fn constant(self, x: f64) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    /// `then` if `self < other`, else `otherwise`.
    fn if_less(self, other: Self, then: Self, otherwise: Self) -> Self;
    /// Whether `self < other`, of all triangles.
    fn all_less(self, other: Self) -> bool;
}

impl Number for f64 {
    #[inline(always)]
    fn constant(self, x: f64) -> Self {
        x
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self * other
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self / other
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn if_less(self, other: Self, then: Self, otherwise: Self) -> Self {
        if self < other { then } else { otherwise }
    }

    #[inline(always)]
    fn all_less(self, other: Self) -> bool {
        self < other
    }
}

/// How many numbers a closest point is: distance, error, offset, the weights of the second and the
/// third vertex, feature, and 1 if the feature is certain.
pub(crate) const NUMBERS: usize = 9;

/// The numbers of features: the first vertex, the first edge, and the face.
pub(super) const VERTEX: u8 = 0;
pub(super) const EDGE: u8 = 3;
pub(super) const FACE: u8 = 6;

type Vec3<N> = [N; 3];

/// The error of a distance in roundings of the largest coordinate that goes into it.
///
/// **Lemma 71 (error of a distance).** Let `far` be the largest coordinate of a vertex, as seen
/// from the point, and `aspect` the product of the two shorter sides divided by the length of the
/// normal, which is at least 1. Then `distance` is off by at most `64 * 2^-53 * far * (1 + 3
/// aspect)`, and without the aspect where the point is certainly not over the face. Proof:
/// differences of `f32` are rounded once. A point on an edge is found by a quotient whose error
/// moves it along the edge, by some ten roundings of `far`; it is still a point of the edge, so it
/// is not too near, and it is too far by no more than it was moved. The height over the face is a
/// triple product (Lemma 1) divided by the length of the normal, whose own relative error is some
/// roundings of `aspect`. Where rounding leaves open whether the point is over the face, the
/// distance is at least the height, and at most the distance of the nearest edge: the bound is as
/// wide as that. Mostly these are about the same, as the point is beside an edge. But two edges
/// that are nearly parallel leave it open far beyond the vertex where they meet. If the nearest
/// edge is farther than the bounds explain, the point is taken for one on that edge.
const ERROR: f64 = 64.0 / (1u64 << 53) as f64;

/// The closest point of the triangle with these corners. All coordinates are `f32`.
#[inline(always)]
pub(crate) fn closest_of<N: Number>(point: Vec3<N>, [a, b, c]: [Vec3<N>; 3]) -> [N; NUMBERS] {
    // From the point to each vertex, and from each vertex to the next: rounded once.
    let way = [sub(a, point), sub(b, point), sub(c, point)];
    let edge = [sub(b, a), sub(c, b), sub(a, c)];
    let some = point[0];
    let (zero, one, half) = (some.constant(0.0), some.constant(1.0), some.constant(0.5));
    let far = max(size(way[0]), max(size(way[1]), size(way[2])));
    let error = some.constant(ERROR).mul(far);

    // The two edges after the longest one give the best normal.
    let side = [size(edge[0]), size(edge[1]), size(edge[2])];
    let longest = max(side[0], max(side[1], side[2]));
    let next = [edge[1], edge[2], edge[0]];
    let normal = cross(vector_after_longest(side, edge), vector_after_longest(side, next));
    let square = dot(normal, normal);
    let length = square.sqrt();
    let product = after_longest(side, side).mul(after_longest(side, [side[1], side[2], side[0]]));
    let slanted = error.mul(one.add(some.constant(3.0).mul(product).div(length)));
    let unsure = error.mul(longest).mul(size(normal).add(product));

    // By the area on the inner side of each edge: the weight of the vertex opposite to it.
    let weight = [
        dot(cross(way[0], edge[0]), normal),
        dot(cross(way[1], edge[1]), normal),
        dot(cross(way[2], edge[2]), normal),
    ];
    let least = min(min(weight[0], weight[1]), weight[2]);
    let has_area = zero.if_less(square, one, zero);
    let is_face = least.if_less(zero, zero, has_area);
    let is_sure = unsure.if_less(least, has_area, zero);
    let height = dot(normal, vector_after_longest(side, [way[1], way[2], way[0]]));
    let part = height.div(square);
    let low = height.abs().div(length);
    let face = [
        low,
        slanted,
        normal[0].mul(part),
        normal[1].mul(part),
        normal[2].mul(part),
        weight[2].div(square),
        weight[0].div(square),
        some.constant(FACE.into()),
        is_sure,
    ];
    // Near a surface, most closest points are on faces.
    if half.all_less(is_sure) {
        return face;
    }

    let edges = [
        OnEdge::new(0, &way, edge[0]),
        OnEdge::new(1, &way, edge[1]),
        OnEdge::new(2, &way, edge[2]),
    ];
    let nearest = edges[0].nearer(edges[1]).nearer(edges[2]);
    let is_outside = least.if_less(zero.sub(unsure), one, one.sub(has_area));
    // What is left open where the point may be over the face or not: see Lemma 71.
    let above = nearest.distance.sub(low);
    let open = slanted.add(error).add(max(above, zero));
    let is_beyond = slanted.add(error).add(error).if_less(above, one, zero);
    let is_face = choose(is_sure, one, is_face.mul(one.sub(is_beyond)));
    let beyond = nearest.distance.add(some.constant(2.0).mul(error));
    let mut is_certain = is_outside;
    for other in edges {
        let is_farther = beyond.if_less(other.distance, one, zero);
        let difference = other.feature.sub(nearest.feature).abs();
        is_certain = is_certain.mul(difference.if_less(half, other.is_clear, is_farther));
    }
    let mut closest = [
        nearest.distance,
        choose(is_outside, error, open),
        nearest.offset[0],
        nearest.offset[1],
        nearest.offset[2],
        nearest.weights[0],
        nearest.weights[1],
        nearest.feature,
        is_certain,
    ];
    let error = choose(is_sure, slanted, closest[1]);
    for i in 0..NUMBERS {
        closest[i] = choose(is_face, face[i], closest[i]);
    }
    closest[1] = error;
    closest
}

/// From three numbers, one for each edge, the number of the edge after the longest.
#[inline(always)]
fn after_longest<N: Number>(side: [N; 3], of: [N; 3]) -> N {
    let other = side[1].if_less(side[2], of[0], of[2]);
    max(side[1], side[2]).if_less(side[0], of[1], other)
}

#[inline(always)]
fn vector_after_longest<N: Number>(side: [N; 3], [a, b, c]: [Vec3<N>; 3]) -> Vec3<N> {
    [
        after_longest(side, [a[0], b[0], c[0]]),
        after_longest(side, [a[1], b[1], c[1]]),
        after_longest(side, [a[2], b[2], c[2]]),
    ]
}

/// The closest point of an edge.
#[derive(Clone, Copy)]
struct OnEdge<N> {
    distance: N,
    offset: Vec3<N>,
    /// Of the second and the third vertex.
    weights: [N; 2],
    feature: N,
    /// 1 if the feature is certain, as far as this edge is concerned, else 0.
    is_clear: N,
}

impl<N: Number> OnEdge<N> {
    /// Of the edge from vertex `i` to the next one. All triangles that share an edge get the same
    /// bits.
    #[inline(always)]
    fn new(i: usize, way: &[Vec3<N>; 3], edge: Vec3<N>) -> Self {
        let j = (i + 1) % 3;
        let some = edge[0];
        let (zero, one) = (some.constant(0.0), some.constant(1.0));
        // From the lower of the two ends, by x, then y, then z.
        let by_z = edge[2].if_less(zero, one, zero);
        let by_y = edge[1].if_less(zero, one, zero.if_less(edge[1], zero, by_z));
        let is_turned = edge[0].if_less(zero, one, zero.if_less(edge[0], zero, by_y));
        let from = choose_vector(is_turned, way[j], way[i]);
        let to = choose_vector(is_turned, way[i], way[j]);
        let back = [zero.sub(edge[0]), zero.sub(edge[1]), zero.sub(edge[2])];
        let edge = choose_vector(is_turned, back, edge);

        let (along, square) = (zero.sub(dot(from, edge)), dot(edge, edge));
        let unsure = some.constant(ERROR).mul(size(edge)).mul(max(size(from), size(to)));
        let is_clear_of_end = unsure.if_less(along.sub(square).abs(), one, zero);
        let is_clear = unsure.if_less(along.abs(), is_clear_of_end, zero);
        let part = along.div(square);
        let position = Position { along, square };
        let at = position.choose(zero, one, part);
        let offset = [
            position.choose(from[0], to[0], from[0].add(edge[0].mul(part))),
            position.choose(from[1], to[1], from[1].add(edge[1].mul(part))),
            position.choose(from[2], to[2], from[2].add(edge[2].mul(part))),
        ];
        let [first, second] = [some.constant(vertex(i)), some.constant(vertex(j))];
        let feature = position.choose(
            choose(is_turned, second, first),
            choose(is_turned, first, second),
            some.constant(f64::from(EDGE) + i as f64),
        );
        let at = choose(is_turned, one.sub(at), at);
        let rest = one.sub(at);
        let weights = match i {
            0 => [at, zero],
            1 => [rest, at],
            _ => [zero, rest],
        };
        Self { distance: dot(offset, offset).sqrt(), offset, weights, feature, is_clear }
    }

    /// The nearer of two.
    #[inline(always)]
    fn nearer(self, other: Self) -> Self {
        let (distance, less) = (self.distance, other.distance);
        let mut nearer = self;
        nearer.distance = less.if_less(distance, other.distance, self.distance);
        nearer.feature = less.if_less(distance, other.feature, self.feature);
        nearer.is_clear = less.if_less(distance, other.is_clear, self.is_clear);
        for k in 0..3 {
            nearer.offset[k] = less.if_less(distance, other.offset[k], self.offset[k]);
        }
        for k in 0..2 {
            nearer.weights[k] = less.if_less(distance, other.weights[k], self.weights[k]);
        }
        nearer
    }
}

/// The number of a vertex.
fn vertex(i: usize) -> f64 {
    f64::from(VERTEX) + i as f64
}

/// Where a point is along an edge, times the length of the edge, and the square of that.
#[derive(Clone, Copy)]
struct Position<N> {
    along: N,
    square: N,
}

impl<N: Number> Position<N> {
    /// At the first end, at the second, or between them.
    #[inline(always)]
    fn choose(self, first: N, second: N, between: N) -> N {
        let not_first = self.along.if_less(self.square, between, second);
        self.along.constant(0.0).if_less(self.along, not_first, first)
    }
}

/// `then` if `condition` is 1, `otherwise` if it is 0.
#[inline(always)]
fn choose<N: Number>(condition: N, then: N, otherwise: N) -> N {
    condition.constant(0.5).if_less(condition, then, otherwise)
}

#[inline(always)]
fn choose_vector<N: Number>(condition: N, then: Vec3<N>, otherwise: Vec3<N>) -> Vec3<N> {
    [
        choose(condition, then[0], otherwise[0]),
        choose(condition, then[1], otherwise[1]),
        choose(condition, then[2], otherwise[2]),
    ]
}

/// The larger of the two.
#[inline(always)]
fn max<N: Number>(a: N, b: N) -> N {
    b.if_less(a, a, b)
}

/// The smaller of the two.
#[inline(always)]
fn min<N: Number>(a: N, b: N) -> N {
    a.if_less(b, a, b)
}

/// The largest magnitude of the three components.
#[inline(always)]
fn size<N: Number>(a: Vec3<N>) -> N {
    max(a[0].abs(), max(a[1].abs(), a[2].abs()))
}

#[inline(always)]
fn sub<N: Number>(a: Vec3<N>, b: Vec3<N>) -> Vec3<N> {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
fn dot<N: Number>(a: Vec3<N>, b: Vec3<N>) -> N {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[inline(always)]
fn cross<N: Number>(a: Vec3<N>, b: Vec3<N>) -> Vec3<N> {
    [
        a[1].mul(b[2]).sub(a[2].mul(b[1])),
        a[2].mul(b[0]).sub(a[0].mul(b[2])),
        a[0].mul(b[1]).sub(a[1].mul(b[0])),
    ]
}
