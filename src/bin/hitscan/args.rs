//! Arguments that more than one subcommand takes.

use std::fs;
use std::path::Path;

use clap::builder::RangedU64ValueParser;
use hitscan::glam::Vec3;

use crate::failure::Failure;

/// Reads `x,y,z`.
pub(crate) fn point(text: &str) -> Result<Vec3, String> {
    let numbers: Result<Vec<f32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[x, y, z]) if Vec3::new(x, y, z).is_finite() => Ok(Vec3::new(x, y, z)),
        Ok([_, _, _]) => Err("expected finite numbers".to_owned()),
        _ => Err("expected three numbers x,y,z such as 0,1.7,-3".to_owned()),
    }
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
