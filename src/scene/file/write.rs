//! The ways out: bytes, a writer, a file.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use super::header::{Header, trees_start};
use super::instances::InstanceRecord;
use super::trees::{BESIDE, EMBEDDED, TreeRecord, check_file_name};
use super::volumes::VolumeRecord;
use crate::bvh::{Bvh, BvhKey};
use crate::error::SceneError;
use crate::file::{TreeHeader, check_host, save_with, write_padded};
use crate::scene::body::Body;
use crate::scene::instance::Instance;
use crate::scene::scene::Scene;

impl Scene {
    /// Writes the scene as a file's bytes, with all trees embedded, each once. The same scene gives
    /// the same bytes, whatever its handles are.
    ///
    /// It writes few, large pieces, so that a `BufWriter` gains nothing, and does not flush. It
    /// reads each tree twice: once for the checksums, once to write.
    ///
    /// # Errors
    ///
    /// Only the errors of `writer`; and on a big-endian host, always, of kind
    /// [`Unsupported`](io::ErrorKind::Unsupported).
    pub fn write_to(&self, mut writer: impl Write) -> io::Result<()> {
        check_host().map_err(|error| io::Error::new(io::ErrorKind::Unsupported, error))?;
        Plan::new(self, |_| None)?.write(&mut writer)
    }

    /// The scene as a file's bytes, as [`write_to`](Self::write_to) writes them.
    ///
    /// On a big-endian host the endianness word is wrong, and every reader refuses the bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Without references nothing can be wrong, and writing to a vector cannot fail.
        if let Ok(plan) = Plan::new(self, |_| None) {
            bytes.reserve_exact(plan.header.total_length as usize);
            let _ = plan.write(&mut bytes);
        }
        bytes
    }

    /// Saves the scene as one file, with all trees embedded, each once: the old file or the whole
    /// new one is there, whatever happens in between. See [`Bvh::save`].
    ///
    /// # Errors
    ///
    /// The errors of the file system, with the path in the message; and on a big-endian host,
    /// always, of kind [`Unsupported`](io::ErrorKind::Unsupported).
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.save_with_references(path, |_| None)
    }

    /// As [`save`](Self::save), but trees for which `file` gives a name are not embedded: the scene
    /// refers to files of these names beside it, by their length and checksum.
    ///
    /// `file` is called once for each tree, in the order in which instances first use them. It
    /// decides which file holds the tree, and can [save](Bvh::save) it. The names are file names in
    /// the same folder, with no path in front.
    ///
    /// ```
    /// use hitscan::scene::Instance;
    /// use hitscan::{Builder, LoadErrorKind, Mesh, Scene};
    ///
    /// let door = Mesh::from_soup(vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 3.0, 0.0]]);
    /// let (door, _report) = Builder::new().bake(&[door])?;
    /// let mut scene = Scene::new();
    /// scene.insert(Instance::new(door.clone()))?;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let folder = folder.path();
    /// let (level, file) = (folder.join("level.hscn"), folder.join("door.hbvh"));
    /// door.save(&file)?;
    /// scene.save_with_references(&level, |_| Some("door.hbvh".to_owned()))?;
    /// assert_eq!(Scene::open(&level)?.len(), 1);
    ///
    /// Builder::new().bake(&[] as &[Mesh])?.0.save(&file)?; // another one
    /// let error = Scene::open(&level).unwrap_err();
    /// assert_eq!(error.kind(), LoadErrorKind::Reference);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`save`](Self::save), and of kind [`InvalidInput`](io::ErrorKind::InvalidInput) for a
    /// name that is no file's in the same folder, as [invariant I8](crate::scene::file#invariants)
    /// says.
    pub fn save_with_references(
        &self,
        path: impl AsRef<Path>,
        file: impl FnMut(&Bvh) -> Option<String>,
    ) -> io::Result<()> {
        let path = path.as_ref();
        let save = || {
            check_host().map_err(|error| io::Error::new(io::ErrorKind::Unsupported, error))?;
            let plan = Plan::new(self, file)?;
            save_with(path, |file| plan.write(file))
        };
        save().map_err(|error| {
            io::Error::new(error.kind(), format!("{}: cannot save: {error}", path.display()))
        })
    }
}

/// All that is written.
struct Plan {
    header: Header,
    trees: Vec<TreeRecord>,
    instances: Vec<InstanceRecord>,
    volumes: Vec<VolumeRecord>,
    names: String,
    /// Trees to embed, with the headers of their files.
    embedded: Vec<(Bvh, TreeHeader)>,
}

