//! Rays as JSON lines.

use std::io::{BufRead, BufReader, Read};

use hitscan::Ray;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::format::TextError;

pub(crate) struct JsonRays {
    reader: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
    /// The lines that were read.
    lines: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with origin and dir")]
struct JsonRay {
    origin: [Number; 3],
    dir: [Number; 3],
    t_min: Option<Number>,
    t_max: Option<Number>,
}

/// Rounded to `f32` from its digits: through `f64` it might be rounded twice.
struct Number(f32);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?.get();
        text.parse().map(Self).map_err(|_| D::Error::custom("expected a number"))
    }
}

impl JsonRays {
    pub(crate) fn new(reader: BufReader<Box<dyn Read>>) -> Self {
        Self { reader, line: Vec::new(), lines: 0 }
    }

    /// The ray of the next line that is not blank, if there is one.
    pub(crate) fn next(&mut self) -> Result<Option<Ray>, TextError> {
        loop {
            self.line.clear();
            if self.reader.read_until(b'\n', &mut self.line).map_err(TextError::Io)? == 0 {
                return Ok(None);
            }
            self.lines += 1;
            if self.line.iter().any(|byte| !byte.is_ascii_whitespace()) {
                return self.ray().map(Some);
            }
        }
    }

    fn ray(&self) -> Result<Ray, TextError> {
        let ray: JsonRay = serde_json::from_slice(self.line.trim_ascii_end()).map_err(|error| {
            // The library counts lines, too: there is one here.
            let message = error.to_string();
            let reason = message.rsplit_once(" at line ").map_or(&*message, |(reason, _)| reason);
            let place = format!("line {}, column {}", self.lines, error.column());
            TextError::At(place, reason.to_owned())
        })?;
        let vector = |numbers: [Number; 3]| numbers.map(|Number(number)| number);
        let t_min = ray.t_min.map_or(0.0, |Number(t)| t);
        let t_max = ray.t_max.map_or(f32::INFINITY, |Number(t)| t);
        Ok(Ray::new(vector(ray.origin), vector(ray.dir)).with_range(t_min, t_max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Result<Vec<Ray>, String> {
        let mut json = JsonRays::new(BufReader::new(Box::new(text.as_bytes())));
        let mut rays = Vec::new();
        loop {
            match json.next() {
                Ok(Some(ray)) => rays.push(ray),
                Ok(None) => return Ok(rays),
                Err(TextError::At(place, reason)) => return Err(format!("{place}: {reason}")),
                Err(TextError::Io(error)) => return Err(error.to_string()),
            }
        }
    }

    #[test]
    fn each_line_is_a_ray() {
        let ray = Ray::new([1.0, 2.0, 3.0], [0.0, -1.0, 0.5]);
        let text = "{\"origin\":[1,2,3],\"dir\":[0,-1,0.5]}\n \r\n\
            {\"dir\": [0, -1, 5e-1], \"origin\": [1, 2, 3], \"t_min\": -1, \"t_max\": 8}\r\n\
            {\"origin\":[1,2,3],\"dir\":[0,-1,0.5],\"t_max\":null}";
        assert_eq!(read(text), Ok(vec![ray, ray.with_range(-1.0, 8.0), ray]));
        assert_eq!(read(""), Ok(vec![]));
        // Just above the middle of two numbers, by less than `f64` can tell.
        let text = "{\"origin\":[1.000000059604644775390626,2,3],\"dir\":[0,-1,0.5]}";
        assert_eq!(read(text).unwrap()[0].origin.x, 1.0 + f32::EPSILON);
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, error) in [
            ("1\n", "line 1, column 1: invalid type: integer `1`, expected an object"),
            ("\n{\"origin\":[1,2]}", "line 2, column 15: invalid length 2, expected an array of"),
            ("{\"origin\":[1,2,\"3\"]}", "line 1, column 19: expected a number"),
            ("{\"origin\":[1,2,3]}", "line 1, column 18: missing field `dir`"),
            ("{\"start\":[1,2,3]}", "line 1, column 8: unknown field `start`, expected one of"),
            ("{\"origin\":[1,2,3]", "line 1, column 17: EOF while parsing an object"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.starts_with(error), "{found}");
        }
    }
}
