//! Accessors. Every range is checked when an accessor is opened, so that reading cannot fail.

use super::buffers::{Buffers, Slice};
use super::json::{Items, Json};
use crate::import::ImportErrorKind::{Invalid, OutOfRange, TooLarge, Truncated};
use crate::import::error::Result;
use crate::import::scalar::Scalar;
use crate::import::text::shown;

/// What an accessor is opened for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Positions,
    Indices,
}

impl Use {
    /// The name in messages, the accessor type, and the numbers that an element has.
    fn properties(self) -> (&'static str, &'static str, usize) {
        match self {
            Self::Positions => ("positions", "VEC3", 3),
            Self::Indices => ("indices", "SCALAR", 1),
        }
    }

    /// Reads a component type that glTF allows here.
    fn component(self, json: &Json<'_>) -> Result<Scalar> {
        let component = match json.size()? {
            5120 => Scalar::I8,
            5121 => Scalar::U8,
            5122 => Scalar::I16,
            5123 => Scalar::U16,
            5125 => Scalar::U32,
            5126 => Scalar::F32,
            other => {
                let reason = format_args!("{other} is not a glTF component type");
                return Err(json.error(Invalid, reason));
            }
        };
        let suits = match self {
            Self::Positions => component != Scalar::U32,
            Self::Indices => matches!(component, Scalar::U8 | Scalar::U16 | Scalar::U32),
        };
        if !suits {
            let reason = format_args!("{} cannot be of this type", self.properties().0);
            return Err(json.error(Invalid, reason));
        }
        Ok(component)
    }
}

/// Elements of a buffer view. All of them lie within `bytes`.
#[derive(Clone, Copy)]
struct Elements {
    bytes: Slice,
    stride: usize,
}

impl Elements {
    /// `count` elements of `size` bytes, from `json.byteOffset` of `json.bufferView` on.
    fn open<'a>(
        json: &Json<'a>,
        buffers: &mut Buffers<'a>,
        count: u64,
        size: usize,
    ) -> Result<Option<Self>> {
        let [view, offset] = json.members(["bufferView", "byteOffset"])?;
        let Some(view) = view else { return Ok(None) };
        let offset = offset.map_or(Ok(0), |offset| offset.size())?;
        let (bytes, stride) = buffers.view(&view)?;
        let stride = stride.unwrap_or(size as u64);
        if stride < size as u64 {
            let reason =
                format_args!("its stride of {stride} is less than an element's {size} bytes");
            return Err(view.error(Invalid, reason));
        }
        let length = match count.checked_sub(1) {
            Some(last) => last.checked_mul(stride).and_then(|l| l.checked_add(size as u64)),
            None => Some(0),
        };
        let part = length.and_then(|length| bytes.part(offset, length));
        let (Some(part), Ok(stride)) = (part, usize::try_from(stride)) else {
            let reason = format_args!(
                "{count} elements of {size} bytes, {stride} bytes apart, starting at byte \
                 {offset}, do not fit into the buffer view's {} bytes",
                bytes.len()
            );
            return Err(json.error(Truncated, reason));
        };
        Ok(Some(Self { bytes: part, stride }))
    }

    /// The bytes of each element; bytes between elements may follow.
    fn iter<'b>(self, buffers: &'b Buffers<'_>) -> impl Iterator<Item = &'b [u8]> {
        buffers.bytes(self.bytes).chunks(self.stride)
    }
}

#[derive(Clone, Copy)]
struct Sparse {
    indices: Elements,
    index: Scalar,
    values: Elements,
}

/// An accessor that can be read without further checks.
pub(super) struct Accessor {
    count: usize,
    component: Scalar,
    normalized: bool,
    base: Option<Elements>,
    sparse: Option<Sparse>,
}

