//! Finds the objects of scenes by their names.

use std::collections::{BTreeMap, HashSet};

use bindpose::scene::{Names, Retarget, Scene};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};

/// Returns a scene with what has some names.
pub fn selected(
    scene: &Scene,
    clips: Option<&Bound<'_, PyAny>>,
    meshes: Option<&Bound<'_, PyAny>>,
    materials: Option<&Bound<'_, PyAny>>,
) -> PyResult<Scene> {
    let mut scene = scene.clone();
    if let Some(patterns) = clips {
        let kept = named("clip", patterns, scene.clips.iter().map(|own| &*own.name))?;
        scene.clips.retain(|own| kept.contains(&own.name));
    }
    if let Some(patterns) = meshes {
        let groups = scene.meshes.iter().flat_map(|own| &own.primitives).map(|own| &*own.name);
        let names = scene.meshes.iter().map(|own| &*own.name).chain(groups.filter(|name| !name.is_empty()));
        let kept = named("mesh", patterns, names)?;
        scene.keep_meshes(|name| kept.contains(name));
    }
    if let Some(patterns) = materials {
        let kept = named("material", patterns, scene.materials.iter().map(|own| &*own.name))?;
        scene.keep_materials(|name| kept.contains(name));
    }
    Ok(scene)
}

/// Returns the names that match one of several patterns. Each has to match one.
fn named<'n>(
    kind: &str,
    patterns: &Bound<'_, PyAny>,
    names: impl Iterator<Item = &'n str>,
) -> PyResult<HashSet<String>> {
    let refused = |given: &Bound<'_, PyAny>| {
        let name = given.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("expected names, globs or patterns of re.compile, got {name}"))
    };
    let is_pattern =
        |own: &Bound<'_, PyAny>| Ok::<_, PyErr>(own.is_instance_of::<PyString>() || own.hasattr("search")?);
    let is_one = is_pattern(patterns)?;
    if !is_one && (patterns.is_instance_of::<PyBytes>() || patterns.is_instance_of::<PyByteArray>()) {
        return Err(refused(patterns));
    }
    let patterns = if is_one {
        vec![patterns.clone()]
    } else {
        patterns.try_iter().map_err(|_| refused(patterns))?.collect::<PyResult<Vec<_>>>()?
    };
    let names: Vec<_> = names.collect();
    let mut found = HashSet::new();
    for pattern in patterns {
        if !is_pattern(&pattern)? {
            return Err(refused(&pattern));
        }
        let matching = matching(&pattern, &names)?;
        if matching.is_empty() {
            let why = format!("no {kind} matches {}; the names are {names:?}", pattern.repr()?);
            return Err(PyValueError::new_err(why));
        }
        found.extend(matching.into_iter().map(str::to_owned));
    }
    Ok(found)
}

/// Returns the names that are equal to a text, or else those that match it as a glob; or those in which a pattern is found.
fn matching<'n>(pattern: &Bound<'_, PyAny>, names: &[&'n str]) -> PyResult<Vec<&'n str>> {
    let Ok(text) = pattern.extract::<String>() else {
        let is_found = |name: &&str| Ok(!pattern.call_method1("search", (*name,))?.is_none());
        return names.iter().copied().filter_map(|name| keep(name, is_found(&name))).collect();
    };
    if names.contains(&&*text) {
        return Ok(names.iter().copied().filter(|name| *name == text).collect());
    }
    let matcher = pattern.py().import("fnmatch")?.getattr("fnmatchcase")?;
    let is_match = |name: &str| matcher.call1((name, &text))?.extract::<bool>();
    names.iter().copied().filter_map(|name| keep(name, is_match(name))).collect()
}

fn keep<T>(own: T, is_kept: PyResult<bool>) -> Option<PyResult<T>> {
    is_kept.map(|kept| kept.then_some(own)).transpose()
}

/// Pairs the bones of two scenes, those of a table first, others by name.
pub fn pairs(from: &Scene, to: &Scene, table: &BTreeMap<String, String>) -> PyResult<Vec<(usize, usize)>> {
    let names = |scene: &Scene| Names::new(scene.skeleton.bones().iter().map(|own| &*own.name));
    let (others, own) = (names(from), names(to));
    let find = |names: &Names, name: &str| {
        names.find(name).ok_or_else(|| PyValueError::new_err(format!("no bone is named {name:?}")))
    };
    let stated = table.iter().map(|(old, new)| Ok((find(&others, old)?, find(&own, new)?)));
    let twice = || PyValueError::new_err("a bone is in two pairs");
    let pairs = Retarget::pairs(&from.skeleton, &to.skeleton, stated.collect::<PyResult<_>>()?);
    let pairs = pairs.ok_or_else(twice)?;
    if pairs.is_empty() {
        return Err(PyValueError::new_err("no bones of the scenes have the same name"));
    }
    Ok(pairs)
}
