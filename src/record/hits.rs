//! Lists of hits in a file, and of what has a hit: contacts, overlaps, points found.

use super::surfaces::{Surface, Surfaces};
use super::wire::{Cursor, Fault, put_bits, words_of};
use super::with_hit::WithHit;
use crate::traverse::Hit;

/// The bytes of a hit before the number of its surface: t, u, v and the triangle.
const PLACE: usize = 16;

/// Appends a list whose length is written elsewhere.
pub(super) fn put_hits<'a, T: WithHit<N> + 'a, const N: usize>(
    out: &mut Vec<u8>,
    count: usize,
    all: impl Iterator<Item = &'a T> + Clone,
) {
    let start = out.len();
    let middle = start + 4 * N * count;
    out.resize(middle + PLACE * count, 0);
    let mut surfaces = Surfaces::new();
    let mut numbers = Vec::with_capacity(count);
    if N > 0 {
        let places = out[start..middle].chunks_exact_mut(4 * N);
        for (place, one) in places.zip(all.clone()) {
            place.copy_from_slice(one.words().map(u32::to_le_bytes).as_flattened());
        }
    }
    for (place, one) in out[middle..].chunks_exact_mut(PLACE).zip(all) {
        let &Hit { t, u, v, triangle, .. } = one.hit();
        let words = [t.to_bits(), u.to_bits(), v.to_bits(), triangle];
        place.copy_from_slice(words.map(u32::to_le_bytes).as_flattened());
        numbers.push(surfaces.number_of(one.hit()));
    }
    surfaces.put(out);
    match Surfaces::number_width(surfaces.len()) {
        1 => out.extend(numbers.iter().map(|&number| number as u8)),
        2 => out.extend(numbers.iter().flat_map(|&number| (number as u16).to_le_bytes())),
        _ => out.extend(numbers.iter().flat_map(|&number| number.to_le_bytes())),
    }
}

/// Appends a list behind its length.
pub(super) fn put_list<T: WithHit<N>, const N: usize>(out: &mut Vec<u8>, list: &[T]) {
    out.extend_from_slice(&(list.len() as u64).to_le_bytes());
    put_hits(out, list.len(), list.iter());
}

/// Appends a bit for each, which says whether it is there, then those that are.
pub(super) fn put_options<T: WithHit<N>, const N: usize>(out: &mut Vec<u8>, all: &[Option<T>]) {
    put_bits(out, all, Option::is_some);
    let found = all.iter().flatten();
    put_hits(out, found.clone().count(), found);
}

/// Appends the length of each list, then the hits of all.
pub(super) fn put_lists(out: &mut Vec<u8>, lists: &[Vec<Hit>]) {
    for hits in lists {
        out.extend_from_slice(&(hits.len() as u64).to_le_bytes());
    }
    put_hits(out, lists.iter().map(Vec::len).sum(), lists.iter().flatten());
}

