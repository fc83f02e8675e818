//! All who answer.

use std::path::Path;

use crate::peer::Build;

#[cfg(feature = "box3d")]
mod box3d;
mod embree;
#[cfg(feature = "jolt")]
mod jolt;
mod ours;
mod parry;

/// The peers, hitscan first. Embree is there if its library is named.
pub fn all(embree: Option<&Path>) -> Result<Vec<Build>, String> {
    let mut peers = ours::peers();
    peers.push(Box::new(parry::build));
    if let Some(path) = embree {
        peers.push(embree::load(path)?);
    }
    #[cfg(feature = "jolt")]
    peers.push(Box::new(jolt::build));
    #[cfg(feature = "box3d")]
    peers.push(Box::new(box3d::build));
    Ok(peers)
}
