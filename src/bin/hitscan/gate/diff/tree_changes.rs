//! What has changed from one tree to another: meshes, and their triangles.

use hitscan::query::MeshTriangle;
use hitscan::{Aabb, Bvh};

use super::content::Tree;
use super::geometry::{Changed, Geometry, compare};
use super::matching::{Matching, matching};
use super::rows::{Change, DiffersRow, MaterialRow, MeshRow, MotionRow};
use crate::picture::compared::Kind;

/// The part of a mesh that is in one file only.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    None,
    /// It has no partner.
    Whole,
    /// All of it has changed.
    All,
    /// Triangles by their numbers, in order.
    Triangles(Vec<u32>),
}

impl Part {
    /// What it is to the other file, in the file before (0) or after (1).
    pub(super) fn kind(&self, side: usize) -> Option<Kind> {
        match (self, side) {
            (Self::None, _) => None,
            (_, 0) => Some(Kind::Gone),
            (Self::Whole, _) => Some(Kind::Added),
            (Self::All | Self::Triangles(_), _) => Some(Kind::Changed),
        }
    }
}

pub(super) struct TreeChanges {
    /// In order of the mesh after; then those that are gone.
    pub(super) rows: Vec<MeshRow>,
    /// Meshes that are the same but for their number.
    pub(super) same: usize,
    /// Pairs of meshes whose numbers differ.
    pub(super) renumbered: usize,
    /// Of each mesh before the number of the same mesh after.
    pub(super) partner: Vec<Option<u32>>,
    /// Of each mesh, in both files.
    pub(super) parts: [Vec<Part>; 2],
}

impl TreeChanges {
    pub(super) fn new(before: &Tree<'_>, after: &Tree<'_>) -> Self {
        let Matching { pairs, removed, added } = matching(&before.mesh_keys(), &after.mesh_keys());
        let mut changes = Self {
            rows: Vec::new(),
            same: 0,
            renumbered: pairs.iter().filter(|[one, other]| one != other).count(),
            partner: vec![None; before.meshes.len()],
            parts: [before, after].map(|tree| vec![Part::None; tree.meshes.len()]),
        };
        for numbers in pairs {
            changes.partner[numbers[0]] = Some(numbers[1] as u32);
            match changes.pair([before, after], numbers) {
                Some(row) => changes.rows.push(row),
                None => changes.same += 1,
            }
        }
        for number in added {
            changes.parts[1][number] = Part::Whole;
            changes.rows.push(MeshRow::alone(Change::Added, [None, Some(number)], after, number));
        }
        changes.rows.sort_by_key(|row| row.mesh[1]);
        for number in removed {
            changes.parts[0][number] = Part::Whole;
            let row = MeshRow::alone(Change::Removed, [Some(number), None], before, number);
            changes.rows.push(row);
        }
        changes
    }

