//! glTF 2.0, text and binary.

mod accessor;
mod buffers;
mod container;
#[cfg(feature = "draco")]
mod draco;
mod extensions;
mod extras;
mod instancing;
mod json;
mod limits;
mod matrix;
mod nodes;
mod place;
mod pose;
mod primitive;
mod skin;
mod uri;

use super::error::ImportErrorKind::{TooLarge, Unsupported};
use super::error::{ImportError, Result, Warnings};
use super::reader::{Repeats, Scene, Source};
use super::text::shown;
use accessor::Accessors;
use buffers::Buffers;
use extensions::check_extensions;
use json::{Items, Json};
use limits::{FREE_EXPANSION, MAX_EXPANSION};
use matrix::Matrix;
use nodes::Nodes;
use place::Placer;
use primitive::{Document, name_of};
use skin::Skins;

pub(super) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Scene> {
    let mut warnings = Warnings::default();
    let (text, chunk) = container::split(bytes, &mut warnings)?;
    let blank;
    let root = match Json::parse(&text) {
        Ok(root) => root,
        Err(error) => {
            // Line ends and the like in strings are not allowed.
            blank = text.replace(|c| c < ' ', " ");
            let root = Json::parse(&blank).map_err(|_| error)?;
            warnings.add("document", "control characters in strings are read as spaces");
            root
        }
    };
    let [asset, required, scene, scenes, nodes] =
        root.members(["asset", "extensionsRequired", "scene", "scenes", "nodes"])?;
    let [meshes, accessors, views, data, materials, skins, extensions] = root.members([
        "meshes",
        "accessors",
        "bufferViews",
        "buffers",
        "materials",
        "skins",
        "extensions",
    ])?;
    check_version(&asset.ok_or_else(|| root.missing("asset"))?)?;
    check_extensions(required, &mut warnings)?;

    let scenes = Items::of(scenes)?;
    let mut nodes = Nodes::new(Items::of(nodes)?, offset(extensions, &mut warnings)?);
    let skins = Skins::new(Items::of(skins)?);
    let materials = Items::of(materials)?;
    let document = Document {
        meshes: Items::of(meshes)?,
        accessors: Accessors::new(Items::of(accessors)?),
        materials: materials.len(),
        #[cfg(feature = "draco")]
        draco: draco::Draco::default(),
        buffers: Buffers::new(Items::of(data)?, Items::of(views)?, chunk, source.folder),
    };
    let (meshes, skin_count) = (document.meshes.len(), skins.len());
    let instances = nodes::walk(scene, &scenes, &mut nodes, meshes, skin_count, &mut warnings)?;

    let mut placer = Placer::new(document, skins, nodes);
    let mut placements = Vec::with_capacity(instances.len());
    for instance in instances {
        placements.push(placer.check(instance, &mut warnings)?);
    }
    if source.repeats == Repeats::Keep {
        placer.keep_repeats(&placements);
    }
    let cost = placer.cost(&placements);
    let input = (bytes.len() as u64).saturating_add(placer.document.buffers.loaded_from_files());
    let limit = input.saturating_mul(MAX_EXPANSION).saturating_add(FREE_EXPANSION);
    let Some(spare) = limit.checked_sub(cost) else {
        let reason = format_args!(
            "the meshes, counted once for each node that shows them, take {cost} bytes: more \
             than {MAX_EXPANSION} times the {input} bytes of the file and its buffers"
        );
        return Err(ImportError::at(TooLarge, "nodes", reason));
    };
    placer.make_all(placements, spare, &mut warnings)?;

    let mut material_names = Vec::with_capacity(materials.len());
    for material in materials.iter() {
        // A material that is not an object has no name.
        material_names.push(name_of(material?.member("name").unwrap_or_default()));
    }
    let Placer { meshes, repeated, instances, .. } = placer;
    Ok(Scene { meshes, repeated, instances, material_names, warnings })
}

/// The transform above the root nodes: the centre of `CESIUM_RTC`.
fn offset(extensions: Option<Json<'_>>, warnings: &mut Warnings) -> Result<Matrix> {
    // Extensions that are not objects are as good as none.
    let extension = extensions.and_then(|all| all.member("CESIUM_RTC").ok().flatten());
    let center = extension.map(|extension| extension.member("center")).transpose()?.flatten();
    let Some(center) = center else { return Ok(Matrix::IDENTITY) };
    let numbers = center.numbers::<3>()?;
    let far = numbers.iter().fold(0.0, |far: f64, x| far.max(x.abs())) as f32;
    let step = far.next_up() - far;
    let reason = format_args!("it is added to all positions; numbers there are {step} apart");
    warnings.add(center.place(), reason);
    Ok(Matrix::from_parts(numbers, None, [1.0; 3]).unwrap_or(Matrix::IDENTITY))
}

fn check_version(asset: &Json<'_>) -> Result<()> {
    let [version, min_version] = asset.members(["version", "minVersion"])?;
    let version = version.ok_or_else(|| asset.missing("version"))?;
    let check = |version: Json<'_>, is_supported: fn(&str) -> bool| {
        let text = version.plain_text()?;
        if is_supported(&text) {
            return Ok(());
        }
        let reason = format_args!("'{}': only glTF 2.0 is supported", shown(&text));
        Err(version.error(Unsupported, reason))
    };
    // A later 2.x can be read as 2.0, unless `minVersion` says that it cannot.
    check(version, |text| text == "2" || text.starts_with("2."))?;
    min_version.map_or(Ok(()), |version| check(version, |text| text == "2" || text == "2.0"))
}

#[cfg(test)]
mod tests;
