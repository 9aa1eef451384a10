//! Importance of features: functional analysis of variance of a forest.

use thrifty_check::{length, number};

use crate::tree::Tree;
use crate::{Forest, TreesError};

/// Distribution of one feature, for marginals of a forest: the others are independent of it.
#[derive(Debug, Clone, PartialEq)]
pub enum FeatureDistribution {
    /// Uniform between two numbers.
    Uniform {
        /// Smallest value.
        low: f32,
        /// Largest value.
        high: f32,
    },
    /// Each of these values with the same probability: whole numbers, or categories by their index.
    Values(Vec<f32>),
}

/// Shares of the variance of a forest over the distribution of its features.
#[derive(Debug, Clone, PartialEq)]
pub struct Importance {
    /// Share per feature of the variance that the feature explains alone, between 0 and 1: the mean over the trees.
    pub main: Vec<f64>,
    /// Standard deviation of that share over the trees.
    pub std_dev: Vec<f64>,
    /// Number of trees whose prediction varies; the others have no shares.
    pub trees: usize,
}

impl Forest {
    /// Share of the variance that each feature explains alone.
    ///
    /// ```text
    /// a_j(x_j) = ∫ f(x) dx_{-j},   V_j = ∫ (a_j(x_j) - ∫ f)² dx_j,   share_j = V_j / V
    /// ```
    ///
    /// The marginals of a tree are exact sums over its leaves, not samples. Shares are taken per tree and averaged, so they are
    /// those of single trees: the interaction of noise with noise lowers all of them. What is missing to a sum of 1 is interaction.
    ///
    /// Cost: O(leaves × features + bins) per tree. Source: Hutter, Hoos & Leyton-Brown (2014), algorithm 2.
    ///
    /// # Errors
    /// [`TreesError::Distribution`] for a distribution without probability, [`TreesError::Input`] for another number of
    /// distributions than features, [`TreesError::Constant`] if no tree varies.
    pub fn importance(&self, features: &[FeatureDistribution]) -> Result<Importance, TreesError> {
        let weights = self.weights(features)?;
        let shares: Vec<Vec<f64>> = self.trees.iter().filter_map(|tree| main(tree, &weights)).collect();
        if shares.is_empty() {
            return Err(TreesError::Constant);
        }
        let trees = shares.len() as f64;
        let of = |j: usize| shares.iter().map(move |of_tree| of_tree[j]);
        let main: Vec<f64> = (0..weights.len()).map(|j| of(j).sum::<f64>() / trees).collect();
        let spread =
            |(j, mean): (usize, &f64)| (of(j).map(|v| (v - mean).powi(2)).sum::<f64>() / trees).sqrt();
        let std_dev = main.iter().enumerate().map(spread).collect();
        Ok(Importance { main, std_dev, trees: shares.len() })
    }

    /// Share of the variance that two features explain together and neither explains alone: the mean over the trees.
    ///
    /// ```text
    /// V_ij = ∫∫ (a_ij(x_i, x_j) - a_i(x_i) - a_j(x_j) + ∫ f)² dx_i dx_j
    /// ```
    ///
    /// Cost: O(leaves × bins) per tree. Source: as [`Forest::importance`].
    ///
    /// # Errors
    /// As [`Forest::importance`]; [`TreesError::Input`] for a feature that does not exist or two equal ones.
    pub fn interaction(
        &self,
        pair: (usize, usize),
        features: &[FeatureDistribution],
    ) -> Result<f64, TreesError> {
        let weights = self.weights(features)?;
        let known = pair.0 < weights.len() && pair.1 < weights.len() && pair.0 != pair.1;
        number("feature", pair.0.max(pair.1) as f64, known, "two different features")?;
        let shares: Vec<f64> =
            self.trees.iter().filter_map(|tree| interaction(tree, &weights, pair)).collect();
        if shares.is_empty() {
            return Err(TreesError::Constant);
        }
        Ok(shares.iter().sum::<f64>() / shares.len() as f64)
    }

    /// Probability of every bin of every feature.
    fn weights(&self, features: &[FeatureDistribution]) -> Result<Vec<Vec<f64>>, TreesError> {
        length("distributions", features.len(), self.bins.columns())?;
        let weights = |(column, feature): (usize, &FeatureDistribution)| {
            self.bins.probabilities(column, feature).ok_or(TreesError::Distribution { column })
        };
        features.iter().enumerate().map(weights).collect()
    }
}

/// A leaf as a box: the bins of every feature, its probability, and its value less the mean.
struct Leaf {
    bins: Vec<(usize, usize)>,
    probability: f64,
    value: f64,
}

