//! Triangles in answers: which they are, as rows, as lines of a table and as JSON.

use std::fmt::Write as _;

use hitscan::geometry::Feature;
use hitscan::{Face, Hit, InstanceId};
use serde::Serialize;

use crate::level::baked::{Baked, instance_number};
use crate::terminal::text::{self, Rows};

/// What a question has found: a triangle, and more.
pub(crate) trait Found {
    /// The names of the columns in a table.
    const COLUMNS: &'static str;

    /// The triangle.
    fn triangle(&self) -> &TriangleRow;

    /// All else, as columns of a table.
    fn columns(&self) -> String;

    /// All else, as rows.
    fn add_to(&self, rows: &mut Rows);
}

/// The instance of a triangle in a scene.
#[derive(Serialize)]
struct InstanceRow {
    instance: u32,
    instance_name: String,
    instance_user_id: u64,
}

/// A triangle of an answer, or a volume, which has no mesh.
#[derive(Serialize)]
pub(crate) struct TriangleRow {
    /// Absent in a tree.
    #[serde(flatten)]
    instance: Option<InstanceRow>,
    mesh: Option<u32>,
    mesh_name: String,
    triangle: Option<u32>,
    facing: &'static str,
    user_id: u64,
    material: Option<u32>,
    /// Absent if there is no material, or it has no name.
    #[serde(skip_serializing_if = "Option::is_none")]
    material_name: Option<String>,
}

impl TriangleRow {
    pub(crate) fn new(baked: &Baked, hit: &Hit) -> Self {
        let (&Hit { mesh, triangle, user_id, .. }, material) = (hit, hit.material());
        let bvh = baked.level().tree_of(hit);
        let name = bvh.and_then(|bvh| bvh.mesh_name(mesh)).unwrap_or_default();
        let material_name = bvh.and_then(|bvh| bvh.material_name(material?));
        let of_mesh = |number: u32| (!hit.is_volume()).then_some(number);
        Self {
            instance: InstanceRow::new(baked, hit.instance),
            mesh: of_mesh(mesh),
            mesh_name: name.to_owned(),
            triangle: of_mesh(triangle),
            facing: match hit.face {
                Face::Front => "front",
                Face::Back => "back",
            },
            user_id,
            material,
            material_name: material_name.map(str::to_owned),
        }
    }

    /// Names, separated by commas, for the last column.
    fn names(&self) -> String {
        let instance = self.instance.as_ref().map(|row| row.instance_name.as_str());
        let names = [self.mesh_name.as_str(), self.material_name.as_deref().unwrap_or_default()];
        let names: Vec<_> = instance.into_iter().chain(names).map(text::printable).collect();
        names.join(", ").trim_end_matches(", ").to_owned()
    }
}

impl InstanceRow {
    fn new(baked: &Baked, instance: InstanceId) -> Option<Self> {
        let Baked::Scene(scene) = baked else { return None };
        Some(Self {
            instance: instance_number(instance),
            instance_name: scene.snapshot().name(instance)?.to_owned(),
            instance_user_id: scene.snapshot().user_id(instance)?,
        })
    }
}

/// Rows for one triangle, a table for several, and these words for none.
pub(crate) fn list<T: Found>(found: &[T], nothing: &str) -> String {
    match found {
        [] => format!("{nothing}\n"),
        [one] => rows(one).to_text(),
        _ => table(found),
    }
}

fn rows<T: Found>(found: &T) -> Rows {
    let (mut rows, triangle) = (Rows::default(), found.triangle());
    if let Some(InstanceRow { instance, instance_name, instance_user_id }) = &triangle.instance {
        rows.add("instance", format!("{instance} {instance_name}").trim_end());
        if *instance_user_id != 0 {
            rows.add("its id", instance_user_id.to_string());
        }
    }
    match (triangle.mesh, triangle.triangle) {
        (Some(mesh), Some(number)) => {
            rows.add("mesh", format!("{mesh} {}", triangle.mesh_name));
            rows.add("triangle", number.to_string());
        }
        _ => rows.add("kind", "volume"),
    }
    found.add_to(&mut rows);
    rows.add("facing", triangle.facing);
    rows.add("user id", triangle.user_id.to_string());
    if let Some(material) = triangle.material {
        let name = triangle.material_name.as_deref().unwrap_or_default();
        rows.add("material", format!("{material} {name}").trim_end());
    }
    rows
}

/// A line for each triangle.
fn table<T: Found>(found: &[T]) -> String {
    let in_scene = found.iter().any(|found| found.triangle().instance.is_some());
    let mut text = T::COLUMNS.to_owned();
    text += if in_scene { "  instance" } else { "" };
    text += "   mesh   triangle  facing  ";
    text += if in_scene { "instance, name, material\n" } else { "name, material\n" };
    for found in found {
        let row = found.triangle();
        text += &found.columns();
        if let Some(InstanceRow { instance, .. }) = &row.instance {
            let _ = write!(text, " {instance:>9}");
        }
        let of_volume = |number: Option<u32>, word: &str| {
            number.map_or_else(|| word.to_owned(), |number| number.to_string())
        };
        let (mesh, triangle) = (of_volume(row.mesh, "volume"), of_volume(row.triangle, ""));
        let facing = row.facing;
        let _ = writeln!(text, " {mesh:>6} {triangle:>10}  {facing:<6}  {}", row.names());
    }
    text
}

/// A part of a triangle in words.
pub(crate) fn feature(feature: Feature) -> String {
    match feature {
        Feature::Face => "face".to_owned(),
        Feature::Edge(number) => format!("edge {number}"),
        Feature::Vertex(number) => format!("vertex {number}"),
    }
}
