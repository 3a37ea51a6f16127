//! Breaks JSON into lines of a readable width.

/// The maximum length of a line, unless a single value is longer.
pub(super) const WIDTH: usize = 110;

/// A list or an object.
struct Group {
    /// The position after its closing bracket.
    end: usize,
    /// The number of groups in it.
    inner: usize,
}

/// Appends JSON on one line, in which `, ` separates values, with line breaks where it is too long. The text starts on the
/// current line of `out`; further lines are indented by `depth` blanks.
pub(super) fn broken(text: &str, depth: usize, out: &mut String) {
    let groups = groups(text);
    let (mut nth, mut at) = (0, 0);
    // For each open group that is broken, whether it is a list of single values, which fill lines.
    let mut open: Vec<bool> = Vec::new();
    while let Some(byte) = text.as_bytes().get(at) {
        let end = match byte {
            b'[' | b'{' if groups[nth].end - at + column(out) <= WIDTH || groups[nth].end == at + 2 => {
                let Group { end, inner } = groups[nth];
                nth += 1 + inner;
                out.push_str(&text[at..end]);
                end
            }
            b'[' | b'{' => {
                open.push(*byte == b'[' && groups[nth].inner == 0);
                nth += 1;
                out.push(char::from(*byte));
                line(out, depth + open.len());
                at + 1
            }
            b']' | b'}' => {
                open.pop();
                line(out, depth + open.len());
                out.push(char::from(*byte));
                at + 1
            }
            b',' => {
                out.push(',');
                let next = at + 2;
                let len = value_end(text, next) - next;
                if open.last() == Some(&true) && column(out) + len + 2 <= WIDTH {
                    out.push(' ');
                } else {
                    line(out, depth + open.len());
                }
                next
            }
            b'"' => {
                let end = string_end(text, at);
                out.push_str(&text[at..end]);
                end
            }
            _ => {
                let rest = &text[at..];
                let end = at + rest.find(['"', '[', ']', '{', '}', ',']).unwrap_or(rest.len());
                out.push_str(&text[at..end]);
                end
            }
        };
        at = end;
    }
}

/// Starts a line.
pub(super) fn line(out: &mut String, depth: usize) {
    // Keeps the size of deeply nested files linear.
    const MAX_INDENT: usize = 32;
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', depth.min(MAX_INDENT)));
}

/// The number of bytes on the last line.
fn column(out: &str) -> usize {
    let tail = &out.as_bytes()[out.len().saturating_sub(2 * WIDTH)..];
    tail.iter().rev().take_while(|byte| **byte != b'\n').count()
}

/// The end of a single value.
fn value_end(text: &str, at: usize) -> usize {
    match text.as_bytes().get(at) {
        Some(b'"') => string_end(text, at),
        _ => text[at..].find([',', ']', '}']).map_or(text.len(), |len| at + len),
    }
}

/// The position after a string.
fn string_end(text: &str, start: usize) -> usize {
    let mut is_escaped = true;
    let inside = text.as_bytes()[start..].iter().position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    });
    inside.map_or(text.len(), |len| start + len + 1)
}

/// The groups in the order of their opening brackets.
fn groups(text: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let (mut open, mut at) = (Vec::new(), 0);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                at = string_end(text, at);
                continue;
            }
            b'[' | b'{' => {
                open.push(groups.len());
                groups.push(Group { end: text.len(), inner: 0 });
            }
            b']' | b'}' => {
                if let Some(own) = open.pop() {
                    groups[own] = Group { end: at + 1, inner: groups.len() - own - 1 };
                }
            }
            _ => {}
        }
        at += 1;
    }
    groups
}
