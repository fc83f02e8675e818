//! The ways in. Each checks everything.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytemuck::Pod;
use glam::Affine3A;

use super::header::{HEADER_LENGTH, Header, INSTANCES, NAMES, SECTIONS, TREES, VOLUMES};
use super::instances::{InstanceRecord, check_instances};
use super::kind::SCENE;
use super::names::Names;
use super::trees::{Source, Tree, TreeRecord, check_trees};
use super::volumes::{VolumeRecord, check_volumes};
use crate::bvh::Bvh;
use crate::error::{LoadError, LoadErrorKind, SceneErrorKind};
use crate::file::{
    ALIGNMENT, ReadAt, TreeHeader, check_aligned, failed, fill, folder, load_if, no_memory,
    read_all, read_exactly,
};
use crate::scene::body::Body;
use crate::scene::instance::Instance;
use crate::scene::scene::Scene;

impl Scene {
    /// Opens a scene's file: reads it into memory of its own, with the trees that it refers to, and
    /// checks everything. The scene is committed once.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or as [`from_bytes`](Self::from_bytes). Trees beside the file
    /// must be those with which it was saved: otherwise the error is of kind
    /// [`Reference`](LoadErrorKind::Reference). No file is opened but those in the same folder that
    /// the scene names. The message begins with the path.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let resolve = |tree: &Tree<'_>, name: &str| {
            // The parent of a bare file name is the empty path, which joins as it should.
            let beside = path.parent().unwrap_or(Path::new("")).join(name);
            open_beside(&beside, tree)
        };
        let open = || {
            let file = File::open(path).map_err(|error| failed("cannot open", error))?;
            match file.metadata() {
                Ok(metadata) if metadata.is_dir() => Err(folder()),
                #[cfg(any(unix, windows))]
                Ok(metadata) if metadata.is_file() => {
                    load(&file, metadata.len(), |range, tree| copied(&file, range, tree), resolve)
                }
                // The length of a pipe or a device is not known.
                _ => read(file, resolve),
            }
        };
        open().map_err(|error| error.in_file(path))
    }

    /// Reads a scene up to the reader's end and checks everything. The scene is committed once.
    ///
    /// It allocates no more than a small multiple of what it has read, whatever the header says.
    /// A `BufReader` gains nothing.
    ///
    /// # Errors
    ///
    /// If reading fails, or as [`from_bytes`](Self::from_bytes).
    pub fn read_from(reader: impl Read) -> Result<Self, LoadError> {
        read(reader, refuse)
    }

    /// Copies a scene out of a file's bytes, which may lie anywhere, and checks everything. The
    /// scene is committed once.
    ///
    /// # Errors
    ///
    /// Unless the bytes are exactly one sound scene of this format version: the
    /// [kind](LoadError::kind) names the fault, the message its place. Never panics, whatever the
    /// bytes. A scene that refers to trees beside it is refused, with kind
    /// [`Reference`](LoadErrorKind::Reference): [`from_bytes_with`](Self::from_bytes_with) takes
    /// it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        let tree = |range, tree: &Tree<'_>| copied(bytes, range, tree);
        load(bytes, bytes.len() as u64, tree, refuse)
    }

    /// As [`from_bytes`](Self::from_bytes), but `tree` gives the trees that the scene refers to, by
    /// the names of their files: for scenes in archives and asset systems.
    ///
    /// ```
    /// use hitscan::scene::Instance;
    /// use hitscan::{Builder, Mesh, Scene};
    ///
    /// let door = Mesh::from_soup(vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 3.0, 0.0]]);
    /// let (door, _report) = Builder::new().bake(&[door])?;
    /// let mut scene = Scene::new();
    /// scene.insert(Instance::new(door.clone()))?;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("level.hscn");
    /// scene.save_with_references(&path, |_| Some("door.hbvh".to_owned()))?;
    ///
    /// let bytes = std::fs::read(&path)?;
    /// let scene = Scene::from_bytes_with(&bytes, |name| {
    ///     (name == "door.hbvh").then(|| door.clone())
    /// })?;
    /// assert_eq!(scene.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`from_bytes`](Self::from_bytes), and of kind [`Reference`](LoadErrorKind::Reference) if
    /// `tree` gives none, or another tree than the one with which the scene was saved.
    pub fn from_bytes_with(
        bytes: &[u8],
        mut tree: impl FnMut(&str) -> Option<Bvh>,
    ) -> Result<Self, LoadError> {
        let resolve = |record: &Tree<'_>, name: &str| {
            let Some(bvh) = tree(name) else {
                return Err(LoadError::new(LoadErrorKind::Reference, "it is not there"));
            };
            record.check(&bvh.file_header())?;
            Ok(bvh)
        };
        let embedded = |range, tree: &Tree<'_>| copied(bytes, range, tree);
        load(bytes, bytes.len() as u64, embedded, resolve)
    }

    /// Uses the trees of a scene in place, in a file's bytes that `owner` holds, and checks
    /// everything. The scene is committed once. The owner is dropped with the last clone of the
    /// last tree.
    ///
    /// The bytes must start on a 64-byte boundary; see [`Bvh::from_owner`]. The owner's `as_ref` is
    /// called once, and once more for each tree.
    ///
    /// # Errors
    ///
    /// Of kind [`Misaligned`](LoadErrorKind::Misaligned) if the bytes start elsewhere, or as
    /// [`from_bytes`](Self::from_bytes).
    pub fn from_owner(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, LoadError> {
        let owner = Arc::new(owner);
        let bytes = (*owner).as_ref();
        // Without embedded trees no alignment is needed; but such bytes are refused always, not
        // sometimes.
        check_aligned(bytes)?;
        let in_place = |range: Range<u64>, tree: &Tree<'_>| {
            // Within the bytes, so that these fit.
            let range = range.start as usize..range.end as usize;
            let part = bytes.get(range.clone()).unwrap_or_default();
            tree.check(&TreeHeader::parse(part)?)?;
            Bvh::from_owner(Part { owner: owner.clone(), range })
        };
        load(bytes, bytes.len() as u64, in_place, refuse)
    }
}

