//! PLY, text and binary of either byte order.

mod header;
mod values;

use std::fmt::Arguments;

use super::error::ImportErrorKind::{Invalid, OutOfRange, Syntax, Truncated};
use super::error::{ImportError, Result, Warnings};
use super::polygon::Triangulator;
use super::reader::{Scene, Source};
use super::scalar::Scalar;
use super::text::fitting;
use super::work;
use crate::mesh::Mesh;
use header::{Element, Header, Kind};
use values::{Layout, LongRow, Values};

pub(super) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Scene> {
    let header = Header::read(bytes)?;
    let mut warnings = Warnings::default();
    let tables = header.elements.iter().map(|element| {
        let roles = roles(element, &mut warnings)?;
        Ok(Table { element, roles })
    });
    let tables = tables.collect::<Result<Vec<_>>>()?;
    let mut values = Values::new(bytes, &header, Layout::RowPerLine);
    let mut geometry = read_tables(&tables, &warnings, &mut values);
    if let Err(error) = &geometry
        && (values.has_short_row || values.long_row.is_some() && error.kind() == Truncated)
    {
        // The rows may not have lines of their own. Then nothing is left over.
        let mut free = Values::new(bytes, &header, Layout::Free);
        match (read_tables(&tables, &warnings, &mut free), values.long_row.take()) {
            (Ok(again), _) if !free.has_rest() => (geometry, values) = (Ok(again), free),
            (_, Some(row)) => geometry = Err(ImportError::at(Syntax, row.place, row.reason)),
            (Err(error), None) => geometry = Err(error),
            (Ok(_), None) => {}
        }
    }
    let Geometry { positions, indices, mut warnings, .. } = geometry?;
    if let Some(LongRow { place, reason, count }) = &values.long_row {
        let text = format_args!("{reason}; what is more is skipped ({count} such rows)");
        warnings.add(place, text);
    }
    values.warn_of_rest(&mut warnings);
    let scene = Scene::of(Mesh::new(positions, indices).with_name(source.name));
    Ok(Scene { warnings, ..scene })
}

/// An element, and what each of its properties is used for.
struct Table<'a> {
    element: &'a Element,
    roles: Vec<Role>,
}

fn read_tables(
    tables: &[Table<'_>],
    warnings: &Warnings,
    values: &mut Values<'_>,
) -> Result<Geometry> {
    let start = values.clone();
    let mut geometry = Geometry { warnings: warnings.clone(), ..Geometry::default() };
    for table in tables {
        geometry.read(table, values)?;
    }
    let first_face = tables.iter().position(|table| table.roles.contains(&Role::Face));
    let last_vertex = tables.iter().rposition(|table| table.roles.contains(&Role::Axis(0)));
    if first_face.is_some() && first_face < last_vertex {
        // The polygons were read without positions. Now these are known.
        let Geometry { positions, .. } = geometry;
        let warnings = warnings.clone();
        geometry = Geometry { positions, warnings, has_positions: true, ..Geometry::default() };
        *values = start;
        for table in tables {
            geometry.read(table, values)?;
        }
    }
    Ok(geometry)
}

#[derive(Default)]
struct Geometry {
    positions: Vec<[f32; 3]>,
    has_positions: bool,
    indices: Vec<u32>,
    corners: Vec<u32>,
    triangulator: Triangulator,
    warnings: Warnings,
}

/// What a property is used for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Axis(usize),
    Face,
    Strips,
    Skip,
}

impl Geometry {
    fn read(&mut self, table: &Table<'_>, values: &mut Values<'_>) -> Result<()> {
        let Table { element: Element { name, count, properties, .. }, roles } = table;
        // An element without properties takes no bytes, whatever its count.
        if roles.is_empty() {
            return Ok(());
        }
        let least = properties.iter().map(|p| values.least(p.kind)).sum();
        let left = values.left();
        let Some(count) = fitting(*count, least, left) else {
            let reason =
                format_args!("{count} of element '{name}' do not fit into the {left} bytes left");
            return Err(values.error(Truncated, reason));
        };
        let is_vertex = !self.has_positions && roles.contains(&Role::Axis(0));
        if is_vertex {
            self.positions.reserve(count);
        }
        for row in 0..count {
            values.begin_row();
            let mut position = [0.0; 3];
            for (property, role) in properties.iter().zip(roles) {
                let place = format_args!("{name} {row}, {}", property.name);
                match (property.kind, *role) {
                    (Kind::Scalar(scalar), Role::Axis(axis)) => {
                        position[axis] = values.float(scalar, place)?;
                    }
                    (Kind::Scalar(scalar), _) => values.skip(scalar, place)?,
                    (Kind::List { count, item }, role) => {
                        self.read_list(role, [count, item], values, place)?;
                    }
                }
            }
            values.end_row();
            if is_vertex {
                self.positions.push(position);
            }
        }
        Ok(())
    }

