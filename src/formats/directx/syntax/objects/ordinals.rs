//! The places of objects among their siblings.

use super::{Objects, place};
use crate::work;

impl Objects<'_> {
    /// Returns the number of earlier siblings with the same template; for an object with a name, with the same name too.
    pub(super) fn ordinal(&self, index: u32) -> usize {
        self.ordinals.get_or_init(|| self.all_ordinals())[index as usize] as usize
    }

    /// Sorts siblings by template and by name, so that the time depends neither on their number nor on their names.
    fn all_ordinals(&self) -> Vec<u32> {
        work::done(self.nodes.len());
        let mut ordinals = vec![0; self.nodes.len()];
        let mut order: Vec<u32> = self.all().map(|object| object.index).collect();
        order.sort_unstable_by(|a, b| self.key(*a).cmp(self.key(*b)).then(a.cmp(b)));
        self.number(&order, &mut ordinals, false);
        order.retain(|index| !self.object(*index).name().is_empty());
        order.sort_unstable_by(|a, b| {
            let names = || self.object(*a).name().cmp(self.object(*b).name());
            self.key(*a).cmp(self.key(*b)).then_with(names).then(a.cmp(b))
        });
        self.number(&order, &mut ordinals, true);
        ordinals
    }

    /// Returns what siblings of the same template have in common.
    fn key(&self, index: u32) -> impl Iterator<Item = u32> {
        let node = &self.nodes[index as usize];
        let template = self.name_at(node.template).iter().map(|byte| u32::from(byte.to_ascii_lowercase()));
        std::iter::once(node.parent).chain(template)
    }

    /// Numbers consecutive siblings of the same template, and of the same name if that matters.
    fn number(&self, order: &[u32], ordinals: &mut [u32], by_name: bool) {
        let same = |a: &u32, b: &u32| {
            self.key(*a).eq(self.key(*b)) && (!by_name || self.object(*a).name() == self.object(*b).name())
        };
        for run in order.chunk_by(same) {
            run.iter().enumerate().for_each(|(nth, index)| ordinals[*index as usize] = place(nth));
        }
    }
}
