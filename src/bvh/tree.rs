//! The baked tree: a handle, and the memory behind it.

use std::fmt;
use std::mem::MaybeUninit;
use std::sync::{Arc, OnceLock};

use super::cost::subtree_areas;
use super::mesh_bounds::mesh_bounds;
use super::names::NameTable;
use super::owner::{Owner, lend, own, share};
use super::pieces::{self, PieceEnd};
use super::places::Places;
use super::solids::Solids;
use super::view::{Facts, TreeView};
use super::{Keyed, LeafBlock, MeshRecord, Node, UNUSED_ID};
use crate::error::LoadError;
use crate::geometry::Aabb;

/// A baked tree.
///
/// It comes from a [`Builder`](crate::Builder), a file or bytes in memory (see
/// [`file`](crate::file) for the ways in), and answers queries from any number of threads at once.
///
/// A `Bvh` is a handle: a clone shares the memory of the tree, and costs a few reference counts.
/// [`refit`](Self::refit), [`refit_mesh`](Self::refit_mesh) and
/// [`apply_transform`](Self::apply_transform) write in place what this handle alone holds in memory
/// of its own. What clones hold too, or a
/// mapping or another owner, they copy first; [`set_mask`](Self::set_mask) and
/// [`set_user_data`](Self::set_user_data) always copy what they change. So other clones stay as
/// they are. The memory is freed with the last clone.
///
/// ```
/// use hitscan::glam::{Affine3A, Vec3};
/// use hitscan::{Builder, Mesh, Query, Ray};
///
/// let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
/// let (wall, _report) = Builder::new().bake(&[wall])?;
/// let mut moved = wall.clone();
/// moved.apply_transform(&Affine3A::from_translation(Vec3::new(0.0, 0.0, 5.0)))?;
///
/// let ray = Ray::new([0.5, 0.5, 0.0], [0.0, 0.0, 1.0]);
/// assert_eq!(wall.closest_hit(&ray, &Query::new()).unwrap().t, 1.0);
/// assert_eq!(moved.closest_hit(&ray, &Query::new()).unwrap().t, 6.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Bvh {
    /// What queries read, with nothing between it and them. It borrows from the owners' memory,
    /// whose lifetime has no name. In a `MaybeUninit`, so that the references need not be valid
    /// while the handle is dropped and the memory goes.
    view: MaybeUninit<TreeView<'static>>,
    owners: Owners,
    tables: Arc<Tables>,
    measures: Arc<Measures>,
    /// The [areas](super::cost::subtree_areas) of all subtrees, once triangles have moved.
    areas: Option<Arc<Vec<f64>>>,
    /// The hash of all that answers depend on, when it is first asked for.
    #[cfg(feature = "record")]
    answers_hash: Arc<OnceLock<u64>>,
}

/// See [`Bvh::key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BvhKey([usize; 6]);

/// Tables that are made when they are first asked for. They are the same for all clones: a change
/// of the tree leaves names, ids and the places of triangles as they are.
#[derive(Default)]
pub(super) struct Tables {
    slots: OnceLock<Vec<Keyed>>,
    pub(super) names: OnceLock<NameTable>,
    places: OnceLock<Arc<Places>>,
    piece_ends: OnceLock<Arc<Vec<PieceEnd>>>,
}

/// Facts of the triangles where they are: made when they are first asked for, and again after
/// triangles have moved.
#[derive(Default)]
struct Measures {
    solids: OnceLock<Solids>,
    mesh_bounds: OnceLock<Vec<Aabb>>,
}

/// The owners of nodes, leaf blocks, meshes, materials, metadata and user data: of a file's bytes,
/// the same one for all.
type Owners = [Owner; 6];

/// The sections of a tree in memory of their own, before they are shared.
#[derive(Clone, Default)]
pub(crate) struct Sections {
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<LeafBlock>,
    pub(crate) meshes: Vec<MeshRecord>,
    pub(crate) materials: Vec<u32>,
    pub(crate) metadata: Vec<u8>,
    pub(crate) user: Vec<u8>,
    pub(crate) content_hash: u64,
}

