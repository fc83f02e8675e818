//! What has changed, a row for each mesh and each instance: as `--json` has it, and as text.

use hitscan::geometry::Volume;
use serde::Serialize;

use super::motion::Motion;
use crate::terminal::text;

/// What happened to a mesh or an instance. One word, as `--json` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Change {
    Added,
    Removed,
    Moved,
    Turned,
    Scaled,
    Mirrored,
    /// An instance by different factors, or sheared.
    Stretched,
    /// In any other way.
    Changed,
    /// The same triangles with other numbers.
    Reordered,
    /// All below: the same triangles. The first that applies.
    Mask,
    UserId,
    Material,
    Renamed,
}

impl Change {
    pub(super) fn of(motion: &Motion) -> Self {
        match motion {
            Motion::Moved { .. } => Self::Moved,
            Motion::Turned { .. } => Self::Turned,
            Motion::Scaled { .. } => Self::Scaled,
            Motion::Mirrored { .. } => Self::Mirrored,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Moved => "moved",
            Self::Turned => "turned",
            Self::Scaled => "scaled",
            Self::Mirrored => "mirrored",
            Self::Changed => "changed",
            Self::Reordered => "reordered",
            Self::Stretched => "stretched",
            Self::Renamed => "renamed",
            Self::Mask => "other mask",
            Self::UserId => "other user id",
            Self::Material => "other material",
        }
    }
}

#[derive(Serialize)]
pub(super) struct MeshRow {
    pub(super) change: Change,
    /// In both files; absent in trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tree: Option<[usize; 2]>,
    /// The number in both files.
    pub(super) mesh: [Option<usize>; 2],
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name_before: Option<String>,
    /// In both files, without skipped ones.
    pub(super) triangles: [usize; 2],
    #[serde(flatten)]
    pub(super) motion: Option<MotionRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) differs: Option<DiffersRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mask: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) user_id: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) materials: Option<MaterialRow>,
}

#[derive(Default, Serialize)]
pub(super) struct MotionRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) degrees: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) factor: Option<f64>,
    /// Three columns, then the translation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) transform: Option<[f64; 12]>,
}

/// Triangles that are in one file only.
#[derive(Serialize)]
pub(super) struct DiffersRow {
    pub(super) triangles: [usize; 2],
    /// The largest distance of a vertex; `null` if they have other numbers.
    pub(super) farthest: Option<f64>,
    pub(super) place: [f32; 3],
}

/// Triangles with another material, and the materials of the first one.
#[derive(Serialize)]
pub(super) struct MaterialRow {
    triangles: usize,
    first: [String; 2],
    #[serde(skip)]
    pub(super) numbers: Vec<u32>,
}

#[derive(Serialize)]
pub(super) struct InstanceRow {
    pub(super) change: Change,
    /// The number in both files.
    pub(super) instance: [Option<usize>; 2],
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name_before: Option<String>,
    #[serde(flatten)]
    pub(super) motion: Option<MotionRow>,
    /// What stands there, if that is something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stands: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) enabled: Option<[bool; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mask: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) user_id: Option<[u64; 2]>,
}

impl MotionRow {
    pub(super) fn new(motion: &Motion) -> Self {
        let none = Self::default();
        match *motion {
            Motion::Moved { by } => Self { by: Some(by), ..none },
            Motion::Turned { degrees, transform } => {
                Self { degrees: Some(degrees), transform: Some(transform), ..none }
            }
            Motion::Scaled { factor, transform } => {
                Self { factor: Some(factor), transform: Some(transform), ..none }
            }
            Motion::Mirrored { transform } => Self { transform: Some(transform), ..none },
        }
    }

    fn said(&self) -> Option<String> {
        if let Some([x, y, z]) = self.by {
            return Some(format!("by {x},{y},{z}"));
        }
        let degrees = self.degrees.map(|degrees| format!("by {degrees:.2} degrees"));
        degrees.or(self.factor.map(|factor| format!("by {factor:.4}")))
    }
}

impl DiffersRow {
    fn said(&self) -> String {
        let ([before, after], place) = (self.triangles, text::point(self.place));
        match self.farthest {
            Some(farthest) => {
                let triangles = text::counted(after, "triangle");
                format!("{triangles}, a vertex by up to {farthest:.4} at {place}")
            }
            None => {
                let before = text::counted(before, "triangle");
                format!("{before} gone, {} new, at {place}", text::count(after))
            }
        }
    }
}

