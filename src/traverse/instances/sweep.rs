//! What stops a shape that moves, in a scene.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::TopLevels;
use super::collectors::SceneQuery;
use super::visit::{Test, for_each_tree};
use crate::geometry::Sweep;
use crate::traverse::place::Place;
use crate::traverse::sweep::{Contact, Cut, SweepNodes, SweepQuery};

/// A question about a moving shape in a scene: which triangles it touches.
pub(crate) struct SweepInScene<'a> {
    pub(crate) tops: &'a TopLevels<'a>,
    pub(crate) query: SceneQuery<'a>,
    pub(crate) sweep: &'a Sweep,
}

impl SweepInScene<'_> {
    /// The first contact; of several first ones the contact with the lowest handle, if nothing else
    /// decides.
    #[inline(always)]
    pub(crate) fn first(&self) -> Option<Contact> {
        let mut best: Option<Contact> = None;
        self.ask_each(|query, [blocks, nodes], cut| {
            if let Some(one) = query.first_with(blocks, nodes, cut)
                && best.is_none_or(|other| one.cmp(&other) == Ordering::Less)
            {
                best = Some(one);
            }
        });
        best
    }

    /// All contacts, in no order. One that a spatial split cut may come several times.
    #[inline(always)]
    pub(crate) fn all(&self, contacts: &mut Vec<Contact>) {
        self.ask_each(|query, [blocks, nodes], _| {
            query.all_with(blocks, nodes, |found| contacts.push(found));
        });
    }

    /// Calls `ask` with the question in each instance that may matter, its tests of leaf blocks and
    /// nodes, and what matters.
    #[inline(always)]
    fn ask_each(&self, mut ask: impl FnMut(&SweepQuery<'_>, [&SweepNodes; 2], &mut Cut)) {
        let Self { tops, ref query, sweep } = *self;
        let facts = &tops.facts.boxes;
        if facts.bounds().is_empty() {
            return;
        }
        let (world, mut cut) = (&SweepNodes::new(facts, sweep), Cut::NONE);
        for_each_tree(tops, query.query, &Test::Sweep(world), cut.t, |at, tree| {
            let place = &Place::new(&at.transform, &tree.facts);
            let filter = &query.filter_in(at.id, tree, Some(place));
            let nodes = &SweepNodes::in_place(place, &tree.facts, sweep);
            ask(&SweepQuery { filter, sweep }, [world, nodes], &mut cut);
            ControlFlow::Continue(cut.t)
        });
    }
}