    /// The row of a mesh that is in both files, if it has changed.
    fn pair(&mut self, trees: [&Tree<'_>; 2], numbers: [usize; 2]) -> Option<MeshRow> {
        let [one, other] = [0, 1].map(|side| &trees[side].meshes[numbers[side]]);
        let triangles =
            [0, 1].map(|side| triangles(trees[side].bvh, numbers[side]).collect::<Vec<_>>());
        let geometry = match one.hash == other.hash {
            true => Geometry::Equal,
            false => compare(&triangles[0], &triangles[1]),
        };
        let changed = |pair: [u64; 2]| (pair[0] != pair[1]).then_some(pair);
        let mut row = MeshRow {
            change: Change::Changed,
            tree: None,
            mesh: numbers.map(Some),
            name: other.name.to_owned(),
            name_before: (one.name != other.name).then(|| one.name.to_owned()),
            triangles: [triangles[0].len(), triangles[1].len()],
            motion: None,
            differs: None,
            mask: (one.info.mask != other.info.mask).then_some([one.info.mask, other.info.mask]),
            user_id: changed([one.info.user_id, other.info.user_id]),
            materials: materials(trees, numbers, &triangles),
        };
        let parts = match geometry {
            Geometry::Equal => {
                row.change = row.attribute()?;
                let part = match (row.change, &row.materials) {
                    (Change::Renamed, _) => Part::None,
                    (Change::Material, Some(row)) => Part::Triangles(row.numbers.clone()),
                    _ => Part::All,
                };
                [part.clone(), part]
            }
            Geometry::Reordered => {
                row.change = Change::Reordered;
                [Part::All, Part::All]
            }
            Geometry::Motion(motion) => {
                (row.change, row.motion) = (Change::of(&motion), Some(MotionRow::new(&motion)));
                [Part::All, Part::All]
            }
            Geometry::Changed(Changed { before, after, farthest, place }) => {
                let triangles = [before.len(), after.len()];
                row.differs = Some(DiffersRow { triangles, farthest, place: place.to_array() });
                [Part::Triangles(before), Part::Triangles(after)]
            }
        };
        for (side, part) in parts.into_iter().enumerate() {
            self.parts[side][numbers[side]] = part;
        }
        Some(row)
    }
}

impl MeshRow {
    /// Of a mesh that is in one file only.
    fn alone(change: Change, mesh: [Option<usize>; 2], tree: &Tree<'_>, number: usize) -> Self {
        let count = triangles(tree.bvh, number).count();
        Self {
            change,
            tree: None,
            mesh,
            name: tree.meshes[number].name.to_owned(),
            name_before: None,
            triangles: mesh.map(|number| number.map_or(0, |_| count)),
            motion: None,
            differs: None,
            mask: None,
            user_id: None,
            materials: None,
        }
    }
}

pub(super) fn triangles(bvh: &Bvh, mesh: usize) -> impl Iterator<Item = MeshTriangle> + '_ {
    bvh.mesh_triangles(mesh as u32)
}

/// Compared by number, as far as both have it.
fn materials(
    trees: [&Tree<'_>; 2],
    meshes: [usize; 2],
    triangles: &[Vec<MeshTriangle>; 2],
) -> Option<MaterialRow> {
    let [before, after] = triangles;
    let is_there = |number: u32| after.binary_search_by_key(&number, |one| one.triangle).is_ok();
    let both = before.iter().map(|found| found.triangle).filter(|&number| is_there(number));
    let mut row: Option<MaterialRow> = None;
    for number in both {
        let [one, other] = [0, 1].map(|side| {
            let (bvh, mesh) = (trees[side].bvh, meshes[side] as u32);
            Material::new(bvh, bvh.triangle_material(mesh, number))
        });
        if one != other {
            let first = || MaterialRow::new([one.said(), other.said()]);
            row.get_or_insert_with(first).add(number);
        }
    }
    row
}

/// A material: by its name, or by its number if it has none.
#[derive(PartialEq)]
pub(super) enum Material<'a> {
    None,
    Named(&'a str),
    Numbered(u32),
}

impl<'a> Material<'a> {
    pub(super) fn new(bvh: &'a Bvh, number: Option<u32>) -> Self {
        let Some(number) = number else { return Self::None };
        match bvh.material_name(number) {
            Some(name) if !name.is_empty() => Self::Named(name),
            _ => Self::Numbered(number),
        }
    }

    fn said(&self) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::Named(name) => (*name).to_owned(),
            Self::Numbered(number) => number.to_string(),
        }
    }
}

/// The boxes of the triangles of a part of a mesh: one for each of single triangles, else one for
/// all.
pub(super) fn boxes(bvh: &Bvh, mesh: usize, part: &Part) -> Vec<Aabb> {
    let of = |found: MeshTriangle| found.vertices.bounds();
    match part {
        Part::None => Vec::new(),
        Part::Whole | Part::All => {
            let mut whole = Aabb::EMPTY;
            triangles(bvh, mesh).for_each(|found| whole.extend_box(&of(found)));
            if whole.is_empty() { Vec::new() } else { vec![whole] }
        }
        Part::Triangles(numbers) => {
            let found = triangles(bvh, mesh);
            found.filter(|found| numbers.binary_search(&found.triangle).is_ok()).map(of).collect()
        }
    }
}
