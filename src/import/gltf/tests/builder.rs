//! Makes GLB files with accessors of all kinds.

use super::glb;
use crate::import::{Format, Import, ImportError};

#[derive(Clone, Default)]
pub(super) struct File {
    chunk: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl File {
    pub(super) fn view(&mut self, component: u32, values: &[f64]) -> usize {
        let start = self.chunk.len();
        for &value in values {
            match component {
                5120 => self.chunk.extend((value as i8).to_le_bytes()),
                5121 => self.chunk.extend((value as u8).to_le_bytes()),
                5122 => self.chunk.extend((value as i16).to_le_bytes()),
                5123 => self.chunk.extend((value as u16).to_le_bytes()),
                5125 => self.chunk.extend((value as u32).to_le_bytes()),
                _ => self.chunk.extend((value as f32).to_le_bytes()),
            }
        }
        let length = self.chunk.len() - start;
        self.views.push(format!(r#"{{"buffer":0,"byteOffset":{start},"byteLength":{length}}}"#));
        self.views.len() - 1
    }

    /// A view of all bytes so far.
    #[cfg(feature = "draco")]
    pub(super) fn view_of_all(&mut self) -> usize {
        self.views.push(format!(r#"{{"buffer":0,"byteLength":{}}}"#, self.chunk.len()));
        self.views.len() - 1
    }

    /// Adds members to the last view.
    pub(super) fn last_view(&mut self, members: &str) {
        let view = self.views.last_mut().unwrap();
        view.insert_str(1, &format!("{members},"));
    }

    /// An accessor of these members.
    pub(super) fn accessor(&mut self, members: &str) -> usize {
        self.accessors.push(format!("{{{members}}}"));
        self.accessors.len() - 1
    }

    /// An accessor of these values. `shape` may hold further members.
    pub(super) fn add(&mut self, component: u32, shape: &str, values: &[f64]) -> usize {
        let size = match &shape[..4] {
            "SCAL" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let (view, count) = (self.view(component, values), values.len() / size);
        let shape = shape.replace(" normalized", r#"","normalized":true,"x":""#);
        self.accessor(&format!(
            r#""bufferView":{view},"componentType":{component},"count":{count},"type":"{shape}""#
        ))
    }

    pub(super) fn floats(&mut self, shape: &str, values: &[f64]) -> usize {
        self.add(5126, shape, values)
    }

    /// A corner of a cube: (0, 0, 0), (1, 0, 0), (0, 1, 0).
    pub(super) fn triangle(&mut self) -> usize {
        self.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.])
    }

    pub(super) fn json(&self, members: &str) -> String {
        let (views, accessors) = (self.views.join(","), self.accessors.join(","));
        let length = self.chunk.len();
        format!(
            r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{length}}}],
            "bufferViews":[{views}],"accessors":[{accessors}],{members}}}"#
        )
    }

    pub(super) fn bytes(&self, members: &str) -> Vec<u8> {
        glb(&self.json(members), &self.chunk)
    }

    pub(super) fn import(&self, members: &str) -> Result<Import, ImportError> {
        Import::from_bytes(&self.bytes(members), Format::Gltf, "a.glb", None)
    }
}

/// The positions of a mesh after its transform.
pub(super) fn placed(import: &Import, mesh: usize) -> Vec<[f32; 3]> {
    let mesh = &import.meshes[mesh];
    let place = |&position: &[f32; 3]| {
        crate::geometry::transform_point(&mesh.transform, glam::Vec3::from_array(position))
            .to_array()
    };
    mesh.positions.iter().map(place).collect()
}
