//! One pass over the symbols of a file that finds its objects.

use super::{NONE, Node, Objects, place};
use crate::formats::directx::symbols::{Symbol, Symbols, lone};
use crate::formats::directx::template::Template;

/// Finds the objects that the symbols tell of.
pub(super) fn index<'a>(objects: &mut Objects<'a>, symbols: Symbols<'a>) {
    Indexer { objects, symbols, open: NONE, words: Vec::new() }.run();
}

struct Indexer<'o, 'a> {
    objects: &'o mut Objects<'a>,
    symbols: Symbols<'a>,
    /// The innermost object that is open.
    open: u32,
    /// Names that wait for a brace.
    words: Vec<u32>,
}

impl Indexer<'_, '_> {
    fn run(mut self) {
        while let Some((at, symbol)) = self.symbols.next() {
            match symbol {
                Symbol::Name(name) if self.words.is_empty() && name.eq_ignore_ascii_case(b"template") => {
                    self.template(at);
                }
                Symbol::Name(_) => self.word(at),
                Symbol::Numbers(run) if self.words.len() == 1 && lone(run).is_some() && self.opens() => {
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
        self.stray_words();
        if self.open != NONE {
            let at = self.objects.nodes[self.open as usize].template as usize;
            self.objects.complain(at, "the closing brace of an object is missing");
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
        match Template::read(&mut self.symbols) {
            Ok(template) => self.objects.templates.insert(template),
            Err(why) => {
                self.objects.complain(at, why);
                self.symbols = start;
            }
        }
    }

    /// A name: of a template, then of an object.
    fn word(&mut self, at: usize) {
        if self.words.len() == 2 {
            self.stray_words();
        }
        self.end_values(at);
        self.words.push(place(at));
    }

    fn stray_words(&mut self) {
        if let Some(first) = self.words.first() {
            self.objects.complain(*first as usize, "a name stands where nothing can be named");
            self.words.clear();
        }
    }

    /// A brace opens an object behind names, a reference otherwise.
    fn brace(&mut self, at: usize) {
        self.end_values(at);
        if self.words.is_empty() && (self.symbols.binary_name() || self.reference()) {
            return;
        }
        if self.words.is_empty() {
            self.objects.complain(at, "a brace opens what has no template");
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
            behind: NONE,
            is_reference: false,
        };
        self.open = place(self.objects.nodes.len());
        self.objects.nodes.push(node);
    }

    /// `{name}`, `{name <guid>}` or `{<guid>}`.
    fn reference(&mut self) -> bool {
        let start = place(self.symbols.at);
        let Some((.., close)) = self.symbols.reference() else { return false };
        let behind = place(self.objects.nodes.len() + 1);
        self.objects.nodes.push(Node {
            template: start,
            name: NONE,
            open: start,
            values: start,
            close: place(close),
            parent: self.open,
            behind,
            is_reference: true,
        });
        true
    }

    fn close(&mut self, at: usize) {
        self.stray_words();
        if self.open == NONE {
            self.objects.complain(at, "a brace closes nothing");
        } else {
            self.end(at);
        }
    }

    fn end(&mut self, at: usize) {
        self.end_values(at);
        let behind = place(self.objects.nodes.len());
        if let Some(node) = self.objects.nodes.get_mut(self.open as usize) {
            node.close = place(at);
            node.behind = behind;
            self.open = node.parent;
        }
    }

    /// The values of the open object end here, unless they have ended before.
    fn end_values(&mut self, at: usize) {
        if let Some(node) = self.objects.nodes.get_mut(self.open as usize)
            && node.values == NONE
        {
            node.values = place(at);
        }
    }

    fn value(&mut self, at: usize) {
        self.stray_words();
        let node = self.objects.nodes.get(self.open as usize);
        match node {
            None => self.objects.complain(at, "a value stands outside of all objects"),
            Some(node) if node.values != NONE => {
                self.objects.complain(at, "a value stands behind the objects inside its own");
            }
            Some(_) => {}
        }
    }
}
