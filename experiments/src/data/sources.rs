//! Rows for learners from data sets, fetched, shipped or made.

use std::path::{Path, PathBuf};

use thrifty_learners::{Rows, Targets, recipe};

use crate::data;
use crate::error::ExperimentError;

/// Files of Madelon as published: rows with classes, further rows and their classes.
pub const MADELON: [&str; 3] =
    ["openml/madelon.csv", "openml/madelon_valid.data", "openml/madelon_valid.labels"];
/// File of the electricity market.
pub const ELECTRICITY: &str = "openml/electricity.csv";
/// File of the house sales.
pub const HOUSE_SALES: &str = "openml/kc_house_data.csv";

/// Rows of cells; the number of columns is that of the first line.
struct Cells {
    path: PathBuf,
    rows: Vec<Vec<String>>,
}

impl Cells {
    fn read(path: &Path, separator: Option<char>) -> Result<Self, ExperimentError> {
        Self::parse(path, &data::read(path)?, separator)
    }

    fn parse(path: &Path, text: &str, separator: Option<char>) -> Result<Self, ExperimentError> {
        let own = |cell: &str| cell.trim().trim_matches('"').to_owned();
        let split = |line: &str| -> Vec<String> {
            match separator {
                Some(separator) => line.split(separator).map(own).collect(),
                None => line.split_whitespace().map(own).collect(),
            }
        };
        let rows: Vec<Vec<String>> = text.lines().filter(|line| !line.trim().is_empty()).map(split).collect();
        let width = rows.first().map_or(0, Vec::len);
        if let Some(at) = rows.iter().position(|row| row.len() != width) {
            let message = format!("line {}: {} columns, expected {width}", at + 1, rows[at].len());
            return Err(ExperimentError::data(path, message));
        }
        Ok(Self { path: path.to_owned(), rows })
    }

    /// Takes the first line away, which names the columns, and returns the places of these.
    fn places(&mut self, names: &[&str]) -> Result<Vec<usize>, ExperimentError> {
        if self.rows.is_empty() {
            return Err(ExperimentError::data(&self.path, "is empty"));
        }
        let header = self.rows.remove(0);
        let place = |name: &&str| {
            let found = header.iter().position(|own| own == name);
            found.ok_or_else(|| ExperimentError::data(&self.path, format!("has no column {name}")))
        };
        names.iter().map(place).collect()
    }

    /// The number that a cell stands for.
    fn numbers(
        &self,
        column: usize,
        number: impl Fn(&str) -> Option<f64>,
    ) -> Result<Vec<f64>, ExperimentError> {
        let one = |(at, row): (usize, &Vec<String>)| {
            let found = number(&row[column]).filter(|number| number.is_finite());
            let message = || format!("row {}, column {}: {:?} is no number", at + 1, column + 1, row[column]);
            found.ok_or_else(|| ExperimentError::data(&self.path, message()))
        };
        self.rows.iter().enumerate().map(one).collect()
    }

    /// Columns side by side.
    fn rows_of(&self, columns: &[Vec<f64>], targets: Targets) -> Rows {
        let x = (0..self.rows.len()).flat_map(|row| columns.iter().map(move |column| column[row] as f32));
        Rows { x: x.collect(), columns: columns.len(), targets }
    }

    /// Numbers in all columns but the last, which is one of two classes.
    fn classified(&self, positive: &str, negative: &str) -> Result<Rows, ExperimentError> {
        let last = self.rows.first().map_or(0, Vec::len).saturating_sub(1);
        let columns: Vec<Vec<f64>> =
            (0..last).map(|column| self.numbers(column, plain)).collect::<Result<_, _>>()?;
        Ok(self.rows_of(&columns, Targets::Classes(self.classes(last, positive, negative)?)))
    }

    fn classes(&self, column: usize, positive: &str, negative: &str) -> Result<Vec<bool>, ExperimentError> {
        let of = |cell: &str| {
            [(negative, 0.0), (positive, 1.0)].into_iter().find(|class| class.0 == cell).map(|class| class.1)
        };
        Ok(self.numbers(column, of)?.into_iter().map(|class| class > 0.5).collect())
    }
}

fn plain(cell: &str) -> Option<f64> {
    cell.parse().ok()
}

