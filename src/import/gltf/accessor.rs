//! Accessors: every range is checked when one is opened, so that reading cannot fail.

use super::buffers::{Buffers, Bytes};
use super::json::{Items, Json};
use crate::import::error::{Fault, ImportErrorKind};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn read(json: &Json<'_>) -> Result<Self, Fault> {
        Ok(match json.size()? {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            other => {
                let reason = format!("{other} is no component type of glTF");
                return Err(json.fault(ImportErrorKind::Invalid, reason));
            }
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// A coordinate; `normalized` integers become -1..1 or 0..1, as glTF defines.
    fn float(self, raw: &[u8], normalized: bool) -> f32 {
        let (value, most) = match (self, raw) {
            (Self::I8, &[a, ..]) => (f32::from(a as i8), 127.0),
            (Self::U8, &[a, ..]) => (f32::from(a), 255.0),
            (Self::I16, &[a, b, ..]) => (f32::from(i16::from_le_bytes([a, b])), 32767.0),
            (Self::U16, &[a, b, ..]) => (f32::from(u16::from_le_bytes([a, b])), 65535.0),
            (Self::F32, &[a, b, c, d, ..]) => return f32::from_le_bytes([a, b, c, d]),
            // Ruled out when the accessor was opened.
            _ => (0.0, 1.0),
        };
        if normalized { (value / most).max(-1.0) } else { value }
    }

    fn index(self, raw: &[u8]) -> u32 {
        match (self, raw) {
            (Self::U8, &[a, ..]) => a.into(),
            (Self::U16, &[a, b, ..]) => u16::from_le_bytes([a, b]).into(),
            (Self::U32, &[a, b, c, d, ..]) => u32::from_le_bytes([a, b, c, d]),
            // Ruled out when the accessor was opened.
            _ => 0,
        }
    }

    fn is_index(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32)
    }
}

/// What an accessor is opened for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Positions,
    Indices,
}

impl Use {
    fn lanes(self) -> usize {
        match self {
            Self::Positions => 3,
            Self::Indices => 1,
        }
    }
}

/// As many elements as were asked for, all within `bytes`.
#[derive(Clone)]
struct Elements<'a> {
    bytes: Bytes<'a>,
    stride: usize,
}

impl<'a> Elements<'a> {
    /// `count` elements of `size` bytes, from `json.byteOffset` of `json.bufferView` on.
    fn open(
        json: &Json<'a>,
        buffers: &mut Buffers<'a>,
        count: u64,
        size: usize,
    ) -> Result<Option<Self>, Fault> {
        let [view, offset] = json.members(["bufferView", "byteOffset"])?;
        let Some(view) = view else { return Ok(None) };
        let offset = offset.map_or(Ok(0), |offset| offset.size())?;
        let (bytes, stride) = buffers.view(&view)?;
        let stride = stride.unwrap_or(size as u64);
        if stride < size as u64 {
            return Err(view.fault(
                ImportErrorKind::Invalid,
                format_args!("its stride of {stride} is less than an element's {size} bytes"),
            ));
        }
        let length = match count.checked_sub(1) {
            Some(last) => last.checked_mul(stride).and_then(|l| l.checked_add(size as u64)),
            None => Some(0),
        };
        let part = length.and_then(|length| bytes.part(offset, length));
        let (Some(bytes), Ok(stride)) = (part, usize::try_from(stride)) else {
            return Err(json.fault(
                ImportErrorKind::Truncated,
                format_args!(
                    "{count} elements of {size} bytes, {stride} apart, from byte {offset} on, \
                     but the buffer view has {} bytes",
                    bytes.len()
                ),
            ));
        };
        Ok(Some(Self { bytes, stride }))
    }

    /// The bytes of each element, and perhaps some that follow it.
    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks(self.stride)
    }
}

#[derive(Clone)]
struct Sparse<'a> {
    indices: Elements<'a>,
    index: Component,
    values: Elements<'a>,
}

/// An accessor that can be read without further checks.
#[derive(Clone)]
pub(super) struct Accessor<'a> {
    count: usize,
    component: Component,
    normalized: bool,
    base: Option<Elements<'a>>,
    sparse: Option<Sparse<'a>>,
}

