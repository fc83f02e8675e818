//! `--layer`: puts meshes into layers by name.

use std::str::FromStr;

use hitscan::Import;
use hitscan::import::InstancedImport;

/// Meshes whose name matches a pattern, or whose material's name does, go into a layer.
#[derive(Clone, Debug)]
pub(crate) struct LayerRule {
    pattern: String,
    layer: u32,
}

impl FromStr for LayerRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (pattern, layer) = text.rsplit_once('=').ok_or("expected PATTERN=LAYER")?;
        let layer = layer.parse().ok().filter(|&layer: &u32| layer < 32);
        let layer = layer.ok_or("the layer must be a number from 0 to 31")?;
        Ok(Self { pattern: pattern.to_owned(), layer })
    }
}

/// Sets the masks of the meshes that rules match: a bit for each rule. Returns a warning for
/// each rule that matches none.
pub(crate) fn apply(rules: &[LayerRule], model: &mut Import) -> Vec<String> {
    let mut masks = vec![0; model.meshes.len()];
    let mut warnings = Vec::new();
    for LayerRule { pattern, layer } in rules {
        let found = model.find_meshes(pattern);
        if found.is_empty() {
            warnings.push(format!("--layer: nothing matches '{pattern}'"));
        }
        for mesh in found {
            masks[mesh] |= 1 << layer;
        }
    }
    for (mesh, mask) in model.meshes.iter_mut().zip(masks).filter(|(_, mask)| *mask != 0) {
        mesh.mask = mask;
    }
    warnings
}

/// The same for meshes that repeat: their instances go into layers, by name. A material's rule
/// cannot be kept there, which is an error.
pub(crate) fn apply_to_instances(
    rules: &[LayerRule],
    model: &mut InstancedImport,
) -> Result<Vec<String>, String> {
    let mut warnings = apply(rules, &mut model.fixed);
    let mut masks = vec![0; model.instances.len()];
    for LayerRule { pattern, layer } in rules {
        if let Some(name) = model.repeated_of_material(pattern) {
            return Err(format!(
                "--layer: '{pattern}' matches the material of mesh '{name}', which repeats: its \
                 instances can be matched by their names only; or bake without --instanced"
            ));
        }
        let found = model.find_instances(pattern);
        if !found.is_empty() {
            let unmatched = format!("--layer: nothing matches '{pattern}'");
            warnings.retain(|warning| *warning != unmatched);
        }
        for instance in found {
            masks[instance] |= 1 << layer;
        }
    }
    for (instance, mask) in model.instances.iter_mut().zip(masks).filter(|(_, mask)| *mask != 0) {
        instance.mask = mask;
    }
    Ok(warnings)
}

#[cfg(test)]
mod tests {
    use hitscan::Mesh;

    use super::*;

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
            ["--layer: nothing matches 'material:none'", "--layer: nothing matches 'door'"]
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
