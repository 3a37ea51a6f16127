//! Reads and sets values by the names of objects and members.

use super::*;

#[test]
fn values_are_found_by_their_names() {
    let file = file(&skinned());
    let value = |path: &str| file.get_text(path).unwrap_or_else(|error| panic!("{error}")).remove(0).1;
    assert_eq!(value("Frame[Root].Mesh.vertices[2].z"), "0.25");
    assert_eq!(value("Frame[Root].Mesh[Skin].faces[1].faceVertexIndices[2]"), "1");
    assert_eq!(value("AnimationSet[0].Animation[0].AnimationKey[0].keys[1].time"), "30");
    assert_eq!(value("Mesh.SkinWeights[1].transformNodeName"), "Arm");
    assert_eq!(value("Frame[Arm].FrameTransformMatrix.frameMatrix.matrix[13]"), "2.5");
    assert_eq!(value("Frame[Arm].name"), "Arm");
    assert_eq!(value("Note[First].grid[1][2]"), "6.0");
    assert_eq!(value("Note.level"), "-7");
    assert_eq!(file.get_text("Mesh.vertices[*].x").unwrap().len(), 3);
    assert_eq!(file.get_text("Mesh.vertices[1]").unwrap().len(), 3);
    assert_eq!(file.get_text("Mesh.SkinWeights[*].weights[*]").unwrap().len(), 4);
}

#[test]
fn a_pattern_finds_objects_inside_others_and_skips_those_without_the_field() {
    let text = "Frame Root { Frame Arm { Vector v { 1;2;3;; } } Frame { } Frame Leg { } }\n";
    let file = file(&with_head(text));
    let values = |path: &str| -> Vec<String> {
        let found = file.get_text(path).unwrap_or_else(|error| panic!("{error}"));
        found.into_iter().map(|(_, value)| value).collect()
    };
    assert_eq!(values("Frame[*].name"), ["Root", "Arm", "Leg"]);
    assert_eq!(values("Frame[\"*r*\"].name"), ["Arm"]);
    assert_eq!(values("Frame[*].Vector.y"), ["2"]);
    assert_eq!(values("Frame[Root].Frame[-1].name"), ["Leg"]);
    assert_eq!(values("Frame[Root].Frame[0..2].name"), ["Arm"]);
    assert!(file.get_text("Frame[*].Mesh").is_err());
}

#[test]
fn an_object_includes_the_values_of_its_children() {
    let file = file(
        "xof 0303txt 0032\nFrame a { Frame b { Material m { 1;1;1;1;; 8; 0;0;0;; 0;0;0;; } } }\nFrame c {}\n",
    );
    let inside = file.get_text("Material").unwrap();
    assert_eq!((inside.len(), file.get_text("Frame[a]").unwrap()), (11, inside));
    assert!(file.get_text("Frame[c]").unwrap_err().message().contains("no values"));
}

#[test]
fn a_path_that_selects_nothing_names_the_missing_step() {
    let file = file(&skinned());
    let wrong = |path: &str, why: &str| {
        let error = file.get_text(path).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Path(_)) && error.message().contains(why), "{error}");
    };
    wrong("Bone[0].x", "no field `Bone`");
    wrong("Mesh.SkinWeights.weights[0]", "select one");
    wrong("Mesh.vertices[3].x", "3 elements");
    wrong("Mesh.vertices[0].w", "no field `w`");
    wrong("Mesh.vertices.x", "select an element");
    wrong("Mesh.vertises[0].x", "similar: `vertices`");
    wrong("Frame[Rot].Mesh.vertices[0].x", "similar: `Root`");
    wrong("Fram[0].name", "similar: `Frame`");
    wrong("Mesh.colors", "no field `colors`");
}

#[test]
fn an_edit_changes_only_the_text_of_the_value() {
    let before = skinned();
    let mut file = file(&before);
    file.set_text("Mesh.vertices[2].z", "2.50e-1").unwrap();
    file.set_text("TextureFilename[0].filename", "longer name.bmp").unwrap();
    file.set_text("Frame[Arm].name", "Left-Arm").unwrap();
    file.set_text("AnimTicksPerSecond.AnimTicksPerSecond", "4800").unwrap();
    let after = before
        .replace("0.0;1.0;0.25;;", "0.0;1.0;2.50e-1;;")
        .replace("skin.bmp", "longer name.bmp")
        .replace("Frame Arm {", "Frame Left-Arm {")
        .replace(" 30;\n}", " 4800;\n}");
    assert_eq!(String::from_utf8(file.encode().unwrap()).unwrap(), after);
}

#[test]
fn many_values_are_set_in_one_pass() {
    let point = |point: u32| format!("{point};{point};{point};,\n");
    let points = (0..50_000).map(point).collect::<Vec<_>>().concat();
    let text = with_head(&format!("Mesh {{ 50000;\n{points}; 0; }}\n"));
    let mut file = file(&text);
    assert_eq!(file.set_text("Mesh.vertices[*].y", "-0.125").unwrap().len(), 50_000);
    let File::X(file) = file else { unreachable!() };
    assert_eq!(the::<Mesh>(&file).vertices[49_999], [49_999.0, -0.125, 49_999.0]);
}

