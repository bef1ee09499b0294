//! Likely keys and passwords in a text.
//!
//! The rules are those of gitleaks (see `secrets/rules.json`), and a few of our own for what people write into documents. A
//! rule is tried only where one of its keywords occurs, so a text without any costs one pass. Nothing here keeps or prints a
//! key: a finding has its place and its kind.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

/// More findings than this are not looked for in one text.
const FINDINGS_MAX: usize = 200;
/// How much less entropy is asked of a value in hexadecimal digits, in bits.
const HEX_ENTROPY: f64 = 0.5;
/// In a longer random value some word occurs by chance, so words are no sign that it is none.
const STOPWORD_BYTES: usize = 60;
/// Compiled rules may take this much memory each.
const RULE_BYTES: usize = 32 << 20;

/// A likely key in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretFinding {
    /// What kind of key it is likely to be, as `aws-access-token` or `private-key`.
    pub kind: &'static str,
    /// Where it is, in bytes.
    pub bytes: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
}

#[derive(Deserialize)]
struct RuleFile {
    allow: Allow,
    rules: Vec<RuleText>,
}

#[derive(Deserialize)]
struct RuleText {
    id: String,
    regex: String,
    keywords: Vec<String>,
    #[serde(default)]
    entropy: Option<f64>,
    #[serde(default)]
    group: Option<usize>,
    #[serde(default)]
    allow: Vec<Allow>,
}

#[derive(Deserialize)]
struct Allow {
    target: Target,
    #[serde(default)]
    regexes: Vec<String>,
    #[serde(default)]
    stopwords: Vec<String>,
}

/// What an exception looks at.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Target {
    Secret,
    Match,
    Line,
}

/// All rules. Each is compiled when its keyword first occurs.
struct Rules {
    keywords: AhoCorasick,
    /// The rules of each keyword.
    of_keyword: Vec<Vec<usize>>,
    rules: Vec<Rule>,
    /// For every rule: placeholders, and examples that everybody knows from documentation.
    allow: Vec<Exceptions>,
}

struct Rule {
    text: RuleText,
    compiled: OnceLock<Option<(Regex, Vec<Exceptions>)>>,
}

struct Exceptions {
    target: Target,
    regexes: Vec<Regex>,
    stopwords: Option<AhoCorasick>,
    /// A few known values, and not a dictionary.
    is_short_list: bool,
}

/// The rule that knows no provider: a value behind a word such as `api_key`.
const GENERIC: &str = "generic-api-key";
/// The rule for a value behind a word such as `password`.
const PASSWORD: &str = "password-assignment";

/// The likely keys in a text, by place. Examples and placeholders are not reported.
pub fn find_secrets(text: &str) -> Vec<SecretFinding> {
    let Some(rules) = rules() else { return Vec::new() };
    let bytes = text.as_bytes();
    let mut found: Vec<(bool, SecretFinding)> = Vec::new();
    for rule in rules.candidates(text) {
        let Some((regex, exceptions)) = rule.compiled() else { continue };
        let mut from = 0;
        while let Some(hit) = regex.captures_at(bytes, from) {
            let Some(all) = hit.get(0) else { break };
            let secret = match rule.text.group {
                Some(group) => hit.get(group),
                // The first group that took part, as the rules are written; without groups all of it.
                None => (1..hit.len()).find_map(|group| hit.get(group)),
            };
            let secret = secret.unwrap_or(all);
            // The end of one match may be the beginning of the next key: continue right behind the value.
            from = secret.end().max(all.start() + 1);
            let seen = MatchContext {
                secret: secret.as_bytes(),
                matched: all.as_bytes(),
                line: line_around(bytes, secret.range()),
            };
            // The thresholds are for letters and digits; sixteen digits alone carry less.
            let hex = seen.secret.iter().all(u8::is_ascii_hexdigit);
            let least = rule.text.entropy.map(|least| if hex { least - HEX_ENTROPY } else { least });
            let entropic = least.is_none_or(|least| entropy(seen.secret) > least);
            let allowed = rules.allow.iter().chain(exceptions).any(|one| one.allows(&seen));
            let harmless = match rule.text.id.as_str() {
                GENERIC => is_public_value(&seen),
                PASSWORD => is_code(seen.secret),
                _ => false,
            };
            let plausible = entropic && !allowed && !harmless && !is_placeholder(seen.secret);
            if plausible {
                let kind = rule.text.id.as_str();
                found.push((kind == GENERIC, SecretFinding { kind, bytes: secret.range(), line: 0 }));
            }
            if found.len() >= FINDINGS_MAX || from > bytes.len() {
                break;
            }
        }
    }
    // Where several rules see the same key, the one that knows the provider names it.
    found.sort_by_key(|(generic, finding)| (*generic, finding.bytes.start, finding.bytes.end));
    let mut findings: Vec<SecretFinding> = Vec::new();
    for (_, finding) in found {
        let overlaps =
            |other: &SecretFinding| other.bytes.start < finding.bytes.end && finding.bytes.start < other.bytes.end;
        if !findings.iter().any(overlaps) {
            findings.push(finding);
        }
    }
    findings.sort_by_key(|finding| finding.bytes.start);
    let (mut line, mut at) = (1, 0);
    for finding in &mut findings {
        line += bytes.get(at..finding.bytes.start).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count();
        (at, finding.line) = (finding.bytes.start, line);
    }
    findings
}

