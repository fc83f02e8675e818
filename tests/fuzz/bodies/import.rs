use hitscan::Import;
use hitscan::import::Format;
use hitscan::{BadTriangles, Builder};

/// A model is read or refused, and a model that is read can be baked. The first byte selects the
/// format.
pub(crate) fn import(data: &[u8]) {
    let [format, bytes @ ..] = data else {
        return;
    };
    let format = match format % 5 {
        0 => Format::Gltf,
        1 => Format::Obj,
        2 => Format::Ply,
        3 => Format::Stl,
        _ => Format::Off,
    };
    match Import::from_bytes(bytes, format, "input", None) {
        Ok(model) => {
            let builder = Builder::new().bad_triangles(BadTriangles::Skip);
            // A few bytes of glTF can use one mesh many times. The importer limits this, and
            // the bake takes as long as the limits allow.
            if model.triangle_count() < 100_000
                && let Ok((bvh, report)) = builder.bake(&model.meshes)
            {
                bvh.validate().expect("a bake is sound");
                assert_eq!(report.summary.triangles_in, model.triangle_count() as u64);
            }
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("input"), "{message}");
        }
    }
}
