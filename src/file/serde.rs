//! `Bvh` in any serde format: as a file's bytes, through the checked loader.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::bvh::Bvh;

/// As the bytes of [`Bvh::to_bytes`].
impl Serialize for Bvh {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.to_bytes())
    }
}

/// Through [`Bvh::from_bytes`], with all its checks.
impl<'de> Deserialize<'de> for Bvh {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(Bytes)
    }
}

struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Bvh;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a baked tree")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bvh, E> {
        Bvh::from_bytes(bytes).map_err(E::custom)
    }

    /// Formats without byte strings, such as JSON, have a list of numbers.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Bvh, A::Error> {
        // The list may claim any length: memory grows with the bytes.
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element::<u8>()? {
            bytes.push(byte);
        }
        Bvh::from_bytes(&bytes).map_err(A::Error::custom)
    }
}
