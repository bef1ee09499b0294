//! Lists: the label of each item, counted on as the file says.

use std::collections::HashMap;

use jig_ooxml::xml::{Node, Ns};

use super::body::Walk;
use super::namespaces::TEXT;
use super::styles::{Styles, label};

/// Levels that are counted.
const LEVELS: usize = 10;

/// Where each list has got to.
#[derive(Debug, Default)]
pub(super) struct Counting {
    /// By the list's own name.
    named: HashMap<String, Vec<i64>>,
    /// By the style, for lists that continue another one without naming it.
    styled: HashMap<String, Vec<i64>>,
    /// Of headings.
    outline: Vec<i64>,
}

/// A list that is being read.
#[derive(Debug, Clone)]
pub(super) struct Open {
    style: String,
    counters: Vec<i64>,
}

impl Counting {
    /// The number of the next heading of a level, where headings are numbered.
    pub(super) fn heading(&mut self, styles: &Styles, level: u8, restart: Option<i64>) -> Option<String> {
        next(&mut self.outline, usize::from(level).saturating_sub(1), |at| start_of(&styles.outline, at), restart);
        label(&styles.outline, &self.outline)
    }

    fn begin(&self, list: Node<'_>, style: &str) -> Vec<i64> {
        let attr = |name| list.attr_ns(TEXT, name);
        if let Some(name) = attr("continue-list") {
            return self.named.get(&*name).cloned().unwrap_or_default();
        }
        let goes_on = attr("continue-numbering").as_deref() == Some("true");
        if goes_on { self.styled.get(style).cloned().unwrap_or_default() } else { Vec::new() }
    }

    fn end(&mut self, list: Node<'_>, open: &Open) {
        if let Some(name) = list.attr_ns(Ns::Xml, "id") {
            self.named.insert(name.into_owned(), open.counters.clone());
        }
        self.styled.insert(open.style.clone(), open.counters.clone());
    }
}

fn start_of(levels: &[Option<super::styles::Level>], at: usize) -> i64 {
    levels.get(at).and_then(|level| level.as_ref()).map_or(1, |level| level.start)
}

/// Counts on at a level; deeper levels start again.
fn next(counters: &mut Vec<i64>, at: usize, start: impl Fn(usize) -> i64, restart: Option<i64>) {
    let at = at.min(LEVELS - 1);
    let known = counters.len() > at;
    counters.truncate(at + 1);
    while counters.len() < at + 1 {
        counters.push(start(counters.len()));
    }
    if let Some(last) = counters.last_mut() {
        match restart {
            Some(number) => *last = number,
            None if known => *last = last.saturating_add(1),
            None => {}
        }
    }
}

impl Walk<'_> {
    /// A list of any level. `outer` is the list around it.
    pub(super) fn list(&mut self, list: Node<'_>, outer: Option<&mut Open>, level: usize) {
        let own = list.attr_ns(TEXT, "style-name").map(|name| name.into_owned());
        let mut open = match &outer {
            Some(outer) => Open { style: own.unwrap_or_else(|| outer.style.clone()), counters: outer.counters.clone() },
            None => {
                let style = own.unwrap_or_default();
                Open { counters: self.counting.begin(list, &style), style }
            }
        };
        for item in list.elements() {
            let numbered = item.is(TEXT, "list-item");
            if numbered || item.is(TEXT, "list-header") {
                self.item(item, &mut open, level, numbered);
            }
        }
        match outer {
            Some(outer) => outer.counters = open.counters,
            None => self.counting.end(list, &open),
        }
    }

    fn item(&mut self, item: Node<'_>, open: &mut Open, level: usize, numbered: bool) {
        let restart = item.attr_ns(TEXT, "start-value").and_then(|text| text.trim().parse().ok());
        let indent = "  ".repeat(level.min(LEVELS));
        let mut mark = String::new();
        // An item that is only a list inside has no label of its own.
        let own = item.elements().next().is_some_and(|first| !first.is(TEXT, "list"));
        if numbered && own {
            let levels = self.styles.list(&open.style);
            next(&mut open.counters, level, |at| start_of(levels, at), restart);
            mark = label(levels, &open.counters).unwrap_or_else(|| "-".to_owned());
        }
        for node in item.elements() {
            if node.is(TEXT, "list") {
                self.list(node, Some(open), level + 1);
            } else if node.is(TEXT, "h") {
                self.heading(node, &std::mem::take(&mut mark));
            } else if node.is(TEXT, "p") {
                let mut block = self.paragraph(node);
                if !block.text.is_empty() {
                    let mark = std::mem::take(&mut mark);
                    let gap = if mark.is_empty() { "  " } else { " " };
                    block.text = format!("{indent}{mark}{gap}{}", block.text);
                }
                self.out.push(block);
            } else {
                self.block(node);
            }
        }
    }
}
