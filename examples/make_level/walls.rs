//! Walls with doors, windows and arches, as one closed mesh each.

use glam::{Vec2, vec2, vec3};

use crate::{maths::turn, mesh::Mesh, polygon::Polygon};

/// How an opening ends at the top.
#[derive(Clone, Copy)]
pub(crate) enum Head {
    /// A straight lintel.
    Flat,
    /// Half a circle.
    Round,
    /// Two arcs, each about the other's foot.
    Pointed,
}

/// A hole in a wall. `at` is the world's x or z, along the wall; heights are the world's too.
#[derive(Clone, Copy)]
pub(crate) enum Opening {
    /// Reaches down to the wall's foot; `spring` is where its head begins.
    Door {
        at: f32,
        width: f32,
        spring: f32,
        head: Head,
    },
    Window {
        at: f32,
        width: f32,
        sill: f32,
        spring: f32,
        head: Head,
    },
    Circle {
        at: f32,
        y: f32,
        radius: f32,
    },
}

/// An upright wall along x or z, from its lower to its higher end.
pub(crate) struct Wall {
    from: Vec2,
    to: Vec2,
    base: f32,
    thickness: f32,
    /// Its upper edge, from end to start: (place along it, height).
    top: Vec<Vec2>,
    openings: Vec<Opening>,
}

impl Wall {
    /// Along x at a fixed z.
    pub(crate) fn along_x(x: [f32; 2], z: f32, top: f32) -> Wall {
        Wall::new(vec2(x[0], z), vec2(x[1], z), x, top)
    }

    /// Along z at a fixed x.
    pub(crate) fn along_z(z: [f32; 2], x: f32, top: f32) -> Wall {
        Wall::new(vec2(x, z[0]), vec2(x, z[1]), z, top)
    }

    fn new(from: Vec2, to: Vec2, range: [f32; 2], top: f32) -> Wall {
        let top = vec![vec2(range[1], top), vec2(range[0], top)];
        // The foot is below the floor, which passes through under the doors.
        Wall { from, to, base: -0.3, thickness: 0.6, top, openings: Vec::new() }
    }

    pub(crate) fn base(self, base: f32) -> Wall {
        Wall { base, ..self }
    }

    pub(crate) fn thick(self, thickness: f32) -> Wall {
        Wall { thickness, ..self }
    }

    /// Another upper edge: (place along the wall, height), from its start to its end.
    pub(crate) fn gable(self, top: &[(f32, f32)]) -> Wall {
        Wall { top: top.iter().rev().map(|&p| p.into()).collect(), ..self }
    }

    /// Cuts battlements into the upper edge.
    pub(crate) fn battlements(mut self) -> Wall {
        let (end, start) = (self.top[0], self.top[1]);
        let pairs = ((end.x - start.x - 0.8) / 1.6) as usize;
        let step = (end.x - start.x) / (2 * pairs + 1) as f32;
        self.top.clear();
        for i in (0..=pairs).rev() {
            let left = start.x + step * (2 * i) as f32;
            let right = if i == pairs { end.x } else { left + step };
            self.top.extend([vec2(right, start.y), vec2(left, start.y)]);
            if i > 0 {
                let low = start.y - 0.5;
                self.top.extend([vec2(left, low), vec2(left - step, low)]);
            }
        }
        self
    }

    pub(crate) fn open(mut self, openings: impl IntoIterator<Item = Opening>) -> Wall {
        self.openings.extend(openings);
        self
    }

    /// A rectangular door.
    pub(crate) fn door(self, at: f32, width: f32, height: f32) -> Wall {
        self.open([Opening::Door { at, width, spring: height, head: Head::Flat }])
    }

    /// A door under a round arch.
    pub(crate) fn arch(self, at: f32, width: f32, spring: f32) -> Wall {
        self.open([Opening::Door { at, width, spring, head: Head::Round }])
    }

    /// Windows of one kind at several places.
    pub(crate) fn windows(
        self,
        at: &[f32],
        width: f32,
        [sill, spring]: [f32; 2],
        head: Head,
    ) -> Wall {
        self.open(at.iter().map(|&at| Opening::Window { at, width, sill, spring, head }))
    }

    /// The finished wall.
    pub(crate) fn mesh(&self) -> Mesh {
        let along = (self.to - self.from) / (self.to - self.from).length();
        let normal = vec2(-along.y, along.x) * self.thickness;
        // The outline counts along the wall in world coordinates.
        let foot = self.from - along * self.from.dot(along);
        self.polygon().extrude(|p, side| {
            let q = foot + along * p.x + normal * (side - 0.5);
            vec3(q.x, p.y, q.y)
        })
    }

    fn polygon(&self) -> Polygon {
        let (end, start) = (self.top[0].x, self.top[self.top.len() - 1].x);
        let mut polygon = Polygon { outline: vec![vec2(start, self.base)], holes: Vec::new() };
        let mut doors = Vec::new();
        for opening in &self.openings {
            match *opening {
                Opening::Door { at, width, spring, head } => {
                    let mut notch = vec![vec2(at - width * 0.5, self.base)];
                    notch.extend(arch(at, width, spring, head).into_iter().rev());
                    notch.push(vec2(at + width * 0.5, self.base));
                    notch.dedup();
                    doors.push(notch);
                }
                Opening::Window { at, width, sill, spring, head } => {
                    let mut hole = vec![vec2(at - width * 0.5, sill), vec2(at + width * 0.5, sill)];
                    hole.extend(arch(at, width, spring, head));
                    hole.dedup();
                    polygon.holes.push(hole);
                }
                Opening::Circle { at, y, radius } => {
                    let point = |i| vec2(at, y) + turn(i as f32 / 16.0) * radius;
                    polygon.holes.push((0..16).map(point).collect());
                }
            }
        }
        doors.sort_by(|a, b| a[0].x.total_cmp(&b[0].x));
        polygon.outline.extend(doors.into_iter().flatten());
        polygon.outline.push(vec2(end, self.base));
        polygon.outline.extend(&self.top);
        polygon.outline.dedup();
        polygon
    }
}

/// The upper edge of an opening, from right to left.
fn arch(at: f32, width: f32, spring: f32, head: Head) -> Vec<Vec2> {
    let half = width * 0.5;
    let steps = if width < 2.0 { 8 } else { 14 };
    match head {
        Head::Flat => vec![vec2(at + half, spring), vec2(at - half, spring)],
        Head::Round => (0..=steps)
            .map(|i| vec2(at, spring) + turn(i as f32 / steps as f32 * 0.5) * half)
            .collect(),
        Head::Pointed => {
            let arc = |i: i32| turn(i as f32 / (steps / 2) as f32 / 6.0) * width;
            let right = (0..steps / 2).map(|i| vec2(at - half, spring) + arc(i));
            let apex = vec2(at, spring + arc(steps / 2).y);
            let left = (0..steps / 2).rev().map(|i| {
                let p = arc(i);
                vec2(at + half - p.x, spring + p.y)
            });
            right.chain([apex]).chain(left).collect()
        }
    }
}