impl<'a> Accessor<'a> {
    pub(super) fn open(
        reference: &Json<'a>,
        accessors: &Items<'a>,
        buffers: &mut Buffers<'a>,
        wanted: Use,
    ) -> Result<Self, Fault> {
        let index = reference.index(accessors.len(), "accessors")?;
        let json = accessors.at(index)?;
        let [component, count, shape, normalized, sparse] =
            json.members(["componentType", "count", "type", "normalized", "sparse"])?;

        let shape = shape.ok_or_else(|| json.missing("type"))?;
        let (shape_wanted, role) = match wanted {
            Use::Positions => ("VEC3", "positions"),
            Use::Indices => ("SCALAR", "indices"),
        };
        let found = shape.string()?;
        if found != shape_wanted {
            return Err(shape.fault(
                ImportErrorKind::Invalid,
                format_args!(
                    "{role} must be {shape_wanted}, not {}",
                    crate::import::text::shown(found.as_bytes())
                ),
            ));
        }
        let place = component.ok_or_else(|| json.missing("componentType"))?;
        let component = Component::read(&place)?;
        let suits = match wanted {
            Use::Positions => component != Component::U32,
            Use::Indices => component.is_index(),
        };
        if !suits {
            let reason = format!("{role} cannot be of this type");
            return Err(place.fault(ImportErrorKind::Invalid, reason));
        }
        let place = count.ok_or_else(|| json.missing("count"))?;
        let count = place.size()?;
        if count > u64::from(u32::MAX) {
            return Err(
                place.fault(ImportErrorKind::TooLarge, "more elements than 32 bits can number")
            );
        }
        let size = component.size() * wanted.lanes();
        Ok(Self {
            base: Elements::open(&json, buffers, count, size)?,
            count: usize::try_from(count).unwrap_or(usize::MAX),
            component,
            normalized: normalized.map_or(Ok(false), |n| n.boolean())?,
            sparse: match sparse {
                Some(sparse) => Some(open_sparse(&sparse, buffers, count, size)?),
                None => None,
            },
        })
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Whether any bytes stand behind it.
    pub(super) fn has_data(&self) -> bool {
        self.base.is_some() || self.sparse.is_some()
    }

    pub(super) fn positions(&self) -> Vec<[f32; 3]> {
        let size = self.component.size();
        self.read([0.0; 3], |raw| {
            [0, 1, 2].map(|axis| {
                let raw = raw.get(axis * size..).unwrap_or_default();
                self.component.float(raw, self.normalized)
            })
        })
    }

    pub(super) fn indices(&self) -> Vec<u32> {
        self.read(0, |raw| self.component.index(raw))
    }

    fn read<T: Clone>(&self, zero: T, element: impl Fn(&[u8]) -> T) -> Vec<T> {
        let mut all = match &self.base {
            Some(base) => base.iter().take(self.count).map(&element).collect(),
            // Zeros, says glTF; the caller has seen to it that they are not too many.
            None => vec![zero; self.count],
        };
        if let Some(sparse) = &self.sparse {
            for (index, value) in sparse.indices.iter().zip(sparse.values.iter()) {
                if let Some(slot) = all.get_mut(sparse.index.index(index) as usize) {
                    *slot = element(value);
                }
            }
        }
        all
    }
}

fn open_sparse<'a>(
    json: &Json<'a>,
    buffers: &mut Buffers<'a>,
    elements: u64,
    size: usize,
) -> Result<Sparse<'a>, Fault> {
    let [count, indices, values] = json.members(["count", "indices", "values"])?;
    let place = count.ok_or_else(|| json.missing("count"))?;
    let count = place.size()?;
    if count > elements {
        return Err(place.fault(
            ImportErrorKind::Invalid,
            format_args!("{count} of {elements} elements are replaced"),
        ));
    }
    let place = indices.ok_or_else(|| json.missing("indices"))?;
    let component = place.member("componentType")?;
    let component = component.ok_or_else(|| place.missing("componentType"))?;
    let index = Component::read(&component)?;
    if !index.is_index() {
        let reason = "indices cannot be of this type";
        return Err(component.fault(ImportErrorKind::Invalid, reason));
    }
    let indices = Elements::open(&place, buffers, count, index.size())?
        .ok_or_else(|| place.missing("bufferView"))?;
    for (i, raw) in indices.iter().enumerate() {
        let target = index.index(raw);
        if u64::from(target) >= elements {
            return Err(place.fault(
                ImportErrorKind::OutOfRange,
                format_args!("entry {i} is {target}, but there are {elements} elements"),
            ));
        }
    }
    let place = values.ok_or_else(|| json.missing("values"))?;
    let values =
        Elements::open(&place, buffers, count, size)?.ok_or_else(|| place.missing("bufferView"))?;
    Ok(Sparse { indices, index, values })
}
