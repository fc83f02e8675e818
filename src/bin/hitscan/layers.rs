//! `--layer`: puts meshes into layers by name.

use std::str::FromStr;

use hitscan::Import;

/// Meshes whose name matches a pattern, or whose material's name does, go into a layer.
#[derive(Clone, Debug)]
pub(crate) struct LayerRule {
    pattern: String,
    by_material: bool,
    layer: u32,
}

impl FromStr for LayerRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (pattern, layer) = text.rsplit_once('=').ok_or("expected PATTERN=LAYER")?;
        let layer = layer.parse().ok().filter(|&layer: &u32| layer < 32);
        let layer = layer.ok_or("the layer must be a number from 0 to 31")?;
        let material = pattern.strip_prefix("material:");
        let by_material = material.is_some();
        Ok(Self { pattern: material.unwrap_or(pattern).to_owned(), by_material, layer })
    }
}

/// Sets the masks of the meshes that rules match: a bit for each rule. Returns a warning for
/// each rule that matches none.
pub(crate) fn apply(rules: &[LayerRule], model: &mut Import) -> Vec<String> {
    let mut used = vec![false; rules.len()];
    for mesh in &mut model.meshes {
        // All triangles of a mesh from a file have the same material.
        let material = mesh.materials.as_ref().and_then(|all| all.first());
        let material = material.and_then(|&number| model.material_names.get(number as usize));
        let mut mask = 0;
        for (rule, used) in rules.iter().zip(&mut used) {
            let name = if rule.by_material { material } else { Some(&mesh.name) };
            if name.is_some_and(|name| matches(&rule.pattern, name)) {
                mask |= 1 << rule.layer;
                *used = true;
            }
        }
        if mask != 0 {
            mesh.mask = mask;
        }
    }
    let unused = rules.iter().zip(used).filter(|(_, used)| !used);
    let warning = |(rule, _): (&LayerRule, bool)| {
        let things = if rule.by_material { "material" } else { "mesh" };
        format!("--layer: no {things} matches '{}'", rule.pattern)
    };
    unused.map(warning).collect()
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
    use hitscan::Mesh;

    use super::*;

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
    fn meshes_get_the_layers_of_all_rules_that_match() {
        let mesh = |name: &str, material: Option<u32>| {
            let mesh = Mesh::new(vec![[0.0; 3]; 3], vec![0, 1, 2]).with_name(name).with_mask(7);
            Mesh { materials: material.map(|number| vec![number]), ..mesh }
        };
        let mut model = Import::default();
        model.material_names = vec!["bark".into(), "leaves".into()];
        model.meshes = vec![
            mesh("glass", None),
            mesh("tree", Some(1)),
            mesh("glass tree", Some(1)),
            mesh("x", Some(0)),
        ];
        let rules = ["glass*=2", "material:leaves=4", "material:none=1", "door=0"];
        let rules = rules.map(|text| text.parse().unwrap());
        let warnings = apply(&rules, &mut model);
        let masks: Vec<u32> = model.meshes.iter().map(|mesh| mesh.mask).collect();
        assert_eq!(masks, [4, 16, 20, 7]);
        assert_eq!(
            warnings,
            ["--layer: no material matches 'none'", "--layer: no mesh matches 'door'"]
        );
    }

    #[test]
    fn a_rule_needs_a_pattern_and_a_layer() {
        for text in ["glass", "glass=", "glass=32", "glass=-1", "glass=two"] {
            assert!(text.parse::<LayerRule>().is_err(), "{text}");
        }
        let rule: LayerRule = "a=b=3".parse().unwrap();
        assert_eq!((rule.pattern.as_str(), rule.layer), ("a=b", 3));
    }
}
