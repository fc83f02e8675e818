//! Accessors. Every range is checked when an accessor is opened. The places of sparse values are
//! checked when it is read: by then the elements are known to be few enough.

use std::collections::HashMap;
use std::fmt::Display;

use super::buffers::{Buffers, Slice};
use super::json::{Items, Json};
use crate::import::ImportErrorKind::{self, Invalid, OutOfRange, TooLarge, Truncated};
use crate::import::error::{ImportError, Result};
use crate::import::scalar::Scalar;
use crate::import::text::shown;
use crate::import::work;

/// What an accessor is opened for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Positions,
    Indices,
    Joints,
    Weights,
    Matrices,
    Rotations,
    /// Translations or scales.
    Vectors,
}

impl Use {
    /// The name in messages, the accessor type, and the numbers that an element has.
    fn properties(self) -> (&'static str, &'static str, usize) {
        match self {
            Self::Positions => ("positions", "VEC3", 3),
            Self::Indices => ("indices", "SCALAR", 1),
            Self::Joints => ("joints", "VEC4", 4),
            Self::Weights => ("weights", "VEC4", 4),
            Self::Matrices => ("matrices", "MAT4", 16),
            Self::Rotations => ("rotations", "VEC4", 4),
            Self::Vectors => ("translations and scales", "VEC3", 3),
        }
    }

    /// The numbers that an element has.
    #[cfg(feature = "draco")]
    pub(super) fn numbers(self) -> usize {
        self.properties().2
    }

    fn suits(self, component: Scalar) -> bool {
        match self {
            Self::Indices | Self::Joints => {
                matches!(component, Scalar::U8 | Scalar::U16 | Scalar::U32)
            }
            _ => component != Scalar::U32,
        }
    }
}

/// A component type that glTF allows.
fn component_of(json: &Json<'_>) -> Result<Scalar> {
    match json.size()? {
        5120 => Ok(Scalar::I8),
        5121 => Ok(Scalar::U8),
        5122 => Ok(Scalar::I16),
        5123 => Ok(Scalar::U16),
        5125 => Ok(Scalar::U32),
        5126 => Ok(Scalar::F32),
        other => {
            let reason = format_args!("{other} is not a glTF component type");
            Err(json.error(Invalid, reason))
        }
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
        let object = json.object()?;
        let Some(view) = object.reference("bufferView") else { return Ok(None) };
        let offset = object.get("byteOffset").map_or(Ok(0), |offset| offset.size())?;
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
    count: usize,
    indices: Elements,
    index: Scalar,
    values: Elements,
}

/// All accessors. Each is parsed once, however often it is used.
pub(super) struct Accessors<'a> {
    items: Items<'a>,
    opened: HashMap<usize, Accessor>,
}

impl<'a> Accessors<'a> {
    pub(super) fn new(items: Items<'a>) -> Self {
        Self { items, opened: HashMap::new() }
    }

    pub(super) fn open(
        &mut self,
        reference: &Json<'a>,
        buffers: &mut Buffers<'a>,
        wanted: Use,
    ) -> Result<Accessor> {
        let number = self.number(reference)?;
        self.numbered(number, buffers, wanted)
    }

    /// The number of the accessor that is referred to.
    pub(super) fn number(&self, reference: &Json<'a>) -> Result<usize> {
        reference.index(self.items.len(), "accessors")
    }

    pub(super) fn numbered(
        &mut self,
        number: usize,
        buffers: &mut Buffers<'a>,
        wanted: Use,
    ) -> Result<Accessor> {
        if let Some(accessor) = self.opened.get(&number) {
            accessor.check(wanted)?;
            return Ok(*accessor);
        }
        let accessor = Accessor::parse(number, &self.items.at(number)?, buffers, wanted)?;
        self.opened.insert(number, accessor);
        Ok(accessor)
    }
}

/// An accessor whose bytes are all there.
#[derive(Clone, Copy)]
pub(super) struct Accessor {
    /// Its number in the document.
    number: usize,
    count: usize,
    shape: &'static str,
    component: Scalar,
    normalized: bool,
    base: Option<Elements>,
    sparse: Option<Sparse>,
}

