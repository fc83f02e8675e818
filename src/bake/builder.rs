//! The builder: settings in, tree and report out.

use std::borrow::Cow;
use std::ops::ControlFlow;

use xxhash_rust::xxh3::Xxh3;

use super::bvh2::SERIAL_LIMIT;
use super::input::BakeInput;
use super::preset::Preset;
use super::progress::{Callback, Pass, Progress, ProgressMonitor, Stage};
use super::ray_sample::{self, RaySample};
use super::report::{BakeReport, SkipReason, StageTime};
use super::triangles::{BadTriangles, Gathered, POSITION_UNITS};
use super::{collapse, emit, memory_estimate, split, triangles};
use crate::bvh::{
    BakeSummary, Bvh, FORMAT_VERSION, Metadata, Quality, Sections, Source, sah_cost_while,
    source_hash,
};
use crate::error::{BakeError, BakeErrorKind};
use crate::geometry::Ray;
use crate::mesh::{MeshView, index_hash, materials_hash, positions_hash};
use crate::platform::{Stopwatch, parallel};

/// The crate and version that bakes.
const BUILDER: &str = concat!("hitscan ", env!("CARGO_PKG_VERSION"));

/// Bakes meshes into a [`Bvh`].
///
/// The same meshes and settings give the same tree, byte for byte, on any machine and with any
/// number of threads.
///
/// ```
/// use hitscan::{Builder, Mesh, Query, Ray};
///
/// let floor = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [0.0, 0.0, 9.0], [9.0, 0.0, 0.0]]);
/// let (bvh, report) = Builder::new().bake(&[floor])?;
/// assert_eq!(report.summary.triangles_kept, 1);
/// let hit = bvh.closest_hit(&Ray::new([1.0, 5.0, 1.0], [0.0, -1.0, 0.0]), &Query::new());
/// assert_eq!(hit.unwrap().t, 5.0);
/// # Ok::<(), hitscan::BakeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    quality: Quality,
    spatial_budget: Option<f64>,
    bad_triangles: BadTriangles,
    threads: Option<usize>,
    rays: Vec<Ray>,
    sources: Vec<Source>,
    material_names: Vec<String>,
    memory_limit: Option<u64>,
}

impl Builder {
    /// A builder with default settings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How much work goes into the tree. Default: [`Quality::Balanced`].
    #[must_use]
    pub fn quality(self, quality: Quality) -> Self {
        Self { quality, ..self }
    }

    /// How many references spatial splits may add, as a fraction of the triangles: from 0, which
    /// turns such splits off, to 4. A bake refuses other values.
    ///
    /// A spatial split (Stich, Friedrich and Dietrich, "Spatial Splits in Bounding Volume
    /// Hierarchies", 2009) cuts large triangles into parts, which lie in several leaves. Each
    /// reference adds some 70 bytes to the file, and queries are faster where there are large
    /// triangles. Default: 0.5 with [`Quality::Best`], else 0.
    ///
    /// ```
    /// use hitscan::{Builder, Quality};
    ///
    /// // Fewer references than the default of `Best`: a smaller file.
    /// let builder = Builder::new().quality(Quality::Best).spatial_budget(0.2);
    /// ```
    #[must_use]
    pub fn spatial_budget(self, fraction: f64) -> Self {
        Self { spatial_budget: Some(fraction), ..self }
    }

    /// What to do with triangles that have non-finite coordinates, or indices of vertices that do
    /// not exist. Default: refuse the bake. Triangles without area are always skipped and counted.
    #[must_use]
    pub fn bad_triangles(self, bad_triangles: BadTriangles) -> Self {
        Self { bad_triangles, ..self }
    }