    fn read_list(
        &mut self,
        role: Role,
        [count, item]: [Scalar; 2],
        values: &mut Values<'_>,
        place: Arguments<'_>,
    ) -> Result<()> {
        let length = values.whole(count, place)?;
        let left = values.left();
        let Some(length) = fitting(length, values.least(Kind::Scalar(item)), left) else {
            let reason =
                format_args!("{place}: a list of {length} does not fit into the {left} bytes left");
            return Err(values.error(Truncated, reason));
        };
        self.corners.clear();
        for _ in 0..length {
            if !matches!(role, Role::Face | Role::Strips) {
                values.skip(item, place)?;
                continue;
            }
            let index = values.whole(item, place)?;
            if role == Role::Strips && index == -1 {
                // The next strip begins.
                self.corners.clear();
                continue;
            }
            let Ok(corner) = u32::try_from(index) else {
                let reason = format_args!("{place}: {index} is not a vertex number");
                return Err(values.error(OutOfRange, reason));
            };
            self.corners.push(corner);
            if let (Role::Strips, &[.., a, b, c]) = (role, &self.corners[..]) {
                // Every second triangle is reversed, so that all face the same way.
                let reversed = self.corners.len().is_multiple_of(2);
                self.indices.extend(if reversed { [b, a, c] } else { [a, b, c] });
            }
        }
        if role == Role::Face {
            let Self { positions, indices, corners, triangulator, warnings, .. } = self;
            if let Some(fault) = triangulator.triangulate(corners, positions, indices) {
                warnings.add(place, fault);
            }
        }
        Ok(())
    }
}

/// What each property of an element is used for.
fn roles(element: &Element, warnings: &mut Warnings) -> Result<Vec<Role>> {
    work::count(element.properties.len());
    let mut axes = [false; 3];
    let corners = corner_list(element, warnings);
    let roles = element.properties.iter().enumerate().map(|(number, property)| {
        let is_list = matches!(property.kind, Kind::List { .. });
        let axis = ["x", "y", "z"].iter().position(|axis| *axis == property.name);
        match axis {
            _ if Some(number) == corners && is_face(element) => Role::Face,
            _ if Some(number) == corners => Role::Strips,
            Some(axis) if element.name == "vertex" && !is_list && !axes[axis] => {
                axes[axis] = true;
                Role::Axis(axis)
            }
            _ => Role::Skip,
        }
    });
    let roles = roles.collect();
    if element.name == "vertex" && axes != [true; 3] {
        let place = format_args!("line {}", element.line);
        let reason = "element 'vertex' must have x, y and z, each a single number";
        return Err(ImportError::at(Invalid, place, reason));
    }
    Ok(roles)
}

fn is_face(element: &Element) -> bool {
    element.name.eq_ignore_ascii_case("face")
}

/// The list that holds the corners of a polygon or strip. Its name varies. Lists that may have
/// been meant, but are not used, cause warnings.
fn corner_list(element: &Element, warnings: &mut Warnings) -> Option<usize> {
    let Element { name, properties, .. } = element;
    let is_surface = is_face(element) || name.eq_ignore_ascii_case("tristrips");
    // How much a name looks like the name of the list.
    let likeness = |number: usize| match properties[number].name.to_ascii_lowercase().as_str() {
        "vertex_indices" | "vertex_index" => 2,
        name if name.contains("vert") || name.contains("ind") => 1,
        _ => 0,
    };
    let is_list = |&number: &usize| matches!(properties[number].kind, Kind::List { .. });
    let lists: Vec<usize> = (0..properties.len()).filter(is_list).collect();
    let best = lists.iter().copied().rev().max_by_key(|&number| likeness(number))?;
    let is_certain = likeness(best) > 0 || lists.len() == 1 && !properties[best].kind.is_float();
    let used = (is_surface && is_certain).then_some(best);
    for number in lists {
        let list = &properties[number].name;
        let fault = match likeness(number) {
            0 if Some(number) == used => "is taken for the list of vertices",
            _ if Some(number) == used => continue,
            2 => "is not used",
            1 if is_surface => "is not used",
            0 if is_surface && used.is_none() => "is not used",
            _ => continue,
        };
        let place = format_args!("line {}", element.line);
        warnings.add(place, format_args!("the list '{list}' of element '{name}' {fault}"));
    }
    used
}

#[cfg(test)]
mod tests;
