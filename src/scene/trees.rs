//! The trees of a scene, each once, however often it is placed.

use std::collections::HashMap;
use std::sync::Arc;

use crate::bvh::{Bvh, BvhKey, Sections};

/// The trees of a scene by number. A number is free again when no instance uses it.
#[derive(Clone, Debug, Default)]
pub(super) struct Trees {
    /// Shared with the snapshots.
    shown: Arc<Vec<Bvh>>,
    numbers: HashMap<BvhKey, u32>,
    /// How many instances use each.
    uses: Vec<u32>,
    free: Vec<u32>,
}

impl Trees {
    pub(super) fn shown(&self) -> &Arc<Vec<Bvh>> {
        &self.shown
    }

    pub(super) fn get(&self, number: u32) -> &Bvh {
        &self.shown[number as usize]
    }

    /// The number of a tree, for one more instance.
    pub(super) fn add(&mut self, bvh: &Bvh) -> u32 {
        if let Some(&number) = self.numbers.get(&bvh.key()) {
            self.uses[number as usize] += 1;
            return number;
        }
        let shown = Arc::make_mut(&mut self.shown);
        let number = match self.free.pop() {
            Some(number) => {
                shown[number as usize] = bvh.clone();
                self.uses[number as usize] = 1;
                number
            }
            None => {
                shown.push(bvh.clone());
                self.uses.push(1);
                shown.len() as u32 - 1
            }
        };
        self.numbers.insert(bvh.key(), number);
        number
    }

    /// An instance no longer uses a tree.
    pub(super) fn remove(&mut self, number: u32) {
        let uses = &mut self.uses[number as usize];
        *uses -= 1;
        if *uses == 0 {
            self.numbers.remove(&self.shown[number as usize].key());
            // Its memory is freed with the last snapshot that shows it.
            Arc::make_mut(&mut self.shown)[number as usize] = Bvh::new(Sections::default());
            self.free.push(number);
        }
    }
}
