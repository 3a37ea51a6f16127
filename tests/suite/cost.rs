//! What verbs allocate for files of every format: it grows with the file, and stays within the budget.

use std::hint::black_box;
use std::ops::ControlFlow::Continue;

use allocation_counter::{AllocationInfo, measure};
use bindpose::codec::Format as _;
use bindpose::edit::{self, Entity, References, Renames};
use bindpose::formats::psk::{self, Chunk, Key, Psa, Psk, Records, Sequence};
use bindpose::glam::{Quat, Vec3};
use bindpose::harness::Mutator;
use bindpose::internals::work as work_of;
use bindpose::scene::author::Authoring;
use bindpose::scene::gltf::{Gltf, read_within, refuse};
use bindpose::scene::render::{View, render};
use bindpose::scene::{Part, Scene, Settings};
use bindpose::schema::{locate_each, locate_many, lookups, set_each};
use bindpose::wire::FixedStr;
use bindpose::{Budget, ErrorKind, FieldPath, File, FileKind, FormatSpec, Limits, Options, Result, diff};

use crate::folders::each_format_in_parallel;
use crate::large::Many;

/// A file, and another one of the same format with other names.
struct Input {
    file: File,
    other: Option<File>,
    bytes: Vec<u8>,
}

impl Input {
    fn new(file: File, other: Option<File>) -> Self {
        let bytes = file.encode().expect("a valid file");
        Self { file, other, bytes }
    }

    fn scene(&self) -> Scene {
        Scene::of(&[self.part()], &Settings::default())
    }

    fn part(&self) -> Part<'_> {
        Part { name: "file", file: self.file.as_scene_source() }
    }

    /// Returns the file without its last bytes.
    fn cut(&self, percent: usize) -> Option<Self> {
        let bytes = self.bytes[..self.bytes.len() * percent / 100].to_vec();
        let file = self.file.kind().decode(&bytes, &self.file.options()).ok()?;
        Some(Self { file, other: None, bytes })
    }

    /// Returns whether an edit of the file succeeds.
    fn edit(&self, edit: impl FnOnce(&mut File) -> Result<()>) -> bool {
        edit(&mut self.file.clone()).is_ok()
    }

    /// Returns the paths of the fields with names, by the names of their objects.
    fn named_paths(&self) -> Vec<FieldPath> {
        let names = edit::names(&self.file).unwrap_or_default();
        self.file.with_object_paths(|paths| names.iter().filter_map(|own| paths.path(&own.path)).collect())
    }

    /// Returns the paths of all fields, by the names of their objects where they have such paths.
    fn all_paths(&self) -> Vec<FieldPath> {
        self.file.with_object_paths(|paths| {
            let mut all: Vec<FieldPath> = Vec::new();
            let _ = self.file.walk(&mut |place, _| {
                all.push(paths.path(&place.path).unwrap_or_else(|| place.path.clone()));
                Continue(())
            });
            all
        })
    }

    /// Returns the file with indices that lead to no object.
    fn with_broken_references(&self) -> Option<Self> {
        let mut paths = Vec::new();
        let _ = References::of(&self.file).ok()?.each(&mut |reference| {
            paths.push(reference.path);
            Continue(())
        });
        let broken = |number: &str| {
            let mut file = self.file.clone();
            let edits: Vec<_> = paths.iter().map(|path| (path.clone(), number.to_owned())).collect();
            set_each(file.value_mut(), &edits, true).is_ok().then(|| Self::new(file, None))
        };
        broken("30000").or_else(|| broken("254"))
    }

    /// Returns the name of the last bone that the file defines.
    fn bone(&self) -> Option<Vec<u8>> {
        let names = edit::names(&self.file).ok()?;
        let is_bone = |own: &edit::Name| own.is_definition && own.entity == Entity::Bone;
        names.into_iter().rev().find(is_bone).map(|own| own.text)
    }
}

/// What a verb does with a file; returns whether it succeeds.
type Verb = fn(&Input) -> bool;

