//! `KHR_draco_mesh_compression`, decompressed with the feature `draco`.

use std::collections::HashMap;

use draco_core::{DecodeLimits, DecoderBuffer, Mesh, MeshDecoder};

use super::accessor::{Accessor, Use};
use super::buffers::{Buffers, Slice};
use super::json::{Json, Object};
use super::limits::MAX_EXPANSION;
use crate::import::ImportErrorKind::{Invalid, OutOfRange, TooLarge};
use crate::import::error::Result;
use crate::import::scalar::Scalar;
use crate::import::work;

/// The streams that were decompressed, each once.
#[derive(Default)]
pub(super) struct Draco {
    meshes: HashMap<Slice, Mesh>,
    /// By stream, attribute and type.
    attributes: HashMap<(Slice, u64, Scalar), Slice>,
    triangles: HashMap<Slice, Slice>,
    /// Bytes of all streams.
    work: usize,
}

/// A primitive's stream.
pub(super) struct Stream<'a> {
    bytes: Slice,
    attributes: Object<'a>,
}

impl Draco {
    /// Decompresses the stream of a primitive.
    pub(super) fn open<'a>(
        &mut self,
        extension: &Json<'a>,
        buffers: &mut Buffers<'a>,
    ) -> Result<Stream<'a>> {
        let object = extension.object()?;
        let view = object.get("bufferView").ok_or_else(|| extension.missing("bufferView"))?;
        let attributes = object.get("attributes").ok_or_else(|| extension.missing("attributes"))?;
        let (bytes, _) = buffers.view(&view)?;
        let stream = Stream { bytes, attributes: attributes.object()? };
        if self.meshes.contains_key(&bytes) {
            return Ok(stream);
        }
        self.work += bytes.len();
        if self.work > buffers.loaded() {
            let reason = "compressed streams that overlap, in all more than the buffers hold";
            return Err(extension.error(TooLarge, reason));
        }
        work::count(bytes.len());
        let most = bytes.len() as u64 * MAX_EXPANSION + 4096;
        let limits = DecodeLimits::default()
            .with_max_decoded_bytes(most)
            .with_max_points(most / 4)
            .with_max_faces(most / 12);
        let mut buffer = DecoderBuffer::new(buffers.bytes(bytes)).with_limits(limits);
        let mut mesh = Mesh::new();
        MeshDecoder::new()
            .decode(&mut buffer, &mut mesh)
            .map_err(|error| extension.error(Invalid, format_args!("Draco: {error}")))?;
        self.meshes.insert(bytes, mesh);
        Ok(stream)
    }

    /// The triangles of a stream.
    pub(super) fn indices(&mut self, stream: &Stream<'_>, buffers: &mut Buffers<'_>) -> Accessor {
        let mesh = &self.meshes[&stream.bytes];
        let data = *self.triangles.entry(stream.bytes).or_insert_with(|| {
            let corners = mesh.faces().as_flattened();
            work::count(corners.len() * 4);
            let bytes: Vec<u8> = corners.iter().flat_map(|corner| corner.0.to_le_bytes()).collect();
            buffers.add(bytes)
        });
        Accessor::of_indices(data)
    }

    /// An accessor with the data of the stream's attribute of this name, if there is one.
    pub(super) fn fill(
        &mut self,
        accessor: Accessor,
        name: &str,
        wanted: Use,
        stream: &Stream<'_>,
        buffers: &mut Buffers<'_>,
    ) -> Result<Accessor> {
        let Some(id) = stream.attributes.get(name) else { return Ok(accessor) };
        let number = id.size()?;
        let mesh = &self.meshes[&stream.bytes];
        let attribute = u32::try_from(number).ok().and_then(|id| mesh.attribute_by_unique_id(id));
        let Some(attribute) = attribute else {
            return Err(id.error(OutOfRange, format_args!("no attribute {number} in the stream")));
        };
        let points = mesh.num_points();
        if accessor.count() > points {
            let count = accessor.count();
            let reason = format_args!("{points} elements in the stream, but {count} are declared");
            return Err(id.error(Invalid, reason));
        }
        let component = accessor.component();
        let data = *self.attributes.entry((stream.bytes, number, component)).or_insert_with(|| {
            let values = attribute.read_f32s(points, wanted.numbers());
            work::count(values.len() * 4);
            let mut bytes = Vec::with_capacity(values.len() * component.size());
            values.iter().for_each(|&value| component.write(value, &mut bytes));
            buffers.add(bytes)
        });
        Ok(accessor.with_data(data, wanted))
    }
}
