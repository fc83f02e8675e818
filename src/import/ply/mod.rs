//! PLY, text and binary of either byte order.

mod header;
mod values;

use super::error::{Fault, ImportErrorKind};
use super::polygon::Cutter;
use super::{Scene, Source};
use crate::mesh::Mesh;
use header::{Element, Encoding, Header, Kind};
use values::{Binary, Text, Values};

pub(super) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Scene, Fault> {
    let header = Header::read(bytes)?;
    let mut geometry = Geometry::default();
    match header.encoding {
        Encoding::Text => geometry.read(&header, Text::new(bytes, &header))?,
        Encoding::Little => geometry.read(&header, Binary::<true>::new(bytes, &header))?,
        Encoding::Big => geometry.read(&header, Binary::<false>::new(bytes, &header))?,
    }
    let Geometry { positions, indices, .. } = geometry;
    Ok(Scene {
        meshes: vec![Mesh::new(positions, indices).with_name(source.name)],
        ..Scene::default()
    })
}

#[derive(Default)]
struct Geometry {
    positions: Vec<[f32; 3]>,
    indices: Vec<u32>,
    corners: Vec<u32>,
    cutter: Cutter,
}

/// What is done with a property.
#[derive(Clone, Copy)]
enum Role {
    Axis(usize),
    Face,
    Strips,
    Skip,
}

impl Geometry {
    fn read(&mut self, header: &Header, mut values: impl Values) -> Result<(), Fault> {
        for element in &header.elements {
            self.element(element, &mut values)?;
        }
        Ok(())
    }

    fn element(&mut self, element: &Element, values: &mut impl Values) -> Result<(), Fault> {
        let roles = roles(element)?;
        // Nothing stands in the file for an element without properties, however many
        // the header promises.
        if roles.is_empty() {
            return Ok(());
        }
        let least: usize = element.properties.iter().map(|p| values.least(p.kind)).sum();
        // The last word of a text needs nothing after it.
        let fits = (values.left() + 1) / least;
        let count = usize::try_from(element.count).unwrap_or(usize::MAX);
        if count > fits {
            return Err(values.fault(
                ImportErrorKind::Truncated,
                format_args!(
                    "{} of element '{}' do not fit into the {} bytes left",
                    element.count,
                    element.name,
                    values.left()
                ),
            ));
        }
        let is_vertex = roles.iter().any(|role| matches!(role, Role::Axis(_)));
        if is_vertex {
            self.positions.reserve_exact(count);
        }
        for item in 0..count {
            let mut position = [0.0; 3];
            for (property, role) in element.properties.iter().zip(&roles) {
                let place = format_args!("{} {item}, {}", element.name, property.name);
                match (property.kind, *role) {
                    (Kind::Scalar(scalar), Role::Axis(axis)) => {
                        position[axis] = values.float(scalar, place)?;
                    }
                    (Kind::Scalar(scalar), _) => values.skip(scalar, place)?,
                    (Kind::List { count, item }, role) => {
                        let length = values.whole(count, place)?;
                        let fits = (values.left() + 1) / values.least(Kind::Scalar(item));
                        let Some(length) = usize::try_from(length).ok().filter(|&n| n <= fits)
                        else {
                            return Err(values.fault(
                                ImportErrorKind::Truncated,
                                format_args!(
                                    "{place}: a list of {length} does not fit into the {} bytes left",
                                    values.left()
                                ),
                            ));
                        };
                        match role {
                            Role::Face => {
                                self.corners.clear();
                                for _ in 0..length {
                                    let index = values.whole(item, place)?;
                                    self.corners.push(corner(values, index, place)?);
                                }
                                self.face();
                            }
                            Role::Strips => self.strips(values, length, item, place)?,
                            _ => {
                                for _ in 0..length {
                                    values.skip(item, place)?;
                                }
                            }
                        }
                    }
                }
            }
            if is_vertex {
                self.positions.push(position);
            }
        }
        Ok(())
    }

    fn face(&mut self) {
        let positions = &self.positions;
        self.cutter.cut(
            &self.corners,
            |corner| positions.get(corner as usize).copied(),
            &mut self.indices,
        );
    }

    /// Triangle strips, each but the last ended by -1; each second triangle is turned
    /// round so that all face the same way.
    fn strips(
        &mut self,
        values: &mut impl Values,
        length: usize,
        item: header::Scalar,
        place: std::fmt::Arguments<'_>,
    ) -> Result<(), Fault> {
        self.corners.clear();
        for _ in 0..length {
            let index = values.whole(item, place)?;
            if index == -1 {
                self.corners.clear();
                continue;
            }
            self.corners.push(corner(values, index, place)?);
            if let [.., a, b, c] = self.corners[..] {
                let turned = self.corners.len().is_multiple_of(2);
                self.indices.extend(if turned { [b, a, c] } else { [a, b, c] });
            }
        }
        Ok(())
    }
}

fn corner(values: &impl Values, index: i64, place: std::fmt::Arguments<'_>) -> Result<u32, Fault> {
    u32::try_from(index).map_err(|_| {
        values.fault(ImportErrorKind::OutOfRange, format_args!("{place}: {index} is no vertex"))
    })
}

/// What each property of an element is for.
fn roles(element: &Element) -> Result<Vec<Role>, Fault> {
    let mut roles = Vec::with_capacity(element.properties.len());
    let mut axes = [false; 3];
    for property in &element.properties {
        let is_list = matches!(property.kind, Kind::List { .. });
        let is_corners = matches!(property.name.as_str(), "vertex_indices" | "vertex_index");
        let axis = ["x", "y", "z"].iter().position(|a| *a == property.name);
        roles.push(match (element.name.as_str(), axis) {
            ("vertex", Some(axis)) if !is_list && !axes[axis] => {
                axes[axis] = true;
                Role::Axis(axis)
            }
            ("face", _) if is_list && is_corners => Role::Face,
            ("tristrips", _) if is_list && is_corners => Role::Strips,
            _ => Role::Skip,
        });
    }
    if element.name == "vertex" && axes != [true; 3] {
        return Err(Fault::new(
            ImportErrorKind::Invalid,
            format_args!("line {}", element.line),
            "element 'vertex' has not all of x, y and z as single numbers",
        ));
    }
    Ok(roles)
}

#[cfg(test)]
mod tests;