impl Accessor {
    fn parse<'a>(
        number: usize,
        json: &Json<'a>,
        buffers: &mut Buffers<'a>,
        wanted: Use,
    ) -> Result<Self> {
        let [component, count, shape, normalized, sparse] =
            json.members(["componentType", "count", "type", "normalized", "sparse"])?;
        let shape = shape.ok_or_else(|| json.missing("type"))?;
        let (role, shape_wanted, numbers) = wanted.properties();
        let found = shape.string()?;
        if found != shape_wanted {
            return Err(shape.error(Invalid, wrong_shape(role, shape_wanted, &found)));
        }
        let mut accessor = Self {
            number,
            count: 0,
            shape: shape_wanted,
            component: component_of(&component.ok_or_else(|| json.missing("componentType"))?)?,
            normalized: normalized.map_or(Ok(false), |n| n.boolean())?,
            base: None,
            sparse: None,
        };
        accessor.check(wanted)?;
        let place = count.ok_or_else(|| json.missing("count"))?;
        let count = place.size()?;
        if count > u64::from(u32::MAX) {
            return Err(place.error(TooLarge, "more elements than 32 bits can number"));
        }
        let size = accessor.component.size() * numbers;
        accessor.count = usize::try_from(count).unwrap_or(usize::MAX);
        accessor.base = Elements::open(json, buffers, count, size)?;
        if let Some(sparse) = sparse {
            accessor.sparse = Some(Sparse::open(&sparse, buffers, count, size)?);
        }
        Ok(accessor)
    }

    /// Whether it can be used like this.
    fn check(&self, wanted: Use) -> Result<()> {
        let (role, shape, _) = wanted.properties();
        if self.shape != shape {
            return Err(self.error("type", Invalid, wrong_shape(role, shape, self.shape)));
        }
        if !wanted.suits(self.component) {
            let reason = format_args!("{role} cannot be of this type");
            return Err(self.error("componentType", Invalid, reason));
        }
        Ok(())
    }

    fn error(&self, member: &str, kind: ImportErrorKind, reason: impl Display) -> ImportError {
        ImportError::at(kind, format_args!("accessors[{}].{member}", self.number), reason)
    }

    /// Indices of 32 bits.
    #[cfg(feature = "draco")]
    pub(super) fn of_indices(bytes: Slice) -> Self {
        Self {
            number: 0,
            count: bytes.len() / 4,
            shape: "SCALAR",
            component: Scalar::U32,
            normalized: false,
            base: Some(Elements { bytes, stride: 4 }),
            sparse: None,
        }
    }

    /// The same with these bytes, which must be enough.
    #[cfg(feature = "draco")]
    pub(super) fn with_data(self, bytes: Slice, wanted: Use) -> Self {
        let stride = self.component.size() * wanted.numbers();
        Self { base: Some(Elements { bytes, stride }), ..self }
    }

    #[cfg(feature = "draco")]
    pub(super) fn component(&self) -> Scalar {
        self.component
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// An error if it has fewer elements than are needed.
    pub(super) fn has_at_least(&self, count: usize, things: &str) -> Result<()> {
        if self.count < count {
            let reason = format_args!("{} elements for {count} {things}", self.count);
            return Err(self.error("count", Invalid, reason));
        }
        Ok(())
    }

    /// Whether it has any bytes.
    pub(super) fn has_data(&self) -> bool {
        self.base.is_some() || self.sparse.is_some()
    }

    pub(super) fn positions(&self, buffers: &Buffers<'_>) -> Result<Vec<[f32; 3]>> {
        let size = self.component.size();
        self.read(buffers, self.count, [0.0; 3], |raw| {
            [0, 1, 2].map(|axis| match self.component {
                // It keeps its bits, even if it is a NaN.
                Scalar::F32 => self.component.read_f32(&raw[axis * size..]),
                _ => self.number_in(&raw[axis * size..]) as f32,
            })
        })
    }

    pub(super) fn indices(&self, buffers: &Buffers<'_>) -> Result<Vec<u32>> {
        self.read(buffers, self.count, 0, |raw| self.component.read(raw) as u32)
    }

    /// The first `count` elements, which must be there, each of `N` numbers.
    pub(super) fn numbers<const N: usize>(
        &self,
        buffers: &Buffers<'_>,
        count: usize,
    ) -> Result<Vec<[f64; N]>> {
        let size = self.component.size();
        self.read(buffers, count, [0.0; N], |raw| {
            std::array::from_fn(|i| self.number_in(&raw[i * size..]))
        })
    }

    /// A number. Normalized integers become -1..1 or 0..1, as glTF defines. A quotient that is
    /// rounded to `f32` later has the bits of a division in `f32`.
    fn number_in(&self, raw: &[u8]) -> f64 {
        let value = self.component.read(raw);
        let max = match self.component {
            Scalar::I8 => 127.0,
            Scalar::U8 => 255.0,
            Scalar::I16 => 32767.0,
            Scalar::U16 => 65535.0,
            _ => return value,
        };
        if self.normalized { (value / max).max(-1.0) } else { value }
    }

    fn read<T: Clone>(
        &self,
        buffers: &Buffers<'_>,
        count: usize,
        zero: T,
        element: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>> {
        work::count(count * size_of::<T>());
        let mut all = match self.base {
            Some(base) => base.iter(buffers).take(count).map(&element).collect(),
            // glTF defines these as zeros. The caller has checked that they are not too many.
            None => vec![zero; count],
        };
        if let Some(sparse) = self.sparse {
            work::count(sparse.count * size_of::<T>());
            let targets = sparse.indices.iter(buffers).take(sparse.count);
            for (i, (target, value)) in targets.zip(sparse.values.iter(buffers)).enumerate() {
                let target = sparse.index.read(target) as usize;
                if target >= self.count {
                    let count = self.count;
                    let reason =
                        format_args!("entry {i} is {target}, but there are {count} elements");
                    return Err(self.error("sparse.indices", OutOfRange, reason));
                }
                if let Some(place) = all.get_mut(target) {
                    *place = element(value);
                }
            }
        }
        Ok(all)
    }
}

fn wrong_shape(role: &str, wanted: &str, found: &str) -> String {
    format!("{role} must be {wanted}, not {}", shown(found))
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
        let component = place.member("componentType")?;
        let component = component.ok_or_else(|| place.missing("componentType"))?;
        let index = component_of(&component)?;
        if !Use::Indices.suits(index) {
            return Err(component.error(Invalid, "indices cannot be of this type"));
        }
        let indices = open(&place, buffers, index.size())?;
        let place = values.ok_or_else(|| json.missing("values"))?;
        let values = open(&place, buffers, size)?;
        Ok(Self { count: count as usize, indices, index, values })
    }
}
