//! The names of a tree's meshes and materials, at hand.

/// All names one behind the other: first the meshes' names, then the materials' names.
#[derive(Debug)]
pub(super) struct NameTable {
    text: String,
    /// Where each name begins, and where the last one ends.
    starts: Vec<u32>,
    meshes: usize,
}

impl NameTable {
    /// Of names that take less than 2^32 bytes together, as metadata's do.
    pub(super) fn new<'a>(
        meshes: impl Iterator<Item = &'a str>,
        materials: impl Iterator<Item = &'a str>,
    ) -> Self {
        let mut table = Self { text: String::new(), starts: vec![0], meshes: 0 };
        meshes.for_each(|name| table.push(name));
        table.meshes = table.starts.len() - 1;
        materials.for_each(|name| table.push(name));
        table
    }

    fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.starts.push(self.text.len() as u32);
    }

    pub(super) fn mesh(&self, mesh: u32) -> Option<&str> {
        let mesh = mesh as usize;
        if mesh < self.meshes { self.get(mesh) } else { None }
    }

    pub(super) fn material(&self, material: u32) -> Option<&str> {
        self.get(self.meshes.checked_add(material as usize)?)
    }

    fn get(&self, number: usize) -> Option<&str> {
        let end = *self.starts.get(number.checked_add(1)?)?;
        self.text.get(self.starts[number] as usize..end as usize)
    }
}