impl MaterialRow {
    pub(super) fn new(first: [String; 2]) -> Self {
        Self { triangles: 0, first, numbers: Vec::new() }
    }

    pub(super) fn add(&mut self, triangle: u32) {
        self.triangles += 1;
        self.numbers.push(triangle);
    }

    fn said(&self) -> String {
        let count = text::counted(self.triangles, "triangle");
        let [before, after] = &self.first;
        format!("{count} of another material, the first {after}, before {before}")
    }
}

impl MeshRow {
    /// What has changed if the triangles have not.
    pub(super) fn attribute(&self) -> Option<Change> {
        match self {
            Self { mask: Some(_), .. } => Some(Change::Mask),
            Self { user_id: Some(_), .. } => Some(Change::UserId),
            Self { materials: Some(_), .. } => Some(Change::Material),
            Self { name_before: Some(_), .. } => Some(Change::Renamed),
            _ => None,
        }
    }

    pub(super) const COLUMNS: &'static str =
        "  change          mesh         triangles  name: what\n";

    pub(super) fn to_line(&self) -> String {
        let triangles = match self.triangles {
            [before, after] if before == after || before == 0 => text::count(after),
            [before, 0] => text::count(before),
            [before, after] => format!("{} > {}", text::count(before), text::count(after)),
        };
        let told = [
            self.name_before.as_ref().map(|name| format!("before {name}").trim_end().to_owned()),
            self.motion.as_ref().and_then(MotionRow::said),
            self.differs.as_ref().map(DiffersRow::said),
            self.mask.map(mask),
            self.user_id.map(user_id),
            self.materials.as_ref().map(MaterialRow::said),
        ];
        let tree = self.tree.map(|[before, after]| {
            format!("tree {}, ", numbers([Some(before), Some(after)]).trim())
        });
        let name = format!("{}{}", tree.unwrap_or_default(), self.name);
        let (change, numbers) = (self.change.word(), numbers(self.mesh));
        format!("  {change:<14} {numbers:<11} {triangles:>11}  {}\n", line(&name, told))
    }
}

impl InstanceRow {
    /// What has changed if the same stands in the same place.
    pub(super) fn attribute(&self) -> Option<Change> {
        match self {
            Self { enabled: Some(_), .. } => Some(Change::Changed),
            Self { mask: Some(_), .. } => Some(Change::Mask),
            Self { user_id: Some(_), .. } => Some(Change::UserId),
            Self { name_before: Some(_), .. } => Some(Change::Renamed),
            _ => None,
        }
    }

    pub(super) const COLUMNS: &'static str = "  change          instance    name: what\n";

    pub(super) fn to_line(&self) -> String {
        let stands = self.stands.as_ref();
        let told = [
            self.name_before.as_ref().map(|name| format!("before {name}").trim_end().to_owned()),
            self.motion.as_ref().and_then(MotionRow::said),
            stands.map(|[before, after]| format!("{after} stands there, before {before}")),
            self.enabled.map(|[_, after]| if after { "enabled" } else { "disabled" }.to_owned()),
            self.mask.map(mask),
            self.user_id.map(user_id),
        ];
        let (change, numbers) = (self.change.word(), numbers(self.instance));
        format!("  {change:<14} {numbers:<11}  {}\n", line(&self.name, told))
    }
}

/// The number in both files, once if it is the same.
fn numbers([before, after]: [Option<usize>; 2]) -> String {
    match (before, after) {
        (Some(before), Some(after)) if before != after => format!("{before:>4} > {after}"),
        _ => format!("{:>4}", before.or(after).unwrap_or_default()),
    }
}

fn mask([before, after]: [u32; 2]) -> String {
    format!("mask {after:#x}, before {before:#x}")
}

fn user_id([before, after]: [u64; 2]) -> String {
    format!("user id {after}, before {before}")
}

fn line<const N: usize>(name: &str, told: [Option<String>; N]) -> String {
    let told: Vec<String> = told.into_iter().flatten().collect();
    let line = match (name.is_empty(), told.is_empty()) {
        (true, _) => told.join("; "),
        (false, true) => name.to_owned(),
        (false, false) => format!("{name}: {}", told.join("; ")),
    };
    text::printable(&line)
}

/// The kind of a volume.
pub(super) fn kind(volume: &Volume) -> &'static str {
    match volume {
        Volume::Aabb(_) => "a box",
        Volume::Obb(_) => "an oriented box",
        Volume::Sphere(_) => "a sphere",
        Volume::Capsule(_) => "a capsule",
        _ => "a volume",
    }
}