impl Bvh {
    /// A tree over sections in memory of their own.
    pub(crate) fn new(sections: Sections) -> Self {
        let Sections { nodes, blocks, meshes, materials, metadata, user, content_hash } = sections;
        let facts = Facts::new(&nodes, &meshes);
        let (nodes_owner, nodes) = share(nodes, |nodes| nodes);
        let (blocks_owner, blocks) = share(blocks, |blocks| blocks);
        let (meshes_owner, meshes) = share(meshes, |meshes| meshes);
        let (materials_owner, materials) = share(materials, |materials| materials);
        let (metadata_owner, metadata) = share(metadata, |metadata| metadata);
        let (user_owner, user) = share(user, |user| user);
        let view =
            TreeView { nodes, blocks, meshes, materials, metadata, user, content_hash, facts };
        let owners =
            [nodes_owner, blocks_owner, meshes_owner, materials_owner, metadata_owner, user_owner];
        Self {
            view: MaybeUninit::new(view),
            owners,
            tables: Arc::default(),
            measures: Arc::default(),
            areas: None,
            #[cfg(feature = "record")]
            answers_hash: Arc::default(),
        }
    }

    /// A tree in place, over the bytes of an owner, in which `find` finds it.
    pub(crate) fn over(
        owner: impl AsRef<[u8]> + Send + Sync + 'static,
        find: impl for<'a> FnOnce(&'a [u8]) -> Result<TreeView<'a>, LoadError>,
    ) -> Result<Self, LoadError> {
        // `as_ref` is called once only, as it may give something else each time.
        let (owner, bytes) = share(owner, |owner| owner.as_ref());
        let view = find(bytes)?;
        let owners = [(); 6].map(|()| owner.clone());
        let view = MaybeUninit::new(view);
        Ok(Self {
            view,
            owners,
            tables: Arc::default(),
            measures: Arc::default(),
            areas: None,
            #[cfg(feature = "record")]
            answers_hash: Arc::default(),
        })
    }

    /// What kernels see of the tree.
    #[inline(always)]
    pub(crate) fn view(&self) -> &TreeView<'_> {
        // SAFETY: every `Bvh` is made with one, whose memory the owners keep as long as `self`.
        unsafe { self.view.assume_init_ref() }
    }

    /// What tells this tree from others: where its parts lie in memory. Clones have the same, until
    /// one of them changes.
    pub(crate) fn key(&self) -> BvhKey {
        BvhKey(self.view().sections().map(|section| section.as_ptr() as usize))
    }

    #[inline]
    pub(super) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// What the triangles enclose.
    pub(crate) fn solids(&self) -> &Solids {
        let TreeView { meshes, blocks, .. } = self.view();
        let new = || Solids::new(meshes, blocks, self.slots(), self.all_mesh_bounds());
        self.measures.solids.get_or_init(new)
    }

    /// The box of each mesh's triangles.
    pub(crate) fn all_mesh_bounds(&self) -> &[Aabb] {
        let TreeView { meshes, blocks, .. } = self.view();
        self.measures.mesh_bounds.get_or_init(|| mesh_bounds(meshes, blocks))
    }

    /// The id of each triangle, in order, and where it is stored: leaf block times `LANES` plus
    /// lane. Of a triangle that a spatial split cut, the first place.
    pub(crate) fn slots(&self) -> &[Keyed] {
        self.tables.slots.get_or_init(|| {
            let ids = self.view().blocks.iter().flat_map(|block| block.id);
            let places = ids.zip(0..).filter(|&(id, _)| id != UNUSED_ID);
            let mut slots: Vec<_> = places.map(|(id, place)| Keyed::new(id, place)).collect();
            Keyed::sort(&mut slots);
            slots.dedup_by_key(|slot| slot.key());
            slots
        })
    }

    /// Where a triangle is stored.
    pub(crate) fn slot(&self, id: u32) -> Option<u32> {
        let slots = self.slots();
        let at = slots.binary_search_by_key(&id, |slot| slot.key()).ok()?;
        Some(slots[at].number())
    }

    /// Where the triangles of each mesh are stored, and below which nodes.
    pub(super) fn places(&self) -> Arc<Places> {
        let TreeView { nodes, blocks, meshes, .. } = self.view();
        let places = || Arc::new(Places::new(nodes, blocks, meshes));
        Arc::clone(self.tables.places.get_or_init(places))
    }

    /// Where the tree is cut when it is moved piece by piece.
    pub(super) fn piece_ends(&self) -> Arc<Vec<PieceEnd>> {
        let TreeView { nodes, blocks, .. } = self.view();
        let ends = || Arc::new(pieces::ends(nodes, blocks.len()));
        Arc::clone(self.tables.piece_ends.get_or_init(ends))
    }

    /// Lets `change` write the nodes and leaf blocks of this handle. It also gets the areas of all
    /// subtrees, which must be right again when it returns.
    pub(super) fn change<R>(
        &mut self,
        change: impl FnOnce(&mut [Node], &mut [LeafBlock], &mut [f64]) -> R,
    ) -> R {
        let areas = self.areas.take().unwrap_or_else(|| Arc::new(subtree_areas(self.view().nodes)));
        let areas = Arc::make_mut(self.areas.insert(areas));
        // SAFETY: as in `view`; a slice is never put there without its owner.
        let view = unsafe { self.view.assume_init_mut() };
        let [nodes_owner, blocks_owner, ..] = &mut self.owners;
        // The tree is empty meanwhile: should `change` panic, half a change is never seen.
        view.facts = Facts { common_mask: view.facts.common_mask, ..Facts::EMPTY };
        let nodes = own(nodes_owner, &mut view.nodes);
        let blocks = own(blocks_owner, &mut view.blocks);
        let result = change(nodes, blocks, areas);
        view.nodes = lend(nodes_owner);
        view.blocks = lend(blocks_owner);
        let common_mask = view.facts.common_mask;
        view.facts = Facts { common_mask, ..Facts::new(view.nodes, &[]) };
        // It is no longer what its meshes bake to.
        view.content_hash = 0;
        self.measures = Arc::default();
        #[cfg(feature = "record")]
        self.forget_answers_hash();
        result
    }

    /// Puts other meshes in place of the meshes of this handle.
    pub(super) fn replace_meshes(&mut self, meshes: Vec<MeshRecord>) {
        // SAFETY: as in `view`; the owner of the new slice is put there with it.
        let view = unsafe { self.view.assume_init_mut() };
        let [_, _, meshes_owner, ..] = &mut self.owners;
        (*meshes_owner, view.meshes) = share(meshes, |meshes| meshes);
        view.facts = Facts::new(view.nodes, view.meshes);
        view.content_hash = 0;
        #[cfg(feature = "record")]
        self.forget_answers_hash();
    }

    /// The hash of all that answers depend on, made by `hash` when it is first asked for and again
    /// after a change.
    #[cfg(feature = "record")]
    pub(crate) fn answers_hash(&self, hash: fn(&Self) -> u64) -> u64 {
        // Not while others wait: it runs on all threads, and one of them may ask for it meanwhile.
        let hash = self.answers_hash.get().copied().unwrap_or_else(|| hash(self));
        *self.answers_hash.get_or_init(|| hash)
    }

    #[cfg(feature = "record")]
    fn forget_answers_hash(&mut self) {
        self.answers_hash = Arc::default();
    }

    /// Bytes of the caller's own that travel with the tree, such as spawn points or the sounds of
    /// materials. The crate does not interpret them. Checked ways in compare their checksum only;
    /// the caller must check the contents. Empty unless [set](Self::set_user_data).
    ///
    /// They start on a 64-byte boundary where the tree is used in place
    /// (see [the ways in](crate::file#ways-in)).
    #[must_use]
    pub fn user_data(&self) -> &[u8] {
        self.view().user
    }

    /// Replaces the caller's own bytes in the tree, at most 2^40. They are [saved](Self::save) with
    /// it. Other clones keep what they had.
    pub fn set_user_data(&mut self, bytes: Vec<u8>) {
        let (owner, user) = share(bytes, |bytes| bytes);
        let [.., user_owner] = &mut self.owners;
        *user_owner = owner;
        // SAFETY: as in `view`; the owner of the new slice is in place.
        unsafe { self.view.assume_init_mut() }.user = user;
    }

    /// Puts a mesh into other layers and returns those it was in. If there is no such mesh, it
    /// returns `None` and changes nothing.
    ///
    /// A query sees the meshes whose layers have a bit in common with its
    /// [mask](crate::Query::mask); a mesh with mask 0 is seen by none. So an opened door
    /// blocks no more rays, without a new bake. Layers are saved with the tree. Other clones
    /// keep theirs. Takes time and memory in proportion to the number of meshes.
    ///
    /// The tree is no longer what its meshes bake to, so it loses its
    /// [`content_hash`](Self::content_hash).
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let door = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
    /// let (mut bvh, _) = Builder::new().bake(&[door])?;
    /// let sight = Ray::between([0.5, 1.0, 0.0], [0.5, 1.0, 9.0]);
    /// assert!(bvh.any_hit(&sight, &Query::new()));
    /// let shut = bvh.set_mask(0, 0).unwrap();
    /// assert!(!bvh.any_hit(&sight, &Query::new()));
    /// bvh.set_mask(0, shut);
    /// assert!(bvh.any_hit(&sight, &Query::new()));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    pub fn set_mask(&mut self, mesh: u32, mask: u32) -> Option<u32> {
        let before = self.mesh(mesh)?.mask;
        let mut meshes = self.view().meshes.to_vec();
        meshes[mesh as usize].mask = mask;
        self.replace_meshes(meshes);
        Some(before)
    }

    /// How many meshes the tree was baked from.
    #[must_use]
    pub fn mesh_count(&self) -> u32 {
        self.view().meshes.len() as u32
    }

    /// What the tree stores about a mesh, by its number in the bake; `None` past the last.
    #[must_use]
    pub fn mesh(&self, mesh: u32) -> Option<MeshInfo> {
        let record = self.view().meshes.get(mesh as usize)?;
        Some(MeshInfo {
            triangles: record.triangle_count,
            vertices: record.vertex_count,
            user_id: record.user_id,
            mask: record.mask,
        })
    }

    /// The [`content_hash`](crate::Builder::content_hash) of the bake that the tree is from; `None`
    /// if the tree was refitted, moved or put into other layers since.
    #[must_use]
    pub fn content_hash(&self) -> Option<u64> {
        let hash = self.view().content_hash;
        (hash != 0).then_some(hash)
    }

    /// The box of all triangles; [`Aabb::EMPTY`] where there are none.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.view().facts.bounds()
    }
}