/// A tree within the bytes of an owner.
struct Part<O> {
    owner: Arc<O>,
    range: Range<usize>,
}

impl<O: AsRef<[u8]>> AsRef<[u8]> for Part<O> {
    fn as_ref(&self) -> &[u8] {
        (*self.owner).as_ref().get(self.range.clone()).unwrap_or_default()
    }
}

/// A tree in memory of its own, from a part of a file.
fn copied<B: ReadAt + ?Sized>(
    bytes: &B,
    range: Range<u64>,
    tree: &Tree<'_>,
) -> Result<Bvh, LoadError> {
    /// A part of a file, as a file.
    struct Section<'a, B: ?Sized> {
        bytes: &'a B,
        range: Range<u64>,
    }
    impl<B: ReadAt + ?Sized> ReadAt for Section<'_, B> {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            let at = self.range.start.saturating_add(offset);
            let left = self.range.end.saturating_sub(at);
            let length = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            self.bytes.read_at(&mut buffer[..length], at)
        }
    }
    let length = range.end - range.start;
    load_if(&Section { bytes, range }, length, |header| tree.check(header))
}

/// The tree of a file beside the scene's.
fn open_beside(path: &Path, tree: &Tree<'_>) -> Result<Bvh, LoadError> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            LoadError::new(LoadErrorKind::Reference, "it is not beside the scene")
        }
        _ => failed("cannot open", error),
    })?;
    // A pipe or a device is not even opened.
    if !metadata.is_file() {
        return Err(LoadError::new(LoadErrorKind::Reference, "it is not a file"));
    }
    tree.check_length(metadata.len())?;
    #[cfg(any(unix, windows))]
    let bytes = &File::open(path).map_err(|error| failed("cannot open", error))?;
    #[cfg(not(any(unix, windows)))]
    let bytes = fs::read(path).map_err(|error| failed("cannot open", error))?;
    #[cfg(not(any(unix, windows)))]
    let bytes = &bytes[..];
    load_if(bytes, tree.length, |header| tree.check(header))
}

/// Refuses a tree that a scene refers to.
fn refuse(_: &Tree<'_>, _: &str) -> Result<Bvh, LoadError> {
    let message = "bytes in memory have no files beside them; see `Scene::open` and \
                   `Scene::from_bytes_with`";
    Err(LoadError::new(LoadErrorKind::Reference, message))
}

