//! tinybvh's refits. Its wide tree, `MBVH8`, holds no triangles and is not made for rays: for
//! those there is `BVH8_CPU`, which is converted from it anew after each refit.

use tinybvh_rs::{bvh, bvh8_cpu, mbvh};

/// Trees without spatial splits, as refits need them.
pub struct Trees {
    /// Three of each triangle. The trees read them, and keep pointers only.
    vertices: *mut [[f32; 4]],
    wide: mbvh::BVH<'static>,
    for_rays: Option<bvh8_cpu::BVH>,
}

impl Trees {
    pub fn new(positions: &[[f32; 3]], indices: &[[u32; 3]]) -> Self {
        let mut vertices = vec![[0.0; 4]; 3 * indices.len()];
        write(&mut vertices, positions, indices);
        let vertices = Box::into_raw(vertices.into_boxed_slice());
        // SAFETY: it is never freed; references end before the next `write`.
        let shared: &'static [[f32; 4]] = unsafe { &*vertices };
        let mut binary = bvh::BVH::new(shared.into()).expect("three vertices each");
        binary.split_leaves(4);
        let binary = Box::leak(Box::new(binary));
        let wide = mbvh::BVH::new(binary);
        let for_rays = Some(bvh8_cpu::BVH::new(&wide).expect("leaves were split"));
        Self { vertices, wide, for_rays }
    }

    /// Other positions for the same triangles.
    pub fn write(&mut self, positions: &[[f32; 3]], indices: &[[u32; 3]]) {
        // SAFETY: no reference to it exists.
        write(unsafe { &mut *self.vertices }, positions, indices);
    }

    /// Refits the wide tree.
    pub fn refit_wide(&mut self) {
        self.wide.refit(0);
    }

    /// The same as `BVH8_CPU::Refit`, which the wrapper does not pass on.
    pub fn refit_for_rays(&mut self) {
        self.wide.refit(0);
        let tree = self.for_rays.take().expect("it is put back");
        self.for_rays = Some(tree.convert(&self.wide).expect("leaves were split"));
    }
}

fn write(vertices: &mut [[f32; 4]], positions: &[[f32; 3]], indices: &[[u32; 3]]) {
    for (vertex, &index) in vertices.iter_mut().zip(indices.as_flattened()) {
        let [x, y, z] = positions[index as usize];
        *vertex = [x, y, z, 0.0];
    }
}