/// The verbs of the command for one file.
const VERBS: &[(&str, Verb)] = &[
    ("decode", |own| own.file.kind().decode(&own.bytes, &own.file.options()).is_ok()),
    ("encode", |own| own.file.encode().is_ok()),
    ("roundtrip", |own| own.file.kind().roundtrip(&own.bytes, &own.file.options()).rest == 0),
    ("check", |own| {
        black_box(own.file.check(&own.bytes, usize::MAX));
        true
    }),
    ("info", |own| {
        black_box(own.file.summary());
        true
    }),
    ("map", |own| {
        own.file
            .walk(&mut |place, _| {
                black_box(place.offset);
                Continue(())
            })
            .is_continue()
    }),
    ("get", |own| edit::names(&own.file).is_ok()),
    ("find", |own| {
        let mut paths = Vec::new();
        let _ = own.file.walk(&mut |place, _| {
            paths.push(place.path.clone());
            Continue(())
        });
        !lookups(own.file.value(), &paths).is_empty()
    }),
    ("refs", |own| {
        let Ok(references) = References::of(&own.file) else { return false };
        references
            .each(&mut |reference| {
                black_box(reference);
                Continue(())
            })
            .is_continue()
    }),
    ("rename", |own| {
        let Some(bone) = own.bone() else { return false };
        own.edit(|file| edit::rename(file, &Renames::new().with(Entity::Bone, bone, "renamed")?).map(|_| ()))
    }),
    ("remove", |own| {
        let Some(bone) = own.bone() else { return false };
        own.edit(|file| edit::remove(std::slice::from_mut(file), Entity::Bone, &bone).map(|_| ()))
    }),
    ("merge", |own| own.other.as_ref().is_some_and(|other| own.edit(|file| edit::merge(file, other)))),
    ("merge edits", |own| {
        let (mut ours, mut theirs) = (own.file.clone(), own.file.clone());
        let Some(bone) = own.bone() else { return false };
        let Ok(renames) = Renames::new().with(Entity::Bone, bone, "renamed") else { return false };
        edit::rename(&mut ours, &renames).is_ok()
            && edit::scale(&mut theirs, 2.0, &Budget::default()).is_ok()
            && edit::merge3(&own.file, &ours, &theirs).is_ok_and(|merged| merged.conflicts.is_empty())
    }),
    ("transform", |own| {
        own.edit(|file| {
            edit::scale(file, 2.0, &Budget::default())?;
            edit::transform(
                std::slice::from_mut(file),
                Quat::from_rotation_x(1.0),
                Vec3::ONE,
                &Budget::default(),
            )
        })
    }),
    ("transform to another rate", |own| own.edit(|file| edit::resample(file, 20.0, &Budget::default()))),
    ("diff", |own| {
        let mut other = own.file.clone();
        if edit::scale(&mut other, 2.0, &Budget::default()).is_err() {
            return false;
        }
        let Ok(bytes) = other.encode() else { return false };
        let (a, b) = ((own.file.value(), &*own.bytes), (other.value(), &*bytes));
        diff::diff(a, b, &mut |difference| {
            black_box(difference);
            Continue(())
        })
        .is_continue()
    }),
    ("to-json", |own| own.file.to_json(&mut Vec::new()).is_ok()),
    ("from-json", |own| {
        let mut json = Vec::new();
        own.file.to_json(&mut json).is_ok() && File::read_json(&mut &*json).is_ok()
    }),
    ("mutate", |own| !Mutator::new(&own.file, &own.bytes).mutant(1).bytes.is_empty()),
    ("export", |own| {
        let glb = Gltf::new(&own.scene()).to_glb();
        glb.is_ok_and(|glb| read_within(&glb, &mut refuse, &unlimited()).is_ok())
    }),
    ("preview", |own| {
        let view = View { size: [16, 16], ..View::default() };
        !render(&own.scene(), &view, |_| None).pixels.is_empty()
    }),
];

