//! Files of answers to rays: records of 32 bytes, CSV or JSON lines, as `hitscan help rays`
//! describes them.
//!
//! Records are little-endian, as is every machine that can open a tree.

use std::fmt::Write as _;

use bytemuck::{Pod, Zeroable};
use hitscan::{Face, Hit, InstanceId, Ray};

use super::format::Format;
use crate::level::baked::instance_number;

/// The result of a ray.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct HitRecord {
    t: f32,
    u: f32,
    v: f32,
    flags: u32,
    mesh: u32,
    triangle: u32,
    user_id: u64,
}

const HIT: u32 = 1;
const FRONT: u32 = 2;
/// The number of an instance is in the bits from here on: there are at most 2^30.
const INSTANCE_BITS: u32 = 2;

impl HitRecord {
    pub(crate) fn closest(ray: &Ray, hit: Option<&Hit>) -> Self {
        let Some(hit) = hit else { return Self { t: ray.t_max, ..Self::zeroed() } };
        let flags = match hit.face {
            Face::Front => HIT | FRONT,
            Face::Back => HIT,
        };
        let &Hit { t, u, v, mesh, triangle, user_id, instance, .. } = hit;
        let instance = match instance {
            InstanceId::NONE => 0,
            instance => instance_number(instance),
        };
        Self { t, u, v, flags: flags | instance << INSTANCE_BITS, mesh, triangle, user_id }
    }

    pub(crate) fn any(is_hit: bool) -> Self {
        Self { flags: if is_hit { HIT } else { 0 }, ..Self::zeroed() }
    }

    pub(crate) fn is_hit(&self) -> bool {
        self.flags & HIT != 0
    }

    fn facing(&self) -> &'static str {
        if self.flags & FRONT != 0 { "front" } else { "back" }
    }
}

/// What is said of each ray.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fields {
    /// Whether it hits anything.
    Any,
    /// Its closest hit in a tree.
    Tree,
    /// Its closest hit in a scene.
    Scene,
}

/// Writes answers in a format.
pub(crate) struct HitWriter {
    pub(crate) format: Format,
    pub(crate) fields: Fields,
}

impl HitWriter {
    /// What comes before all answers.
    pub(crate) fn head(&self) -> &'static str {
        match (self.format, self.fields) {
            (Format::Csv, Fields::Any) => "hit\n",
            (Format::Csv, Fields::Tree) => "hit,t,u,v,facing,mesh,triangle,user_id\n",
            (Format::Csv, Fields::Scene) => "hit,t,u,v,facing,mesh,triangle,user_id,instance\n",
            (Format::Bin | Format::Jsonl, _) => "",
        }
    }

    /// These answers.
    pub(crate) fn bytes(&self, records: &[HitRecord]) -> Vec<u8> {
        let mut text = String::new();
        match self.format {
            Format::Bin => return bytemuck::cast_slice(records).to_vec(),
            Format::Csv => records.iter().for_each(|record| self.csv(record, &mut text)),
            Format::Jsonl => records.iter().for_each(|record| self.json(record, &mut text)),
        }
        text.into_bytes()
    }

    fn csv(&self, record: &HitRecord, text: &mut String) {
        let &HitRecord { t, u, v, mesh, triangle, user_id, flags } = record;
        text.push_str(if record.is_hit() { "true" } else { "false" });
        match self.fields {
            Fields::Any => {}
            Fields::Tree if !record.is_hit() => text.push_str(",,,,,,,"),
            Fields::Scene if !record.is_hit() => text.push_str(",,,,,,,,"),
            Fields::Tree | Fields::Scene => {
                let facing = record.facing();
                let _ = write!(text, ",{t},{u},{v},{facing},{mesh},{triangle},{user_id}");
                if self.fields == Fields::Scene {
                    let _ = write!(text, ",{}", flags >> INSTANCE_BITS);
                }
            }
        }
        text.push('\n');
    }

    /// No field needs to be escaped.
    fn json(&self, record: &HitRecord, text: &mut String) {
        let &HitRecord { t, u, v, mesh, triangle, user_id, flags } = record;
        let _ = write!(text, "{{\"hit\":{}", record.is_hit());
        if record.is_hit() && self.fields != Fields::Any {
            let facing = record.facing();
            let _ = write!(
                text,
                ",\"t\":{t},\"u\":{u},\"v\":{v},\"facing\":\"{facing}\",\"mesh\":{mesh},\
                 \"triangle\":{triangle},\"user_id\":{user_id}"
            );
            if self.fields == Fields::Scene {
                let _ = write!(text, ",\"instance\":{}", flags >> INSTANCE_BITS);
            }
        }
        text.push_str("}\n");
    }
}
