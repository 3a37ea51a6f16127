//! DirectX `.x`: objects, their values by name, packing, and conversion.
#![expect(clippy::float_cmp, reason = "numbers are preserved exactly")]

mod convert;
mod names;
mod object_paths;
mod object_writer;
mod work;

use bindpose::codec::{Format, Limits, Options, Verdict, roundtrip};
use bindpose::formats::directx::{
    AnimTicksPerSecond, AnimationKey, AnimationOptions, Child, DeclData, EffectInstance, Encoding, FVFData,
    FaceAdjacency, FrameTransformMatrix, Guid, Header, Material, Mesh, MeshMaterialList, MeshNormals,
    MeshTextureCoords, MeshVertexColors, Object, Reference, SkinWeights, Template, Text, TextureFilename,
    Token, TokenBody, Tokens, VertexDuplicationIndices, View, X, XSkinMeshHeader,
};
use bindpose::wire::{LenStr, Part};
use bindpose::{Error, ErrorKind, File, LimitError, schema};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample;

use crate::folders;
use crate::samples::directx::{MISSPELT, moving_cube, rotating_cube, scaling_cube, skinned};

fn decoded(text: &str) -> X {
    X::decode(text.as_bytes()).expect("text")
}

fn file(text: &str) -> File {
    bindpose::decode(text.as_bytes()).expect("text")
}

fn with_head(body: &str) -> String {
    format!("xof 0303txt 0032\n{body}")
}

fn the<V: View>(file: &X) -> V {
    file.objects().unwrap().views::<V>().next().expect("an object").expect("a view")
}

const BINARY: Encoding = Encoding { binary: true, packed: false, double: false };
const DOUBLE: Encoding = Encoding { binary: true, packed: false, double: true };
const PACKED_BINARY: Encoding = Encoding { binary: true, packed: true, double: false };
const TEXT: Encoding = Encoding { binary: false, packed: false, double: false };
const PACKED_TEXT: Encoding = Encoding { binary: false, packed: true, double: false };

#[test]
fn rotation_keys_of_the_tutorial_are_nine_degrees_apart() {
    let keys = the::<AnimationKey>(&decoded(&rotating_cube()));
    assert_eq!(keys.key_type, 0);
    assert_eq!(keys.keys.times, (1..=10).map(|key| key * 1000).collect::<Vec<_>>());
    let first = keys.keys.values.get(0).unwrap();
    assert_eq!(first, [0.0, 0.156_434_48, 0.0, 0.987_688_36]);
    assert_eq!(keys.keys.values.get(9).unwrap()[1], 1.0);
}

#[test]
fn scale_keys_of_the_tutorial_decrease_and_increase() {
    let keys = the::<AnimationKey>(&decoded(&scaling_cube()));
    let sizes: Vec<f32> = keys.keys.iter().map(|key| key.values[0]).collect();
    assert_eq!(sizes, [1.0, 0.8, 0.6, 0.4, 0.2, 0.4, 0.6, 0.8, 1.0]);
}

#[test]
fn a_key_beyond_the_count_is_reported_and_preserved() {
    let text = moving_cube();
    let file = decoded(&text);
    let keys = the::<AnimationKey>(&file);
    assert_eq!(keys.keys.times.len(), 19);
    assert_eq!(keys.keys.times[11..13], [12000, 12000]);
    assert_eq!(file.encode().unwrap(), text.as_bytes());
    let objects = file.objects().unwrap();
    let problems: Vec<_> = objects.all().flat_map(|object| object.problems()).collect();
    let excess = text.find("19000;").unwrap() as u64;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].offset(), excess);
    assert!(problems[0].message().contains("unexpected value"), "{}", problems[0]);
}