/// Reads a scene from a stream.
fn read(
    reader: impl Read,
    resolve: impl FnMut(&Tree<'_>, &str) -> Result<Bvh, LoadError>,
) -> Result<Scene, LoadError> {
    let total = |start: &[u8]| Header::parse(start).map(|header| header.total_length);
    let lines = read_all(reader, &SCENE, HEADER_LENGTH, total)?;
    let bytes = lines.as_ref();
    load(bytes, bytes.len() as u64, |range, tree| copied(bytes, range, tree), resolve)
}

/// Loads a scene that is all of `length` bytes, and checks everything. `embedded` gives a tree of
/// which the bytes are there, `resolve` one of which only the name is.
fn load(
    bytes: &(impl ReadAt + ?Sized),
    length: u64,
    mut embedded: impl FnMut(Range<u64>, &Tree<'_>) -> Result<Bvh, LoadError>,
    mut resolve: impl FnMut(&Tree<'_>, &str) -> Result<Bvh, LoadError>,
) -> Result<Scene, LoadError> {
    let mut start = [0; HEADER_LENGTH];
    let filled = fill(&mut start, 0, |rest, at| bytes.read_at(rest, at))?;
    let header = Header::parse(&start[..filled])?;
    // Before any memory is taken: there are bytes for all that the header asks for.
    header.check_length(length)?;
    let exactly =
        |buffer: &mut [u8], offset| read_exactly(bytes, buffer, offset, header.total_length);
    for (start, end) in header.padding() {
        let padding = &mut [0; ALIGNMENT][..(end - start) as usize];
        exactly(padding, start)?;
        SCENE.check_zero(padding, start)?;
    }
    let sections = Sections::read(&header, exactly)?;

    let mut names = Names::new(&sections.names);
    let end = header.total_length;
    let trees = check_trees(&sections.trees, &mut names, header.trees_start(), end)?;
    let (instances, volumes) = (&sections.instances, sections.volumes.len());
    let instance_names = check_instances(instances, &mut names, trees.len(), volumes)?;
    names.finish()?;
    let volumes = check_volumes(&sections.volumes)?;

    let mut bvhs = Vec::with_capacity(trees.len());
    for (number, tree) in trees.iter().enumerate() {
        let bvh = match tree.source {
            Source::Embedded(offset) => embedded(offset..offset + tree.length, tree),
            Source::Beside(name) => {
                resolve(tree, name).map_err(|error| error.within(format_args!("`{name}`")))
            }
        };
        bvhs.push(bvh.map_err(|error| error.within(format_args!("tree {number}")))?);
    }
    let mut scene = Scene::new();
    for (number, (record, name)) in sections.instances.iter().zip(instance_names).enumerate() {
        let number_of_body = record.body as usize;
        let body = match record.has_volume() {
            true => Body::from(volumes[number_of_body]),
            false => Body::from(&bvhs[number_of_body]),
        };
        let instance = Instance::new(body)
            .with_transform(Affine3A::from_cols_array(&record.transform))
            .with_mask(record.mask)
            .with_user_id(record.user_id)
            .with_name(name);
        let put = scene.insert(instance).and_then(|id| match record.is_enabled() {
            true => Ok(()),
            false => scene.disable(id),
        });
        put.map_err(|error| {
            let is_volume = error.kind() == SceneErrorKind::InvalidVolume;
            let invariant = if is_volume { "I16" } else { "I13" };
            SCENE.invalid(invariant, format!("instance {number}: {error}"))
        })?;
    }
    scene.commit();
    Ok(scene)
}

/// The sections, whose checksums are right.
struct Sections {
    trees: Vec<TreeRecord>,
    instances: Vec<InstanceRecord>,
    volumes: Vec<VolumeRecord>,
    names: Vec<u8>,
}

impl Sections {
    fn read(
        header: &Header,
        exactly: impl Fn(&mut [u8], u64) -> Result<(), LoadError>,
    ) -> Result<Self, LoadError> {
        fn section<T: Pod>(
            number: usize,
            header: &Header,
            exactly: impl Fn(&mut [u8], u64) -> Result<(), LoadError>,
        ) -> Result<Vec<T>, LoadError> {
            let (offset, length) = header.place(number);
            let count = usize::try_from(length).unwrap_or(usize::MAX) / size_of::<T>();
            let mut elements = Vec::new();
            let room = elements.try_reserve_exact(count);
            room.map_err(|error| no_memory::<T>(count, error))?;
            elements.resize(count, T::zeroed());
            exactly(bytemuck::cast_slice_mut(&mut elements), offset)?;
            header.check_section(number, bytemuck::cast_slice(&elements))?;
            Ok(elements)
        }
        const { assert!(SECTIONS == 4) }
        Ok(Self {
            trees: section(TREES, header, &exactly)?,
            instances: section(INSTANCES, header, &exactly)?,
            volumes: section(VOLUMES, header, &exactly)?,
            names: section(NAMES, header, &exactly)?,
        })
    }
}
