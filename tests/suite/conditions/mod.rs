//! The published conditions and counts agree with the decoded files.
//!
//! binrw evaluates the conditions of the structs, the published schemas have their own copy: here each of them is evaluated
//! over decoded files and compared with what was decoded.

mod evaluate;

use std::collections::BTreeSet;

use bindpose::formats::cal3d::Dialect;
use bindpose::schema::{Count, Expr, FieldShape, ParamType, RecordShape, Shape};
use bindpose::{File, FileKind};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::folders;
use evaluate::{Operand, evaluate};

type Scope = Vec<(&'static str, Operand)>;

/// Compares a file with its shape, and notes which conditions held: the record and the field.
struct Comparison<'a> {
    held: &'a mut BTreeSet<(&'static str, &'static str)>,
}

impl Comparison<'_> {
    /// Compares a value with its shape. The arguments are expressions over the fields of the record around it.
    fn value(&mut self, shape: &Shape, value: &Operand, args: &[Expr], scope: &Scope) -> Result<(), String> {
        match (shape, value) {
            // Inside of a part that is absent nothing can be compared; a hand-written type has conditions of its own.
            (_, Operand::Absent) | (Shape::Written { .. }, _) => Ok(()),
            (Shape::Optional(inner), value) => self.value(inner, value, args, scope),
            (Shape::Part(inner), value) => self.value(inner, value, args.get(1..).unwrap_or(&[]), scope),
            (Shape::Packed { stored, .. }, value) => self.value(stored, value, args, scope),
            (Shape::Record(record), Operand::Record(fields)) => self.record(record, fields, args, scope),
            (Shape::Choice(choice), Operand::Choice(held, body)) => {
                let own = parameters(choice, args, scope)?;
                self.choice(choice, held, body, &own)
            }
            (Shape::List(item, count), Operand::Items(items)) => self.list((item, count), items, args, scope),
            _ => Ok(()),
        }
    }

    fn list(
        &mut self,
        (item, count): (&Shape, &Count),
        items: &[Operand],
        args: &[Expr],
        scope: &Scope,
    ) -> Result<(), String> {
        let mut args = args;
        if let (Count::Argument, [expected, others @ ..]) = (count, args) {
            args = others;
            let expected = evaluate(expected, scope)?.int()?;
            // A negative count is refused, or means none.
            if expected.max(0) != items.len() as i128 {
                return Err(format!("{expected} elements are expected, {} are there", items.len()));
            }
        }
        let mut inner = scope.clone();
        inner.push(("_index", Operand::Int(0)));
        for (index, value) in items.iter().enumerate() {
            inner.pop();
            inner.push(("_index", Operand::Int(index as i128)));
            self.value(item, value, args, &inner).map_err(|why| format!("[{index}]{why}"))?;
        }
        Ok(())
    }

    fn record(
        &mut self,
        record: &RecordShape,
        fields: &[(&'static str, Operand)],
        args: &[Expr],
        scope: &Scope,
    ) -> Result<(), String> {
        let mut own = parameters(record, args, scope)?;
        own.extend(fields.iter().cloned());
        for field in &record.fields {
            let value = fields.iter().find(|(name, _)| *name == field.name);
            let value = value.map_or(&Operand::Absent, |(_, value)| value);
            let at = |why| format!(".{}: {why}", field.name);
            if let Some(condition) = field.condition {
                let holds = self.holds(record, field, condition, &own).map_err(at)?;
                if holds != (*value != Operand::Absent) {
                    return Err(at(format!("`{condition}` is {holds}, but the value is {value:?}")));
                }
            }
            self.value(&field.shape, value, field.args, &own)
                .map_err(|why| format!(".{}{why}", field.name))?;
        }
        Ok(())
    }

    fn choice(
        &mut self,
        choice: &RecordShape,
        held: &str,
        body: &Operand,
        own: &Scope,
    ) -> Result<(), String> {
        for field in &choice.fields {
            let condition = field.condition.expect("a body has a condition");
            let holds = self.holds(choice, field, condition, own)?;
            if holds != (field.name == held) {
                return Err(format!(": `{condition}` is {holds}, but the body is `{held}`"));
            }
            if holds {
                self.value(&field.shape, body, field.args, own).map_err(|why| format!(".{held}{why}"))?;
            }
        }
        Ok(())
    }

    fn holds(
        &mut self,
        record: &RecordShape,
        field: &FieldShape,
        condition: &Expr,
        scope: &Scope,
    ) -> Result<bool, String> {
        let holds = evaluate(condition, scope)?.truth()?;
        if holds {
            self.held.insert((record.name, field.name));
        }
        Ok(holds)
    }
}

/// The parameters of a record with the values of its arguments.
fn parameters(record: &RecordShape, args: &[Expr], scope: &Scope) -> Result<Scope, String> {
    // The parameters of a root are in the scope already.
    let named = record.params.iter().enumerate().map(|(at, (name, _))| match args.get(at) {
        Some(arg) => Ok((*name, evaluate(arg, scope)?.into_owned())),
        None => Ok((*name, evaluate(&Expr::Name(name), scope)?.into_owned())),
    });
    named.collect()
}

/// The parameters of a root: the number in a dialect's name, or the number that the file begins with.
fn root_parameters(file: &File, shape: &Shape, bytes: &[u8]) -> Scope {
    let (Shape::Record(root) | Shape::Choice(root)) = shape else { return Scope::new() };
    let number = |ty: ParamType| match ty {
        ParamType::Scalar(number) if file.dialect().is_none() => {
            bytes[..number.size()].iter().rev().fold(0, |word, byte| word << 8 | i128::from(*byte))
        }
        _ => file.dialect().unwrap_or_default().trim_matches(char::is_alphabetic).parse().unwrap_or(0),
    };
    root.params.iter().map(|(name, ty)| (*name, Operand::Int(number(*ty)))).collect()
}

/// Compares a whole file with the published shape; `None` where that does not describe it.
fn compare(file: &File, held: &mut BTreeSet<(&'static str, &'static str)>) -> Option<Result<(), String>> {
    let bytes = file.encode().ok()?;
    if file.damage().is_some() {
        return None;
    }
    // A schema without parameters describes the dialect that the version belongs to.
    let version = file.get_text("version").ok().and_then(|found| found.first()?.1.parse().ok());
    if file.kind().name().starts_with("cal3d")
        && version.is_none_or(|version| file.dialect() != Some(Dialect::of_version(version).name()))
    {
        return None;
    }
    let shape = file.kind().shape_in(file.dialect());
    let scope = root_parameters(file, &shape, &bytes);
    Some(Comparison { held }.value(&shape, &Operand::of(file.value()), &[], &scope))
}

/// Only a surface with 65,536 morph targets satisfies it.
const TOO_LARGE: (&str, &str) = ("Corners", "u32");

#[test]
fn every_condition_is_met_by_some_file_and_agrees_with_all() {
    let mut held = BTreeSet::new();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for sample in folders::samples("corpus") {
        if let Some(result) = compare(&sample.file, &mut held) {
            wrong.extend(result.err().map(|why| format!("{}{why}", sample.name)));
            compared += 1;
        }
    }
    let mut runner = TestRunner::deterministic();
    for kind in FileKind::ALL {
        for _ in 0..100 {
            let entropy = folders::entropy().new_tree(&mut runner).expect("entropy").current();
            let result = compare(&kind.generate(&entropy), &mut held);
            wrong.extend(result.and_then(Result::err).map(|why| format!("{}{why}", kind.name())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 100, "only {compared} samples were compared");
    let mut missing = BTreeSet::new();
    for kind in FileKind::ALL {
        collect(&kind.shape(), &mut missing);
    }
    missing.retain(|condition| !held.contains(condition) && *condition != TOO_LARGE);
    assert!(missing.is_empty(), "no file satisfies the condition of {missing:?}");
}

#[test]
fn conditions_and_counts_agree_with_any_file() {
    folders::for_every_format(128, &folders::entropy(), |kind, entropy| {
        if let Some(result) = compare(&kind.generate(&entropy), &mut BTreeSet::new()) {
            proptest::prop_assert!(result.is_ok(), "{}: {}", kind.name(), result.unwrap_err());
        }
        Ok(())
    });
}

/// Collects the conditions of a shape: the record and the field.
fn collect(shape: &Shape, conditions: &mut BTreeSet<(&'static str, &'static str)>) {
    match shape {
        Shape::Record(record) | Shape::Choice(record) => {
            for field in &record.fields {
                conditions.extend(field.condition.map(|_| (record.name, field.name)));
                collect(&field.shape, conditions);
            }
        }
        Shape::List(inner, _) | Shape::Optional(inner) | Shape::Part(inner) => collect(inner, conditions),
        Shape::Packed { stored, .. } => collect(stored, conditions),
        _ => {}
    }
}