/// Checks all typed views of the sample.
fn assert_skinned(file: &X) {
    assert_eq!(the::<AnimTicksPerSecond>(file).ticks, 30);
    let mesh = the::<Mesh>(file);
    assert_eq!(mesh.vertices[2], [0.0, 1.0, 0.25]);
    assert!(mesh.vertices[1][2].is_sign_negative());
    assert_eq!(mesh.faces.iter().collect::<Vec<_>>(), [[0, 1, 2], [0, 2, 1]]);
    let normals = the::<MeshNormals>(file);
    assert_eq!((normals.normals[1], normals.faces.get(1)), ([0.0, 0.0, 1.0], Some(&[1, 1, 1][..])));
    assert_eq!(the::<MeshTextureCoords>(file).coords[1], [1.0, 0.0]);
    assert_eq!(the::<MeshVertexColors>(file).colors, [(2, [1.0, 0.5, 0.25, 1.0])]);
    let list = the::<MeshMaterialList>(file);
    assert_eq!((list.num_materials, list.face_indexes), (1, vec![0]));
    let material = the::<Material>(file);
    assert_eq!((material.face_color, material.power), ([1.0, 0.0, 0.0, 1.0], 8.0));
    assert_eq!(the::<TextureFilename>(file).filename, b"skin.bmp");
    assert_eq!(the::<EffectInstance>(file).effect_filename, b"shade.fx");
    assert_eq!(the::<XSkinMeshHeader>(file).num_bones, 2);
    let objects = file.objects().unwrap();
    let weights: Vec<SkinWeights> = objects.views().collect::<Result<_, _>>().unwrap();
    assert_eq!(weights[1].transform_node_name, b"Arm");
    assert_eq!((&weights[1].vertex_indices[..], &weights[1].weights[..]), (&[1, 2][..], &[0.25, 1.0][..]));
    assert_eq!(weights[1].matrix_offset[13], -2.5);
    assert_eq!(the::<VertexDuplicationIndices>(file).indices, [0, 1, 1]);
    assert_eq!(the::<FaceAdjacency>(file).indices[0], u32::MAX);
    let decl = the::<DeclData>(file);
    assert_eq!((&decl.elements[..], decl.data.len()), (&[[2, 0, 6, 0]][..], 9));
    assert_eq!((the::<FVFData>(file).fvf, the::<FVFData>(file).data[1]), (258, 1.0_f32.to_bits()));
    assert_eq!(the::<AnimationOptions>(file).open_closed, 1);
    let keys: Vec<AnimationKey> = objects.views().collect::<Result<_, _>>().unwrap();
    assert_eq!(keys[0].keys.values.get(1).unwrap()[3], 0.707_106_77);
    assert_eq!(keys[1].keys.values.get(0).unwrap().len(), 16);
    let matrices: Vec<FrameTransformMatrix> = objects.views().collect::<Result<_, _>>().unwrap();
    assert_eq!(matrices[1].matrix[13], 2.5);
    assert_eq!(objects.problems(), []);
    assert_eq!(objects.all().flat_map(|object| object.problems()).collect::<Vec<_>>(), []);
}

#[test]
fn typed_views_agree_in_every_encoding() {
    let text = decoded(&skinned());
    assert_skinned(&text);
    for to in [BINARY, DOUBLE, PACKED_BINARY, PACKED_TEXT] {
        let there = text.convert(to).unwrap();
        let bytes = there.encode().unwrap();
        assert_eq!(roundtrip::<X>(&bytes, &Options::default()).verdict, Verdict::Lossless, "{to:?}");
        let file = X::decode(&bytes).unwrap();
        assert_eq!(Encoding::of(&file), Some(to));
        assert_skinned(&file);
        assert_skinned(&file.convert(TEXT).unwrap());
    }
}

#[test]
fn templates_of_the_file_override_the_standard() {
    let text = with_head(
        "template Vector { <3D82AB5E-62DA-11CF-AB39-0020AF71E433> FLOAT x; FLOAT y; FLOAT z; FLOAT w; }\nMesh { 1; 1;2;3;4;; 0; }\n",
    );
    let file = decoded(&text);
    let objects = file.objects().unwrap();
    let mesh = objects.all().next().unwrap();
    assert_eq!(mesh.problems(), []);
    let error = mesh.view::<Mesh>().unwrap().unwrap_err();
    assert!(error.message().contains("with another layout"), "{error}");
    assert_eq!(objects.templates().get(b"VECTOR").unwrap().members.len(), 4);
    assert_eq!(Template::standard(b"vector").unwrap().members.len(), 3);
}

