//! Finds every mutant of a source file.
//!
//! Not visited: tests, attributes, types, patterns, constants and statics, array lengths, the inputs of macros other
//! than `vec!`, and the literal of `[0.0; n]` and `vec![0.0; n]`, because buffers are overwritten.

use std::collections::HashMap;
use std::ops::Range;

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, Meta, Signature, Stmt, Token};

use crate::mutant::{Edit, Mutant};
use crate::operators;

/// All mutants of a parsed source, in the order of their positions.
pub fn mutants(package: &str, file: &str, source: &str, syntax: &syn::File) -> Vec<Mutant> {
    let mut finder = Finder { package, file, source, lines: source.lines().collect(), found: Vec::new() };
    finder.visit_file(syntax);
    let mut found = finder.found;
    found.sort_by_key(|m| (m.span.start, m.span.end));
    let mut seen = HashMap::new();
    for mutant in &mut found {
        let key =
            (mutant.line_text.clone(), mutant.operator, mutant.original.clone(), mutant.mutated.clone());
        let count = seen.entry(key).or_insert(0);
        mutant.occurrence = *count;
        *count += 1;
    }
    found
}

/// True for items that are compiled only in tests or on other machines.
pub fn is_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            condition.contains("test") || condition.contains("not")
        }
        _ => false,
    })
}

struct Finder<'a> {
    package: &'a str,
    file: &'a str,
    source: &'a str,
    lines: Vec<&'a str>,
    found: Vec<Mutant>,
}