/// Madelon with the rows of training and validation together, as the source has them; nothing without the files.
pub fn madelon(folder: Option<&Path>) -> Result<Option<Rows>, ExperimentError> {
    let [Some(first), Some(further), Some(labels)] = MADELON.map(|name| data::file(folder, name)) else {
        return Ok(None);
    };
    let mut cells = Cells::read(&first, Some(','))?;
    cells.places(&[])?;
    let mut all = cells.classified("1", "-1")?;
    let (cells, labels) = (Cells::read(&further, None)?, Cells::read(&labels, None)?);
    let width = cells.rows.first().map_or(0, Vec::len);
    if width != all.columns || labels.rows.len() != cells.rows.len() {
        let found = format!("{} rows of {width} columns for {} labels", cells.rows.len(), labels.rows.len());
        return Err(ExperimentError::data(further, found));
    }
    let columns: Vec<Vec<f64>> =
        (0..width).map(|column| cells.numbers(column, plain)).collect::<Result<_, _>>()?;
    let added = cells.rows_of(&columns, Targets::Classes(labels.classes(0, "1", "-1")?));
    all.x.extend(added.x);
    if let (Targets::Classes(all), Targets::Classes(added)) = (&mut all.targets, added.targets) {
        all.extend(added);
    }
    Ok(Some(all))
}

/// Madelon made anew by its recipe.
pub fn madelon_made() -> Result<Rows, ExperimentError> {
    let path = Path::new("made/madelon.csv");
    let mut text = Vec::new();
    recipe::madelon::write(&mut text).map_err(ExperimentError::io(path))?;
    let mut cells = Cells::parse(path, &String::from_utf8_lossy(&text), Some(','))?;
    cells.places(&[])?;
    cells.classified("1", "-1")
}

/// The electricity market of New South Wales; nothing without the file.
pub fn electricity(folder: Option<&Path>) -> Result<Option<Rows>, ExperimentError> {
    let Some(path) = data::file(folder, ELECTRICITY) else { return Ok(None) };
    let mut cells = Cells::read(&path, Some(','))?;
    cells.places(&["Date", "Day", "Period", "Class"])?;
    cells.classified("yes", "no").map(Some)
}

/// Sales of houses in King County: the logarithm of the price by 16 numbers; nothing without the file.
///
/// Words are ranks. A view or waterfront that is missing is none, a year of renovation that is missing is 0. The area of the basement, which is
/// the difference of two other columns, number, date and postal code of a sale are left out.
pub fn house_sales(folder: Option<&Path>) -> Result<Option<Rows>, ExperimentError> {
    const PLAIN: [&str; 11] = [
        "bedrooms",
        "bathrooms",
        "sqft_living",
        "sqft_lot",
        "floors",
        "sqft_above",
        "yr_built",
        "lat",
        "long",
        "sqft_living15",
        "sqft_lot15",
    ];
    let Some(path) = data::file(folder, HOUSE_SALES) else { return Ok(None) };
    let mut cells = Cells::read(&path, Some(','))?;
    let places = cells.places(
        &[&PLAIN[..], &["waterfront", "view", "condition", "grade", "yr_renovated", "price"]].concat(),
    )?;
    let rank = |words: &'static [&'static str]| {
        move |cell: &str| words.iter().position(|word| *word == cell).map(|at| at as f64)
    };
    let mut columns: Vec<Vec<f64>> =
        places[..11].iter().map(|at| cells.numbers(*at, plain)).collect::<Result<_, _>>()?;
    let or_none = |cell: &str, none: &str| if cell.is_empty() { none.to_owned() } else { cell.to_owned() };
    columns.push(cells.numbers(places[11], |cell| rank(&["NO", "YES"])(&or_none(cell, "NO")))?);
    columns.push(cells.numbers(places[12], |cell| {
        rank(&["NONE", "FAIR", "AVERAGE", "GOOD", "EXCELLENT"])(&or_none(cell, "NONE"))
    })?);
    columns.push(cells.numbers(places[13], rank(&["Poor", "Fair", "Average", "Good", "Very Good"]))?);
    columns.push(cells.numbers(places[14], |cell| plain(cell.split(' ').next().unwrap_or_default()))?);
    columns.push(cells.numbers(places[15], |cell| plain(&or_none(cell, "0")))?);
    let prices = cells.numbers(places[16], |cell| plain(cell).filter(|price| *price > 0.0).map(f64::ln))?;
    Ok(Some(cells.rows_of(&columns, Targets::Numbers(prices))))
}

/// Parity of the handwritten digits that a library ships.
pub fn parity_of_digits() -> Rows {
    let set = smartcore::dataset::digits::load_dataset();
    let classes = set.target.iter().map(|digit| (*digit as u32) % 2 == 1).collect();
    Rows { x: set.data, columns: set.num_features, targets: Targets::Classes(classes) }
}

