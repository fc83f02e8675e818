//! Builds Jolt and what stands between it and Rust, if the feature `jolt` is on.

fn main() {
    #[cfg(feature = "jolt")]
    build_jolt();
}

#[cfg(feature = "jolt")]
fn build_jolt() {
    use std::path::{Path, PathBuf};

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder of Jolt's source") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "cpp") {
                found.push(path);
            }
        }
    }

    println!("cargo:rerun-if-env-changed=HITSCAN_JOLT");
    println!("cargo:rerun-if-changed=native/jolt.cpp");
    let root = PathBuf::from(std::env::var("HITSCAN_JOLT").expect("HITSCAN_JOLT: Jolt's source"));
    let mut files = vec![PathBuf::from("native/jolt.cpp")];
    sources(&root.join("Jolt"), &mut files);
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(3).include(root).files(files).warnings(false);
    build.define("NDEBUG", None);
    // As Jolt's own build script has them by default.
    for flag in ["-mavx2", "-mbmi", "-mpopcnt", "-mlzcnt", "-mf16c", "-mfma"] {
        build.flag_if_supported(flag);
    }
    build.compile("hitscan_jolt");
}
