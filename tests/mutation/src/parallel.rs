//! A loop over a few threads.

use std::sync::Mutex;

/// Applies `work` to each item on `jobs` threads; the results are in the order of the items.
pub fn for_each<T: Send, R: Send>(jobs: usize, items: &mut [T], work: impl Fn(&mut T) -> R + Sync) -> Vec<R> {
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let queue = Mutex::new(items.iter_mut().zip(&mut results));
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    // The lock must not be held while the work is done.
                    let next = queue.lock().expect("no thread panics").next();
                    let Some((item, result)) = next else { return };
                    *result = Some(work(item));
                }
            });
        }
    });
    results.into_iter().map(|result| result.expect("every item was worked on")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let mut items: Vec<u64> = (0..50).collect();
        assert_eq!(for_each(4, &mut items, |x| *x * *x), (0..50).map(|x| x * x).collect::<Vec<u64>>());
    }
}
