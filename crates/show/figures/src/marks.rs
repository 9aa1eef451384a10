//! Tick marks of plot axes and their labels.

use std::collections::BTreeSet;

/// Tick marks of an axis: places in drawing coordinates, each with the text beside it.
///
/// A linear axis is drawn in its values, a logarithmic one in logarithms to base ten, named places at 0, 1, ….
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Marks(Vec<(f64, String)>);

impl Marks {
    /// At most `most` multiples of 1, 2 or 5 times a power of ten, with as many digits as their distance needs.
    pub(crate) fn linear(low: f64, high: f64, most: usize) -> Self {
        let (values, last_digit) = round_values(low, high, most);
        let labels = labels(&values, last_digit);
        Self(values.into_iter().zip(labels).collect())
    }

    /// Round numbers between two powers of ten, given by their logarithms.
    pub(crate) fn log(low: f64, high: f64, most: usize) -> Self {
        let logs = round_logs(low, high, most);
        if logs.len() >= 2 {
            return Self(logs.into_iter().map(|log| (log, tick(10_f64.powf(log)))).collect());
        }
        // A short stretch has no power of ten in it: round numbers, whose distance in logarithms is uneven.
        let Self(linear) = Self::linear(10_f64.powf(low), 10_f64.powf(high), most);
        Self(linear.into_iter().map(|(value, label)| (value.log10(), label)).collect())
    }

    /// One mark at a value.
    pub(crate) fn value(value: f64) -> Self {
        Self(vec![(value, tick(value))])
    }

    /// Named places 0, 1, …, with names of at most `longest` characters.
    pub(crate) fn names(names: &[String], longest: usize) -> Self {
        let names = all_shortened(names, longest);
        Self(names.into_iter().enumerate().map(|(at, name)| (at as f64, name)).collect())
    }

    /// The first and every k-th mark after it.
    pub(crate) fn every(self, k: usize) -> Self {
        Self(self.0.into_iter().step_by(k.max(1)).collect())
    }

    /// The places, rising.
    pub(crate) fn places(&self) -> impl Iterator<Item = f64> {
        self.0.iter().map(|(place, _)| *place)
    }

    /// Places with their labels.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (f64, &str)> {
        self.0.iter().map(|(place, label)| (*place, label.as_str()))
    }

    /// The label of the mark nearest to a place.
    pub(crate) fn label(&self, place: f64) -> String {
        let nearest = self.0.iter().min_by(|a, b| (a.0 - place).abs().total_cmp(&(b.0 - place).abs()));
        nearest.map_or(String::new(), |(_, label)| label.clone())
    }
}

/// The first characters of a text, with an ellipsis where more follow.
pub(crate) fn shortened(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest.max(1) {
        return text.to_owned();
    }
    text.chars().take(longest.max(2) - 1).chain(std::iter::once('…')).collect()
}

/// Texts of at most `longest` characters: their beginnings, with their ends where beginnings alone are not told apart.
pub(crate) fn all_shortened(texts: &[String], longest: usize) -> Vec<String> {
    let different = |texts: &[String]| texts.iter().collect::<BTreeSet<_>>().len();
    let short: Vec<String> = texts.iter().map(|text| shortened(text, longest)).collect();
    if different(&short) == different(texts) {
        return short;
    }
    texts.iter().map(|text| without_middle(text, longest)).collect()
}

/// The first and the last characters of a text, with an ellipsis between them where others are.
fn without_middle(text: &str, longest: usize) -> String {
    let (count, kept) = (text.chars().count(), longest.max(3) - 1);
    if count <= kept + 1 {
        return text.to_owned();
    }
    let (head, tail) = (kept - kept / 2, kept / 2);
    text.chars().take(head).chain(std::iter::once('…')).chain(text.chars().skip(count - tail)).collect()
}

