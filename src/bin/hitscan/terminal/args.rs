//! Arguments that more than one subcommand takes.

use std::fs;
use std::num::IntErrorKind;
use std::path::Path;

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use hitscan::glam::Vec3;
use hitscan::{Facing, InstructionSet, Layers, Query, Targets};

use crate::terminal::failure::Failure;

/// What a question looks for.
#[derive(Args)]
pub(crate) struct QueryArgs {
    #[command(flatten)]
    layers: LayerArgs,
    /// The side of triangles that counts: the one that is hit, or that is seen from the point or
    /// from the middle of the shape
    #[arg(long, value_name = "SIDE", value_enum, default_value_t = Side::Both)]
    facing: Side,
}

/// Options of a query that may find volumes of a scene too.
#[derive(Args)]
pub(crate) struct TargetedQueryArgs {
    #[command(flatten)]
    query: QueryArgs,
    /// What counts in a scene: its triangles, its volumes or both
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Counting::Triangles)]
    targets: Counting,
}

/// Which meshes a question looks at.
#[derive(Args)]
pub(crate) struct LayerArgs {
    /// See only meshes that lie in one of these layers: a number whose bits are compared with
    /// those of the mesh, such as 5 or 0x0f [default: all]
    #[arg(long, value_name = "BITS", value_parser = mask, default_value = "0xffffffff",
        hide_default_value = true)]
    mask: u32,
    /// The instruction set to use, for tests and measurements: `auto`, or one that this machine
    /// has (a wrong name lists all). All give the same bytes
    #[arg(long, default_value = "auto")]
    isa: InstructionSet,
}

impl QueryArgs {
    pub(crate) fn query(&self) -> Query<'static> {
        let LayerArgs { mask, isa } = self.layers;
        Query::new().mask(mask).facing(self.facing.into()).instruction_set(isa)
    }

    pub(crate) fn isa(&self) -> InstructionSet {
        self.layers.isa
    }
}

impl TargetedQueryArgs {
    pub(crate) fn query(&self) -> Query<'static> {
        self.query.query().targets(match self.targets {
            Counting::Triangles => Targets::Triangles,
            Counting::Volumes => Targets::Volumes,
            Counting::Both => Targets::Both,
        })
    }
}

/// [`Targets`] as an argument.
#[derive(Clone, Copy, ValueEnum)]
enum Counting {
    Triangles,
    Volumes,
    Both,
}

impl LayerArgs {
    pub(crate) fn layers(&self) -> Layers {
        Layers::of(self.mask).instruction_set(self.isa)
    }
}

/// [`Facing`] as an argument.
#[derive(Clone, Copy, ValueEnum)]
enum Side {
    Both,
    Front,
    Back,
}

impl From<Side> for Facing {
    fn from(side: Side) -> Self {
        match side {
            Side::Both => Self::Both,
            Side::Front => Self::Front,
            Side::Back => Self::Back,
        }
    }
}

/// Reads a mask, decimal or hexadecimal.
pub(crate) fn mask(text: &str) -> Result<u32, String> {
    let bits = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    bits.map_err(|error| match error.kind() {
        IntErrorKind::PosOverflow => "a mask has 32 bits: 0xffffffff is the largest".to_owned(),
        _ => "expected a number, such as 5 or 0x0f".to_owned(),
    })
}

/// Reads `x,y,z`.
pub(crate) fn point(text: &str) -> Result<Vec3, String> {
    numbers(text, "three numbers x,y,z such as 0,1.7,-3").map(Vec3::from_array)
}

/// Reads finite numbers with commas between them: as many as are `expected`.
pub(crate) fn numbers<const N: usize>(text: &str, expected: &str) -> Result<[f32; N], String> {
    let numbers: Result<Vec<f32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let numbers: Option<[f32; N]> = numbers.ok().and_then(|numbers| numbers.try_into().ok());
    let numbers = numbers.ok_or_else(|| format!("expected {expected}"))?;
    match numbers.iter().all(|number| number.is_finite()) {
        true => Ok(numbers),
        false => Err("expected finite numbers".to_owned()),
    }
}

/// Reads a distance.
pub(crate) fn distance(text: &str) -> Result<f32, String> {
    match text.trim().parse() {
        Ok(distance) if (0.0..=f32::MAX).contains(&distance) => Ok(distance),
        _ => Err("expected a number from zero on, such as 2.5".to_owned()),
    }
}

/// Reads a whole number.
pub(crate) fn count(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| "expected a whole number from zero on".to_owned())
}

/// Reads a number of threads. The limit is far above any machine's cores, and low enough not to
/// exhaust one.
pub(crate) fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=1024)
}

/// Refuses to write a file into a folder that does not exist, before any work is done.
pub(crate) fn refuse_missing_folder(output: &Path) -> Result<(), Failure> {
    match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            let reason = format!("there is no folder `{}`", folder.display());
            Err(Failure::at(output, "cannot be written", &reason))
        }
        _ => Ok(()),
    }
}

/// Refuses to write a result over a file that the command reads.
pub(crate) fn refuse_overwrite(output: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    // A path that cannot be resolved does not exist yet. Devices and pipes cannot be overwritten.
    let Some(file) = fs::canonicalize(output).ok().filter(|file| file.is_file()) else {
        return Ok(());
    };
    if inputs.iter().any(|input| fs::canonicalize(input).is_ok_and(|input| input == file)) {
        let message = format!("the output `{}` is one of the inputs", output.display());
        return Err(Failure::Usage(message));
    }
    Ok(())
}
