//! The whole level: which rooms there are.

use crate::{cloister, east, hall, library, refectory, scene::Scene, south, west, works};

/// About 80 by 60 metres, y up, the courtyard around the origin, the ground floor at y = 0.
pub(crate) fn build() -> Scene {
    let mut scene = Scene::new("level");
    hall::build(&mut scene);
    west::narthex(&mut scene);
    west::sacristy(&mut scene);
    west::crypt(&mut scene);
    cloister::walks(&mut scene);
    cloister::courtyard(&mut scene);
    library::build(&mut scene);
    refectory::build(&mut scene);
    south::corridor(&mut scene);
    south::cells(&mut scene);
    works::build(&mut scene);
    east::tower(&mut scene);
    east::forge(&mut scene);
    east::outside(&mut scene);
    scene
}