/// What a rule has matched.
struct MatchContext<'a> {
    secret: &'a [u8],
    matched: &'a [u8],
    line: &'a [u8],
}

impl Exceptions {
    fn new(allow: &Allow) -> Option<Self> {
        let regexes = allow.regexes.iter().map(|text| compile(text)).collect::<Option<Vec<_>>>()?;
        let stopwords = if allow.stopwords.is_empty() {
            None
        } else {
            Some(AhoCorasick::builder().ascii_case_insensitive(true).build(&allow.stopwords).ok()?)
        };
        Some(Self { target: allow.target, regexes, stopwords, is_short_list: allow.stopwords.len() < 20 })
    }

    fn allows(&self, seen: &MatchContext<'_>) -> bool {
        let target = match self.target {
            Target::Secret => seen.secret,
            Target::Match => seen.matched,
            Target::Line => seen.line,
        };
        self.regexes.iter().any(|regex| regex.is_match(target))
            || (seen.secret.len() <= STOPWORD_BYTES || self.is_short_list)
                && self.stopwords.as_ref().is_some_and(|words| words.is_match(seen.secret))
    }
}

impl Rule {
    fn compiled(&self) -> Option<&(Regex, Vec<Exceptions>)> {
        let compiled = self.compiled.get_or_init(|| {
            let exceptions = self.text.allow.iter().map(Exceptions::new).collect::<Option<Vec<_>>>()?;
            Some((compile(&self.text.regex)?, exceptions))
        });
        compiled.as_ref()
    }
}

impl Rules {
    fn new() -> Option<Self> {
        let mut files = Vec::new();
        for text in [include_str!("secrets/rules.json"), include_str!("secrets/own-rules.json")] {
            files.push(serde_json::from_str::<RuleFile>(text).ok()?);
        }
        let allow = files.iter().map(|file| Exceptions::new(&file.allow)).collect::<Option<Vec<_>>>()?;
        let texts = files.into_iter().flat_map(|file| file.rules);
        let rules: Vec<Rule> = texts.map(|text| Rule { text, compiled: OnceLock::new() }).collect();
        let words: BTreeSet<&str> = rules.iter().flat_map(|rule| &rule.text.keywords).map(String::as_str).collect();
        let has = |rule: &Rule, word: &str| rule.text.keywords.iter().any(|keyword| keyword == word);
        let of = |word: &&str| rules.iter().enumerate().filter(|(_, rule)| has(rule, word)).map(|(at, _)| at).collect();
        let of_keyword = words.iter().map(of).collect();
        let keywords = AhoCorasick::builder().ascii_case_insensitive(true).build(&words).ok()?;
        Some(Self { keywords, of_keyword, rules, allow })
    }

    /// The rules whose keywords occur in a text.
    fn candidates(&self, text: &str) -> impl Iterator<Item = &Rule> {
        let mut wanted = BTreeSet::new();
        let mut words_seen = BTreeSet::new();
        for hit in self.keywords.find_overlapping_iter(text) {
            if words_seen.insert(hit.pattern().as_usize()) {
                wanted.extend(self.of_keyword.get(hit.pattern().as_usize()).into_iter().flatten().copied());
            }
            if words_seen.len() == self.of_keyword.len() {
                break;
            }
        }
        wanted.into_iter().filter_map(|at| self.rules.get(at))
    }
}

fn rules() -> Option<&'static Rules> {
    static RULES: OnceLock<Option<Rules>> = OnceLock::new();
    RULES.get_or_init(Rules::new).as_ref()
}

fn compile(text: &str) -> Option<Regex> {
    // Keys are ASCII, and without Unicode classes the rules are a fraction of the size.
    RegexBuilder::new(text).unicode(false).size_limit(RULE_BYTES).build().ok()
}

