//! Why something is not the answer, as text and as JSON.

use hitscan::explain::Gap;
use hitscan::{Face, Hit, InstanceId};
use serde::Serialize;

use crate::level::Level;
use crate::level::baked::instance_number;
use crate::terminal::text;

#[derive(Default, Serialize)]
pub(super) struct Answer {
    pub(super) reason: &'static str,
    pub(super) text: String,
    pub(super) mesh: u32,
    pub(super) mesh_name: String,
    pub(super) triangle: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) t: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) distance: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) edge: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) point: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) closest: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) on_shape: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mask: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<By>,
}

/// What comes first.
#[derive(Serialize)]
pub(super) struct By {
    /// Absent in a tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<u32>,
    mesh: u32,
    mesh_name: String,
    triangle: u32,
    #[serde(flatten)]
    at: At,
}

/// Where it is, by the kind of question.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum At {
    T(f32),
    Distance(f32),
}

impl By {
    pub(super) fn new(level: Level<'_>, hit: &Hit, at: At) -> Self {
        let is_in_scene = hit.instance != InstanceId::NONE;
        Self {
            instance: is_in_scene.then(|| instance_number(hit.instance)),
            mesh: hit.mesh,
            mesh_name: level.mesh_name(hit).unwrap_or_default().to_owned(),
            triangle: hit.triangle,
            at,
        }
    }

    /// In words.
    pub(super) fn what(&self) -> String {
        let instance = self.instance.map_or(String::new(), |number| format!("instance {number}, "));
        let mesh = format!("{} {}", self.mesh, self.mesh_name);
        format!("{instance}mesh {}, triangle {}", mesh.trim_end(), self.triangle)
    }
}

/// A reason as a name and in words.
pub(super) type Told = (&'static str, String);

impl Answer {
    pub(super) fn with(self, (reason, text): Told) -> Self {
        Self { reason, text, ..self }
    }

    pub(super) fn no_instance() -> Told {
        ("no-instance", "there is no such instance".to_owned())
    }

    pub(super) fn no_mesh() -> Told {
        ("no-mesh", "there is no such mesh".to_owned())
    }

    pub(super) fn no_triangle(triangles: u32) -> Told {
        let count = text::counted(triangles as usize, "triangle");
        ("no-triangle", format!("there is no such triangle: the mesh has {count}"))
    }

    pub(super) fn skipped() -> Told {
        let why = "it has no area, or a vertex that is not finite or not there";
        ("skipped", format!("the bake skipped it: {why}"))
    }

    pub(super) fn beyond_range() -> Told {
        ("beyond-range", "in the world it is beyond the range of f32".to_owned())
    }

    pub(super) fn instance_mask(&mut self, mask: u32) -> Told {
        self.mask = Some(mask);
        ("instance-mask", masked("instance", mask))
    }

    pub(super) fn mesh_mask(&mut self, mask: u32) -> Told {
        self.mask = Some(mask);
        ("mesh-mask", masked("mesh", mask))
    }

    pub(super) fn other() -> Told {
        ("other", "another reason".to_owned())
    }

    /// Takes the numbers of a gap, and gives them in words.
    pub(super) fn gap(&mut self, gap: &Gap) -> String {
        let Gap { distance, t, point, on_shape, .. } = *gap;
        self.distance = Some(distance);
        (self.point, self.on_shape) = (Some(point.into()), Some(on_shape.into()));
        let (point, on_shape) = (text::point(point), text::point(on_shape));
        let ends = format!("from {on_shape} of the shape to {point}");
        format!("they are {distance} apart where they are nearest, at t {t}: {ends}")
    }

    pub(super) fn to_text(&self) -> String {
        let mesh = format!("mesh {} {}", self.mesh, self.mesh_name);
        let triangle = self.triangle.map_or(String::new(), |number| format!(", triangle {number}"));
        let what = format!("{}{triangle}", mesh.trim_end());
        format!("{}\n  {}\n", text::printable(&what), text::printable(&self.text))
    }
}

pub(super) fn side(hit: &Hit) -> &'static str {
    if hit.face == Face::Front { "front" } else { "back" }
}

fn masked(what: &str, mask: u32) -> String {
    format!("the {what} is in none of the layers of --mask: its own mask is 0x{mask:08x}")
}