impl Plan {
    fn new(scene: &Scene, mut file: impl FnMut(&Bvh) -> Option<String>) -> io::Result<Self> {
        let mut trees = Trees::default();
        let (mut instances, mut instance_names) = (Vec::with_capacity(scene.len()), String::new());
        let mut volumes = Vec::new();
        for id in scene.instances() {
            let stale = |error: SceneError| io::Error::other(error);
            let Instance { body, transform, mask, user_id, name } =
                scene.instance(id).map_err(stale)?;
            let mut flags = 0;
            if !scene.is_enabled(id).map_err(stale)? {
                flags |= InstanceRecord::DISABLED;
            }
            let body = match body {
                Body::Bvh(bvh) => trees.number(bvh, &mut file)?,
                Body::Volume(volume) => {
                    flags |= InstanceRecord::VOLUME;
                    volumes.push(VolumeRecord::of(&volume));
                    volumes.len() as u32 - 1
                }
            };
            instances.push(InstanceRecord {
                transform: transform.to_cols_array(),
                body,
                mask,
                user_id,
                flags,
                name_length: name.len() as u32,
            });
            instance_names.push_str(&name);
        }
        let Trees { mut records, mut names, embedded, .. } = trees;
        names.push_str(&instance_names);
        let lengths = [
            size_of_val(&records[..]),
            size_of_val(&instances[..]),
            size_of_val(&volumes[..]),
            names.len(),
        ];
        let mut offset = trees_start(lengths);
        for record in records.iter_mut().filter(|record| record.kind == EMBEDDED) {
            record.offset = offset;
            offset += record.length;
        }
        let sections = [
            bytemuck::cast_slice(&records),
            bytemuck::cast_slice(&instances),
            bytemuck::cast_slice(&volumes),
            names.as_bytes(),
        ];
        let header = Header::of(sections, offset);
        Ok(Self { header, trees: records, instances, volumes, names, embedded })
    }

    fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        let sections = [
            bytemuck::bytes_of(&self.header),
            bytemuck::cast_slice(&self.trees),
            bytemuck::cast_slice(&self.instances),
            bytemuck::cast_slice(&self.volumes),
            self.names.as_bytes(),
        ];
        write_padded(writer, sections)?;
        self.embedded.iter().try_for_each(|(bvh, header)| bvh.write_with(header, writer))
    }
}

/// The trees that have been met.
#[derive(Default)]
struct Trees {
    records: Vec<TreeRecord>,
    names: String,
    embedded: Vec<(Bvh, TreeHeader)>,
    /// The numbers of handles, and of contents.
    by_key: HashMap<BvhKey, u32>,
    by_contents: HashMap<(u64, u64), (Bvh, u32)>,
}

impl Trees {
    /// The number of a tree. One with the same contents is the same tree.
    fn number(
        &mut self,
        bvh: Bvh,
        file: &mut impl FnMut(&Bvh) -> Option<String>,
    ) -> io::Result<u32> {
        if let Some(&number) = self.by_key.get(&bvh.key()) {
            return Ok(number);
        }
        let header = bvh.file_header();
        let contents = (header.total_length, header.header_checksum);
        if let Some((same, number)) = self.by_contents.get(&contents)
            && *same == bvh
        {
            self.by_key.insert(bvh.key(), *number);
            return Ok(*number);
        }
        let number = self.records.len() as u32;
        let name = file(&bvh);
        if let Some(name) = &name {
            check_file_name(name).map_err(|reason| {
                let message = format!("the name {name:?} of a tree's file {reason}");
                io::Error::new(io::ErrorKind::InvalidInput, message)
            })?;
        }
        self.records.push(TreeRecord {
            kind: if name.is_some() { BESIDE } else { EMBEDDED },
            name_length: name.as_ref().map_or(0, String::len) as u32,
            offset: 0,
            length: header.total_length,
            checksum: header.header_checksum,
        });
        match name {
            Some(name) => self.names.push_str(&name),
            None => self.embedded.push((bvh.clone(), header)),
        }
        self.by_key.insert(bvh.key(), number);
        // Of other trees with the same checksum, which have to be forged, the first stays: readers
        // refuse the file.
        self.by_contents.entry(contents).or_insert((bvh, number));
        Ok(number)
    }
}
