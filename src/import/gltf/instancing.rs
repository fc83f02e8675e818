//! `EXT_mesh_gpu_instancing`: many copies of a node's mesh.

use super::accessor::{Accessor, Accessors, Use};
use super::buffers::Buffers;
use super::json::Json;
use super::matrix::Matrix;
use crate::import::ImportErrorKind::Invalid;
use crate::import::error::{Result, Warnings};

/// Where the copies are, relative to the node.
pub(super) struct Copies {
    pub(super) count: usize,
    translations: Option<Accessor>,
    rotations: Option<Accessor>,
    scales: Option<Accessor>,
    place: String,
}

impl Copies {
    /// The copies that a node's extensions ask for.
    pub(super) fn open<'a>(
        extensions: &Json<'a>,
        accessors: &mut Accessors<'a>,
        buffers: &mut Buffers<'a>,
    ) -> Result<Option<Self>> {
        // Extensions that are not objects are as good as none.
        let Ok(Some(extension)) = extensions.member("EXT_mesh_gpu_instancing") else {
            return Ok(None);
        };
        let Some(attributes) = extension.member("attributes")? else { return Ok(None) };
        let object = attributes.object()?;
        let mut count = None;
        let mut open = |name: &str, wanted| {
            let Some(reference) = object.reference(name) else { return Ok(None) };
            let accessor = accessors.open(&reference, buffers, wanted)?;
            let expected = *count.get_or_insert(accessor.count());
            if accessor.count() != expected {
                let reason = format_args!("{} elements instead of {expected}", accessor.count());
                return Err(reference.error(Invalid, reason));
            }
            Ok(Some(accessor))
        };
        let translations = open("TRANSLATION", Use::Vectors)?;
        let rotations = open("ROTATION", Use::Rotations)?;
        let scales = open("SCALE", Use::Vectors)?;
        let place = attributes.place().to_owned();
        Ok(count.map(|count| Self { count, translations, rotations, scales, place }))
    }

    /// The transforms of the copies.
    pub(super) fn matrices(
        &self,
        buffers: &Buffers<'_>,
        warnings: &mut Warnings,
    ) -> Result<Vec<Matrix>> {
        let vectors = |accessor: Option<Accessor>, default: f64| match accessor {
            Some(accessor) => accessor.numbers(buffers, self.count),
            None => Ok(vec![[default; 3]; self.count]),
        };
        let (translations, scales) = (vectors(self.translations, 0.0)?, vectors(self.scales, 1.0)?);
        let rotations = self.rotations.map(|r| r.numbers(buffers, self.count)).transpose()?;
        let mut matrices = Vec::with_capacity(self.count);
        for (i, (translation, scale)) in translations.into_iter().zip(scales).enumerate() {
            let rotation = rotations.as_ref().map(|rotations| rotations[i]);
            let matrix = Matrix::from_parts(translation, rotation, scale).or_else(|| {
                let reason = format_args!("rotation {i} is zero; it is read as no rotation");
                warnings.add(&self.place, reason);
                Matrix::from_parts(translation, None, scale)
            });
            matrices.extend(matrix);
        }
        Ok(matrices)
    }
}