#[test]
fn deeply_nested_objects_are_indexed_without_recursion() {
    const DEPTH: usize = 200_000;
    let text = with_head(&format!("{}{}", "Frame A {".repeat(DEPTH), "}".repeat(DEPTH)));
    let file = decoded(&text);
    let objects = file.objects().unwrap();
    assert_eq!(objects.all().count(), DEPTH);
    assert_eq!(objects.problems(), []);
    let deepest = objects.all().last().unwrap();
    assert_eq!(
        std::iter::successors(Some(deepest), bindpose::formats::directx::Object::parent).count(),
        DEPTH
    );
    assert!(!format!("{:?}", file.clone()).is_empty());
}

#[test]
fn the_depth_limit_applies_to_every_encoding() {
    let text = with_head("Frame A { Frame B { { A } Frame C { } } }\n");
    let file = decoded(&text);
    for (binary, packed) in [(false, false), (true, false), (false, true), (true, true)] {
        let bytes = file.convert(Encoding { binary, packed, double: false }).unwrap().encode().unwrap();
        let within = |max_depth| {
            let limits = Limits::default().with_max_depth(max_depth);
            X::decode_with(&bytes, &Options::default().with_limits(limits)).map(|_| ())
        };
        assert_eq!((within(3), within(4)), (Ok(()), Ok(())));
        let places = [0, 1, 2].map(|most| within(most).unwrap_err()).map(|error| {
            let permitted = |kind: &ErrorKind| matches!(kind, ErrorKind::Limit(LimitError::Depth { .. }));
            assert!(permitted(error.kind()), "{error}");
            usize::try_from(error.offset()).unwrap()
        });
        if packed {
            assert!(
                places.windows(2).all(|pair| pair[0] == pair[1]),
                "all positions in a chunk have its offset"
            );
        } else if !binary {
            assert_eq!(places.map(|at| &bytes[at..][..7]), [b"Frame A", b"Frame B", b"Frame C"]);
        }
    }
}

#[test]
fn names_are_bytes_of_any_code_page() {
    let mut text = with_head("Frame ").into_bytes();
    // "bone" in Shift-JIS: the second bytes of its characters are `{`, `[` and another byte.
    text.extend_from_slice(b"\x83\x7b\x81\x5b\x83\x93{Frame \xe9t\xe9{}}");
    let file = X::decode(&text).unwrap();
    let objects = file.objects().unwrap();
    let names: Vec<&[u8]> = objects.all().map(|object| object.name()).collect();
    assert_eq!(names, [&b"\x83\x7b\x81\x5b\x83\x93"[..], b"\xe9t\xe9"]);
    assert_eq!(objects.problems(), []);
}

#[test]
fn a_reference_has_a_name_or_a_guid() {
    let text = with_head("Animation { {Hip} {7} {<00000001-0000-0000-0000-000000000000>} }\n");
    let file = decoded(&text);
    let objects = file.objects().unwrap();
    let animation = objects.roots().find(|object| object.is("animation")).unwrap();
    let references: Vec<Reference<'_>> = animation.references().collect();
    let guid = Guid { data1: 1, ..Guid::default() };
    assert_eq!(
        references,
        [
            Reference { name: b"Hip", guid: None },
            Reference { name: b"7", guid: None },
            Reference { name: b"", guid: Some(guid) },
        ]
    );
    assert!(animation.children().all(|child| matches!(child, Child::Reference(_))));
}

#[test]
fn separators_are_checked_like_in_the_native_parser() {
    let valid = ["1;2;3;", "1,2,3,", "1;,2;;,3;;;,", "1;\n,2; ; 3;", "1;//;\n2;3;"];
    let invalid = ["1;2;3", "1,,2;3;", "1,;2;3;", "1 2;3;", ";1;2;3;"];
    for (values, is_valid) in
        valid.map(|values| (values, true)).into_iter().chain(invalid.map(|values| (values, false)))
    {
        let file = decoded(&with_head(&format!("Vector {{ {values} }}")));
        let objects = file.objects().unwrap();
        let problems = objects.all().next().unwrap().problems();
        assert_eq!(problems.is_empty(), is_valid, "{values}: {problems:?}");
    }
}

