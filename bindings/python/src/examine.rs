//! Verdicts, findings, rules and formats.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use bindpose::check::{Finding, Repair, Report, Rule};
use bindpose::codec::Outcome;
use bindpose::formats::check_named_set;
use bindpose::{Error, Examination, FileKind, FormatSpec, Limits};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyBytesMethods, PyDict, PyList};

use crate::arrays::list;
use crate::error::exception;
use crate::file::PyFile;
use crate::input::{Input, PyLimits, buffer, integer, options, within};
use crate::records;

/// The verdict on a file of unknown format.
const UNKNOWN: &str = "unknown-format";

pub fn rule<'py>(py: Python<'py>, rule: &'static Rule) -> PyResult<Bound<'py, PyAny>> {
    let Rule { code, severity, summary, why, source, example, fixable, .. } = *rule;
    records::make(py, "Rule", (code, severity.name(), summary, why, source, example, fixable))
}

pub(crate) fn finding<'py>(py: Python<'py>, finding: &Finding) -> PyResult<Bound<'py, PyAny>> {
    let Finding { rule, path, range, message, .. } = finding;
    let fields = (rule.code, rule.severity.name(), path.to_string(), range.start, range.end, message);
    records::make(py, "Finding", fields)
}

/// Returns the findings, and the number of further ones by the code of their rule.
fn found<'py>(py: Python<'py>, report: &Report) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyAny>)> {
    let findings = list(py, &report.findings, |own| finding(py, own))?;
    let more = PyDict::new(py);
    for (rule, count) in &report.more {
        more.set_item(rule.code, count)?;
    }
    Ok((findings, more.into_any()))
}

pub fn report<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyAny>> {
    records::make(py, "Report", found(py, report)?)
}

pub fn outcome<'py>(
    py: Python<'py>,
    kind: Option<FileKind>,
    outcome: &Outcome,
) -> PyResult<Bound<'py, PyAny>> {
    let error = outcome.verdict.error().map(|error| exception(py, error, None).into_value(py));
    let name = kind.map(FileKind::name);
    let Outcome { verdict: own, dialect, writer, opaque, rest, .. } = outcome;
    records::make(py, "Outcome", (own.name(), error, name, *dialect, *writer, *opaque, *rest))
}

/// Returns the outcome for a file without a supported format.
fn unsupported<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    let error = exception(py, error, None).into_value(py);
    let none = || None::<&str>;
    records::make(py, "Outcome", (UNKNOWN, error, none(), none(), none(), 0, 0))
}

fn examination<'py>(
    py: Python<'py>,
    examined: Result<&(FileKind, Examination), &Error>,
) -> PyResult<Bound<'py, PyAny>> {
    let empty = Report::default();
    let (result, report) = match examined {
        Ok((kind, own)) => (outcome(py, Some(*kind), &own.outcome)?, &own.report),
        Err(error) => (unsupported(py, error)?, &empty),
    };
    let (findings, more) = found(py, report)?;
    records::make(py, "Examination", (result, findings, more))
}

/// Decodes a file, encodes it, and compares the bytes. Returns an `Outcome`; no content of a file raises an error.
///
/// >>> bindpose.roundtrip("hero.ms3d").verdict
/// 'lossless'
/// >>> bindpose.roundtrip(b"MS3D000000").verdict
/// 'damaged'
///
/// Args:
///     file: a path, a binary file, or a buffer such as `bytes`.
///     format: the name of the format; by default, name and content determine it.
///     limits: limits on the resources that decoding takes.
///
/// Raises:
///     OSError: if the file cannot be read.
#[pyfunction]
#[pyo3(signature = (file, *, format=None, limits=None))]
pub fn roundtrip<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyAny>,
    format: Option<&str>,
    limits: Option<&Bound<'py, PyLimits>>,
) -> PyResult<Bound<'py, PyAny>> {
    let input = Input::read(file)?;
    let spec = match input.spec(format)? {
        Ok(spec) => spec,
        Err(error) => return unsupported(py, &error),
    };
    let (bytes, options) = (input.bytes.as_bytes(), options(spec, limits.map(Bound::get)));
    let result = py.detach(|| spec.kind.roundtrip(bytes, &options));
    outcome(py, Some(spec.kind), &result)
}