/// Verbs with as many paths, names, edits or findings as the file has objects.
const VERBS_OF_MANY: &[(&str, Verb)] = &[
    ("get of many names", |own| {
        let paths = own.named_paths();
        !paths.is_empty() && locate_many(own.file.value(), &paths).iter().all(Result::is_ok)
    }),
    ("get of many values", |own| {
        let paths = own.all_paths();
        locate_many(own.file.value(), &paths).iter().all(Result::is_ok)
    }),
    ("set of many values", |own| {
        let Ok(places) = locate_each(own.file.value(), &own.named_paths()) else { return false };
        let edits: Vec<_> = (0..).zip(places).map(|(nth, own)| (own.path, format!("new{nth}"))).collect();
        !edits.is_empty() && set_each(own.file.clone().value_mut(), &edits, true).is_ok()
    }),
    ("rename of many objects", |own| {
        let Ok(names) = edit::names(&own.file) else { return false };
        let mut renames = Renames::new();
        let bones = names.iter().filter(|own| own.is_definition && !own.text.is_empty());
        bones.for_each(|own| _ = renames.add(own.entity, &*own.text, [b"x", &own.text[1..]].concat()));
        !renames.is_empty() && own.edit(|file| edit::rename(file, &renames).map(drop))
    }),
    ("refs without objects", |own| {
        own.with_broken_references().is_some_and(|own| {
            let references = References::of(&own.file).expect("names");
            let visit = &mut |reference| {
                black_box(reference);
                Continue(())
            };
            references.each(visit).is_continue()
        })
    }),
    ("check with many findings", |own| {
        let broken = own.with_broken_references();
        broken.is_some_and(|own| !own.file.check(&own.bytes, usize::MAX).findings.is_empty())
    }),
    ("findings of an edit", |own| {
        let broken = own.with_broken_references();
        broken.is_some_and(|broken| edit::caused(&own.file, &broken.file, true).is_ok())
    }),
    ("rescue", |own| own.with_broken_references().is_some_and(|own| bindpose::rescue(&own.bytes).is_ok())),
    ("diff of other names", |own| {
        let Some(other) = &own.other else { return false };
        let Ok(bytes) = other.encode() else { return false };
        let (a, b) = ((own.file.value(), &*own.bytes), (other.value(), &*bytes));
        let visit = &mut |difference: &diff::Difference| {
            black_box(difference);
            Continue(())
        };
        diff::diff_all(a, b, diff::Align::Content, visit).is_continue()
    }),
    ("to-json of objects", |own| own.file.to_objects_json(&mut Vec::new()).is_ok()),
    ("from-json of objects", |own| {
        let mut json = Vec::new();
        own.file.to_objects_json(&mut json).is_ok() && File::read_json(&mut &*json).is_ok()
    }),
];

fn unlimited() -> Budget {
    Budget::of(&Limits::none(), 0)
}

/// What a task takes.
struct Cost {
    memory: AllocationInfo,
    work: u64,
}

fn cost(task: impl FnOnce()) -> Cost {
    let mut work = 0;
    let memory = measure(|| work = work_of(task) as u64);
    Cost { memory, work }
}

/// Returns what costs more than two and a half times as much for a file of twice the size, and what does not depend on it.
fn steep(what: &str, once: &Cost, twice: &Cost) -> Vec<String> {
    let [a, b] = [&once.memory, &twice.memory];
    let counts = [
        ("allocations", a.count_total, b.count_total, 1000),
        ("allocated bytes", a.bytes_total, b.bytes_total, 1 << 19),
        ("bytes at a time", a.bytes_max, b.bytes_max, 1 << 18),
        ("steps", once.work, twice.work, 10_000),
    ];
    let is_steep = |(_, once, twice, fixed): &(&str, u64, u64, u64)| *twice > once / 2 * 5 + fixed;
    let describe = |(of, once, twice, _)| format!("{what}: {once} {of}, then {twice}");
    counts.into_iter().filter(is_steep).map(describe).collect()
}

/// The number of objects in a file.
const NUMBER: usize = 300;

/// Runs a check for a file of each format with many objects of each kind and for one with twice as many. Returns what it
/// returns.
fn each_pair<T: Send>(check: impl Fn(&str, [Input; 2]) -> T + Sync) -> Vec<T> {
    let all = each_format_in_parallel(|kind| {
        let pairs = Many::ALL.into_iter().filter_map(|many| Some((many, many.pair(kind, NUMBER)?)));
        pairs
            .map(|(many, ([once, twice], number))| {
                let other = |number| many.file(kind, number, "b");
                let pair = [Input::new(once, other(number)), Input::new(twice, other(2 * number))];
                check(&format!("{} with many {many:?}", kind.name()), pair)
            })
            .collect::<Vec<_>>()
    });
    all.into_iter().flatten().collect()
}

/// Runs verbs for a file and for one of twice the size. Returns for each whether it succeeds and what is steep.
fn run(verbs: &[(&str, Verb)], what: &str, [once, twice]: [&Input; 2]) -> Vec<(bool, Vec<String>)> {
    let run = |(verb, run): &(&str, Verb)| {
        let [mut ran, mut again] = [false; 2];
        let costs = [cost(|| ran = run(once)), cost(|| again = run(twice))];
        // A format can have a limit between the two.
        let succeeds = ran && again;
        let found =
            if succeeds { steep(&format!("{verb} of {what}"), &costs[0], &costs[1]) } else { Vec::new() };
        (succeeds, found)
    };
    verbs.iter().map(run).collect()
}

