//! Spaces with given values.

use thrifty_domain::FILLER;

use crate::encoding::{canonical, write_value};
use crate::{Config, Space, SpaceError};

impl Space {
    /// The part of the space with these values: same parameters, same encoding, and a [`Space::domain`] in which the given parameters are fixed.
    ///
    /// Use it to complete a partly given configuration. [`Space::with_fixed`] removes a parameter from the search instead.
    ///
    /// ```
    /// use thrifty_space::{Config, Space};
    /// let space = Space::builder()
    ///     .categorical("solver", ["sgd", "adam"])
    ///     .float("momentum", 0.0, 1.0)
    ///     .when("solver", ["sgd"])
    ///     .float("rate", 0.0, 1.0)
    ///     .build()?;
    /// let mut given = Config::new();
    /// given.insert("solver", "adam");
    /// let completed = space.given(&given)?.decode(&[0.9, 0.1, 0.5, 1.0, 0.25]);
    /// assert_eq!(completed.str("solver")?, "adam");
    /// assert_eq!(completed.float("rate")?, 0.25);
    /// assert!(completed.get("momentum").is_none());
    /// # Ok::<(), thrifty_space::SpaceError>(())
    /// ```
    ///
    /// # Errors
    /// [`SpaceError`] for an unknown name, a value that the parameter cannot have, a value that another given value excludes, or a value
    /// whose condition is on a parameter that is not given.
    pub fn given(&self, values: &Config) -> Result<Self, SpaceError> {
        self.require_known(values)?;
        let mut x = vec![FILLER; self.dim()];
        let mut indices = Vec::new();
        for (index, parameter) in self.parameters().iter().enumerate() {
            let Some(value) = values.get(&parameter.name) else { continue };
            let name = || parameter.name.clone();
            let open = parameter.conditions.iter().find(|condition| values.get(&condition.parent).is_none());
            if let Some(condition) = open {
                return Err(SpaceError::OpenCondition { name: name(), parent: condition.parent.clone() });
            }
            if !self.whole().is_active(index, &x) {
                return Err(SpaceError::InactiveParameter { name: name(), value: value.clone() });
            }
            write_value(self.whole(), index, parameter, value, &mut x)?;
            indices.push(index);
        }
        Ok(self.pinned(&indices, &x))
    }

    /// A configuration with its values in the form of [`Space::decode`]: a choice as in the list of choices, a grid value without rounding,
    /// whole numbers of a float as floats.
    ///
    /// This also works for parts of configurations. A configuration with an unknown name or an invalid value is returned unchanged.
    ///
    /// ```
    /// use thrifty_space::{Config, Space};
    /// let space = Space::builder().categorical("n", [16, 32]).step_float("x", 0.0, 0.3, 0.1).build()?;
    /// let mut config = Config::new();
    /// config.insert("n", 16.0);
    /// config.insert("x", 3.0 * 0.1);
    /// let config = space.canonical(&config);
    /// assert_eq!((config.int("n")?, config.float("x")?), (16, 0.3));
    /// # Ok::<(), thrifty_space::SpaceError>(())
    /// ```
    #[must_use]
    pub fn canonical(&self, config: &Config) -> Config {
        self.with_values(Config::new(), config).unwrap_or_else(|_| config.clone())
    }

    /// A configuration with given values in place of its own, in the form of [`Space::decode`]: whole numbers of a float become floats.
    ///
    /// # Errors
    /// [`SpaceError`] for an unknown name, or a value that the parameter cannot have.
    pub fn with_values(&self, mut config: Config, values: &Config) -> Result<Config, SpaceError> {
        self.require_known(values)?;
        for parameter in self.parameters() {
            if let Some(value) = values.get(&parameter.name) {
                config.insert(parameter.name.clone(), canonical(parameter, value)?);
            }
        }
        Ok(config)
    }
}