/// Checks the rules of a file. Returns a `Report`.
///
/// >>> [finding.rule for finding in bindpose.check("hero.ms3d").findings if finding.severity == "error"]
/// []
///
/// Args:
///     file: a `File`, a path, a binary file, or a buffer such as `bytes`.
///     format: the name of the format; by default, name and content determine it.
///     limits: limits on the resources that decoding takes.
///     most: the maximum number of findings per rule; further ones are counted.
///
/// Raises:
///     OSError: if the file cannot be read.
///     BindposeError: if the file cannot be decoded; `examine` reports such files.
#[pyfunction]
#[pyo3(signature = (file, *, format=None, limits=None, most=20))]
pub fn check<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyAny>,
    format: Option<&str>,
    limits: Option<&Bound<'py, PyLimits>>,
    #[pyo3(from_py_with = integer)] most: i128,
) -> PyResult<Bound<'py, PyAny>> {
    let most = within("most", most)?;
    let file = file_of(py, file, format, limits)?;
    let state = file.get().snapshot(py);
    let source = state.source(py)?;
    let bytes = source.as_bytes();
    let found = py.detach(|| state.file.check(bytes, most));
    report(py, &found)
}

/// Checks related files as a set: a mesh, its skeleton, its animations. Returns a `Report` for each file.
///
/// The reports have the findings about references between the files only. References to files by name are checked if all files
/// have names: those that are given as paths, and files that were opened or decoded with a name.
///
/// >>> bindpose.check_set(["body.psk", "run.psa"])[1].findings[0].message
/// '"Top" is called "top" in the mesh'
///
/// Args:
///     files: files, paths, binary files or buffers.
///     most: the maximum number of findings per rule and file.
///
/// Raises:
///     OSError: if a file cannot be read.
///     BindposeError: if a file cannot be decoded.
#[pyfunction]
#[pyo3(signature = (files, *, most=20))]
pub fn check_set<'py>(
    py: Python<'py>,
    files: Vec<Bound<'py, PyAny>>,
    #[pyo3(from_py_with = integer)] most: i128,
) -> PyResult<Bound<'py, PyList>> {
    let most = within("most", most)?;
    let files = files.iter().map(|file| file_of(py, file, None, None)).collect::<PyResult<Vec<_>>>()?;
    let named = |file: &Bound<'_, PyFile>| {
        let state = file.get().snapshot(py);
        (file.get().file_name(&state.file), state)
    };
    let states: Vec<_> = files.iter().map(named).collect();
    let reports = py.detach(|| {
        let files: Vec<_> = states.iter().map(|(name, state)| (&**name, &state.file)).collect();
        check_named_set(&files, most)
    });
    list(py, &reports, |own| report(py, own))
}

/// Returns a file that is given as such, by its path or by its bytes.
pub fn file_of<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyAny>,
    format: Option<&str>,
    limits: Option<&Bound<'py, PyLimits>>,
) -> PyResult<Bound<'py, PyFile>> {
    match file.cast::<PyFile>() {
        Ok(file) => Ok(file.clone()),
        Err(_) => Bound::new(py, crate::file::open(file, format, limits)?),
    }
}

/// Decodes, re-encodes and checks a file. Returns an `Examination`; no content of a file raises an error.
///
/// The findings of a file that cannot be decoded are possible causes.
///
/// >>> found = bindpose.examine("hero.ms3d")
/// >>> found.outcome.verdict, found.outcome.format
/// ('lossless', 'ms3d')
///
/// Args:
///     file: a path, a binary file, or a buffer such as `bytes`.
///     format: the name of the format; by default, name and content determine it.
///     limits: limits on the resources that decoding takes.
///     most: the maximum number of findings per rule; further ones are counted.
///
/// Raises:
///     OSError: if the file cannot be read.
#[pyfunction]
#[pyo3(signature = (file, *, format=None, limits=None, most=20))]
pub fn examine<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyAny>,
    format: Option<&str>,
    limits: Option<&Bound<'py, PyLimits>>,
    #[pyo3(from_py_with = integer)] most: i128,
) -> PyResult<Bound<'py, PyAny>> {
    let most = within("most", most)?;
    let input = Input::read(file)?;
    let spec = input.spec(format)?;
    let (bytes, limits) = (input.bytes.as_bytes(), limits.map(|limits| limits.get().0));
    let examined = py.detach(|| examined(bytes, spec, limits, most));
    examination(py, examined.as_ref())
}

fn examined(
    bytes: &[u8],
    spec: Result<FormatSpec, Error>,
    limits: Option<Limits>,
    most: usize,
) -> Result<(FileKind, Examination), Error> {
    let spec = spec?;
    Ok((spec.kind, spec.kind.examine(bytes, &spec.options(limits.unwrap_or_default()), most)))
}

