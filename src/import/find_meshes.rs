//! Meshes found by name.

use super::{Import, InstancedImport};
use crate::mesh::Mesh;

impl Import {
    /// The numbers of the meshes that a pattern matches, ascending. `*` in the pattern stands for
    /// any text and `?` for one character. Upper and lower case differ.
    ///
    /// The pattern is compared with the meshes' names. One that begins with `material:` is
    /// compared with the names of their materials: of a mesh with several, with the first
    /// triangle's. The command line's `--layer` knows the same patterns.
    ///
    /// Empty if nothing matches. Each name takes at most its length times the pattern's.
    ///
    /// ```no_run
    /// use hitscan::Import;
    ///
    /// const GLASS: u32 = 1 << 2;
    /// let mut level = Import::open("level.glb")?;
    /// for mesh in level.find_meshes("material:glass*") {
    ///     level.meshes[mesh].mask = GLASS;
    /// }
    /// # Ok::<(), hitscan::ImportError>(())
    /// ```
    #[must_use]
    pub fn find_meshes(&self, pattern: &str) -> Vec<usize> {
        let material = pattern.strip_prefix("material:");
        let is_found = |&number: &usize| {
            let mesh = &self.meshes[number];
            match material {
                Some(pattern) => self.has_material(mesh, pattern),
                None => matches(pattern, &mesh.name),
            }
        };
        (0..self.meshes.len()).filter(is_found).collect()
    }

    fn has_material(&self, mesh: &Mesh, pattern: &str) -> bool {
        let first = mesh.materials.as_ref().and_then(|all| all.first());
        let name = first.and_then(|&first| self.material_names.get(first as usize));
        name.is_some_and(|name| matches(pattern, name))
    }
}

impl InstancedImport {
    /// The numbers of the [instances](Self::instances) whose names a pattern matches, ascending.
    /// Patterns are as in [`Import::find_meshes`]. One of a material matches none: an instance is
    /// all of its meshes.
    #[must_use]
    pub fn find_instances(&self, pattern: &str) -> Vec<usize> {
        if pattern.starts_with("material:") {
            return Vec::new();
        }
        let is_found = |&number: &usize| matches(pattern, &self.instances[number].name);
        (0..self.instances.len()).filter(is_found).collect()
    }

    /// The name of the first mesh that [repeats](Self::repeated) and has a material that a pattern
    /// `material:...` matches.
    #[must_use]
    pub fn repeated_of_material(&self, pattern: &str) -> Option<&str> {
        let pattern = pattern.strip_prefix("material:")?;
        let mut meshes = self.repeated.iter().flatten();
        meshes.find(|mesh| self.fixed.has_material(mesh, pattern)).map(|mesh| mesh.name.as_str())
    }
}

/// Whether a name matches a pattern, in which `*` stands for any text and `?` for one character.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where to go on with the last star: the pattern after it, and the end of what it covers.
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                p += 1;
                star = Some((p, n));
            }
            Some(&c) if c == '?' || c == name[n] => (p, n) = (p + 1, n + 1),
            _ => {
                let Some((after, covered)) = star else { return false };
                star = Some((after, covered + 1));
                (p, n) = (after, covered + 1);
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;

    #[test]
    fn stars_and_question_marks_match() {
        for (pattern, name, expected) in [
            ("glass*", "glass", true),
            ("glass*", "glass/pane", true),
            ("glass*", "a glass", false),
            ("*glass*", "a glass pane", true),
            ("*a*b", "xaxxbab", true),
            ("*a*b", "xaxxba", false),
            ("p?ne", "p\u{e9}ne", true),
            ("p?ne", "pne", false),
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("?", "", false),
            ("a**", "a", true),
            ("=", "=", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
        // No exponential search.
        assert!(!matches(&"*a".repeat(100), &"a".repeat(99)));
    }

    #[test]
    fn meshes_are_found_by_their_own_and_their_materials_names() {
        let mesh = |name: &str, material: Option<u32>| {
            let mesh = Mesh::new(vec![[0.0; 3]; 3], vec![0, 1, 2]).with_name(name);
            Mesh { materials: material.map(|number| vec![number]), ..mesh }
        };
        let model = Import {
            meshes: vec![
                mesh("glass", None),
                mesh("tree", Some(1)),
                mesh("glass tree", Some(1)),
                mesh("x", Some(0)),
                mesh("material:y", Some(7)),
            ],
            material_names: vec!["bark".into(), "leaves".into()],
            ..Import::default()
        };
        assert_eq!(model.find_meshes("glass*"), [0, 2]);
        assert_eq!(model.find_meshes("material:leaves"), [1, 2]);
        assert_eq!(model.find_meshes("material:*"), [1, 2, 3]);
        assert_eq!(model.find_meshes("*:y"), [4]);
        assert!(model.find_meshes("material:none").is_empty());
        assert!(Import::default().find_meshes("*").is_empty());
    }
}
