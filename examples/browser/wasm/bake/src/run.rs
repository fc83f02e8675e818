//! Bakes.

use std::ops::ControlFlow;

use border::input::Input;
use border::{Fault, Kind, block, output};
use hitscan::bake::BakeInput;
use hitscan::import::Format;
use hitscan::{BadTriangles, Builder, Import, Progress, Quality};

use crate::given::Given;

#[link(wasm_import_module = "hitscan")]
unsafe extern "C" {
    /// Tells the caller what fraction is done; 0 to stop the bake. It throws nothing.
    safe fn progress(done: f32) -> u32;
}

/// More than this is not to be had: the memory of a module ends at 4 GiB.
const MEMORY_LIMIT: u64 = 3 << 30;

/// How to bake, in JavaScript's numbers.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    pub(crate) quality: u32,
    pub(crate) skip_bad: u32,
    pub(crate) progress: u32,
}

/// Bakes what was given.
pub(crate) fn bake(given: Given, options: Options) -> Result<u32, Fault> {
    let Given { meshes, material_names, user_data } = given;
    let builder = builder(options)?.material_names(material_names);
    run(&builder, (&meshes).into(), user_data, options)
}

/// Bakes a model.
pub(crate) fn bake_model(
    given: Given,
    model: Input,
    format: u32,
    options: Options,
) -> Result<u32, Fault> {
    let formats = [Format::Gltf, Format::Obj, Format::Ply, Format::Stl, Format::Off];
    let format = formats.get(format as usize);
    let &format = format.ok_or_else(|| Fault::new(Kind::Argument, "no such format"))?;
    let import = Import::from_bytes(model.as_ref(), format, "model", None);
    let import = import.map_err(|error| Fault::of(Kind::File, &error))?;
    drop(model);
    run(&builder(options)?, (&import).into(), given.user_data, options)
}

fn builder(options: Options) -> Result<Builder, Fault> {
    let qualities = [Quality::Fast, Quality::Balanced, Quality::Best];
    let quality = qualities.get(options.quality as usize);
    let &quality = quality.ok_or_else(|| Fault::new(Kind::Argument, "no such quality"))?;
    let bad = if options.skip_bad == 0 { BadTriangles::Error } else { BadTriangles::Skip };
    Ok(Builder::new().quality(quality).bad_triangles(bad).memory_limit(MEMORY_LIMIT))
}

fn run(
    builder: &Builder,
    meshes: BakeInput<'_>,
    user_data: Vec<u8>,
    options: Options,
) -> Result<u32, Fault> {
    let mut tell = |at: Progress| match options.progress == 0 || progress(at.fraction) != 0 {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let baked = builder.bake_with_progress(meshes, &mut tell);
    let (mut tree, report) = baked.map_err(|error| Fault::of(Kind::Bake, &error))?;
    if !user_data.is_empty() {
        tree.set_user_data(user_data);
    }
    output::put_bytes(tree.to_bytes());
    let summary = report.summary;
    let skipped =
        summary.skipped_degenerate + summary.skipped_non_finite + summary.skipped_out_of_range;
    block::write(0, &[summary.triangles_kept as u32, skipped as u32]);
    Ok(0)
}
