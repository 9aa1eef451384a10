//! Rows of tables 4 to 12 as published.

/// A summary row of the paper, as printed.
pub struct Published {
    /// The stand-in beside which it is printed.
    pub beside: &'static str,
    pub name: &'static str,
    pub trainings: &'static str,
    pub control: &'static str,
    pub score: &'static str,
    pub spent: &'static str,
    pub mean: &'static str,
    pub value: &'static str,
}

const fn row(beside: &'static str, name: &'static str, printed: [&'static str; 6]) -> Published {
    let [score, spent, control, trainings, mean, value] = printed;
    Published { beside, name, trainings, control, score, spent, mean, value }
}

/// Tables 4, 5, and 7 to 12; deviations in brackets.
pub const ROWS: [Published; 11] = [
    row("4: batch size", "paper, table 4", ["0.806", "0.45", "0.42", "3", "0.828", "0.8"]),
    row("5: learning rate", "paper, table 5", ["0.794", "1.797", "0.43", "5", "0.445", "0.389"]),
    row(
        "7: rate and batch",
        "paper, table 7, four ahead",
        ["0.782 (0.15)", "2.021 (0.55)", "0.46 (0.06), 0.295 (0.23)", "8.45 (1.8)", "0.784", "0.748"],
    ),
    row("7: rate and batch", "paper, table 8, run 1", ["0.814", "3.729", "0.38, 0", "10", "0.879", "0.718"]),
    row(
        "7: rate and batch",
        "paper, table 8, run 2",
        ["0.771", "0.996", "0.48, 0.14", "4", "0.693", "0.692"],
    ),
    row(
        "7: rate and batch",
        "paper, table 8, run 3",
        ["0.592", "2.844", "0.38, 0.28", "8", "0.579", "0.546"],
    ),
    row("9: sample size", "paper, table 9", ["0.6", "0.96", "0.13", "7", "0.6", "0.58"]),
    row("10: epochs, plain", "paper, table 10, plain", ["0.97", "0.75", "0.54", "9", "0.99", "0.96"]),
    row("10: epochs, frozen", "paper, table 10, Resnet50", ["0.93", "0.75", "0.48", "9", "0.96", "0.93"]),
    row("11: scale", "paper, table 11", ["0.99", "1.89", "0.01", "4", "0.93", "0.87"]),
    row("12: scale and code", "paper, table 12", ["0.97", "2.868", "0, 0", "8", "0.922", "0.897"]),
];

/// Table 6: h, t, both controls, expected score, value.
pub const TABLE_6: [[f64; 6]; 9] = [
    [0.639, 0.166, 0.47, 0.36, 0.64, 0.936],
    [0.16, 0.18, 1.0, 0.44, 0.181, 0.9],
    [0.148, 0.186, 0.0, 0.44, 0.186, 0.807],
    [0.849, 0.198, 0.46, 0.51, 0.666, 0.86],
    [0.577, 0.109, 0.5, 0.89, 0.559, 0.847],
    [0.373, 0.154, 0.24, 0.71, 0.464, 0.831],
    [0.502, 0.155, 0.71, 0.71, 0.533, 0.765],
    [0.711, 0.135, 0.63, 1.0, 0.592, 0.679],
    [0.953, 0.439, 0.5, 0.15, 0.837, 0.776],
];
