//! Finds the objects of a file in one pass over its symbols.

use super::{NONE, Node, Objects, place};
use crate::formats::directx::syntax::symbols::{Symbol, Symbols, single_number};
use crate::formats::directx::syntax::template::Template;

/// Adds the objects in the symbols to the index, up to the first one with at least `max_depth` ancestors. Returns its
/// position.
pub(super) fn index<'a>(objects: &mut Objects<'a>, symbols: Symbols<'a>, max_depth: usize) -> Option<usize> {
    let mut indexer =
        Indexer { objects, symbols, open: NONE, words: Vec::new(), depth: 0, max_depth, too_deep: None };
    indexer.run();
    indexer.too_deep
}

struct Indexer<'o, 'a> {
    objects: &'o mut Objects<'a>,
    symbols: Symbols<'a>,
    /// The innermost open object.
    open: u32,
    /// The names since the last other symbol: at most a template and an object name.
    words: Vec<u32>,
    /// The number of open objects.
    depth: usize,
    max_depth: usize,
    /// The position of the first object that is nested too deeply.
    too_deep: Option<usize>,
}

impl Indexer<'_, '_> {
    fn run(&mut self) {
        while self.too_deep.is_none()
            && let Some((at, symbol)) = self.symbols.next()
        {
            match symbol {
                Symbol::Name(name) if self.words.is_empty() && name.eq_ignore_ascii_case(b"template") => {
                    self.template(at);
                }
                Symbol::Name(_) => self.word(at),
                Symbol::Numbers(run)
                    if self.words.len() == 1 && single_number(run).is_some() && self.opens() =>
                {
                    self.word(at);
                }
                Symbol::Mark(b'{') => self.brace(at),
                Symbol::Mark(b'}') => self.close(at),
                Symbol::Mark(b';' | b',') | Symbol::Guid(_) | Symbol::Binary if self.words.is_empty() => {}
                Symbol::Text(_) | Symbol::Numbers(_) | Symbol::Mark(_) | Symbol::Guid(_) | Symbol::Binary => {
                    self.value(at);
                }
            }
        }
        self.skip_unexpected_words();
        if self.open != NONE {
            let at = self.objects.nodes[self.open as usize].template as usize;
            self.objects.report(at, "the closing brace of an object is missing");
        }
        let end = self.symbols.tokens.len();
        while self.open != NONE {
            self.end(end);
        }
    }

    fn opens(&self) -> bool {
        self.symbols.peek() == Some(Symbol::Mark(b'{'))
    }

    fn template(&mut self, at: usize) {
        self.end_values(at);
        let start = self.symbols;
        match Template::read(&mut self.symbols, self.objects.templates.room()) {
            Ok(template) => self.objects.templates.insert(template),
            Err(why) => {
                self.objects.report(at, why);
                self.symbols = start;
            }
        }
    }

    /// Handles a template or object name.
    fn word(&mut self, at: usize) {
        if self.words.len() == 2 {
            self.skip_unexpected_words();
        }
        self.end_values(at);
        self.words.push(place(at));
    }

    fn skip_unexpected_words(&mut self) {
        if let Some(first) = self.words.first() {
            self.objects.report(
                *first as usize,
                "unexpected name, expected a template name, an optional object name and `{`",
            );
            self.words.clear();
        }
    }

    /// Handles an opening brace: of an object after names, else of a reference.
    fn brace(&mut self, at: usize) {
        self.end_values(at);
        if self.words.is_empty() && (self.symbols.binary_name() || self.reference()) {
            return;
        }
        if self.words.is_empty() {
            self.objects.report(at, "expected a template name before `{`");
        }
        let mut words = self.words.drain(..);
        let (template, name) = (words.next().unwrap_or(NONE), words.next().unwrap_or(NONE));
        drop(words);
        let node = Node {
            template: if template == NONE { place(at) } else { template },
            name,
            open: place(self.symbols.at),
            values: NONE,
            close: NONE,
            parent: self.open,
            next: NONE,
            is_reference: false,
        };
        self.depth += 1;
        if self.depth > self.max_depth {
            self.too_deep = Some(node.template as usize);
        }
        self.open = place(self.objects.nodes.len());
        self.objects.nodes.push(node);
    }

    /// Handles a reference: `{name}`, `{name <guid>}` or `{<guid>}`.
    fn reference(&mut self) -> bool {
        let start = place(self.symbols.at);
        let Some((.., close)) = self.symbols.reference() else { return false };
        let next = place(self.objects.nodes.len() + 1);
        self.objects.nodes.push(Node {
            template: start,
            name: NONE,
            open: start,
            values: start,
            close: place(close),
            parent: self.open,
            next,
            is_reference: true,
        });
        true
    }

    fn close(&mut self, at: usize) {
        self.skip_unexpected_words();
        if self.open == NONE {
            self.objects.report(at, "unexpected `}`, no object is open");
        } else {
            self.end(at);
        }
    }

    fn end(&mut self, at: usize) {
        self.end_values(at);
        let next = place(self.objects.nodes.len());
        if let Some(node) = self.objects.nodes.get_mut(self.open as usize) {
            node.close = place(at);
            node.next = next;
            self.open = node.parent;
            self.depth -= 1;
        }
    }

    /// Ends the values of the open object, unless they have already ended.
    fn end_values(&mut self, at: usize) {
        if let Some(node) = self.objects.nodes.get_mut(self.open as usize)
            && node.values == NONE
        {
            node.values = place(at);
        }
    }

    fn value(&mut self, at: usize) {
        self.skip_unexpected_words();
        let node = self.objects.nodes.get(self.open as usize);
        match node {
            None => self.objects.report(at, "unexpected value outside of an object"),
            Some(node) if node.values != NONE => {
                self.objects.report(at, "unexpected value, values must precede child objects");
            }
            Some(_) => {}
        }
    }
}
