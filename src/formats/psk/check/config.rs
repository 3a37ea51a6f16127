//! Implements the rules of configuration files.

use super::super::config::{SECTIONS, is_known};
use super::super::rules::{CONFIG_LINE, CONFIG_SECTION};
use super::super::{PsaConfig, removed};
use crate::check::common::{field_path, quoted};
use crate::check::{Check, Findings};
use crate::text::TokenKind;

impl crate::sealed::Sealed for PsaConfig {}

impl Check for PsaConfig {
    fn check(&self, findings: &mut Findings) {
        let is_blank = self.tokens.iter().all(|token| token.kind == TokenKind::Blank);
        if !is_blank && !self.sections().any(|section| is_known(section.name)) {
            let message = || format!("have no section called {}", SECTIONS.join(", "));
            findings.add(&CONFIG_SECTION, || field_path!["tokens"], message);
        }
        let mut tokens = self.tokens.iter().enumerate().peekable();
        let mut removes = false;
        while let Some((place, token)) = tokens.next() {
            if token.kind != TokenKind::Word {
                continue;
            }
            if token.bytes.starts_with(b"[") {
                removes = token.bytes.eq_ignore_ascii_case(b"[RemoveTracks]");
                continue;
            }
            let mut value: &[u8] = b"";
            if tokens.next_if(|(_, next)| next.kind == TokenKind::Mark).is_some() {
                value = tokens
                    .next_if(|(_, next)| next.kind == TokenKind::Word)
                    .map_or(b"", |(_, next)| next.bytes);
            }
            if removes && removed((token.bytes, value)).is_none() {
                let line = [token.bytes, b"=", value].concat();
                let message = || format!("{} is not SEQUENCE.BONE=trans, rot or all", quoted(&line));
                findings.add(&CONFIG_LINE, || field_path!["tokens", place], message);
            }
        }
    }
}
