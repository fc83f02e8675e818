//! What [`BvhView`](crate::BvhView) answers, on the owned tree.

use std::ops::ControlFlow;

use glam::Vec3;

use super::RaySoa;
use crate::bvh::{Bvh, MeshInfo, TreeStats};
use crate::error::BatchError;
use crate::file::Metadata;
use crate::geometry::{Aabb, Ray, Triangle};
use crate::traverse::hit::{Hit, HitList};
use crate::traverse::options::Query;

/// Writes methods of `Bvh` that ask its view.
macro_rules! forward {
    ($(
        $(#[$attribute:meta])*
        fn $name:ident(&self $(, $argument:ident: $type:ty)* $(,)?) $(-> $output:ty)?;
    )*) => {
        impl Bvh {
            $(
                #[doc = concat!("See [`BvhView::", stringify!($name), "`](crate::BvhView::", stringify!($name), ").")]
                $(#[$attribute])*
                #[inline]
                pub fn $name(&self $(, $argument: $type)*) $(-> $output)? {
                    self.view().$name($($argument),*)
                }
            )*
        }
    };
}

forward! {
    #[must_use]
    fn bounds(&self) -> Aabb;
    #[must_use]
    fn mesh_count(&self) -> u32;
    #[must_use]
    fn mesh(&self, mesh: u32) -> Option<MeshInfo>;
    #[must_use]
    fn mesh_name(&self, mesh: u32) -> Option<&str>;
    #[must_use]
    fn material_name(&self, material: u32) -> Option<&str>;
    #[must_use]
    fn metadata(&self) -> Metadata;
    #[must_use]
    fn stats(&self) -> TreeStats;
    #[must_use]
    fn epo_cost(&self) -> f64;
    #[must_use]
    fn triangle(&self, hit: &Hit) -> Option<Triangle>;
    #[must_use]
    fn point(&self, hit: &Hit) -> Option<Vec3>;
    #[must_use]
    fn normal(&self, hit: &Hit) -> Option<Vec3>;

    #[must_use]
    fn closest_hit(&self, ray: &Ray, query: &Query) -> Option<Hit>;
    #[must_use]
    fn closest_hit_where(&self, ray: &Ray, query: &Query, filter: impl Fn(&Hit) -> bool) -> Option<Hit>;
    #[must_use]
    fn any_hit(&self, ray: &Ray, query: &Query) -> bool;
    #[must_use]
    fn any_hit_where(&self, ray: &Ray, query: &Query, filter: impl Fn(&Hit) -> bool) -> bool;
    fn all_hits(&self, ray: &Ray, query: &Query, hits: &mut HitList);
    fn all_hits_where(&self, ray: &Ray, query: &Query, hits: &mut HitList, filter: impl Fn(&Hit) -> bool);
    #[cfg(feature = "stats")]
    #[must_use]
    fn closest_hit_stats(&self, ray: &Ray, query: &Query) -> (Option<Hit>, crate::QueryStats);
    #[cfg(feature = "stats")]
    #[must_use]
    fn any_hit_stats(&self, ray: &Ray, query: &Query) -> (bool, crate::QueryStats);
    fn for_each_hit(&self, ray: &Ray, query: &Query, buffer: &mut HitList, each: impl FnMut(&Hit) -> ControlFlow<()>);

    /// # Errors
    /// As there.
    fn closest_hits(&self, rays: &[Ray], query: &Query, hits: &mut [Option<Hit>]) -> Result<(), BatchError>;
    /// # Errors
    /// As there.
    fn closest_hits_soa(&self, rays: &RaySoa<'_>, query: &Query, hits: &mut [Option<Hit>]) -> Result<(), BatchError>;
    /// # Errors
    /// As there.
    fn closest_hits_where(&self, rays: &[Ray], query: &Query, hits: &mut [Option<Hit>], filter: impl Fn(usize, &Hit) -> bool + Sync) -> Result<(), BatchError>;
    /// # Errors
    /// As there.
    fn any_hits(&self, rays: &[Ray], query: &Query, found: &mut [bool]) -> Result<(), BatchError>;
    /// # Errors
    /// As there.
    fn any_hits_soa(&self, rays: &RaySoa<'_>, query: &Query, found: &mut [bool]) -> Result<(), BatchError>;
    /// # Errors
    /// As there.
    fn any_hits_where(&self, rays: &[Ray], query: &Query, found: &mut [bool], filter: impl Fn(usize, &Hit) -> bool + Sync) -> Result<(), BatchError>;
    /// # Errors
    /// As there.
    fn all_hits_each(&self, rays: &[Ray], query: &Query, hits: &mut [HitList]) -> Result<(), BatchError>;
    /// # Errors
    /// As there.
    fn all_hits_each_where(&self, rays: &[Ray], query: &Query, hits: &mut [HitList], filter: impl Fn(usize, &Hit) -> bool + Sync) -> Result<(), BatchError>;
}
