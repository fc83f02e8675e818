//! The builder: options in, tree and report out.

use std::ops::ControlFlow;
use std::time::Instant;

use super::buffers::{Afterwards, Buffers};
use super::bvh2::SERIAL_LIMIT;
use super::content_hash::Recipe;
use super::pass::Pass;
use super::progress::{Callback, ProgressMonitor};
use super::ray_sample::{self, RaySample};
use super::split::build;
use super::triangles::POSITION_UNITS;
use super::{
    BadTriangles, BakeOptions, BakeReport, BakeSummary, Progress, Quality, SkipReason, Stage,
    StageTime,
};
use super::{collapse, emit, memory_estimate, triangles};
use crate::bvh::{Bvh, Sections, sah_cost_while};
use crate::error::{BakeError, BakeErrorKind};
use crate::file::Metadata;
use crate::file::Source;
use crate::geometry::Ray;
use crate::mesh::index_hash;
use crate::mesh::{Mesh, MeshView};
use crate::platform::parallel;

/// The crate and version that bakes.
const BUILDER: &str = concat!("hitscan ", env!("CARGO_PKG_VERSION"));

/// Bakes meshes into a [`Bvh`].
///
/// The same meshes and options give the same tree, byte for byte, on any machine and with any
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
    options: BakeOptions,
    bad_triangles: BadTriangles,
    threads: Option<usize>,
    rays: Vec<Ray>,
    sources: Vec<Source>,
    material_names: Vec<String>,
    memory_limit: Option<u64>,
}

impl Builder {
    /// A builder with default options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How much work goes into the tree. Default: [`Quality::Balanced`].
    #[must_use]
    pub fn quality(self, quality: Quality) -> Self {
        self.options(quality.options())
    }

    /// How the tree is built, in every detail. Default: those of [`Quality::Balanced`].
    #[must_use]
    pub fn options(self, options: BakeOptions) -> Self {
        Self { options, ..self }
    }

    /// What to do with triangles that have non-finite coordinates or name vertices that are
    /// not there. Default: refuse them. (Triangles without area are always left out and
    /// counted.)
    #[must_use]
    pub fn bad_triangles(self, bad_triangles: BadTriangles) -> Self {
        Self { bad_triangles, ..self }
    }

    /// Bakes with this many threads of its own; 0 means as many as the machine has. Default:
    /// the rayon pool that the caller is in, or the global one. Without the feature `parallel`
    /// there is one thread whatever is asked for.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// Rays like those that the tree will be asked, a thousand or more: taken here and there from a run of the
    /// program, or cast where its users will be. Such rays will cost less, others hardly more, and all have
    /// the same hits: two rays from anywhere count for each of these. Where these are all that matter, let
    /// [`BakeOptions::sample_rays`] be 0. Rays that could hit nothing at all ([`Ray`]) do not count; of more than
    /// 65,536 at most as many do, evenly taken. Default: none.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// # let floor = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [0.0, 0.0, 9.0], [9.0, 0.0, 0.0]]);
    /// // As a run of the program has noted them.
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

    /// The files that the meshes come from, to be named in the baked file.
    #[must_use]
    pub fn sources(self, sources: Vec<Source>) -> Self {
        Self { sources, ..self }
    }

    /// Names of the materials, by the numbers that [triangles have](crate::Mesh::materials), to travel with the
    /// tree ([`Bvh::material_name`](crate::Bvh::material_name)); those of an
    /// [`Import`](crate::mesh), say. Default: none.
    #[must_use]
    pub fn material_names(self, material_names: Vec<String>) -> Self {
        Self { material_names, ..self }
    }

    /// Refuses to begin a bake that is [expected](Self::memory_estimate) to take more than so many
    /// bytes. Default: no limit. Where the system promises more memory than it has, as Linux does,
    /// this is what keeps a bake from being ended half-way.
    #[must_use]
    pub fn memory_limit(self, bytes: u64) -> Self {
        Self { memory_limit: Some(bytes), ..self }
    }

