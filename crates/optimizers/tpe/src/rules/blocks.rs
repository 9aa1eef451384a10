//! Blocks of parameters that are estimated together.

use thrifty_space::Space;

use crate::Joint;

/// Parameters that are estimated together, parents before children.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) parameters: Vec<usize>,
    /// The first block whose parameters have the same conditions: it is active on the same trials.
    pub(crate) like: usize,
}

/// The blocks of a space, in the order in which they are drawn.
pub(crate) fn blocks(space: &Space, joint: Joint) -> Vec<Block> {
    let conditions = |index: usize| &space.parameters()[index].conditions;
    let all = 0..space.parameters().len();
    let mut lists: Vec<Vec<usize>> = Vec::new();
    for index in all {
        let joins = |list: &&mut Vec<usize>| match joint {
            Joint::Tree => true,
            Joint::Independent => false,
            Joint::Grouped => conditions(list[0]) == conditions(index),
            Joint::Unconditional => conditions(list[0]).is_empty() && conditions(index).is_empty(),
        };
        match lists.iter_mut().find(joins) {
            Some(list) => list.push(index),
            None => lists.push(vec![index]),
        }
    }
    let like = |at: usize| (0..at).find(|other| conditions(lists[*other][0]) == conditions(lists[at][0]));
    let likes: Vec<usize> = (0..lists.len()).map(|at| like(at).unwrap_or(at)).collect();
    lists.into_iter().zip(likes).map(|(parameters, like)| Block { parameters, like }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_joined_as_the_setting_says() {
        let space = Space::builder()
            .categorical("a", [0, 1])
            .float("b", 0.0, 1.0)
            .when("a", [0])
            .float("c", 0.0, 1.0)
            .float("d", 0.0, 1.0)
            .when("a", [0])
            .build()
            .expect("a space");
        let of =
            |joint| blocks(&space, joint).into_iter().map(|b| (b.parameters, b.like)).collect::<Vec<_>>();
        assert_eq!(of(Joint::Tree), [(vec![0, 1, 2, 3], 0)]);
        assert_eq!(of(Joint::Independent), [(vec![0], 0), (vec![1], 1), (vec![2], 0), (vec![3], 1)]);
        assert_eq!(of(Joint::Grouped), [(vec![0, 2], 0), (vec![1, 3], 1)]);
        assert_eq!(of(Joint::Unconditional), [(vec![0, 2], 0), (vec![1], 1), (vec![3], 1)]);
    }
}