#[test]
fn separators_are_checked_in_every_combination() {
    let parts = [";", ",", " ", "\n", " //;\n"];
    let longer = |gaps: &Vec<String>| {
        let longer = gaps.iter().flat_map(|gap| parts.map(|part| format!("{gap}{part}")));
        Some(longer.collect::<Vec<_>>())
    };
    let gaps = std::iter::successors(longer(&vec![String::new()]), longer).take(4).flatten();
    for gap in gaps {
        let separators = gap.replace("//;", "").replace(char::is_whitespace, "");
        let is_valid = !separators.is_empty() && matches!(separators.trim_start_matches(';'), "" | ",");
        for (values, is_valid) in [
            (format!("1{gap}2;3;"), is_valid),
            (format!("1;2,3{gap}"), is_valid),
            (format!("{gap}1;2;3;"), separators.is_empty()),
        ] {
            let file = decoded(&with_head(&format!("Vector {{{values}}}")));
            let objects = file.objects().unwrap();
            let problems = objects.all().next().unwrap().problems();
            assert_eq!(problems.is_empty(), is_valid, "{values:?}: {problems:?}");
        }
    }
}

#[test]
fn unbalanced_braces_and_stray_names_are_reported_and_preserved() {
    for (body, offset, why) in [
        ("Frame A { } }", 12, "no object is open"),
        ("Frame A { ", 0, "closing brace"),
        ("Frame A { Mesh }", 10, "unexpected name"),
        ("{ 1; }", 0, "expected a template name"),
        ("1;", 0, "outside of an object"),
        ("Frame A { Frame B { } 1; }", 22, "must precede child objects"),
        ("template A { DWORD x;", 0, "closing brace of a template"),
    ] {
        let text = with_head(body);
        let file = decoded(&text);
        let objects = file.objects().unwrap();
        let problem = objects.problems().first().unwrap_or_else(|| panic!("{body}"));
        assert!(problem.message().contains(why), "{body}: {problem}");
        assert_eq!(problem.offset(), 17 + offset, "{body}: {problem}");
        let verdict = roundtrip::<X>(text.as_bytes(), &Options::default()).verdict;
        match why.strip_prefix("closing brace") {
            Some(_) => assert!(matches!(verdict, Verdict::Damaged(_)), "{body}: {verdict:?}"),
            None => assert_eq!(verdict, Verdict::Lossless, "{body}"),
        }
    }
}

/// The first problem in the values of each object.
fn problems(text: &str) -> Vec<String> {
    let file = decoded(&with_head(text));
    let objects = file.objects().unwrap();
    let problem = |object: Object<'_>| {
        let problems = object.problems();
        problems.first().map_or_else(String::new, Error::message)
    };
    objects.all().map(problem).collect()
}

#[test]
fn recursive_templates_are_rejected() {
    let wide = (0..40).map(|member| format!("B m{member};")).collect::<Vec<_>>().concat();
    let text = format!(
        "template A {{ A a; }} template B {{ {} }} template C {{ {} }} template E {{ array D d[1000000][1000000]; }} template D {{ }}\n\
         A {{ 1; }} C {{ 1; }} B {{ }} E {{ 2; }} E {{ }}",
        wide.replace('B', "C"),
        wide
    );
    assert_eq!(
        problems(&text),
        [
            "template `A` is nested more than 16 levels deep",
            "template `B` is nested more than 16 levels deep",
            "template `C` is nested more than 16 levels deep",
            "unexpected value after the last member of the template",
            "",
        ]
    );
}

#[test]
fn the_number_of_members_without_values_is_limited() {
    let members = "array DWORD a[n]; ".repeat(1000);
    let ends = "expected a number, found the end of the values";
    let objects = "T { 0; }\nT { 2; 1;2; 3;4; }\n";
    let too_many = "the template has too many members without values";
    assert_eq!(problems(&format!("template T {{ DWORD n; {members} }}\n{objects}")), [too_many, ends]);
    let members = "array DWORD a[n]; ".repeat(30);
    let objects = "T { 0; }\nT { 1; 1;2; 3;4; }\n";
    assert_eq!(problems(&format!("template T {{ DWORD n; {members} }}\n{objects}")), ["", ends]);
}