/// Round values in a range and the power of ten of their last digit.
fn round_values(low: f64, high: f64, most: usize) -> (Vec<f64>, i32) {
    let raw = (high - low) / most.max(1) as f64;
    let power = raw.log10().floor();
    let steps = [1.0, 2.0, 5.0, 10.0, 20.0].map(|digit| (digit, power as i32));
    let multiples = |(digit, power): (f64, i32)| {
        // A power of ten below 1 is not a float, its inverse is.
        let value = move |k: f64| {
            if power < 0 { k * digit / 10_f64.powi(-power) } else { k * digit * 10_f64.powi(power) }
        };
        let step = value(1.0);
        ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor(), value)
    };
    let countable = raw > 0.0 && raw.is_finite() && (-300.0..300.0).contains(&power);
    // Beyond 2⁵³ multiples of the step are not told apart.
    let resolved = countable && low.abs().max(high.abs()) / raw < 1e14;
    let found = steps.into_iter().filter(|_| resolved).find_map(|step| {
        let (first, last, value) = multiples(step);
        let count = (last - first + 1.0).max(0.0) as usize;
        (count <= most.max(2)).then(|| (0..count).map(|k| value(first + k as f64)).collect::<Vec<_>>())
    });
    match found {
        Some(values) => (values, power as i32),
        // Without digits to round: the ends, as they are.
        None => (vec![low, high], i32::MIN),
    }
}

/// Texts of values whose last digit counts that power of ten, all with a fixed point or all with an exponent.
fn labels(values: &[f64], last_digit: i32) -> Vec<String> {
    /// More digits than this are written with an exponent, where that is shorter.
    const LONGEST: usize = 6;
    if last_digit == i32::MIN {
        return values.iter().map(|value| format!("{value:e}")).collect();
    }
    let longest = |texts: &[String]| {
        texts.iter().map(|text| text.trim_start_matches('-').chars().count()).max().unwrap_or(0)
    };
    let decimals = usize::try_from(-last_digit).unwrap_or(0);
    let fixed: Vec<String> =
        values.iter().map(|value| without_zeros(&format!("{value:.decimals$}"))).collect();
    if longest(&fixed) <= LONGEST {
        return fixed;
    }
    let scientific = |value: &f64| {
        if *value == 0.0 {
            return "0".to_owned();
        }
        let digits = usize::try_from(value.abs().log10().floor() as i32 - last_digit).unwrap_or(0);
        without_zeros(&format!("{value:.digits$e}"))
    };
    let exponents: Vec<String> = values.iter().map(scientific).collect();
    if longest(&exponents) < longest(&fixed) { exponents } else { fixed }
}

