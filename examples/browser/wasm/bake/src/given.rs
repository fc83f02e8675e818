//! What was given for the next bake.

use std::cell::RefCell;

use border::{Fault, Kind};
use hitscan::Mesh;

/// What was given.
#[derive(Default)]
pub(crate) struct Given {
    pub(crate) meshes: Vec<Mesh>,
    pub(crate) material_names: Vec<String>,
    pub(crate) user_data: Vec<u8>,
}

thread_local! {
    static GIVEN: RefCell<Given> = RefCell::default();
}

/// Adds to it.
pub(crate) fn change(change: impl FnOnce(&mut Given)) -> Result<u32, Fault> {
    GIVEN.with(|given| {
        let given = given.try_borrow_mut();
        change(&mut *given.map_err(|_| Fault::new(Kind::Bake, "a bake is going on"))?);
        Ok(0)
    })
}

/// Takes all of it. The next bake begins with nothing.
pub(crate) fn take() -> Given {
    GIVEN
        .with(|given| given.try_borrow_mut().map(|mut given| std::mem::take(&mut *given)))
        .unwrap_or_default()
}
