//! Orders of the rows of a group, shared by the features that rise or fall along them.

use super::SET;

/// An order of the rows of a group: where the sets of its first rows begin, and whether a feature falls along it.
#[derive(Clone, Copy, Default)]
pub(super) struct Order {
    pub(super) firsts: u32,
    pub(super) falls: bool,
}

/// Sorts the rows of groups by one feature after the other. Most features of a group rise or fall along the same few orders: those that are
/// linear in one number of the row do.
pub(super) struct Sorter {
    groups: Vec<Group>,
}

struct Group {
    /// Orders so far: where the sets of their first rows begin, and the rows.
    orders: Vec<(u32, [u8; SET])>,
    /// Order of the last feature.
    order: Order,
    /// Its values, filled up with what is not a number.
    values: [f32; SET],
}

impl Sorter {
    /// A sorter of this number of groups.
    pub(super) fn new(groups: usize) -> Self {
        let group = || Group { orders: Vec::new(), order: Order::default(), values: [f32::NAN; SET] };
        Self { groups: (0..groups).map(|_| group()).collect() }
    }

    /// Finds an order along which these values of the rows of a group rise or fall, and appends the sets of a new one. The lowest value
    /// and the highest. What is not a number counts as -∞.
    #[inline(always)]
    pub(super) fn sort(&mut self, group: usize, values: &[f32], firsts: &mut Vec<u128>) -> (f32, f32) {
        let group = &mut self.groups[group];
        let cleaned = values.iter().map(|x| if x.is_nan() { f32::NEG_INFINITY } else { *x });
        group.values.iter_mut().zip(cleaned).for_each(|(slot, x)| *slot = x);
        let ends = |order: &[u8; SET]| {
            let at = |place: usize| group.values[usize::from(order[place]) % SET];
            (at(0), at(values.len() - 1))
        };
        // The last order first: features of one kind lie together.
        for (from, order) in group.orders.iter().rev() {
            let (one, other) = ends(order);
            let falls = one > other;
            if is_sorted(&group.values, &order[..values.len()], falls) {
                group.order = Order { firsts: *from, falls };
                return if falls { (other, one) } else { (one, other) };
            }
        }
        let order = sorted(&group.values, values.len());
        let ends = ends(&order);
        group.order = Order { firsts: firsts.len() as u32, falls: false };
        group.orders.push((group.order.firsts, order));
        let mut set = 0;
        firsts.push(set);
        for row in &order[..values.len()] {
            set |= 1 << row;
            firsts.push(set);
        }
        ends
    }

    /// The order of the last feature of a group, and its values.
    pub(super) fn last(&self, group: usize) -> (Order, &[f32; SET]) {
        let Group { order, values, .. } = &self.groups[group];
        (*order, values)
    }
}

/// True if values rise along an order, or fall.
#[inline(always)]
fn is_sorted(values: &[f32; SET], order: &[u8], falls: bool) -> bool {
    let mut along = [0.0; SET];
    for (slot, row) in along.iter_mut().zip(order) {
        let value = values[usize::from(*row) % SET];
        *slot = if falls { -value } else { value };
    }
    along[..order.len()].windows(2).filter(|pair| pair[0] > pair[1]).count() == 0
}

/// The first `rows` rows, sorted by their values. Every rank is counted, which takes 16 comparisons at a time.
#[inline(always)]
fn sorted(values: &[f32; SET], rows: usize) -> [u8; SET] {
    let (mut order, mut before) = ([0; SET], [f32::NAN; SET]);
    for (row, x) in values[..rows].iter().enumerate() {
        // Rows with the same value keep their order.
        let rank = rows_with(values, |other| other < *x) + rows_with(&before, |other| other == *x);
        order[rank as usize % SET] = row as u8;
        before[row] = *x;
    }
    order
}

/// Number of rows whose value is so.
#[inline(always)]
pub(super) fn rows_with(values: &[f32; SET], so: impl Fn(f32) -> bool) -> u32 {
    values.iter().map(|x| u32::from(so(*x))).sum()
}