    /// Bakes with this many threads of its own; 0 means one for each core. Default: the threads of
    /// the current rayon pool, or of the global one. Without the feature `parallel`, and on
    /// machines without threads, a bake uses the caller's.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// Sample rays that resemble those you will cast: a thousand or more. Record them while the
    /// program runs, or cast them from where players will be.
    ///
    /// The tree is arranged so that such rays cost less; other rays hardly cost more, and all hits
    /// are the same. [`Quality::Balanced`] and [`Quality::Best`] add two random rays for each of
    /// these. Invalid rays (see [`Ray`]) do not count. At most 65,536 rays are used, evenly
    /// spaced. Default: none.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// # let floor = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [0.0, 0.0, 9.0], [9.0, 0.0, 0.0]]);
    /// // As recorded in a run of the program.
    /// let rays: Vec<Ray> = (0..1000)
    ///     .map(|i| Ray::between([1.0, 1.7, 1.0], [0.003 * i as f32, 0.0, 2.0]))
    ///     .collect();
    /// let (bvh, _) = Builder::new().rays(rays.clone()).bake(&[floor])?;
    /// assert!(bvh.any_hit(&rays[0], &Query::new()));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn rays(self, rays: Vec<Ray>) -> Self {
        let rays = ray_sample::thin_out(rays);
        Self { rays, ..self }
    }

    /// The files that the meshes come from, to be named in the tree's metadata. Default: none.
    #[must_use]
    pub fn sources(self, sources: Vec<Source>) -> Self {
        Self { sources, ..self }
    }

    /// Names of the materials, indexed by [material number](crate::Mesh::materials), to be stored
    /// with the tree ([`Bvh::material_name`](crate::Bvh::material_name)). Default: none.
    #[must_use]
    pub fn material_names(self, material_names: Vec<String>) -> Self {
        Self { material_names, ..self }
    }

    /// Refuses a bake that is [estimated](Self::memory_estimate) to take more memory than this.
    /// Default: no limit.
    ///
    /// Linux and others grant more memory than they have. There, a bake without a limit may be
    /// killed before it ends.
    #[must_use]
    pub fn memory_limit(self, bytes: u64) -> Self {
        Self { memory_limit: Some(bytes), ..self }
    }

    /// An estimate of the bytes that a bake of these meshes takes at its peak: the tree included,
    /// the meshes not. Takes O(meshes).
    ///
    /// The estimate is 145 to 200 bytes per triangle. Most levels take 13 to 33 % less than
    /// estimated. Tiny triangles scattered in space take more than estimated: up to 300 bytes each,
    /// because most leaves hold one or two of them. Each mesh takes about 200 bytes more, which are
    /// not in the estimate.
    #[must_use]
    pub fn memory_estimate<'a>(&self, meshes: impl Into<BakeInput<'a>>) -> u64 {
        memory_estimate::estimate(&self.preset(), &meshes.into().meshes)
    }

    /// Bakes [`Mesh`](crate::Mesh)es, [`MeshView`]s over your own buffers, or an `Import`. They are
    /// numbered from 0 in this order. If they have no triangles, the tree is empty and all queries
    /// miss. An import's names of materials and its sources take the place of any that were set.
    /// Takes O(n log n) for n triangles.
    ///
    /// # Errors
    ///
    /// On settings out of range, bad triangles (unless skipped), indices that do not make whole
    /// triangles, a wrong number of materials, more than 2^32 - 2 triangles in all or 2^31 with an
    /// area, too little memory, an estimate above the [limit](Self::memory_limit), or
    /// [threads](Self::threads) that cannot be started.
    ///
    /// # Panics
    ///
    /// If rayon cannot start its global pool.
    pub fn bake<'a>(
        &self,
        meshes: impl Into<BakeInput<'a>>,
    ) -> Result<(Bvh, BakeReport), BakeError> {
        self.bake_input(&meshes.into(), &mut |_| ControlFlow::Continue(()))
    }

    /// Bakes and calls `progress` on the way, at least once for every few tens of thousands of
    /// triangles.
    ///
    /// Any of the threads may call it, but never two at once. [`Progress::fraction`] never falls
    /// and ends at 1. `Break` stops the bake within milliseconds, with an error of kind
    /// [`Cancelled`](crate::BakeErrorKind::Cancelled).
    ///
    /// # Errors
    ///
    /// As [`bake`](Self::bake), or when cancelled.
    ///
    /// # Panics
    ///
    /// As [`bake`](Self::bake).
    pub fn bake_with_progress<'a>(
        &self,
        meshes: impl Into<BakeInput<'a>>,
        progress: &mut (dyn FnMut(Progress) -> ControlFlow<()> + Send),
    ) -> Result<(Bvh, BakeReport), BakeError> {
        self.bake_input(&meshes.into(), progress)
    }

    /// A hash of everything that decides the outcome of a bake: the meshes, the settings, the
    /// [sources](Self::sources), the [names of materials](Self::material_names), and this version
    /// of the crate and its file format.
    ///
    /// It is stored with the tree ([`Bvh::content_hash`], bytes 56 to 64 of a file), so that a
    /// build step can see whether the file is up to date. It is xxh3-64: it detects changes, but
    /// does not protect against forgery. Takes O(bytes), much less than a bake.
    ///
    /// ```no_run
    /// # #[cfg(feature = "import")] {
    /// use hitscan::{Builder, Bvh, Import};
    ///
    /// let import = Import::open("level.glb")?;
    /// let builder = Builder::new();
    /// let kept = Bvh::open("level.hbvh").ok();
    /// let hash = builder.content_hash(&import);
    /// let bvh = match kept.filter(|bvh| bvh.content_hash() == Some(hash)) {
    ///     Some(bvh) => bvh,
    ///     None => {
    ///         let (bvh, _report) = builder.bake(&import)?;
    ///         bvh.save("level.hbvh")?;
    ///         bvh
    ///     }
    /// };
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn content_hash<'a>(&self, meshes: impl Into<BakeInput<'a>>) -> u64 {
        self.hash_input(&meshes.into())
    }

    fn bake_input(
        &self,
        input: &BakeInput<'_>,
        progress: &mut (dyn FnMut(Progress) -> ControlFlow<()> + Send),
    ) -> Result<(Bvh, BakeReport), BakeError> {
        let (builder, meshes) = (&*self.of(input), input.meshes.as_slice());
        let triangles: usize = meshes.iter().map(MeshView::triangle_count).sum();
        let worthwhile = triangles >= SERIAL_LIMIT;
        parallel::on_threads(self.threads, worthwhile, || builder.run(meshes, progress))?
    }

    fn hash_input(&self, input: &BakeInput<'_>) -> u64 {
        let meshes = input.meshes.as_slice();
        let index_hashes = parallel::map(meshes, |mesh| index_hash(mesh, &|_| true));
        self.of(input).content_hash_while(meshes, index_hashes.into_iter(), &|_| true)
    }

    /// The builder with what an imported model says of itself.
    fn of(&self, input: &BakeInput<'_>) -> Cow<'_, Self> {
        let Some((names, sources)) = input.model else { return Cow::Borrowed(self) };
        Cow::Owned(self.clone().material_names(names.to_vec()).sources(sources.to_vec()))
    }

    fn preset(&self) -> Preset {
        Preset::new(self.quality, self.spatial_budget)
    }

    /// The content hash, never 0. `keep_going` is called with the number of positions that come
    /// next; if it says no, the hash must not be used.
    fn content_hash_while(
        &self,
        meshes: &[MeshView<'_>],
        index_hashes: impl Iterator<Item = u64>,
        keep_going: &(impl Fn(usize) -> bool + Sync),
    ) -> u64 {
        let mut hash = Xxh3::new();
        let settings = Metadata {
            builder: BUILDER.to_owned(),
            quality: self.quality,
            spatial_budget: self.preset().spatial_budget,
            ..Metadata::default()
        };
        hash.update(&FORMAT_VERSION.to_le_bytes());
        // A record this short is always encoded.
        hash.update(&settings.encode().unwrap_or_default());
        hash.update(&[u8::from(self.bad_triangles == BadTriangles::Skip)]);
        hash.update(&source_hash(&self.sources).to_le_bytes());
        hash.update(&(self.material_names.len() as u64).to_le_bytes());
        for name in &self.material_names {
            hash.update(&(name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
        }
        hash.update(&(self.rays.len() as u64).to_le_bytes());
        for ray in &self.rays {
            let [origin, dir] = [ray.origin, ray.dir].map(|v| v.to_array());
            for number in origin.into_iter().chain(dir).chain([ray.t_min, ray.t_max]) {
                hash.update(&number.to_le_bytes());
            }
        }
        for (mesh, index_hash) in meshes.iter().zip(index_hashes) {
            let materials = mesh.materials();
            let materials = materials.map(|given| materials_hash(given, &|_| keep_going(0)));
            for number in [
                mesh.name().len() as u64,
                mesh.user_id(),
                mesh.mask().into(),
                mesh.index_count() as u64,
                index_hash,
                mesh.positions().len() as u64,
                positions_hash(&mesh.positions(), keep_going),
                materials.is_some().into(),
                materials.unwrap_or(0),
            ] {
                hash.update(&number.to_le_bytes());
            }
            hash.update(mesh.name().as_bytes());
            for number in mesh.transform().to_cols_array() {
                hash.update(&number.to_le_bytes());
            }
        }
        hash.digest().max(1)
    }

    fn run(
        &self,
        meshes: &[MeshView<'_>],
        progress: &mut Callback<'_>,
    ) -> Result<(Bvh, BakeReport), BakeError> {
        let preset = self.preset();
        preset.check()?;
        memory_estimate::check(&preset, meshes, self.memory_limit)?;
        let (mut watch, mut stages) = (Stopwatch::start(), Vec::new());
        let mut end = |stage: Stage| stages.push(StageTime { stage, time: watch.lap() });
        let mut progress = progress;
        let monitor = ProgressMonitor::new(&mut progress);

        let gathered = triangles::gather(meshes, self.bad_triangles, &monitor)?;
        let Gathered { mut triangles, records, materials, skipped } = gathered;
        let positions = meshes.iter().map(|mesh| mesh.positions().len()).sum();
        let pass = Pass::new(&monitor, POSITION_UNITS, positions);
        let index_hashes = records.iter().map(|record| record.index_hash);
        let content_hash =
            self.content_hash_while(meshes, index_hashes, &|count| pass.advance(count));
        monitor.check()?;
        end(Stage::Gather);

        if triangles.len() > split::MAX_REFERENCES {
            let message = "there are more triangles than can be numbered";
            return Err(BakeError::new(BakeErrorKind::TooLarge, message));
        }
        monitor.begin(Stage::Split)?;
        let binary = split::split(&mut triangles, &preset, &monitor)?;
        end(Stage::Split);

        monitor.begin(Stage::Collapse)?;
        let sample = RaySample::new(&self.rays, preset.sample_rays, &triangles);
        let collapsed = collapse::collapse(binary, &sample, preset.leaves, &monitor)?;
        end(Stage::Collapse);

        monitor.begin(Stage::Layout)?;
        let wide = emit::emit(collapsed, &triangles, &monitor)?;
        let triangles_kept = triangles.len() as u64;
        drop(triangles);
        let pass = Pass::new(&monitor, emit::COST_UNITS, wide.nodes.len());
        let sah_cost = sah_cost_while(&wide.nodes, |count| pass.advance(count));
        monitor.check()?;
        end(Stage::Layout);

        let summary = BakeSummary {
            triangles_in: records.iter().map(|record| u64::from(record.triangle_count)).sum(),
            triangles_kept,
            references: wide.references as u64,
            skipped_degenerate: skipped.count(SkipReason::Degenerate),
            skipped_non_finite: skipped.count(SkipReason::NonFinite),
            skipped_out_of_range: skipped.count(SkipReason::OutOfRange),
            nodes: wide.nodes.len() as u64,
            leaves: wide.blocks.len() as u64,
            depth: wide.depth,
            sah_cost,
            tree_bytes: (size_of_val(&wide.nodes[..])
                + size_of_val(&wide.blocks[..])
                + size_of_val(&records[..])
                + size_of_val(&materials[..])) as u64,
        };
        let metadata = Metadata {
            builder: BUILDER.to_owned(),
            quality: self.quality,
            spatial_budget: preset.spatial_budget,
            sources: self.sources.clone(),
            mesh_names: meshes.iter().map(|mesh| mesh.name().to_owned()).collect(),
            material_names: self.material_names.clone(),
            summary: summary.clone(),
        };
        let bvh = Bvh::new(Sections {
            nodes: wide.nodes,
            blocks: wide.blocks,
            meshes: records,
            materials,
            metadata: metadata.encode()?,
            user: Vec::new(),
            content_hash,
        });
        monitor.finish()?;
        let total = watch.total();
        Ok((bvh, BakeReport { summary, skipped: skipped.listed, stages, total }))
    }
}
