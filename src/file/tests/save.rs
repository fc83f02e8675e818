//! Saving is all or nothing.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::*;
use crate::file::write::save_with;

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("directory");
    let name = |entry: io::Result<fs::DirEntry>| entry.expect("entry").file_name();
    let mut names: Vec<_> = entries.map(|e| name(e).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_failed_save_leaves_the_old_file() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("tree.hbvh");
    let old = tree(3).tree();
    old.save(&path).expect("saved");
    let error = save_with(&path, |file| {
        file.write_all(b"the first half")?;
        Err(io::Error::other("disk full"))
    });
    assert_eq!(error.expect_err("fails").to_string(), "disk full");
    assert!(old == Bvh::open(&path).expect("old file"));
    assert_eq!(names(directory.path()), ["tree.hbvh"]);

    let new = tree(5).tree();
    new.save(&path).expect("saved");
    assert!(new == Bvh::open(&path).expect("new file"));
    assert_eq!(names(directory.path()), ["tree.hbvh"]);
}

#[test]
fn where_nothing_can_be_saved() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let error = tree(1).tree().save(directory.path()).expect_err("a directory");
    assert!(error.to_string().contains("it is a folder, not a file"), "{error}");
    let path = directory.path().join("none").join("tree.hbvh");
    let error = tree(1).tree().save(&path).expect_err("no directory");
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
    assert_eq!(names(directory.path()), [""; 0]);
}

#[test]
fn a_name_of_full_length() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join(format!("{}.hbvh", "n".repeat(250)));
    tree(1).tree().save(&path).expect("saved");
    assert!(Bvh::open(&path).is_ok());
}

#[cfg(unix)]
#[test]
fn links_permissions_and_devices() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let directory = tempfile::tempdir().expect("temporary directory");
    let file = directory.path().join("real.hbvh");
    let link = directory.path().join("link.hbvh");
    tree(1).tree().save(&file).expect("saved");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("permissions");
    symlink("real.hbvh", &link).expect("link");
    let new = tree(2).tree();
    new.save(&link).expect("saved");
    assert!(link.is_symlink());
    assert!(new == Bvh::open(&file).expect("open"));
    let mode = fs::metadata(&file).expect("metadata").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);

    new.save("/dev/null").expect("thrown away");
    let null = fs::metadata("/dev/null").expect("metadata");
    assert!(null.file_type().is_char_device());
}