/// As `examine`, for many buffers, in the same order. The interpreter lock is released for all of them together.
///
/// >>> data = [pathlib.Path(name).read_bytes() for name in ("hero.ms3d", "body.psk")]
/// >>> [found.outcome.format for found in bindpose.examine_many(data)]
/// ['ms3d', 'psk']
///
/// Args:
///     files: buffers such as `bytes`.
///     names: the names of the files; extensions distinguish formats that the content does not.
///     format: the name of the format of all files; by default, name and content of each determine it.
///     limits: limits on the resources that decoding one file takes.
///     most: the maximum number of findings per rule and file.
///     jobs: the number of files that are examined at a time.
#[pyfunction]
#[pyo3(signature = (files, *, names=None, format=None, limits=None, most=20, jobs=1))]
pub fn examine_many<'py>(
    py: Python<'py>,
    files: &Bound<'py, PyAny>,
    names: Option<Vec<PathBuf>>,
    format: Option<&str>,
    limits: Option<&Bound<'py, PyLimits>>,
    #[pyo3(from_py_with = integer)] most: i128,
    #[pyo3(from_py_with = integer)] jobs: i128,
) -> PyResult<Bound<'py, PyList>> {
    let most = within("most", most)?;
    let jobs = if jobs > 0 { NonZero::new(within("jobs", jobs)?) } else { None };
    let jobs = jobs.ok_or_else(|| PyValueError::new_err("jobs must be 1 or more"))?;
    let spec = crate::input::spec_of(py, format)?;
    let limits = limits.map(|limits| limits.get().0);
    let buffers =
        files.try_iter()?.map(|file| buffer(&file?)).collect::<PyResult<Vec<Bound<'_, PyBytes>>>>()?;
    let names = names.unwrap_or_else(|| vec![PathBuf::new(); buffers.len()]);
    if names.len() != buffers.len() {
        let (expected, actual) = (buffers.len(), names.len());
        return Err(PyValueError::new_err(format!("expected {expected} names, got {actual}")));
    }
    let data: Vec<_> = names.iter().zip(buffers.iter().map(PyBytesMethods::as_bytes)).collect();
    let results = py.detach(|| {
        in_parallel(&data, jobs, |(name, bytes)| {
            let spec = spec.map_or_else(|| FormatSpec::require(name, bytes), Ok);
            examined(bytes, spec, limits, most)
        })
    })?;
    list(py, &results, |own| examination(py, own.as_ref()))
}

/// How long work goes on before Python can interrupt it.
const UNINTERRUPTED: Duration = Duration::from_millis(100);

/// Returns the exception that a handler of a signal raises, such as `KeyboardInterrupt`.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime")]
fn check_signals() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}

/// Calls a function for each item, `jobs` at a time, and returns the results in the order of the items.
///
/// After a keyboard interrupt, the items that have begun are finished, and no others begin.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    jobs: NonZero<usize>,
    work: impl Fn(&T) -> R + Sync,
) -> PyResult<Vec<R>> {
    if jobs.get() == 1 {
        let mut checked = Instant::now();
        let done = items.iter().map(|item| {
            if checked.elapsed() > UNINTERRUPTED {
                check_signals()?;
                checked = Instant::now();
            }
            Ok(work(item))
        });
        return done.collect();
    }
    let next = AtomicUsize::new(0);
    let results: Vec<_> = items.iter().map(|_| Mutex::new(None)).collect();
    let (ended, ends) = mpsc::channel::<()>();
    let interrupted = thread::scope(|scope| {
        for _ in 0..jobs.get().min(items.len()) {
            let (ended, next, results, work) = (ended.clone(), &next, &results, &work);
            scope.spawn(move || {
                // It is dropped at the end of the thread.
                let _ended = ended;
                while let Some((item, result)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    items.get(index).zip(results.get(index))
                } {
                    let done = work(item);
                    if let Ok(mut result) = result.lock() {
                        *result = Some(done);
                    }
                }
            });
        }
        drop(ended);
        while ends.recv_timeout(UNINTERRUPTED) == Err(mpsc::RecvTimeoutError::Timeout) {
            let checked = check_signals();
            if checked.is_err() {
                next.store(items.len(), Ordering::Relaxed);
                return checked;
            }
        }
        Ok(())
    });
    interrupted?;
    Ok(results.into_iter().filter_map(|result| result.into_inner().ok().flatten()).collect())
}

/// Returns a valid file with what can be read of a damaged one, as `Rescued`: its bytes and what is lost.
///
/// >>> [(loss.path, loss.message) for loss in bindpose.rescue("truncated.ms3d").losses]
/// [('joints[1].position_keys', '2 of 3 elements kept')]
///
/// Args:
///     file: a path, a binary file, or a buffer such as `bytes`.
///     format: the name of the format; by default, name and content determine it.
///     limits: limits on the resources that decoding takes.
///
/// Raises:
///     OSError: if the file cannot be read.
///     BindposeError: if nothing can be read, or what can be read is not a valid file.
#[pyfunction]
#[pyo3(signature = (file, *, format=None, limits=None))]
pub fn rescue<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyAny>,
    format: Option<&str>,
    limits: Option<&Bound<'py, PyLimits>>,
) -> PyResult<Bound<'py, PyAny>> {
    let input = Input::read(file)?;
    let spec = input.known_spec(format)?;
    let (bytes, options) = (input.bytes.as_bytes(), options(spec, limits.map(Bound::get)));
    let rescued = py.detach(|| spec.kind.rescue(bytes, &options)).map_err(|error| input.exception(&error))?;
    let losses = list(py, &rescued.losses, |loss| {
        records::make(py, "LostField", (loss.path.to_string(), &loss.message))
    })?;
    records::make(py, "Rescued", (PyBytes::new(py, &rescued.bytes), losses))
}

