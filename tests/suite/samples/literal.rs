//! Files that follow a public description literally where it is wrong.

use std::ops::ControlFlow::Continue;

use bindpose::File;
use bindpose::schema::leaves;

use super::Sample;

/// What a file has of a description.
#[derive(Clone, Copy, Default)]
struct Literal {
    /// Its compact integers have 32 bits.
    has_ints: bool,
    /// The magic follows each surface.
    has_tails: bool,
    /// The field that it lacks.
    lacks: &'static str,
}

impl Literal {
    fn of(self, file: &File) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut surface = None;
        let _ = leaves(file.value(), &mut |place, leaf| {
            let path = place.path.to_string();
            let own =
                path.strip_prefix("geometry[").and_then(|rest| rest.split(']').next()).map(str::to_owned);
            if self.has_tails && surface.is_some() && own.is_some() && surface != own {
                bytes.extend_from_within(..4);
            }
            surface = own;
            if leaf.type_name() == "cint" && self.has_ints && path != self.lacks {
                let value = leaf.field_value().as_i64().expect("an integer");
                bytes.extend(i32::try_from(value).expect("a count").to_le_bytes());
            } else if path != self.lacks && !path.starts_with(&format!("{}.", self.lacks)) {
                leaf.bytes(&mut bytes);
            }
            Continue(())
        });
        bytes
    }
}

/// A mesh with animations and several surfaces, and an animation.
pub fn unigine(mesh: &File, anim: &File) -> Vec<Sample> {
    let mut still = mesh.clone();
    still.delete("animation_names[0]").expect("an animation");
    let (ints, tails) =
        (Literal { has_ints: true, ..Literal::default() }, Literal { has_tails: true, ..Literal::default() });
    let lacking = Literal { lacks: "num_animation_names", ..Literal::default() };
    let all = Literal { has_ints: true, has_tails: true, ..lacking };
    vec![
        Sample::new("int_counts.mesh", "ms11: counts and lengths of 32 bits", ints.of(mesh)),
        Sample::new("int_counts.anim", "an10: counts and lengths of 32 bits", ints.of(anim)),
        Sample::new("tail_each.mesh", "ms11: the magic after each surface", tails.of(mesh)),
        Sample::new("no_animation_count.mesh", "ms11: no number of animations", lacking.of(&still)),
        Sample::new("literal.mesh", "ms11: all of these together", all.of(&still)),
    ]
}

pub fn ms3d(file: &File) -> Vec<Sample> {
    let lacking = Literal { lacks: "animation", ..Literal::default() };
    vec![Sample::new("no_animation.ms3d", "the joints directly after the materials", lacking.of(file))]
}