#[test]
fn structs_without_values_consume_no_values() {
    let nested = |depth: usize| format!("template S{} {{ S{depth} a; S{depth} b; }}\n", depth + 1);
    let structs: String = (0..13).map(nested).collect();
    let text = format!("template S0 {{ array STRING s[0]; }}\n{structs}{}", "S13 { }\n".repeat(20));
    assert_eq!(problems(&text), [""; 20]);
    let file = decoded(&with_head(&text));
    let tokens = file.convert(BINARY).unwrap();
    assert!(tokens.encode().unwrap().len() < 4 * text.len());
    let back = tokens.convert(TEXT).unwrap().encode().unwrap();
    assert!(back.ends_with("S13 {\n}\n".repeat(20).as_bytes()), "{}", back.escape_ascii());
}

#[test]
fn invalid_templates_are_reported() {
    let name = "T".repeat(129);
    for (template, why) in [
        (format!("template T {{ array DWORD a{}; }}", "[1]".repeat(17)), "more than 16 dimensions"),
        (format!("template {name} {{ DWORD n; }}"), "exceeds 128 bytes"),
        ("template T { array DWORD a[n]; DWORD n; }".into(), "an earlier member"),
    ] {
        let file = decoded(&with_head(&template));
        let objects = file.objects().unwrap();
        assert!(objects.problems()[0].message().contains(why), "{template}: {:?}", objects.problems());
        assert_eq!(objects.templates().own().count(), 0, "{template}");
    }
}

#[test]
fn a_material_list_has_at_most_one_index_per_face() {
    for (indices, expected) in [
        ("0; ;", Some("has 0 elements, expected 1 to 2: at most one per face")),
        ("1; 0;", None),
        ("2; 0,0;", None),
        ("3; 0,0,0;", Some("has 3 elements, expected 1 to 2: at most one per face")),
    ] {
        let list = format!("MeshMaterialList {{ 1; {indices} Material {{ 1;1;1;1; 1; 0;0;0; 0;0;0; }} }}");
        let text = with_head(&format!("Mesh {{ 3; 0;0;0; 1;0;0; 0;1;0; 2; 3;0,1,2; 3;0,2,1; {list} }}\n"));
        let report = file(&text).check(text.as_bytes(), 9);
        let found = report.findings.iter().find(|finding| finding.rule.code == "x/face-indexes");
        assert_eq!(found.map(|finding| finding.message.as_str()), expected, "{text}: {:?}", report.findings);
    }
}

#[test]
fn members_of_standard_templates_are_found_by_position() {
    let text = with_head(MISSPELT);
    let file = decoded(&text);
    let mesh: Mesh = file.objects().unwrap().views().next().unwrap().unwrap();
    assert_eq!((mesh.vertices.len(), mesh.faces.items()), (3, &[0, 1, 2][..]));
    let file = self::file(&text);
    assert_eq!(file.get_text("Mesh.naces[0]").unwrap(), file.get_text("Mesh.faces[0]").unwrap());
    // With another GUID, the file's own names apply.
    let other = text.replace("3D82AB44", "3D82AB45");
    let mesh: Mesh = decoded(&other).objects().unwrap().views().next().unwrap().unwrap();
    assert_eq!((mesh.vertices.len(), mesh.faces.len()), (3, 0));
}

/// Other verbs cannot read such a mesh.
#[test]
fn a_float_in_place_of_an_index_is_reported_once() {
    let mesh =
        |index: &str| with_head(&format!("Mesh m {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3; {index}, 1, 2;; }}"));
    let values = |text: String| {
        let report = file(&text).check(text.as_bytes(), usize::MAX);
        report.findings.iter().filter(|own| own.rule.code == "x/values").count()
    };
    assert_eq!((values(mesh("0")), values(mesh("0.0"))), (0, 1));
}

#[test]
fn keys_with_negative_times_are_reported() {
    for keys in ["-1;1;0;;, -1;1;0;;, -1;1;0;;;", "4294967295;1;0;;, 4294967295;1;0;;, 4294967295;1;0;;;"] {
        let text = with_head(&format!("Animation {{ AnimationKey {{ 1; 3; {keys} }} }}"));
        let report = file(&text).check(text.as_bytes(), 99);
        let count = |code: &str| report.findings.iter().filter(|own| own.rule.code == code).count();
        assert_eq!((count("x/negative-key-time"), count("x/key-order")), (3, 2), "{:?}", report.findings);
    }
}