impl Finder<'_> {
    fn text(&self, node: &impl Spanned) -> &str {
        &self.source[node.span().byte_range()]
    }

    /// Records a mutant that encloses `node`; `shown` is the code before and after.
    fn add(&mut self, node: &impl Spanned, operator: &'static str, shown: (&str, &str), edit: Edit) {
        let (span, start) = (node.span().byte_range(), node.span().start());
        self.found.push(Mutant {
            package: self.package.to_owned(),
            file: self.file.to_owned(),
            line: start.line,
            column: start.column + 1,
            span,
            operator,
            original: one_line(shown.0),
            mutated: one_line(shown.1),
            line_text: self.lines[start.line - 1].trim().to_owned(),
            occurrence: 0,
            edit,
        });
    }

    /// Records the replacement of an expression by the same text with `part` (in bytes) exchanged.
    fn replace_part(&mut self, node: &impl Spanned, part: &Range<usize>, with: &str, operator: &'static str) {
        let whole = node.span().byte_range();
        let replacement =
            format!("{}{with}{}", &self.source[whole.start..part.start], &self.source[part.end..whole.end]);
        let before = last(&self.source[whole.start..part.start], 40);
        let after = first(&self.source[part.end..whole.end], 40);
        let shown = |middle: &str| format!("{before}{middle}{after}");
        let shown = (shown(&self.source[part.clone()]), shown(with));
        self.add(node, operator, (&shown.0, &shown.1), Edit::Expression(replacement));
    }

    fn condition(&mut self, condition: &Expr, operator: &'static str, force_true: bool) {
        let original = self.text(condition).to_owned();
        if has_let(condition) {
            self.add(condition, operator, (&original, "false"), Edit::ForceFalseChain);
            return;
        }
        self.add(condition, operator, (&original, "false"), Edit::ForceFalse);
        if force_true {
            self.add(condition, operator, (&original, "true"), Edit::ForceTrue);
        }
    }

    fn body(&mut self, signature: &Signature, block: &Block) {
        let literal = matches!(block.stmts.as_slice(), [Stmt::Expr(Expr::Lit(_), None)]);
        if signature.constness.is_some() || block.stmts.is_empty() || literal {
            return;
        }
        let inside = self.text(block).trim_matches(['{', '}']).trim().to_owned();
        for value in operators::defaults(&signature.output) {
            if inside != value {
                let original = format!("body of {}", signature.ident);
                let shown = (original.as_str(), if value.is_empty() { "()" } else { &value });
                self.add(block, "body", shown, Edit::Return(value.clone()));
            }
        }
    }

    fn range(&mut self, range: &syn::ExprRange) {
        let Some(end) = &range.end else { return };
        if is_no_integer(end) || range.start.as_deref().is_some_and(is_no_integer) {
            return;
        }
        let original = self.text(range).to_owned();
        match &range.limits {
            syn::RangeLimits::HalfOpen(_) => {
                let edit = Edit::Expression(format!("1 + ({})", self.text(end)));
                self.add(end, "range end", (&original, &original.replacen("..", "..=", 1)), edit);
            }
            syn::RangeLimits::Closed(token) => {
                let edit = Edit::ExclusiveEnd { token: token.span().byte_range() };
                self.add(end, "range end", (&original, &original.replacen("..=", "..", 1)), edit);
            }
        }
    }

    fn method_call(&mut self, call: &syn::ExprMethodCall) {
        let name = call.method.to_string();
        let part = call.method.span().byte_range();
        if let Some(other) = operators::method(&name) {
            self.replace_part(call, &part, other, "method");
        }
        if operators::is_float_method(&name) {
            let start = call.span().byte_range().start;
            self.replace_part(call, &(start..start), "-", "unary minus inserted");
        }
    }

    /// `(a..b).contains(x)`: any bounds, so the whole call is replaced.
    fn contains(&mut self, call: &syn::ExprMethodCall, range: &syn::ExprRange) {
        let with = match &range.limits {
            syn::RangeLimits::HalfOpen(_) => "..=",
            syn::RangeLimits::Closed(_) => "..",
        };
        if range.end.is_some() {
            self.replace_part(call, &range.limits.span().byte_range(), with, "range end");
        }
    }

    fn path(&mut self, expr: &Expr, path: &syn::Path) {
        let segment = path.segments.last().expect("a path has a segment");
        if let Some(other) = operators::path(&segment.ident.to_string())
            && path.segments.len() > 1
        {
            self.replace_part(expr, &segment.ident.span().byte_range(), other, "path");
        }
    }

    fn operator(&mut self, expr: &Expr) {
        match expr {
            Expr::Binary(binary) if !(matches!(binary.op, BinOp::And(_)) && has_let(expr)) => {
                for other in operators::binary(&binary.op) {
                    self.replace_part(expr, &binary.op.span().byte_range(), other, "binary operator");
                }
            }
            Expr::Unary(unary) if !matches!(unary.op, syn::UnOp::Deref(_)) => {
                self.replace_part(expr, &unary.op.span().byte_range(), "", "unary operator removed");
            }
            Expr::Lit(literal) => {
                for other in operators::literal(literal) {
                    self.replace_part(expr, &literal.span().byte_range(), &other, "literal");
                }
            }
            Expr::If(branch) => self.condition(&branch.cond, "if condition", true),
            Expr::While(branch) => self.condition(&branch.cond, "while condition", false),
            Expr::Path(path) => self.path(expr, &path.path),
            Expr::Range(range) => self.range(range),
            Expr::MethodCall(call) => self.method_call(call),
            _ => {}
        }
    }

    /// The elements of `vec![…]`; what other macros make of their input is not known.
    fn macro_input(&mut self, call: &syn::Macro) {
        if !call.path.is_ident("vec") {
            return;
        }
        let list = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(elements) = call.parse_body_with(list) {
            elements.iter().for_each(|element| self.visit_expr(element));
        } else if let Ok(repeat) =
            call.parse_body_with(Punctuated::<Expr, Token![;]>::parse_separated_nonempty)
        {
            let parts = repeat.iter().filter(|part| !matches!(part, Expr::Lit(_)));
            parts.for_each(|part| self.visit_expr(part));
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_path_arguments(&mut self, _: &'ast syn::PathArguments) {}
    fn visit_angle_bracketed_generic_arguments(&mut self, _: &'ast syn::AngleBracketedGenericArguments) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_variant(&mut self, _: &'ast syn::Variant) {}

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_left_out(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !is_left_out(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        if !is_left_out(&item.attrs) {
            visit::visit_item_trait(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_left_out(&item.attrs) && item.sig.constness.is_none() {
            self.body(&item.sig, &item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_left_out(&item.attrs) && item.sig.constness.is_none() {
            self.body(&item.sig, &item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default
            && !is_left_out(&item.attrs)
        {
            self.body(&item.sig, block);
            visit::visit_trait_item_fn(self, item);
        }
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        if let Stmt::Expr(expr, Some(_)) = stmt
            && has_effect(expr)
        {
            let original = self.text(stmt).to_owned();
            self.add(stmt, "statement deleted", (&original, ""), Edit::DeleteStatement);
        }
        visit::visit_stmt(self, stmt);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.condition(guard, "match guard", true);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr_repeat(&mut self, expr: &'ast syn::ExprRepeat) {
        if !matches!(&*expr.expr, Expr::Lit(_)) {
            self.visit_expr(&expr.expr);
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.macro_input(call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if let Expr::Paren(paren) = &*call.receiver
            && let Expr::Range(range) = &*paren.expr
            && call.method == "contains"
        {
            self.contains(call, range);
            visit::visit_expr_range(self, range);
            call.args.iter().for_each(|argument| self.visit_expr(argument));
        } else {
            visit::visit_expr_method_call(self, call);
        }
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.operator(expr);
        visit::visit_expr(self, expr);
    }
}

/// True for a condition with `let` outside nested blocks.
fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// True for statements that may be deleted: assignments, and calls for their effect.
fn has_effect(expr: &Expr) -> bool {
    match expr {
        Expr::Assign(_) | Expr::MethodCall(_) | Expr::Call(_) => true,
        Expr::Binary(binary) => !operators::binary(&binary.op).is_empty(),
        Expr::Try(attempt) => has_effect(&attempt.expr),
        _ => false,
    }
}

/// True for a bound of a range that 1 cannot be added to.
fn is_no_integer(bound: &Expr) -> bool {
    match bound {
        Expr::Lit(literal) => !matches!(literal.lit, syn::Lit::Int(_)),
        Expr::Unary(unary) => is_no_integer(&unary.expr),
        _ => false,
    }
}

/// The first `count` characters, with dots when there are more.
fn first(text: &str, count: usize) -> String {
    match text.char_indices().nth(count) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The last `count` characters, with dots when there are more.
fn last(text: &str, count: usize) -> String {
    match text.char_indices().rev().nth(count) {
        Some((start, _)) => format!("…{}", &text[start..].chars().skip(1).collect::<String>()),
        None => text.to_owned(),
    }
}

/// The code on one line, at most 100 characters.
fn one_line(code: &str) -> String {
    let words: Vec<&str> = code.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= 100 {
        return line;
    }
    line.chars().take(97).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::rewrite;

    fn of(source: &str) -> Vec<Mutant> {
        mutants("p", "f.rs", source, &syn::parse_file(source).expect("valid Rust"))
    }

    fn changes(source: &str) -> Vec<(&'static str, String)> {
        of(source).into_iter().map(|m| (m.operator, m.mutated)).collect()
    }

    /// The source with the only mutant of an operator that gives `mutated`, as number 7.
    fn rewritten(source: &str, mutated: &str) -> String {
        let all = of(source);
        let chosen: Vec<(usize, &Mutant)> =
            all.iter().filter(|m| m.mutated == mutated).map(|m| (7, m)).collect();
        assert_eq!(chosen.len(), 1, "{all:#?}");
        let text = rewrite(source, &chosen).text;
        syn::parse_file(&text).expect("the rewritten source is valid Rust");
        text.replace("crate::mutation_switch::on(7)", "ON")
    }

    #[test]
    fn operators_are_switched_in_place() {
        let source = "fn f(a: X) -> X { a + 2 }";
        assert_eq!(rewritten(source, "a - 2"), "fn f(a: X) -> X { (if ON { a - 2 } else { a + 2 }) }");
        assert_eq!(rewritten(source, "3"), "fn f(a: X) -> X { a + (if ON { 3 } else { 2 }) }");
        let source = "fn f(s: &mut X) { *s += 1.5; }";
        assert_eq!(
            rewritten(source, "*s -= 1.5"),
            "fn f(s: &mut X) { (if ON { *s -= 1.5 } else { *s += 1.5 }); }"
        );
        assert_eq!(rewritten(source, ""), "fn f(s: &mut X) { if !ON { *s += 1.5; } }");
        assert_eq!(rewritten(source, "()"), "fn f(s: &mut X) { if ON { return ; } { *s += 1.5; } }");
    }

    #[test]
    fn positions_count_bytes_in_the_presence_of_other_letters() {
        let source = "// σ² ≤ ½\nfn f(x: X) -> X { /* é */ x * y }";
        let found = of(source);
        assert_eq!((found[0].line, &source[found[0].span.clone()]), (2, "x * y"));
        assert!(rewritten(source, "x / y").ends_with("{ /* é */ (if ON { x / y } else { x * y }) }"));
    }

    #[test]
    fn conditions_are_forced() {
        let source = "fn f() -> X { if a { b } else { c } }";
        assert_eq!(rewritten(source, "true"), "fn f() -> X { if (ON || (a)) { b } else { c } }");
        assert_eq!(rewritten(source, "false"), "fn f() -> X { if (!ON && (a)) { b } else { c } }");
        let chain = "fn f() -> X { if let Some(b) = a && b { b } else { c } }";
        assert_eq!(changes(chain), [("if condition", "false".to_owned())]);
        assert_eq!(
            rewritten(chain, "false"),
            "fn f() -> X { if !ON && let Some(b) = a && b { b } else { c } }"
        );
        let guard = "fn f() -> X { match a { b if c => d, _ => e } }";
        assert_eq!(rewritten(guard, "true"), "fn f() -> X { match a { b if (ON || (c)) => d, _ => e } }");
    }

    #[test]
    fn range_ends_move_by_one_without_another_type() {
        let source = "fn f() -> X { g(0..n) }";
        assert_eq!(rewritten(source, "0..=n"), "fn f() -> X { g(0..(if ON { 1 + (n) } else { n })) }");
        let source = "fn f() -> X { g(a..=n) }";
        assert_eq!(rewritten(source, "a..n"), "fn f() -> X { g(a..(if ON { n } else { 1 + (n) })) }");
        let source = "fn f() -> X { (a..=b).contains(&x) }";
        let expected = "fn f() -> X { (if ON { (a..b).contains(&x) } else { (a..=b).contains(&x) }) }";
        assert_eq!(rewritten(source, "(a..b).contains(&x)"), expected);
        assert!(changes("fn f() -> X { g(0.5..x) }").iter().all(|(operator, _)| *operator == "literal"));
    }

    #[test]
    fn bodies_are_left_at_once() {
        let source = "fn f() -> f64 { g() }";
        let expected = "fn f() -> f64 { if ON { return -1.0; } { g() } }";
        assert_eq!(rewritten(source, "-1.0"), expected);
        assert!(changes("fn f() -> f64 { 0.0 }").iter().all(|(operator, _)| *operator == "literal"));
        assert!(changes("fn f() -> Option<f64> { None }\nfn g() {}").is_empty());
    }

    #[test]
    fn names_are_exchanged() {
        let found = changes("fn f() -> X { a.min(f64::INFINITY) }");
        assert!(found.contains(&("method", "a.max(f64::INFINITY)".to_owned())), "{found:?}");
        assert!(found.contains(&("path", "f64::NEG_INFINITY".to_owned())), "{found:?}");
        assert_eq!(changes("fn f() -> X { x.fold(y, f64::max) }"), [("path", "f64::min".to_owned())]);
        assert_eq!(changes("fn f() -> X { x.exp() }"), [("unary minus inserted", "-x.exp()".to_owned())]);
    }

    #[test]
    fn constants_patterns_types_and_tests_are_left_alone() {
        let sources = [
            "const A: f64 = 1.0 + 2.0;",
            "static A: [u8; 2] = [1; 2];",
            "enum A { B = 1 + 2 }",
            "#[cfg(test)] mod tests { fn f() -> u8 { 1 + 2 } }",
            "#[test] fn f() { g(1 + 2); }",
            "#[cfg(not(unix))] fn f() -> u8 { 1 + 2 }",
            "const fn f() -> u8 { 1 + 2 }",
            "fn f(a: X) -> X { match a { 1 | 2..=3 => x, y => y } }",
            "fn f(a: X) -> X { g::<{ 1 + 2 }>(a as [u8; 3]) }",
            "fn f(a: X) -> X { h!(1 + 2) }",
        ];
        for source in sources {
            assert!(of(source).is_empty(), "{source}: {:#?}", changes(source));
        }
        assert!(of("fn f() -> X { [a; 3] }").is_empty() && of("fn f() -> X { vec![0.0; 3] }").is_empty());
        assert_eq!(
            changes("fn f() -> X { vec![2, a] }"),
            [("literal", "3".to_owned()), ("literal", "4".to_owned())]
        );
        assert_eq!(changes("fn f() -> X { vec![a; n + m] }").len(), 2);
    }

    #[test]
    fn many_mutants_of_one_source_stand_in_each_other() {
        let source =
            "fn f(a: X) -> f64 { if a < 1 && b(2..=a) { return x.max(-3.0); } h(vec![1, a + 2]); 0.5 }";
        let all = of(source);
        let numbered: Vec<(usize, &Mutant)> = all.iter().enumerate().map(|(i, m)| (i + 1, m)).collect();
        assert!(all.len() > 25, "{}", all.len());
        let new = rewrite(source, &numbered);
        syn::parse_file(&new.text).expect("valid Rust");
        for (number, place) in &new.places {
            assert!(new.text[place.clone()].contains(&format!("on({number})")));
        }
    }

    #[test]
    fn equal_changes_of_one_line_have_different_identifiers() {
        let found = of("fn f() -> X { g(2, 2) }");
        let mut ids: Vec<String> = found.iter().map(Mutant::id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!((found.len(), ids.len()), (4, 4));
    }
}