#[test]
fn the_cost_of_a_verb_grows_with_a_truncated_file() {
    let found = each_pair(|what, [once, twice]| {
        let mut found = Vec::new();
        for percent in [30, 60, 90] {
            let (Some(once), Some(twice)) = (once.cut(percent), twice.cut(percent)) else { continue };
            let what = format!("{percent} % of {what}");
            found.extend(run(VERBS, &what, [&once, &twice]).into_iter().flat_map(|(_, found)| found));
        }
        found
    });
    let found: Vec<_> = found.into_iter().flatten().collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// Asserts that what verbs take grows with the file, and that each of them succeeds for some files.
fn grow_with_the_file(verbs: &[(&str, Verb)], least: usize) {
    let done = each_pair(|what, [once, twice]| run(verbs, what, [&once, &twice]));
    for (index, (verb, _)) in verbs.iter().enumerate() {
        let count = done.iter().filter(|verbs| verbs[index].0).count();
        assert!(count >= least, "{verb} succeeds for {count} files");
    }
    let found: Vec<_> = done.into_iter().flatten().flat_map(|(_, found)| found).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_cost_of_a_verb_grows_with_the_file() {
    grow_with_the_file(VERBS, 4);
}

#[test]
fn the_cost_of_a_verb_grows_with_the_number_of_names_edits_and_findings() {
    grow_with_the_file(VERBS_OF_MANY, 1);
}

#[test]
fn the_cost_of_a_conversion_grows_with_the_file() {
    let settings = Authoring::default();
    let done = each_pair(|what, pair| {
        let scenes = pair.map(|own| own.scene());
        let convert = |kind: &FileKind| {
            let author = |scene| FormatSpec::from(*kind).author(scene, "file", &settings).is_ok();
            let [mut ran, mut again] = [false; 2];
            let costs = [cost(|| ran = author(&scenes[0])), cost(|| again = author(&scenes[1]))];
            (ran && again).then(|| steep(&format!("{} from {what}", kind.name()), &costs[0], &costs[1]))
        };
        FileKind::ALL.iter().filter_map(convert).collect::<Vec<_>>()
    });
    let done: Vec<_> = done.into_iter().flatten().collect();
    assert!(done.len() > 10 * FileKind::ALL.len(), "{} conversions", done.len());
    let found: Vec<_> = done.into_iter().flatten().collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// A mesh and an animation of a root with children.
fn star(children: usize) -> Vec<File> {
    let bone = |at: usize| {
        let name = FixedStr::new(format!("b{at}").as_bytes()).expect("a short name");
        psk::Bone { name, ..psk::Bone::default() }
    };
    let bones = || Records::Bones((0..=children).map(bone).collect::<Vec<_>>().into());
    let count = i32::try_from(children + 1).expect("a small number");
    let sequence = Sequence { total_bones: count, num_raw_frames: 1, ..Sequence::default() };
    let (mut mesh, mut animation) = (Psk::blank_file(), Psa::blank_file());
    mesh.chunks.push(Chunk::new("REFSKELT", bones()));
    animation.chunks.extend([
        Chunk::new("BONENAMES", bones()),
        Chunk::new("ANIMINFO", Records::Sequences(vec![sequence].into())),
        Chunk::new("ANIMKEYS", Records::Keys(vec![Key::default(); children + 1].into())),
    ]);
    vec![File::Psk(Box::new(mesh)), File::Psa(Box::new(animation))]
}

#[test]
fn the_cost_of_a_removal_from_a_set_grows_with_the_number_of_children() {
    let [once, twice] = [NUMBER, 2 * NUMBER].map(|children| {
        let mut set = star(children);
        cost(|| assert_eq!(edit::remove(&mut set, Entity::Bone, b"b0").expect("the root"), 2))
    });
    let found = steep("the removal of a root", &once, &twice);
    assert!(found.is_empty(), "{found:#?}");
}

/// A file of chunks, each with a number that is not finite and bytes that are not a record.
fn damaged_chunks(head: &str, id: &str, record: &[f32], chunks: usize) -> Vec<u8> {
    let header = |id: &str, size: usize, count: i32| {
        let size = i32::try_from(size).expect("a small record");
        let mut bytes = id.as_bytes().to_vec();
        bytes.resize(20, 0);
        [bytes, [1_999_801, size, count].into_iter().flat_map(i32::to_le_bytes).collect()].concat()
    };
    let record: Vec<_> = record.iter().flat_map(|own| own.to_le_bytes()).collect();
    let chunk = [header(id, record.len(), 2), record, vec![1; 5]].concat();
    [header(head, 0, 0), chunk.repeat(chunks), header("VTXW0000", 16, 0)].concat()
}

#[test]
fn the_cost_of_a_rescue_grows_with_the_number_of_damaged_chunks() {
    let numbers = [f32::NAN; 8];
    for (head, id, record) in [("ACTRHEAD", "PNTS0000", &numbers[..3]), ("ANIMHEAD", "ANIMKEYS", &numbers)] {
        let [once, twice] = [NUMBER, 2 * NUMBER].map(|chunks| {
            let bytes = damaged_chunks(head, id, record, chunks);
            cost(|| {
                let rescued = bindpose::rescue(&bytes).expect("a valid file");
                let removed = rescued.losses.iter().filter(|own| own.message.contains("removed: damaged"));
                assert!(removed.count() >= chunks - 1, "each chunk is cut");
            })
        });
        let found = steep(&format!("a rescue of {id}"), &once, &twice);
        assert!(found.is_empty(), "{found:#?}");
    }
}

/// Memory in bytes that a task may take beyond its budget: blocks, tables, error messages.
const SLACK: u64 = 1 << 18;

/// How many times as much memory as is charged a task may take: what small objects are written as is estimated.
const FACTOR: u64 = 5;

/// Returns where a task takes more memory than it charges, whatever its result.
fn uncharged(what: &str, len: u64, task: impl Fn(&Budget) -> bool) -> Vec<String> {
    let mut succeeds = false;
    let mut found = Vec::new();
    for per_byte in (0..10).map(|bits| 1 << bits) {
        let limits = Limits::default().with_max_memory(SLACK).with_max_memory_per_byte(per_byte);
        let budget = Budget::of(&limits, len);
        let mut ran = false;
        let peak = measure(|| ran = task(&budget)).bytes_max;
        succeeds |= ran;
        let most = FACTOR * budget.permitted() + SLACK;
        if peak > most {
            found.push(format!("{what}: {peak} of {most} bytes, {per_byte} for each of {len}; done: {ran}"));
        }
    }
    if !succeeds {
        found.push(format!("{what}: refused with every budget"));
    }
    found
}

#[test]
fn what_follows_decoding_charges_what_it_allocates() {
    let found = each_pair(|what, [own, _]| {
        let len = own.bytes.len() as u64;
        let mut found = uncharged(&format!("the scene of {what}"), len, |budget| {
            Scene::within(&[own.part()], &Settings::default(), budget).is_ok()
        });
        let scene = own.scene();
        found.extend(uncharged(&format!("glTF of {what}"), len, |budget| {
            Gltf::within(&scene, |_| None::<()>, |()| None, budget).to_glb().is_ok()
        }));
        let glb = Gltf::new(&scene).to_glb().expect("a small file");
        found.extend(uncharged(&format!("the scene of glTF of {what}"), glb.len() as u64, |budget| {
            read_within(&glb, &mut refuse, budget).is_ok()
        }));
        if own.file.to_objects_json(&mut Vec::new()).is_ok() {
            found.extend(uncharged(&format!("JSON of the objects of {what}"), len, |budget| {
                own.file.to_objects_json_within(&mut Vec::new(), budget).is_ok()
            }));
        }
        for kind in FileKind::ALL {
            let author = |budget: Option<&Budget>| {
                let mut settings = Authoring::default();
                settings.budget = budget.cloned();
                FormatSpec::from(*kind).author(&scene, "file", &settings).is_ok()
            };
            if author(None) {
                let what = format!("{} of {what}", kind.name());
                found.extend(uncharged(&what, len, |budget| author(Some(budget))));
            }
        }
        found
    });
    let found: Vec<_> = found.into_iter().flatten().collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// How many bytes an edit of text may take for each byte of the text: most of its numbers have two.
const PER_BYTE_OF_TEXT: u64 = 20;

#[test]
fn the_memory_of_scaling_text_is_bounded_by_its_length() {
    let text = format!("xof 0303txt 0032\nMesh {{ 100000; {} 0; }}", "1;2;3;,".repeat(100_000));
    let file = FileKind::X.decode(text.as_bytes(), &Options::default()).expect("a mesh");
    let mut edited = file.clone();
    let peak = measure(|| edit::scale(&mut edited, 2.0, &Budget::default()).expect("a mesh")).bytes_max;
    assert!(edited.encode().expect("text").len() > text.len() / 2);
    let most = PER_BYTE_OF_TEXT * text.len() as u64;
    assert!(peak <= most, "{peak} of {most} bytes");
    let limits = Limits::none().with_max_memory(4 * text.len() as u64).with_max_memory_per_byte(0);
    let error = edit::scale(&mut file.clone(), 2.0, &Budget::of(&limits, 0)).expect_err("too little memory");
    assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{error}");
}