/// The leaves with positive probability, with values centred at their mean, and the variance.
fn leaves(tree: &Tree, weights: &[Vec<f64>]) -> (Vec<Leaf>, f64) {
    let sums: Vec<Vec<f64>> = weights.iter().map(|of| cumulated(of)).collect();
    let whole: Vec<(usize, usize)> = weights.iter().map(|of| (0, of.len())).collect();
    let mut found = Vec::new();
    let mut open = vec![(0, whole)];
    while let Some((own, bins)) = open.pop() {
        let node = tree.nodes[own];
        let left = node.left as usize;
        if left == own {
            let probability = bins.iter().zip(&sums).map(|(&(from, to), sum)| sum[to] - sum[from]).product();
            if probability > 0.0 {
                found.push(Leaf { bins, probability, value: f64::from(tree.values[own]) });
            }
            continue;
        }
        let (feature, border) = (node.feature as usize, usize::from(node.code) + 1);
        let (from, to) = bins[feature];
        // Borders beyond the bins of a branch leave it whole.
        let border = border.clamp(from, to);
        let mut right = bins.clone();
        right[feature].0 = border;
        let mut bins = bins;
        bins[feature].1 = border;
        open.extend([(left, bins), (left + 1, right)]);
    }
    // Probabilities add up to 1 but for rounding, so that equal values would seem to differ from their mean.
    if found.windows(2).all(|pair| pair[0].value == pair[1].value) {
        return (found, 0.0);
    }
    let mean: f64 = found.iter().map(|leaf| leaf.probability * leaf.value).sum();
    found.iter_mut().for_each(|leaf| leaf.value -= mean);
    let variance = found.iter().map(|leaf| leaf.probability * leaf.value * leaf.value).sum();
    (found, variance)
}

fn cumulated(weights: &[f64]) -> Vec<f64> {
    std::iter::once(0.0)
        .chain(weights.iter().scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        }))
        .collect()
}

/// Centred marginal of a feature per bin: means of the leaves over all other features.
fn marginal(leaves: &[Leaf], feature: usize, weights: &[Vec<f64>]) -> Vec<f64> {
    let sums = cumulated(&weights[feature]);
    // Changes at the borders of leaves, to be cumulated.
    let mut steps = vec![0.0; weights[feature].len() + 1];
    for leaf in leaves {
        let (from, to) = leaf.bins[feature];
        let height = leaf.value * leaf.probability / (sums[to] - sums[from]);
        steps[from] += height;
        steps[to] -= height;
    }
    let mut marginal = cumulated(&steps[..weights[feature].len()]);
    marginal.remove(0);
    marginal
}

/// Shares of single features in the variance of a tree; nothing if it does not vary.
fn main(tree: &Tree, weights: &[Vec<f64>]) -> Option<Vec<f64>> {
    let (leaves, variance) = leaves(tree, weights);
    let share = |feature: usize| {
        let marginal = marginal(&leaves, feature, weights);
        marginal.iter().zip(&weights[feature]).map(|(a, weight)| weight * a * a).sum::<f64>() / variance
    };
    (variance > 0.0).then(|| (0..weights.len()).map(share).collect())
}

/// Share of the interaction of two features in the variance of a tree; nothing if it does not vary.
fn interaction(tree: &Tree, weights: &[Vec<f64>], (first, second): (usize, usize)) -> Option<f64> {
    let (leaves, variance) = leaves(tree, weights);
    if variance <= 0.0 {
        return None;
    }
    let (of_first, of_second) = (&weights[first], &weights[second]);
    let (sums_first, sums_second) = (cumulated(of_first), cumulated(of_second));
    // A row of the joint marginal per bin of the first feature, in changes along the second.
    let across = of_second.len() + 1;
    let mut joint = vec![0.0; of_first.len() * across];
    for leaf in &leaves {
        let ((top, bottom), (from, to)) = (leaf.bins[first], leaf.bins[second]);
        let area = (sums_first[bottom] - sums_first[top]) * (sums_second[to] - sums_second[from]);
        let height = leaf.value * leaf.probability / area;
        for row in top..bottom {
            joint[row * across + from] += height;
            joint[row * across + to] -= height;
        }
    }
    let (main_first, main_second) = (marginal(&leaves, first, weights), marginal(&leaves, second, weights));
    let mut sum = 0.0;
    for (row, (a, weight)) in main_first.iter().zip(of_first).enumerate() {
        let mut value = 0.0;
        for (column, (b, other)) in main_second.iter().zip(of_second).enumerate() {
            value += joint[row * across + column];
            sum += weight * other * (value - a - b).powi(2);
        }
    }
    Some(sum / variance)
}