    /// About how many bytes a bake of these meshes takes at its peak, the tree itself included and
    /// the meshes not: 145 to 200 a triangle with the presets. Most levels take an eighth to a third
    /// less. More is taken where almost every leaf is left to one triangle or two, as of tiny triangles
    /// scattered in space (300 bytes), or if [`BakeOptions::leaf_cost`] is twice the nodes' (550); and by
    /// meshes themselves, some 200 bytes each, which count where they have few triangles.
    #[must_use]
    pub fn memory_estimate(&self, meshes: &[MeshView<'_>]) -> u64 {
        memory_estimate::estimate(&self.options, Afterwards::Free, meshes)
    }

    /// Bakes meshes, which number from 0 in this order. No triangles at all make an empty tree,
    /// whose queries miss.
    ///
    /// # Errors
    ///
    /// On options out of range, bad triangles (unless skipped), half triangles, a wrong number of
    /// materials, more than 2^32 - 2 triangles or 2^31 that have an area, too little memory (or more than
    /// the [limit](Self::memory_limit)), or [`threads`](Self::threads) that do not start. (If rayon cannot start
    /// its global pool, it panics.)
    pub fn bake(&self, meshes: &[Mesh]) -> Result<(Bvh, BakeReport), BakeError> {
        let views: Vec<_> = meshes.iter().map(Mesh::view).collect();
        self.bake_views(&views)
    }

    /// Bakes meshes from the caller's own buffers.
    ///
    /// # Errors
    ///
    /// As [`bake`](Self::bake).
    pub fn bake_views(&self, meshes: &[MeshView<'_>]) -> Result<(Bvh, BakeReport), BakeError> {
        self.bake_with_progress(meshes, &mut |_| ControlFlow::Continue(()))
    }

    /// Bakes, and calls `progress` on the way, from any of the threads but never from two at
    /// once: after some ten thousand triangles' work at most, whatever the work is. The fraction never
    /// falls and ends at 1. `Break` ends the bake, a few milliseconds later, with an error of kind
    /// [`Cancelled`](crate::BakeErrorKind::Cancelled).
    ///
    /// # Errors
    ///
    /// As [`bake`](Self::bake), or when cancelled.
    pub fn bake_with_progress(
        &self,
        meshes: &[MeshView<'_>],
        progress: &mut (dyn FnMut(Progress) -> ControlFlow<()> + Send),
    ) -> Result<(Bvh, BakeReport), BakeError> {
        self.bake_in(&mut Buffers::default(), meshes, progress)
    }

    /// Bakes in the memory of another bake.
    pub(super) fn bake_in(
        &self,
        buffers: &mut Buffers,
        meshes: &[MeshView<'_>],
        progress: &mut Callback<'_>,
    ) -> Result<(Bvh, BakeReport), BakeError> {
        let triangles: usize = meshes.iter().map(MeshView::triangle_count).sum();
        let worthwhile = triangles >= SERIAL_LIMIT;
        parallel::on_threads(self.threads, worthwhile, || self.run(buffers, meshes, progress))?
    }

    /// One number for all that decides what a bake of these meshes gives: the meshes, the options,
    /// the [`sources`](Self::sources), and this version of the crate and its format. It is stored
    /// in the baked file ([`Bvh::content_hash`], and bytes 56 to 64), so that a build step can tell
    /// whether there is anything to do. xxh3-64 throughout: against accidents, not against forgers.
    /// Takes O(bytes), much less than a bake.
    #[must_use]
    pub fn content_hash(&self, meshes: &[MeshView<'_>]) -> u64 {
        let index_hashes = parallel::map(meshes, |mesh| index_hash(mesh, &|_| true));
        let index_hashes = index_hashes.into_iter();
        self.recipe().content_hash(meshes, index_hashes, &|_| true)
    }

    fn recipe(&self) -> Recipe<'_> {
        Recipe {
            builder: BUILDER,
            options: &self.options,
            bad_triangles: self.bad_triangles,
            rays: &self.rays,
            sources: &self.sources,
            material_names: &self.material_names,
        }
    }

    fn run(
        &self,
        buffers: &mut Buffers,
        meshes: &[MeshView<'_>],
        progress: &mut Callback<'_>,
    ) -> Result<(Bvh, BakeReport), BakeError> {
        self.options.check()?;
        let afterwards = buffers.afterwards;
        memory_estimate::check(&self.options, afterwards, meshes, self.memory_limit)?;
        let mut clock = Clock::start();
        let mut progress = progress;
        let monitor = ProgressMonitor::new(&mut progress);

        let mut gathered = triangles::gather(meshes, self.bad_triangles, buffers, &monitor)?;
        let positions = meshes.iter().map(|mesh| mesh.positions().len()).sum();
        let pass = Pass::new(&monitor, POSITION_UNITS, positions);
        let keep_going = |count: usize| pass.advance_over(count);
        let index_hashes = gathered.records.iter().map(|record| record.index_hash);
        let recipe = self.recipe();
        let content_hash = recipe.content_hash(meshes, index_hashes, &keep_going);
        monitor.check()?;
        clock.lap(Stage::Gather);

        let count = gathered.kept.len();
        if count > build::MAX_REFERENCES {
            let message = "there are more triangles than can be numbered";
            return Err(BakeError::new(BakeErrorKind::TooLarge, message));
        }
        monitor.begin(Stage::Split)?;
        let binary = build::split(&mut gathered.kept, &self.options, buffers, &monitor)?;
        clock.lap(Stage::Split);

        monitor.begin(Stage::Collapse)?;
        let test_rng = self.options.sample_rays as usize;
        let sample = RaySample::new(&self.rays, test_rng, &gathered.kept);
        let collapsed = collapse::collapse(binary, &sample, &self.options, buffers, &monitor)?;
        clock.lap(Stage::Collapse);

        monitor.begin(Stage::Layout)?;
        let wide = emit::emit(collapsed, &gathered.kept, &self.options, buffers, &monitor)?;
        buffers.give_back_kept(gathered.kept);
        let pass = Pass::new(&monitor, emit::COST_UNITS, wide.nodes.len());
        let sah_cost = sah_cost_while(&wide.nodes, |count| pass.advance_over(count));
        monitor.check()?;
        clock.lap(Stage::Layout);

        let triangles_in: u64 = gathered.records.iter().map(|r| u64::from(r.triangle_count)).sum();
        let summary = BakeSummary {
            triangles_in,
            triangles_kept: count as u64,
            references: wide.references as u64,
            skipped_degenerate: gathered.skipped.count(SkipReason::Degenerate),
            skipped_non_finite: gathered.skipped.count(SkipReason::NonFinite),
            skipped_out_of_range: gathered.skipped.count(SkipReason::OutOfRange),
            nodes: wide.nodes.len() as u64,
            leaves: wide.blocks.len() as u64,
            depth: wide.depth,
            sah_cost,
            tree_bytes: (size_of_val(&wide.nodes[..])
                + size_of_val(&wide.blocks[..])
                + size_of_val(&gathered.records[..])
                + size_of_val(&gathered.materials[..])) as u64,
        };
        let metadata = Metadata {
            builder: BUILDER.to_owned(),
            options: self.options,
            sources: self.sources.clone(),
            mesh_names: meshes.iter().map(|mesh| mesh.name().to_owned()).collect(),
            material_names: self.material_names.clone(),
            summary: summary.clone(),
        };
        let bvh = Bvh::new(Sections {
            nodes: wide.nodes,
            blocks: wide.blocks,
            meshes: gathered.records,
            materials: gathered.materials,
            metadata: metadata.encode()?,
            user: Vec::new(),
            content_hash,
        });
        monitor.finish()?;
        let (stages, total) = clock.stop();
        Ok((bvh, BakeReport { summary, skipped: gathered.skipped.into_list(), stages, total }))
    }
}

/// Times the stages.
struct Clock {
    start: Instant,
    lap: Instant,
    stages: Vec<StageTime>,
}

impl Clock {
    fn start() -> Self {
        let now = Instant::now();
        Self { start: now, lap: now, stages: Vec::new() }
    }

    fn lap(&mut self, stage: Stage) {
        let now = Instant::now();
        self.stages.push(StageTime { stage, time: now - self.lap });
        self.lap = now;
    }

    fn stop(self) -> (Vec<StageTime>, std::time::Duration) {
        (self.stages, self.start.elapsed())
    }
}