fn line_around(bytes: &[u8], at: Range<usize>) -> &[u8] {
    let start =
        bytes.get(..at.start).unwrap_or_default().iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let end = bytes.get(at.end..).unwrap_or_default().iter().position(|byte| *byte == b'\n');
    bytes.get(start..end.map_or(bytes.len(), |end| at.end + end)).unwrap_or_default()
}

/// Shannon's entropy, in bits for a byte.
fn entropy(secret: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in secret {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let all = secret.len().max(1) as f64;
    let used = counts.iter().filter(|count| **count > 0);
    used.map(|count| f64::from(*count) / all).map(|share| -share * share.log2()).sum()
}

/// Words that people write where a key belongs.
const PLACEHOLDERS: [&str; 16] = [
    "example",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "your-",
    "your_",
    "yourapi",
    "yoursecret",
    "yourtoken",
    "dummy",
    "redacted",
    "insert",
    "replace",
    "notreal",
    "not-real",
];

/// Whether a value is a placeholder and not a key: by its words, one repeated character, or a counting sequence.
fn is_placeholder(secret: &[u8]) -> bool {
    let lower = String::from_utf8_lossy(secret).to_ascii_lowercase();
    if PLACEHOLDERS.iter().any(|word| lower.contains(word)) {
        return true;
    }
    // `xxxx`, `****`, `0000`, `abcd`, `1234`: how much of it is a run of the same step.
    let bytes = lower.as_bytes();
    let (mut in_runs, mut run) = (0, 1);
    for at in 1..=bytes.len() {
        let step = |at: usize| Some(i16::from(*bytes.get(at)?) - i16::from(*bytes.get(at - 1)?));
        let steady = matches!(step(at), Some(0 | 1)) && (run == 1 || step(at) == step(at - 1));
        if steady {
            run += 1;
            continue;
        }
        if run >= 4 {
            in_runs += run;
        }
        run = 1;
    }
    in_runs * 2 >= bytes.len()
}

/// Words for values that are made from public content or only name something.
const PUBLIC_NAMES: [&str; 22] = [
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "sha-1",
    "sha-256",
    "sha_256",
    "md5",
    "checksum",
    "digest",
    "integrity",
    "etag",
    "fingerprint",
    "hash",
    " h1:",
    "commit",
    "revision",
    "public",
    "uuid",
    "guid",
    "nonce",
    "signature",
];

/// Whether a value behind a word such as `key` is one that everybody may see: the hash of a file, an id, a name.
fn is_public_value(seen: &MatchContext<'_>) -> bool {
    let secret = seen.secret;
    if is_uuid(secret) || is_name(secret) {
        return true;
    }
    // What stands before the value says what it is.
    let before = seen.matched.len().saturating_sub(secret.len());
    let name = String::from_utf8_lossy(seen.matched.get(..before).unwrap_or_default()).to_ascii_lowercase();
    PUBLIC_NAMES.iter().any(|word| name.contains(word))
}

/// Whether a value behind `password` is code that gets one: a path, a member, a name with underscores.
fn is_code(secret: &[u8]) -> bool {
    let joined = secret.windows(2).any(|pair| pair == b"::") || secret.iter().any(|byte| b"._".contains(byte));
    joined && is_name(secret)
}

fn is_uuid(secret: &[u8]) -> bool {
    let dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    secret.len() == 36
        && secret.iter().enumerate().all(|(at, byte)| if dash(at) { *byte == b'-' } else { byte.is_ascii_hexdigit() })
}

/// Whether it is code or a name: words joined by signs or by case, as names of types, settings and files are.
fn is_name(secret: &[u8]) -> bool {
    let mut parts = secret.split(|byte| !byte.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(is_word)
}

/// Whether it is a word, perhaps in camel case, with one number in it at most.
fn is_word(part: &[u8]) -> bool {
    let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
    let numbers = part
        .chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit())
        .filter(|run| run.first().is_some_and(u8::is_ascii_digit));
    if digits == part.len() {
        return digits <= 4;
    }
    let letters: Vec<u8> = part.iter().copied().filter(u8::is_ascii_alphabetic).collect();
    let humps = letters
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()))
        .count();
    let vowels = letters.iter().filter(|letter| b"aeiouyAEIOUY".contains(letter)).count();
    numbers.count() <= 1
        && digits <= 5
        && humps * 4 <= letters.len()
        && (vowels * 6 >= letters.len() || letters.len() <= 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles() {
        let rules = rules().unwrap();
        assert!(rules.rules.len() > 200, "{}", rules.rules.len());
        for rule in &rules.rules {
            assert!(rule.compiled().is_some(), "{}", rule.text.id);
            assert!(!rule.text.keywords.is_empty(), "{} would be tried on every text", rule.text.id);
        }
    }
}