/// What a tree stores about a mesh, besides its [name](Bvh::mesh_name).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeshInfo {
    /// Triangles as the caller counted them, skipped ones included.
    pub triangles: u32,
    /// Positions in the caller's buffer.
    pub vertices: u32,
    /// The caller's number.
    pub user_id: u64,
    /// Layers.
    pub mask: u32,
}

/// The number of nodes, leaves and meshes: the nodes themselves would be megabytes of text.
impl fmt::Debug for Bvh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let view = self.view();
        f.debug_struct("Bvh")
            .field("nodes", &view.nodes.len())
            .field("leaves", &view.blocks.len())
            .field("meshes", &view.meshes.len())
            .field("bounds", &self.bounds())
            .field("content_hash", &self.content_hash())
            .field("user_data", &view.user.len())
            .finish_non_exhaustive()
    }
}

impl PartialEq for Bvh {
    /// Whether the two are the same bit for bit: the same tree in the same order, not merely
    /// the same geometry.
    fn eq(&self, other: &Self) -> bool {
        // As bytes: the unused lanes of leaf blocks hold NaNs, and minus zero is not zero.
        let (a, b) = (self.view(), other.view());
        a.sections() == b.sections() && a.content_hash == b.content_hash
    }
}

impl Eq for Bvh {}