#[test]
fn a_stored_block_without_complement_is_unpacked() {
    let bytes = folders::read("corpus/directx/no_complement.x");
    let file = X::decode(&bytes).unwrap();
    assert_eq!(file.objects().unwrap().views::<Header>().count(), 1);
    // The stored length must equal the number of missing bytes.
    for at in [bytes.len() - 1, bytes.len() - 28] {
        let mut shortened = bytes.clone();
        shortened.remove(at);
        assert!(X::decode(&shortened).map_or(true, |file| bindpose::codec::damage(&file).is_some()), "{at}");
    }
}

#[test]
fn counts_beyond_the_data_are_rejected() {
    let text = with_head(
        "Mesh { 4294967295; 1;2;3; }\nMeshNormals { 0; 1; 4000000000;0,1; }\nAnimationKey { 4; 4000000000; 0;16;1; }\n",
    );
    let file = decoded(&text);
    let objects = file.objects().unwrap();
    assert!(objects.views::<Mesh>().all(|view| view.is_err()));
    assert!(objects.views::<MeshNormals>().all(|view| view.is_err()));
    assert!(objects.views::<AnimationKey>().all(|view| view.is_err()));
}

#[test]
fn every_byte_of_a_text_has_exactly_one_path() {
    let text = with_head("Vector { 1.0; 2;,\n3;;; } // end\n");
    let file = file(&text);
    let mut paths = Vec::new();
    let _ = file.walk(&mut |place, leaf| {
        paths.push(format!("{} {}", place.path, leaf.type_name()));
        std::ops::ControlFlow::Continue(())
    });
    let tokens: Vec<&str> =
        paths.iter().map(String::as_str).filter(|path| path.starts_with("tokens")).collect();
    assert_eq!(
        tokens,
        [
            "tokens[0] blank",
            "tokens[1] word",
            "tokens[2] blank",
            "tokens[3] mark",
            "tokens[4] blank",
            "tokens[5][0].value number",
            "tokens[5][0].gap blank",
            "tokens[5][1].value number",
            "tokens[5][1].gap blank",
            "tokens[5][2].value number",
            "tokens[5][2].gap blank",
            "tokens[6] mark",
            "tokens[7] blank",
            "tokens[8] comment",
            "tokens[9] blank",
        ]
    );
    let value = schema::get_text(file.value(), &"tokens[5][1].value".parse().unwrap()).unwrap();
    assert_eq!(value[0].1, "2");
}

#[test]
fn an_edit_of_a_comment_cannot_change_what_follows() {
    let before = with_head("// note\nVector { 1;2;3; }");
    let mut file = file(&before);
    for (path, value) in
        [("tokens[2]", " "), ("tokens[1]", "// a\\x0ab"), ("tokens[1]", "x"), ("tokens[7][0].gap", "")]
    {
        assert!(file.set_text(path, value).is_err(), "{path}={value}");
    }
    file.set_text("tokens[1]", "# other").unwrap();
    assert_eq!(file.encode().unwrap(), before.replace("// note", "# other").as_bytes());
}

#[test]
fn all_standard_templates_are_parsed() {
    let source = include_bytes!("../../../src/formats/directx/syntax/standard.x");
    let file = X::decode(source).unwrap();
    let objects = file.objects().unwrap();
    assert_eq!(objects.problems(), []);
    assert_eq!(objects.templates().own().count(), 60);
    for template in objects.templates().own() {
        assert_eq!(Template::standard(&template.name), Some(template));
    }
    assert!(matches!(file.content(), Some(Tokens::Text(_))));
}

#[test]
fn writers_are_recognised_by_what_they_write() {
    for (text, writer) in [
        ("Frame Root {\n Mesh { // Cube mesh\n }\n}\n", Some("Blender")),
        ("Frame x3ds_Cube {\n}\n", Some("conv3ds")),
        ("Frame Root {\n Mesh {\n }\n}\n", None),
    ] {
        let file = X::decode(format!("xof 0303txt 0032\n{text}").as_bytes()).expect("a text");
        assert_eq!(file.writer(), writer, "{text}");
    }
}
