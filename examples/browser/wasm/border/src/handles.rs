//! Handles: numbers that stand for what lives on between calls.

use std::cell::RefCell;
use std::rc::Rc;

/// The lower bits of a handle are a place, the upper ones tell how often it was used before. So the
/// handle of something that is gone is not soon the handle of something else.
const PLACE_BITS: u32 = 20;

struct Place<T> {
    uses: u32,
    value: Option<Rc<T>>,
}

/// Values by handle. A handle is above zero.
pub struct Handles<T>(RefCell<Table<T>>);

struct Table<T> {
    places: Vec<Place<T>>,
    free: Vec<u32>,
}

impl<T> Handles<T> {
    /// None.
    pub const fn new() -> Self {
        Self(RefCell::new(Table { places: Vec::new(), free: Vec::new() }))
    }

    /// Takes a value in; `None` if there are a million.
    pub fn insert(&self, value: T) -> Option<u32> {
        let table = &mut *self.0.borrow_mut();
        let place = match table.free.pop() {
            Some(place) => place,
            None => {
                let place = u32::try_from(table.places.len()).ok()?;
                if place >> PLACE_BITS != 0 {
                    return None;
                }
                table.places.push(Place { uses: 0, value: None });
                place
            }
        };
        let at = &mut table.places[place as usize];
        // Eleven bits, for a handle is above zero as an `i32`, too.
        at.uses = at.uses % 0x7ff + 1;
        at.value = Some(Rc::new(value));
        Some(at.uses << PLACE_BITS | place)
    }

    /// The value. It lives as long as it is used, also if it is removed meanwhile.
    pub fn get(&self, handle: u32) -> Option<Rc<T>> {
        let table = self.0.borrow();
        table.at(handle)?.value.clone()
    }

    /// Puts another value in its place.
    pub fn replace(&self, handle: u32, value: T) -> Option<()> {
        let table = &mut *self.0.borrow_mut();
        table.at(handle)?;
        let before = table.places[place_of(handle)].value.replace(Rc::new(value));
        before.map(drop)
    }

    /// Lets a value go.
    pub fn remove(&self, handle: u32) -> Option<Rc<T>> {
        let table = &mut *self.0.borrow_mut();
        table.at(handle)?;
        let value = table.places[place_of(handle)].value.take()?;
        table.free.push(place_of(handle) as u32);
        Some(value)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        let table = self.0.borrow();
        table.places.len() - table.free.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> Default for Handles<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Table<T> {
    fn at(&self, handle: u32) -> Option<&Place<T>> {
        let place = self.places.get(place_of(handle))?;
        (place.uses == handle >> PLACE_BITS && place.value.is_some()).then_some(place)
    }
}

fn place_of(handle: u32) -> usize {
    (handle & ((1 << PLACE_BITS) - 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::Handles;

    #[test]
    fn handles_of_the_gone_are_stale() {
        let handles = Handles::new();
        let a = handles.insert('a').unwrap();
        let b = handles.insert('b').unwrap();
        assert_eq!(handles.remove(a).as_deref(), Some(&'a'));
        let c = handles.insert('c').unwrap();
        assert_eq!(
            [a, b, c].map(|x| handles.get(x).as_deref().copied()),
            [None, Some('b'), Some('c')]
        );
        assert!(handles.remove(a).is_none() && handles.replace(a, 'x').is_none());
        assert!(handles.get(0).is_none() && handles.get(u32::MAX).is_none());
        assert_eq!(handles.len(), 2);
    }

    #[test]
    fn handles_are_above_zero_as_signed_numbers() {
        let handles = Handles::new();
        for _ in 0..5000 {
            let handle = handles.insert(()).unwrap();
            assert!(handle as i32 > 0);
            handles.remove(handle);
        }
        assert!(handles.is_empty());
    }
}