#[test]
fn an_edit_of_tokens_changes_only_the_bytes_of_the_value() {
    let before = decoded(&skinned()).convert(BINARY).unwrap().encode().unwrap();
    let mut file = bindpose::decode(&before).unwrap();
    let edit = file.set_text("Mesh.vertices[2].z", "0.5").unwrap().remove(0);
    let after = file.encode().unwrap();
    let changed: Vec<u64> =
        (0..).zip(before.iter().zip(&after)).filter(|(_, (a, b))| a != b).map(|(at, _)| at).collect();
    assert_eq!(before.len(), after.len());
    assert_eq!(edit.range.end - edit.range.start, 4);
    assert!(changed.iter().all(|at| edit.range.contains(at)), "{changed:?} {edit:?}");
    file.set_text("Mesh.SkinWeights[0].transformNodeName", "Hip").unwrap();
    assert_eq!(file.get_text("SkinWeights[0].transformNodeName").unwrap()[0].1, "Hip");
}

#[test]
fn counts_and_invalid_values_are_rejected_without_changes() {
    let before = skinned();
    let mut file = file(&before);
    for (path, value) in [
        ("Mesh.nVertices", "2"),
        ("Mesh.SkinWeights[0].nWeights", "1"),
        ("Mesh.vertices[0].x", "1 2"),
        ("Mesh.vertices[0].x", "abc"),
        ("Mesh.vertices[0].x", ""),
        ("Frame[Arm].name", "two words"),
        ("Frame[Arm].name", "7"),
        ("Frame[Arm].name", "a{b"),
        ("TextureFilename[0].filename", "a\"b"),
        ("encoding", "bin "),
    ] {
        let error = file.set_text(path, value).expect_err(path);
        assert!(matches!(error.kind(), ErrorKind::Value(_)), "{path}={value}: {error}");
        assert_eq!(file.encode().unwrap(), before.as_bytes(), "{path}={value}");
    }
}

#[test]
fn an_edit_packs_only_the_affected_chunks_again() {
    let sample = crate::folders::own("corpus").join("directx/chunks.x");
    let before = std::fs::read(sample).unwrap();
    let mut file = bindpose::decode(&before).unwrap();
    file.set_text("Mesh.vertices[3999].x", "1111.5").unwrap();
    let after = file.encode().unwrap();
    let (File::X(edited), File::X(original)) = (&file, bindpose::decode(&before).unwrap()) else {
        unreachable!()
    };
    let (new, old) = (edited.packed.present().unwrap().stored(), original.packed.present().unwrap().stored());
    let kept = new.chunks.iter().zip(&old.chunks).filter(|(new, old)| new == old).count();
    assert_eq!((new.chunks.len(), kept), (3, 2));
    let again = bindpose::decode(&after).unwrap();
    assert!(again.damage().is_none());
    assert_eq!(again.get_text("Mesh.vertices[3999].x").unwrap()[0].1, "1111.5");
    assert_eq!(again.get_text("Mesh.vertices[3998].x").unwrap()[0].1, "3998.5");
    assert_eq!(
        again.get_text("Mesh.vertices[3999].x").unwrap()[0].0.to_string(),
        "packed!tokens[7][11998].value"
    );
}

#[test]
fn an_edit_that_changes_the_length_repacks_all_following_chunks() {
    let sample = crate::folders::own("corpus").join("directx/chunks.x");
    let mut file = bindpose::decode(&std::fs::read(sample).unwrap()).unwrap();
    file.set_text("Mesh.vertices[0].x", "0.50000000000000000000").unwrap();
    let again = bindpose::decode(&file.encode().unwrap()).unwrap();
    assert!(again.damage().is_none());
    assert_eq!(again.get_text("Mesh.vertices[0].x").unwrap()[0].1, "0.50000000000000000000");
    let File::X(again) = again else { unreachable!() };
    let packed = again.packed.present().unwrap().stored();
    let plain: u64 = packed.chunks.iter().map(|chunk| u64::from(chunk.plain_size)).sum();
    assert_eq!(u64::from(packed.size), plain + 16);
    assert!(packed.chunks[..packed.chunks.len() - 1].iter().all(|chunk| chunk.plain_size == 32768));
}

#[test]
fn separators_can_be_set_if_the_numbers_are_unchanged() {
    let text = with_head("Vector {\n 1;2;3;;\n}\n");
    let mut file = file(&text);
    let mut gaps = Vec::new();
    let _ = file.walk(&mut |place, _| {
        gaps.extend(place.path.to_string().strip_suffix(".gap").map(str::to_owned));
        std::ops::ControlFlow::Continue(())
    });
    let number = gaps.swap_remove(0);
    file.set_text(&format!("{number}.gap"), ";  ").unwrap();
    assert_eq!(file.encode().unwrap(), text.replace("1;2", "1;  2").as_bytes());
    for other in ["5;", ";9;", "", "x"] {
        assert!(file.set_text(&format!("{number}.gap"), other).is_err(), "{other:?}");
    }
    let error = file.get_text(&format!("{number}.colour")).unwrap_err().to_string();
    assert!(error.contains("Number") && error.contains("colour"), "{error}");
}

#[test]
fn an_edit_by_name_returns_the_byte_range_of_the_value() {
    let text = with_head("Vector A { 1;22;3;; }\nTextureFilename { \"a.png\"; }\n");
    for (path, old) in [("Vector.x", "1"), ("Vector.y", "22"), ("TextureFilename.filename", "\"a.png\"")] {
        let edits = file(&text).set_text(path, if old == "\"a.png\"" { "b.png" } else { "7" }).unwrap();
        let [edit] = &edits[..] else { panic!("{edits:?}") };
        let range = usize::try_from(edit.range.start).unwrap()..usize::try_from(edit.range.end).unwrap();
        assert_eq!(&text[range], old, "{path}");
    }
}