/// Breast cancer, which a library ships.
pub fn breast_cancer() -> Rows {
    let set = smartcore::dataset::breast_cancer::load_dataset();
    let classes = set.target.iter().map(|class| *class == 1).collect();
    Rows { x: set.data, columns: set.num_features, targets: Targets::Classes(classes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("openml")).unwrap();
        files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
        folder
    }

    #[test]
    fn madelon_joins_both_parts() {
        let first = "\"X1\",\"X2\",\"class\"\n1,2,-1\n3,4,1\n";
        let folder =
            folder_with(&[(MADELON[0], first), (MADELON[1], "5 6 \n7 8\n"), (MADELON[2], "1\n-1\n")]);
        let found = madelon(Some(folder.path())).unwrap().unwrap();
        assert_eq!((found.x, found.columns), ((1..9_u8).map(f32::from).collect::<Vec<_>>(), 2));
        assert_eq!(found.targets, Targets::Classes(vec![false, true, true, false]));
        std::fs::write(folder.path().join(MADELON[2]), "1\n").unwrap();
        let error = madelon(Some(folder.path())).unwrap_err().to_string();
        assert!(error.contains("2 rows of 2 columns for 1 labels"), "{error}");
        std::fs::write(folder.path().join(MADELON[0]), "a,b,c\n1,2,3\n").unwrap();
        let error = madelon(Some(folder.path())).unwrap_err().to_string();
        assert!(error.contains("row 1, column 3: \"3\" is no number"), "{error}");
        assert!(madelon(None).unwrap().is_none());
    }

    #[test]
    fn houses_have_ranks_for_words() {
        let names = "id,date,price,bedrooms,bathrooms,sqft_living,sqft_lot,floors,waterfront,view,condition,grade,sqft_above,\
                     sqft_basement,yr_built,yr_renovated,zipcode,lat,long,sqft_living15,sqft_lot15";
        let row = "7,10/13/2014,1.0,3,1.5,1180,5650,2.0,,GOOD,Average,7 Average,1000,?,1955,,98178,47.5,-122.25,1340,5651";
        let folder = folder_with(&[(HOUSE_SALES, &format!("{names}\n{row}\n"))]);
        let found = house_sales(Some(folder.path())).unwrap().unwrap();
        let expected = [
            3.0, 1.5, 1180.0, 5650.0, 2.0, 1000.0, 1955.0, 47.5, -122.25, 1340.0, 5651.0, 0.0, 3.0, 2.0, 7.0,
            0.0,
        ];
        assert_eq!((found.x, found.targets), (expected.to_vec(), Targets::Numbers(vec![0.0])));
        let wrong = |from: &str, to: &str| {
            std::fs::write(folder.path().join(HOUSE_SALES), format!("{names}\n{row}\n").replace(from, to))
                .unwrap();
            house_sales(Some(folder.path())).unwrap_err().to_string()
        };
        assert!(wrong("GOOD", "NICE").contains("\"NICE\" is no number"));
        assert!(wrong("price", "cost").contains("has no column price"));
        assert!(wrong(",5651", "").contains("line 2: 20 columns, expected 21"));
    }

    #[test]
    fn the_market_goes_up_or_down() {
        let text = "Date,Day,Period,Class\n0.5,2,0.25,yes\n0.75,3,0.5,no\n";
        let folder = folder_with(&[(ELECTRICITY, text)]);
        let found = electricity(Some(folder.path())).unwrap().unwrap();
        assert_eq!((found.x, found.columns), (vec![0.5, 2.0, 0.25, 0.75, 3.0, 0.5], 3));
        assert_eq!(found.targets, Targets::Classes(vec![true, false]));
        std::fs::write(folder.path().join(ELECTRICITY), "").unwrap();
        assert!(electricity(Some(folder.path())).unwrap_err().to_string().contains("is empty"));
    }

    #[test]
    fn shipped_and_made_rows_have_their_shapes() {
        let digits = parity_of_digits();
        let odd: f64 = digits.targets.numbers().iter().sum();
        assert_eq!((digits.len(), digits.columns, odd), (1797, 64, 906.0));
        let cancer = breast_cancer();
        assert_eq!((cancer.len(), cancer.columns, cancer.x.len()), (569, 30, 569 * 30));
        let made = madelon_made().unwrap();
        assert_eq!((made.len(), made.columns), (2600, 500));
    }
}