impl Cursor<'_> {
    fn hits<T: WithHit<N>, const N: usize>(&mut self, count: u64) -> Result<Vec<T>, Fault> {
        let length = |each: usize| {
            count.checked_mul(each as u64).ok_or("a record has more hits than there can be")
        };
        let more = self.bytes(length(4 * N)?)?;
        let places = self.bytes(length(PLACE)?)?;
        let [surface_count] = self.words()?;
        let surfaces: Vec<Surface> = self.all(surface_count.into())?;
        let width = Surfaces::number_width(surfaces.len());
        let numbers = self.bytes(length(width)?)?.chunks_exact(width);
        let places = places.chunks_exact(PLACE).map(words_of);
        let found = places.zip(numbers).enumerate().map(|(i, ([t, u, v, triangle], number))| {
            let number = number.iter().rev().fold(0, |high, &low| high << 8 | usize::from(low));
            let place = [t, u, v].map(f32::from_bits);
            let hit = surfaces.get(number)?.hit(place, triangle);
            T::new(&words_of(&more[4 * N * i..]), hit)
        });
        found.collect::<Option<_>>().ok_or("a hit breaks the rules of its kind")
    }

    pub(super) fn list<T: WithHit<N>, const N: usize>(&mut self) -> Result<Vec<T>, Fault> {
        let count = self.long()?;
        self.hits(count)
    }

    pub(super) fn options<T: WithHit<N>, const N: usize>(
        &mut self,
        count: u64,
    ) -> Result<Vec<Option<T>>, Fault> {
        let is_there = self.bits(count)?;
        let found = is_there.iter().filter(|&&is_there| is_there).count();
        let mut found = self.hits(found as u64)?.into_iter();
        Ok(is_there.iter().map(|&is_there| if is_there { found.next() } else { None }).collect())
    }

    pub(super) fn lists(&mut self, count: u64) -> Result<Vec<Vec<Hit>>, Fault> {
        let lengths = (0..count).map(|_| self.long()).collect::<Result<Vec<_>, _>>()?;
        let total = lengths.iter().try_fold(0, |sum: u64, &length| sum.checked_add(length));
        let mut hits = self.hits(total.ok_or("a record has too many hits")?)?.into_iter();
        // No length is larger than the number of all hits, which are there.
        Ok(lengths.iter().map(|&length| hits.by_ref().take(length as usize).collect()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Face;
    use crate::traverse::{Contact, InstanceId};

    fn hit(number: u32, surfaces: u32) -> Hit {
        let surface = number * 7 % surfaces;
        Hit {
            t: f32::from_bits(0x7fc0_0000 + number),
            u: -0.0,
            v: 1.0 / (1.0 + number as f32),
            face: if surface.is_multiple_of(2) { Face::Front } else { Face::Back },
            has_material: surface.is_multiple_of(3),
            mesh: surface / 2,
            triangle: number,
            user_id: u64::from(surface) << 33,
            material: if surface.is_multiple_of(3) { surface } else { 0 },
            slot: u32::MAX,
            instance: InstanceId::from_bits(1 << 32 | u64::from(surface % 5)).unwrap(),
        }
    }

    fn bits(hits: &[Hit]) -> Vec<(u32, Surface)> {
        hits.iter().map(|hit| (hit.t.to_bits(), Surface::of(hit))).collect()
    }

    /// Numbers of surfaces have one, two and four bytes; surfaces come once, and all come back.
    #[test]
    fn surfaces_are_written_once() {
        for (count, surfaces, width) in [
            (0, 1, 1),
            (1, 1, 1),
            (1000, 1, 1),
            (1000, 256, 1),
            (1000, 257, 2),
            (70_000, 65_536, 2),
            (70_000, 65_537, 4),
        ] {
            let hits: Vec<Hit> = (0..count).map(|number| hit(number, surfaces)).collect();
            let mut bytes = Vec::new();
            put_list(&mut bytes, &hits);
            let surfaces = surfaces.min(count) as usize;
            let expected = 8 + 4 + 28 * surfaces + (PLACE + width) * count as usize;
            assert_eq!(bytes.len(), expected, "{count} {surfaces}");
            let mut cursor = Cursor(&bytes);
            let found: Vec<Hit> = cursor.list().unwrap();
            assert!(cursor.0.is_empty() && bits(&found) == bits(&hits));
            for cut in [0, 8, 20, bytes.len() - 1] {
                let cut = cut.min(bytes.len() - 1);
                assert!(Cursor(&bytes[..cut]).list::<Hit, 0>().is_err(), "{cut}");
            }
        }
    }

    #[test]
    fn lists_and_options_come_back() {
        let hits: Vec<Hit> = (0..40).map(|number| hit(number, 9)).collect();
        let lists = [0, 3, 0, 36, 1].map(|count| hits[..count].to_vec());
        let mut bytes = Vec::new();
        put_lists(&mut bytes, &lists);
        let found = Cursor(&bytes).lists(5).unwrap();
        assert!(found.iter().map(|hits| bits(hits)).eq(lists.iter().map(|hits| bits(hits))));
        let options: Vec<Option<Hit>> =
            hits.iter().map(|hit| (hit.triangle % 3 > 0).then_some(*hit)).collect();
        let mut bytes = Vec::new();
        put_options(&mut bytes, &options);
        let found: Vec<Option<Hit>> = Cursor(&bytes).options(40).unwrap();
        let bits_of_one = |hit: &Option<Hit>| hit.map(|hit| bits(&[hit]));
        assert!(found.iter().map(bits_of_one).eq(options.iter().map(bits_of_one)));
    }

    /// No memory is taken for what is not there.
    #[test]
    fn huge_numbers_are_refused() {
        for count in [u64::MAX, u64::MAX / 16, 1 << 40, 1 << 20] {
            let bytes = [&count.to_le_bytes()[..], &[0; 64]].concat();
            assert!(Cursor(&bytes).list::<Hit, 0>().is_err());
            assert!(Cursor(&bytes).list::<Contact, 12>().is_err());
            assert!(Cursor(&bytes).lists(3).is_err());
        }
    }
}
