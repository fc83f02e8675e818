//! Arguments that more than one subcommand takes.

use std::fs;
use std::path::Path;

use clap::builder::RangedU64ValueParser;
use hitscan::glam::Vec3;

use crate::exit::Failure;

/// Reads `x,y,z`.
pub(crate) fn point(text: &str) -> Result<Vec3, String> {
    let numbers: Vec<f32> = text
        .split(',')
        .map(|part| part.trim().parse::<f32>())
        .collect::<Result<_, _>>()
        .map_err(|_| "expected three numbers x,y,z such as 0,1.7,-3".to_owned())?;
    let [x, y, z] = numbers[..] else {
        return Err(format!(
            "expected three numbers x,y,z such as 0,1.7,-3, got {} of them",
            numbers.len()
        ));
    };
    let point = Vec3::new(x, y, z);
    if point.is_finite() { Ok(point) } else { Err("expected finite numbers".to_owned()) }
}

/// Reads a number of threads. The bound is far above any machine, and below what would
/// exhaust one.
pub(crate) fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=1024)
}

/// Refuses a file to be written in a folder that is not there: work would be lost.
pub(crate) fn refuse_missing_folder(output: &Path) -> Result<(), Failure> {
    match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            let message = format!(
                "{}: cannot be written: there is no folder `{}`",
                output.display(),
                folder.display()
            );
            Err(Failure::Input(message))
        }
        _ => Ok(()),
    }
}

/// Refuses to write a result over a file that the command reads.
pub(crate) fn refuse_overwrite(output: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    // What cannot be resolved does not exist, and what is no regular file (a device, a pipe)
    // cannot be overwritten.
    let output_file = match fs::canonicalize(output) {
        Ok(file) if file.is_file() => file,
        _ => return Ok(()),
    };
    for input in inputs {
        if fs::canonicalize(input).is_ok_and(|input| input == output_file) {
            return Err(Failure::Usage(format!(
                "the output `{}` is one of the inputs",
                output.display()
            )));
        }
    }
    Ok(())
}
