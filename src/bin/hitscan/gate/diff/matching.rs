//! Which things of one file are which of the other: meshes, and instances.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

/// What things are recognized by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key<'a> {
    pub(super) name: &'a str,
    /// A part of the content that changes less often than the rest.
    pub(super) kind: u128,
    pub(super) content: u128,
}

/// By their numbers.
pub(super) struct Matching {
    /// In order of the second number.
    pub(super) pairs: Vec<[usize; 2]>,
    /// Of the first file, without a partner.
    pub(super) removed: Vec<usize>,
    /// Of the second file, without a partner.
    pub(super) added: Vec<usize>,
}

/// Things of one name belong together. Of several (many have no name) those with the same content
/// do, then those of the same kind, then the rest, each time in order of their numbers. The others
/// were renamed if their content is in both files.
pub(super) fn matching(a: &[Key<'_>], b: &[Key<'_>]) -> Matching {
    let (removed, added) = ((0..a.len()).collect(), (0..b.len()).collect());
    let mut matching = Matching { pairs: Vec::new(), removed, added };
    matching.pair(a, b, |key| (key.name, key.content));
    matching.pair(a, b, |key| (key.name, key.kind));
    matching.pair(a, b, |key| key.name);
    matching.pair(a, b, |key| key.content);
    matching.pairs.sort_unstable_by_key(|pair| pair[1]);
    matching
}

impl Matching {
    /// Pairs those with the same key that have no partner yet.
    fn pair<'k, K: Hash + Eq>(
        &mut self,
        a: &[Key<'k>],
        b: &[Key<'k>],
        key: impl Fn(&Key<'k>) -> K,
    ) {
        let mut of_key = HashMap::<K, VecDeque<usize>>::new();
        for &number in &self.added {
            of_key.entry(key(&b[number])).or_default().push_back(number);
        }
        let mut paired = HashSet::new();
        self.removed.retain(|&number| {
            let partner = of_key.get_mut(&key(&a[number])).and_then(VecDeque::pop_front);
            self.pairs.extend(partner.map(|partner| [number, partner]));
            paired.extend(partner);
            partner.is_none()
        });
        self.added.retain(|number| !paired.contains(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key((name, content): &(&'static str, u128)) -> Key<'static> {
        Key { name, kind: content / 10, content: *content }
    }

    #[track_caller]
    fn check(
        a: &[(&'static str, u128)],
        b: &[(&'static str, u128)],
        pairs: &[[usize; 2]],
        [removed, added]: [&[usize]; 2],
    ) {
        let [a, b] = [a, b].map(|side| side.iter().map(key).collect::<Vec<_>>());
        let found = matching(&a, &b);
        assert_eq!(found.pairs, pairs);
        assert_eq!((&*found.removed, &*found.added), (removed, added));
    }

    #[test]
    fn names_come_first() {
        // In another order, with other content.
        check(&[("a", 1), ("b", 2)], &[("b", 1), ("a", 2)], &[[1, 0], [0, 1]], [&[], &[]]);
        check(&[("a", 1), ("b", 2)], &[("a", 1), ("c", 9)], &[[0, 0]], [&[1], &[1]]);
    }

    #[test]
    fn of_one_name_content_decides_then_kind_then_order() {
        let crates = [("crate", 10), ("crate", 20), ("crate", 30)];
        check(&crates, &[("crate", 20), ("crate", 30)], &[[1, 0], [2, 1]], [&[0], &[]]);
        check(&crates, &[("crate", 31), ("crate", 10)], &[[2, 0], [0, 1]], [&[1], &[]]);
        check(&crates, &[("crate", 40), ("crate", 50)], &[[0, 0], [1, 1]], [&[2], &[]]);
        // No name is a name that all share.
        check(&[("", 1), ("", 2)], &[("", 5), ("", 1), ("", 2)], &[[0, 1], [1, 2]], [&[], &[0]]);
    }

    #[test]
    fn the_same_content_under_another_name_was_renamed() {
        check(&[("a", 7), ("b", 2)], &[("c", 7), ("b", 2)], &[[0, 0], [1, 1]], [&[], &[]]);
    }
}
