//! Pictures in files: PNGs that say in their text how they were made.

use std::path::Path;

use crate::picture::image::Image;
use crate::terminal::args;
use crate::terminal::failure::Failure;
use crate::terminal::output::Output;
use crate::terminal::text::{self, Rows};

/// Refuses a name that no picture can have, before any work is done.
pub(crate) fn refuse_bad_name(output: &Path) -> Result<(), Failure> {
    let extension = output.extension().unwrap_or_default();
    if !extension.eq_ignore_ascii_case("png") {
        let message = "expected an output with the extension .png";
        return Err(Failure::Usage(message.to_owned()));
    }
    args::refuse_missing_folder(output)?;
    if output.is_dir() {
        return Err(Failure::folder(output));
    }
    Ok(())
}

/// Writes a picture with its settings, and says what was written.
pub(crate) fn write(path: &Path, image: &Image, settings: &Rows) -> Result<String, Failure> {
    let settings = settings.0.iter().map(|(label, value)| format!("{label}: {value}"));
    let settings = settings.collect::<Vec<_>>().join("\n");
    let software = format!("hitscan {}", env!("CARGO_PKG_VERSION"));
    let bytes = image.to_png(&[("Software", software), ("hitscan", settings)]);
    let bytes = bytes.map_err(|error| Failure::io(path, "writing", &error))?;
    let mut output = Output::create(path)?;
    output.write_all(&bytes)?;
    output.finish()?;
    Ok(format!("{} ({} bytes)", path.display(), text::count(bytes.len())))
}