impl Accessor {
    pub(super) fn open<'a>(
        reference: &Json<'a>,
        accessors: &Items<'a>,
        buffers: &mut Buffers<'a>,
        wanted: Use,
    ) -> Result<Self> {
        let index = reference.index(accessors.len(), "accessors")?;
        let json = accessors.at(index)?;
        let [component, count, shape, normalized, sparse] =
            json.members(["componentType", "count", "type", "normalized", "sparse"])?;

        let shape = shape.ok_or_else(|| json.missing("type"))?;
        let (role, shape_wanted, numbers) = wanted.properties();
        let found = shape.string()?;
        if found != shape_wanted {
            let reason = format_args!("{role} must be {shape_wanted}, not {}", shown(&found));
            return Err(shape.error(Invalid, reason));
        }
        let component = component.ok_or_else(|| json.missing("componentType"))?;
        let component = wanted.component(&component)?;
        let place = count.ok_or_else(|| json.missing("count"))?;
        let count = place.size()?;
        if count > u64::from(u32::MAX) {
            return Err(place.error(TooLarge, "more elements than 32 bits can number"));
        }
        let size = component.size() * numbers;
        Ok(Self {
            base: Elements::open(&json, buffers, count, size)?,
            count: usize::try_from(count).unwrap_or(usize::MAX),
            component,
            normalized: normalized.map_or(Ok(false), |n| n.boolean())?,
            sparse: match sparse {
                Some(sparse) => Some(Sparse::open(&sparse, buffers, count, size)?),
                None => None,
            },
        })
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Whether it has any bytes.
    pub(super) fn has_data(&self) -> bool {
        self.base.is_some() || self.sparse.is_some()
    }

    pub(super) fn positions(&self, buffers: &Buffers<'_>) -> Vec<[f32; 3]> {
        let size = self.component.size();
        self.read(buffers, |raw| [0, 1, 2].map(|axis| self.coordinate(&raw[axis * size..])))
    }

    /// A coordinate. Normalized integers become -1..1 or 0..1, as glTF defines.
    fn coordinate(&self, raw: &[u8]) -> f32 {
        let value = self.component.read_f32(raw);
        let max = match self.component {
            Scalar::I8 => 127.0,
            Scalar::U8 => 255.0,
            Scalar::I16 => 32767.0,
            Scalar::U16 => 65535.0,
            _ => return value,
        };
        if self.normalized { (value / max).max(-1.0) } else { value }
    }

    pub(super) fn indices(&self, buffers: &Buffers<'_>) -> Vec<u32> {
        self.read(buffers, |raw| self.component.read(raw) as u32)
    }

    fn read<T: Clone + Default>(
        &self,
        buffers: &Buffers<'_>,
        element: impl Fn(&[u8]) -> T,
    ) -> Vec<T> {
        let mut all = match self.base {
            Some(base) => base.iter(buffers).take(self.count).map(&element).collect(),
            // glTF defines these as zeros. The caller has checked that they are not too many.
            None => vec![T::default(); self.count],
        };
        if let Some(sparse) = self.sparse {
            let targets = sparse.indices.iter(buffers);
            for (target, value) in targets.zip(sparse.values.iter(buffers)) {
                all[sparse.index.read(target) as usize] = element(value);
            }
        }
        all
    }
}

impl Sparse {
    fn open<'a>(
        json: &Json<'a>,
        buffers: &mut Buffers<'a>,
        elements: u64,
        size: usize,
    ) -> Result<Self> {
        let [count, indices, values] = json.members(["count", "indices", "values"])?;
        let place = count.ok_or_else(|| json.missing("count"))?;
        let count = place.size()?;
        if count > elements {
            let reason = format_args!("{count} of {elements} elements are replaced");
            return Err(place.error(Invalid, reason));
        }
        let open = |json: &Json<'a>, buffers: &mut Buffers<'a>, size| {
            let opened = Elements::open(json, buffers, count, size)?;
            opened.ok_or_else(|| json.missing("bufferView"))
        };
        let place = indices.ok_or_else(|| json.missing("indices"))?;
        let index = place.member("componentType")?;
        let index = index.ok_or_else(|| place.missing("componentType"))?;
        let index = Use::Indices.component(&index)?;
        let indices = open(&place, buffers, index.size())?;
        for (i, raw) in indices.iter(buffers).enumerate() {
            let target = index.read(raw) as u64;
            if target >= elements {
                let reason =
                    format_args!("entry {i} is {target}, but there are {elements} elements");
                return Err(place.error(OutOfRange, reason));
            }
        }
        let place = values.ok_or_else(|| json.missing("values"))?;
        let values = open(&place, buffers, size)?;
        Ok(Self { indices, index, values })
    }
}
