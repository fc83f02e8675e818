use hitscan::import::{Format, InstancedImport};
use hitscan::{BadTriangles, Builder, Import, Scene};

/// A model is read or refused, and a model that is read can be baked, in one piece and
/// into a scene. The first byte selects the format.
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
    let kept = InstancedImport::from_bytes(bytes, format, "input", None);
    match Import::from_bytes(bytes, format, "input", None) {
        Ok(model) => {
            if let Ok(kept) = kept {
                assert_eq!(kept.triangle_count(), model.triangle_count());
                let builder = Builder::new().bad_triangles(BadTriangles::Skip);
                if kept.stored_triangle_count() < 100_000
                    && kept.instances.len() < 10_000
                    && let Ok((scene, _)) = Scene::bake_import(&builder, &kept)
                {
                    let bytes = scene.to_bytes();
                    let again = Scene::from_bytes(&bytes).expect("what was written can be read");
                    assert!(again.is_bake_of(&builder, &kept));
                    assert!(again.to_bytes() == bytes);
                }
            }
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
