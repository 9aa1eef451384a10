//! Spaces in which some values are given.

use thrifty_domain::FILLER;

use crate::encoding::{canonical, write_value};
use crate::{Config, Space, SpaceError};

impl Space {
    /// The space of the configurations that have these values: same parameters, same encoding, and a [`Space::domain`] in which the
    /// given parameters are fixed.
    ///
    /// It serves to complete a configuration of which a part is given. A space without a parameter altogether is
    /// [`Space::with_fixed`].
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
    /// [`SpaceError`] for an unknown name, a value that the parameter cannot have, one that is given while another value given excludes
    /// it, or one whose condition is on a parameter that is not given.
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

    /// A configuration with its values as [`Space::decode`] would return them: a choice as it stands among the choices, a value of a
    /// grid without roundings, whole numbers of a float as floats.
    ///
    /// Parts of configurations are of this form too. A configuration with an unknown name or a value that a parameter cannot have stays as
    /// it is.
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

    /// A configuration with given values in place of its own, as [`Space::decode`] would return them: whole numbers of a float
    /// become floats.
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
