//! Second-order gradient boosting.

mod binned;
mod objective;
mod tree;

use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space, SpaceError};

use self::binned::Bins;
use self::tree::{Growth, Tree};
use super::{Fold, Learner, Rows, Targets};
use crate::LearnerError;

/// Gradient boosting by first and second derivatives, with early stopping on a tenth of the rows.
///
/// The source allows 2000 trees and 50 without improvement. Features are cut into 64 bins.
///
/// Source: Chen & Guestrin (2016).
#[derive(Debug, Clone, Copy)]
pub struct BoostedTrees {
    /// Largest number of trees.
    pub rounds: usize,
    /// Trees without a smaller loss on the rows that are held out.
    pub patience: usize,
    /// True to leave the number of leaves and the order of splits to the configuration, as the source does for classes.
    pub leaves: bool,
}

/// The settings of one model.
#[derive(Debug, Clone, Copy)]
struct Settings {
    growth: Growth,
    rate: f64,
    /// Shares of the rows and of the columns that a tree sees.
    rows: f64,
    columns: f64,
}

struct Prepared {
    learner: BoostedTrees,
    bins: Bins,
    kept: Rows,
    held: Rows,
    test: Rows,
    /// Bins of each of these.
    codes: [Vec<u8>; 3],
}

impl Learner for BoostedTrees {
    fn space(&self) -> Result<Space, SpaceError> {
        let space = Space::builder()
            .log_float("learning_rate", 1e-5, 0.95)
            .log_int("max_depth", 1, if self.leaves { 12 } else { 10 })
            .log_float("reg_alpha", 1e-8, 100.0)
            .log_float("reg_lambda", 1e-8, 100.0)
            .log_float("gamma", 1e-8, 100.0)
            .float("subsample", 0.1, 1.0)
            .float("colsample_bytree", 0.1, 1.0);
        if self.leaves {
            space
                .log_int("max_leaves", 2, 1024)
                .categorical("grow_policy", ["depthwise", "lossguide"])
                .build()
        } else {
            space.build()
        }
    }

    fn usual(&self) -> Config {
        let mut config = Config::new();
        let numbers = [
            ("learning_rate", 0.1),
            ("reg_alpha", 1e-8),
            ("reg_lambda", 1.0),
            ("gamma", 1e-8),
            ("subsample", 1.0),
            ("colsample_bytree", 1.0),
        ];
        numbers.into_iter().for_each(|(name, value)| config.insert(name, value));
        config.insert("max_depth", 6_i64);
        if self.leaves {
            config.insert("max_leaves", 64_i64);
            config.insert("grow_policy", "depthwise");
        }
        config
    }

    fn prepare(&self, train: &Rows, test: &Rows, seed: Seed) -> Result<Box<dyn Fold>, LearnerError> {
        let (kept, held) = train.without_a_tenth(&mut seed.stream("held out", 0));
        let bins = Bins::new(&kept.x, kept.columns);
        let codes = [&kept, &held, test].map(|rows| bins.codes(&rows.x));
        Ok(Box::new(Prepared { learner: *self, bins, kept, held, test: test.clone(), codes }))
    }
}

impl Settings {
    fn of(config: &Config) -> Result<Self, SpaceError> {
        let leaves =
            if config.get("max_leaves").is_some() { config.int("max_leaves")? as usize } else { usize::MAX };
        let by_gain = config.get("grow_policy").is_some() && config.str("grow_policy")? == "lossguide";
        Ok(Self {
            growth: Growth {
                max_depth: config.int("max_depth")? as usize,
                max_leaves: leaves,
                l1: config.float("reg_alpha")?,
                l2: config.float("reg_lambda")?,
                min_gain: config.float("gamma")?,
                min_weight: 1.0,
                by_gain,
            },
            rate: config.float("learning_rate")?,
            rows: config.float("subsample")?,
            columns: config.float("colsample_bytree")?,
        })
    }
}

impl Prepared {
    /// A tree on what was found so far, of rows and columns that are drawn.
    fn tree(&self, settings: &Settings, found: &[f64], rng: &mut Stream) -> Tree {
        let slopes = objective::slopes(&self.kept.targets, found);
        let rows = (0..found.len() as u32).filter(|_| settings.rows >= 1.0 || rng.uniform() < settings.rows);
        let rows: Vec<u32> = rows.collect();
        let columns = self.bins.columns();
        let mut features: Vec<usize> = (0..columns).collect();
        let drawn = ((settings.columns * columns as f64) as usize).max(1);
        if drawn < columns {
            rng.shuffle(&mut features);
            features.truncate(drawn);
            features.sort_unstable();
        }
        settings.growth.tree(&self.codes[0], columns, &slopes, rows, &features)
    }

    /// Losses on what is trained on and on what is held out after each tree, and predictions for the tested rows after the best.
    fn fit(&self, config: &Config, seed: Seed) -> Result<(Vec<[f64; 2]>, Vec<f64>), LearnerError> {
        let settings = Settings::of(config)?;
        let (columns, base) = (self.bins.columns(), objective::base(&self.kept.targets));
        let all = [&self.kept, &self.held, &self.test];
        let mut found = all.map(|rows| vec![base; rows.len()]);
        let watch = |found: &[Vec<f64>; 3]| [0, 1].map(|of| objective::watched(&all[of].targets, &found[of]));
        let mut losses = vec![watch(&found)];
        let (mut best, mut least, mut since) = (found[2].clone(), losses[0][1], 0);
        let rng = &mut seed.stream("boosting", 0);
        for _ in 0..self.learner.rounds {
            let tree = self.tree(&settings, &found[0], rng);
            for (codes, found) in self.codes.iter().zip(&mut found) {
                tree.add(codes, columns, settings.rate, found);
            }
            losses.push(watch(&found));
            let now = losses.last().map_or(f64::NAN, |loss| loss[1]);
            since += 1;
            // With nothing held out every tree counts.
            if now < least || self.held.len() == 0 {
                (least, since) = (now, 0);
                best.copy_from_slice(&found[2]);
            }
            if since >= self.learner.patience {
                break;
            }
        }
        Ok((losses, best))
    }
}

impl Fold for Prepared {
    fn targets(&self) -> &Targets {
        &self.test.targets
    }

    fn predictions(&self, config: &Config, seed: Seed) -> Result<Vec<f64>, LearnerError> {
        Ok(self.fit(config, seed)?.1)
    }
}

#[cfg(test)]
mod tests;