/// Repairs a file, and returns a `Fixed`: its bytes and what was repaired. Other bytes stay as they are.
///
/// >>> bindpose.fix("hero.ms3d").repairs
/// []
///
/// Args:
///     file: a path, a binary file, or a buffer such as `bytes`.
///     rules: the codes of rules whose violations are repaired; by default, all with `Rule.fixable`.
///     format: the name of the format; by default, name and content determine it.
///     limits: limits on the resources that decoding takes.
///
/// Raises:
///     OSError: if the file cannot be read.
///     BindposeError: if no format matches.
#[pyfunction]
#[pyo3(signature = (file, *, rules=None, format=None, limits=None))]
pub fn fix<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyAny>,
    rules: Option<Vec<String>>,
    format: Option<&str>,
    limits: Option<&Bound<'py, PyLimits>>,
) -> PyResult<Bound<'py, PyAny>> {
    let input = Input::read(file)?;
    let spec = input.known_spec(format)?;
    let is_known = |code: &&String| Rule::all().into_iter().any(|rule| rule.code == code.as_str());
    if let Some(code) = rules.iter().flatten().find(|code| !is_known(code)) {
        return Err(PyValueError::new_err(format!("there is no rule {code:?}; see bindpose.rules()")));
    }
    let (bytes, options) = (input.bytes.as_bytes(), options(spec, limits.map(Bound::get)));
    let wanted =
        |repair: &Repair| rules.as_ref().is_none_or(|rules| rules.iter().any(|own| own == repair.rule.code));
    let (bytes, repairs) = py.detach(|| spec.kind.fix(bytes, &options, wanted));
    let repairs = list(py, &repairs, |own| {
        records::make(py, "Repaired", (own.rule.code, own.range.start, own.range.end, &own.message))
    })?;
    records::make(py, "Fixed", (PyBytes::new(py, &bytes), repairs))
}

/// Returns the dialect that fits a file best, as a `Proposal`; `None` if the format has one layout.
///
/// >>> bindpose.propose("hero.ms3d")
///
/// Args:
///     file: a path, a binary file, or a buffer such as `bytes`.
///     format: the name of the format; by default, name and content determine it.
///
/// Raises:
///     OSError: if the file cannot be read.
///     BindposeError: if no format matches.
#[pyfunction]
#[pyo3(signature = (file, *, format=None))]
pub fn propose<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyAny>,
    format: Option<&str>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let input = Input::read(file)?;
    let spec = input.known_spec(format)?;
    let bytes = input.bytes.as_bytes();
    let found = py.detach(|| spec.kind.propose(bytes));
    found.map(|own| records::make(py, "Proposal", (own.dialect, own.why))).transpose()
}

/// Returns the Kaitai Struct schema of a format, the JSON Schema for the output of `File.to_json`, or a pattern for ImHex.
///
/// >>> "id: ms3d" in bindpose.schema("ms3d")
/// True
///
/// Args:
///     format: the name of the format, with a dialect if it has several.
///     json: whether to return the JSON Schema.
///     imhex: whether to return the pattern for the hex editor ImHex.
///
/// Raises:
///     BindposeError: if there is no such format.
#[pyfunction]
#[pyo3(signature = (format, *, json=false, imhex=false))]
pub fn schema(py: Python<'_>, format: &str, json: bool, imhex: bool) -> PyResult<String> {
    let spec: FormatSpec = format.parse().map_err(|error| exception(py, &error, None))?;
    Ok(match (json, imhex) {
        (true, _) => spec.kind.json_schema(spec.dialect),
        (_, true) => spec.kind.imhex(),
        _ => spec.kind.ksy(),
    })
}

/// Returns every rule, family by family.
///
/// >>> len(bindpose.rules()) > 100
/// True
#[pyfunction]
pub fn rules(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    list(py, Rule::all(), |own| rule(py, own))
}

/// Returns every supported format.
///
/// >>> [format.name for format in bindpose.formats() if "psk" in format.extensions]
/// ['psk']
#[pyfunction]
pub fn formats(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    list(py, FileKind::ALL, |kind| {
        let info = kind.info();
        let extensions = info.extensions.to_vec();
        let magic = PyBytes::new(py, info.magic);
        records::make(
            py,
            "Format",
            (
                info.name,
                info.title,
                extensions,
                info.dialects.to_vec(),
                kind.encodings().to_vec(),
                kind.forms().to_vec(),
                magic,
                kind.is_authored(),
            ),
        )
    })
}