/// A number without zeros at the end of its decimals.
fn without_zeros(text: &str) -> String {
    let (mantissa, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    let mantissa =
        if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    let mantissa = if mantissa == "-0" { "0" } else { mantissa };
    format!("{mantissa}{exponent}")
}

/// Logarithms between two of powers of ten; of 2 and 5 times these too if there are few.
fn round_logs(low: f64, high: f64, most: usize) -> Vec<f64> {
    let step = ((high - low) / most.max(2) as f64).ceil().max(1.0) as usize;
    let decades = (low.floor() as i32..=high.ceil() as i32).step_by(step).map(f64::from);
    let within: &[f64] = if high - low < 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let marks = decades.flat_map(|decade| within.iter().map(move |digit: &f64| decade + digit.log10()));
    // The ends may be off by a rounding error; beyond 10³⁰⁸ there is no number to write.
    marks.filter(|mark| (low - 1e-9..=high + 1e-9).contains(mark) && mark.abs() <= 308.0).collect()
}

/// A single number in a figure: three significant digits, no trailing zeros.
pub(crate) fn tick(value: f64) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    if rounded != 0.0 && !(1e-4..1e6).contains(&rounded.abs()) {
        format!("{rounded:e}")
    } else {
        format!("{rounded}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(marks: &Marks) -> Vec<&str> {
        marks.iter().map(|(_, label)| label).collect()
    }

    fn log(low: f64, high: f64) -> Vec<String> {
        Marks::log(low.log10(), high.log10(), 10).iter().map(|(_, label)| label.to_owned()).collect()
    }

    #[test]
    fn years_and_other_large_numbers_close_together_are_told_apart() {
        assert_eq!(texts(&Marks::linear(1958.0, 2004.0, 6)), ["1960", "1970", "1980", "1990", "2000"]);
        assert_eq!(texts(&Marks::linear(1.0, 1.0004, 5)), ["1", "1.0001", "1.0002", "1.0003", "1.0004"]);
        assert_eq!(
            texts(&Marks::linear(1_234_567.0, 1_234_607.0, 5)),
            ["1234570", "1234580", "1234590", "1234600"]
        );
    }

    #[test]
    fn large_and_small_numbers_have_exponents_on_the_whole_axis() {
        assert_eq!(texts(&Marks::linear(0.0, 3e9, 4)), ["0", "1e9", "2e9", "3e9"]);
        assert_eq!(texts(&Marks::linear(-2e-9, 1e-9, 4)), ["-2e-9", "-1e-9", "0", "1e-9"]);
        assert_eq!(texts(&Marks::linear(0.0, 0.3, 4)), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!(texts(&Marks::linear(-0.5, 0.5, 3)), ["-0.5", "0", "0.5"]);
    }

    /// Labels of a linear axis are numbers, rising, and each is the place of its mark.
    #[test]
    fn labels_read_back_as_their_places() {
        for scale in [1e-12, 1e-3, 1.0, 7.3, 1e12] {
            for offset in [0.0, -0.4, 3.0, 1e3, -1e6] {
                let (low, high) = (scale * offset, scale * (offset + 1.7));
                let marks = Marks::linear(low, high, 7);
                assert!((2..=7).contains(&marks.0.len()), "{low} {high}: {marks:?}");
                for (place, label) in marks.iter() {
                    let read: f64 = label.parse().unwrap();
                    assert!((read - place).abs() <= 1e-6 * scale, "{label} at {place}");
                }
                assert!(marks.places().is_sorted() && marks.label(low) == marks.0[0].1);
            }
        }
    }

    #[test]
    fn ranges_without_round_numbers_are_marked_at_their_ends() {
        for (low, high) in [(1e12, 1e12 + 1e-4), (-1.7e308, 1.7e308), (3.0, 3.0), (0.0, 5e-324)] {
            assert_eq!(Marks::linear(low, high, 5).places().collect::<Vec<_>>(), [low, high]);
        }
    }

    #[test]
    fn marks_of_a_logarithmic_scale_are_round_numbers() {
        assert_eq!(log(25.0, 1000.0), ["50", "100", "200", "500", "1000"]);
        assert_eq!(log(0.005, 200.0), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(log(11.0, 14.0), ["11", "11.5", "12", "12.5", "13", "13.5", "14"]);
        assert_eq!(Marks::log(11_f64.log10(), 14_f64.log10(), 10).0[2].0, 12_f64.log10());
    }

    #[test]
    fn three_decades_are_marked_by_powers_of_ten_and_fewer_by_their_doubles_too() {
        assert_eq!(round_logs(0.0, 3.0, 12), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(round_logs(0.0, 2.5, 12).len(), 8, "1, 2, 5, 10, 20, 50, 100, 200");
        assert_eq!(round_logs(0.0, 24.0, 12).len(), 13, "every second power");
    }

    #[test]
    fn long_names_end_with_an_ellipsis() {
        let names = ["adam".to_owned(), "stochastic".to_owned()];
        assert_eq!(texts(&Marks::names(&names, 6)), ["adam", "stoch…"]);
        assert_eq!(shortened("ab", 0), "a…");
    }

    #[test]
    fn names_that_begin_alike_keep_their_ends() {
        let names = [16, 17].map(|n| format!("parameter_{n}"));
        assert_eq!(all_shortened(&names, 8), ["para…_16", "para…_17"]);
        assert_eq!(all_shortened(&names, 12), names);
        let equal = ["stochastic", "stochastic"].map(str::to_owned);
        assert_eq!(all_shortened(&equal, 6), ["stoch…", "stoch…"], "no ends tell them apart");
    }
}
