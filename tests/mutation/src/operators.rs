//! The mutation operators on tokens: what each is replaced by.

use syn::{BinOp, ExprLit, Lit, ReturnType, Type};

/// Replacements of a binary operator.
pub fn binary(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) => &["+", "/"],
        BinOp::Div(_) => &["*", "+"],
        BinOp::Mul(_) => &["/", "+"],
        BinOp::Rem(_) => &["*", "/"],
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::BitAnd(_) | BinOp::BitXor(_) => &["|"],
        BinOp::BitOr(_) => &["&", "^"],
        BinOp::AddAssign(_) => &["-=", "*="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::MulAssign(_) => &["/=", "+="],
        BinOp::DivAssign(_) => &["*="],
        _ => &[],
    }
}

/// The method that a method is replaced by.
pub fn method(name: &str) -> Option<&'static str> {
    const PAIRS: [(&str, &str); 9] = [
        ("min", "max"),
        ("min_by", "max_by"),
        ("min_by_key", "max_by_key"),
        ("any", "all"),
        ("floor", "ceil"),
        ("is_some", "is_none"),
        ("is_ok", "is_err"),
        ("is_some_and", "is_none_or"),
        ("sin", "cos"),
    ];
    PAIRS.iter().find_map(|(a, b)| match name {
        _ if name == *a => Some(*b),
        _ if name == *b => Some(*a),
        _ => None,
    })
}

/// Methods of floats whose result is negated.
pub fn is_float_method(name: &str) -> bool {
    ["abs", "exp", "exp_m1", "hypot", "ln", "ln_1p", "mul_add", "powf", "powi", "recip", "sqrt", "tanh"]
        .contains(&name)
}

/// The last segment that replaces the last segment of a path of two or more.
pub fn path(last: &str) -> Option<&'static str> {
    const PAIRS: [(&str, &str); 3] = [("min", "max"), ("INFINITY", "NEG_INFINITY"), ("Less", "Greater")];
    PAIRS.iter().find_map(|(a, b)| match last {
        _ if last == *a => Some(*b),
        _ if last == *b => Some(*a),
        _ => None,
    })
}

/// Replacements of a literal.
pub fn literal(literal: &ExprLit) -> Vec<String> {
    match &literal.lit {
        Lit::Bool(b) => vec![(!b.value).to_string()],
        Lit::Int(int) => {
            let values = match int.base10_parse::<u64>() {
                Ok(0) => vec![1],
                Ok(1) => vec![0, 2],
                Ok(n) => [n.checked_add(1), n.checked_mul(2)].into_iter().flatten().collect(),
                Err(_) => vec![],
            };
            values.iter().map(|n| format!("{n}{}", int.suffix())).collect()
        }
        Lit::Float(float) => {
            let values = match float.base10_parse::<f64>() {
                Ok(0.0) => vec![1.0],
                Ok(1.0) => vec![0.0, 2.0],
                Ok(x) => vec![2.0 * x, x + 1.0],
                Err(_) => vec![],
            };
            values.iter().filter(|x| x.is_finite()).map(|x| format!("{x:?}{}", float.suffix())).collect()
        }
        _ => vec![],
    }
}

/// Default values of a return type, as source text; empty when the type has none that is known by its syntax.
pub fn defaults(output: &ReturnType) -> Vec<String> {
    match output {
        ReturnType::Default => vec![String::new()],
        ReturnType::Type(_, ty) => defaults_of(ty),
    }
}

fn defaults_of(ty: &Type) -> Vec<String> {
    let list = |values: &[&str]| values.iter().map(ToString::to_string).collect();
    match ty {
        Type::Tuple(tuple) if tuple.elems.is_empty() => list(&["()"]),
        Type::Tuple(tuple) => {
            let firsts: Option<Vec<String>> =
                tuple.elems.iter().map(|ty| defaults_of(ty).into_iter().next()).collect();
            firsts.map(|values| format!("({})", values.join(", "))).into_iter().collect()
        }
        Type::Reference(reference) if reference.mutability.is_none() => match &*reference.elem {
            Type::Slice(_) => list(&["&[]"]),
            Type::Path(path) if path.path.is_ident("str") => list(&["\"\""]),
            _ => vec![],
        },
        Type::Path(path) => defaults_of_path(path),
        _ => vec![],
    }
}

fn defaults_of_path(path: &syn::TypePath) -> Vec<String> {
    let list = |values: &[&str]| values.iter().map(ToString::to_string).collect();
    let Some(last) = path.path.segments.last() else { return vec![] };
    match last.ident.to_string().as_str() {
        "f64" | "f32" => list(&["0.0", "1.0", "-1.0"]),
        "bool" => list(&["true", "false"]),
        "usize" | "u8" | "u16" | "u32" | "u64" | "isize" | "i8" | "i16" | "i32" | "i64" => list(&["0", "1"]),
        "String" => list(&["String::new()"]),
        "Option" => list(&["None"]),
        "Vec" => list(&["Vec::new()"]),
        "Result" => match &last.arguments {
            syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
                Some(syn::GenericArgument::Type(ty)) => {
                    defaults_of(ty).iter().map(|value| format!("Ok({value})")).collect()
                }
                _ => vec![],
            },
            _ => vec![],
        },
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_change_their_value_and_keep_their_suffix() {
        let change = |text: &str| literal(&syn::parse_str(text).expect("a literal"));
        assert_eq!(change("0"), ["1"]);
        assert_eq!(change("1_u32"), ["0u32", "2u32"]);
        assert_eq!(change("7"), ["8", "14"]);
        assert_eq!(change("0.0"), ["1.0"]);
        assert_eq!(change("1e-12"), ["2e-12", "1.000000000001"]);
        assert_eq!(change("2.5_f64"), ["5.0f64", "3.5f64"]);
        assert_eq!(change("true"), ["false"]);
        assert!(change("\"text\"").is_empty());
    }

    #[test]
    fn defaults_follow_the_return_type() {
        let of = |text: &str| defaults(&syn::parse_str(text).expect("a return type"));
        assert_eq!(of(""), [""]);
        assert_eq!(of("-> f64"), ["0.0", "1.0", "-1.0"]);
        assert_eq!(of("-> Result<Vec<f64>, Error>"), ["Ok(Vec::new())"]);
        assert_eq!(of("-> io::Result<()>"), ["Ok(())"]);
        assert_eq!(of("-> (f64, Option<u8>)"), ["(0.0, None)"]);
        assert_eq!(of("-> &[f64]"), ["&[]"]);
        assert!(of("-> Self").is_empty() && of("-> impl Iterator<Item = f64>").is_empty());
    }

    #[test]
    fn pairs_work_in_both_directions() {
        assert_eq!((method("min"), method("max")), (Some("max"), Some("min")));
        assert_eq!(path("NEG_INFINITY"), Some("INFINITY"));
        assert_eq!(method("push"), None);
    }
}
