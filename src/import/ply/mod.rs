//! PLY, text and binary of either byte order.

mod header;
mod values;

use std::fmt::Arguments;

use super::error::ImportErrorKind::{Invalid, OutOfRange, Truncated};
use super::error::{ImportError, Result};
use super::polygon::Triangulator;
use super::reader::{Scene, Source};
use super::scalar::Scalar;
use super::text::fitting;
use crate::mesh::Mesh;
use header::{Element, Header, Kind};
use values::Values;

pub(super) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Scene> {
    let header = Header::read(bytes)?;
    let mut values = Values::new(bytes, &header);
    let mut geometry = Geometry::default();
    for element in &header.elements {
        geometry.read(element, &mut values)?;
    }
    let Geometry { positions, indices, .. } = geometry;
    Ok(Scene::of(Mesh::new(positions, indices).with_name(source.name)))
}

#[derive(Default)]
struct Geometry {
    positions: Vec<[f32; 3]>,
    indices: Vec<u32>,
    corners: Vec<u32>,
    triangulator: Triangulator,
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
    fn read(&mut self, element: &Element, values: &mut Values<'_>) -> Result<()> {
        let Element { name, count, properties, .. } = element;
        let roles = roles(element)?;
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
        let is_vertex = roles.iter().any(|role| matches!(role, Role::Axis(_)));
        if is_vertex {
            self.positions.reserve_exact(count);
        }
        for row in 0..count {
            let mut position = [0.0; 3];
            for (property, role) in properties.iter().zip(&roles) {
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
            let Self { positions, indices, corners, triangulator } = self;
            triangulator.triangulate(corners, positions, indices);
        }
        Ok(())
    }
}

/// What each property of an element is used for.
fn roles(element: &Element) -> Result<Vec<Role>> {
    let mut axes = [false; 3];
    let roles = element.properties.iter().map(|property| {
        let is_list = matches!(property.kind, Kind::List { .. });
        let is_corners = matches!(property.name.as_str(), "vertex_indices" | "vertex_index");
        let axis = ["x", "y", "z"].iter().position(|axis| *axis == property.name);
        match (element.name.as_str(), axis) {
            ("vertex", Some(axis)) if !is_list && !axes[axis] => {
                axes[axis] = true;
                Role::Axis(axis)
            }
            ("face", _) if is_list && is_corners => Role::Face,
            ("tristrips", _) if is_list && is_corners => Role::Strips,
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

#[cfg(test)]
mod tests;
