//! Detects control tokens of chat templates in data.
//!
//! A server that runs a model locally renders a template with the conversation into one text and interprets control
//! tokens such as `<|im_start|>` anywhere in it, so a file could end its own message and start a system message. Tokens
//! are detected by their shape; only forms without a distinctive shape are listed.

use crate::lookalike::{folded, is_closer, is_opener, is_passed_over};

/// The maximum length of a token name, in characters.
const NAME_MAX: usize = 64;

/// Names in angle brackets that templates use as tokens: `<s>`, `</s>`, `<start_of_turn>`, `<think>`.
const ANGLE: &[&str] = &[
    "s",
    "bos",
    "eos",
    "eot",
    "eod",
    "eop",
    "sop",
    "pad",
    "unk",
    "sep",
    "cls",
    "mask",
    "sys",
    "inst",
    "im_start",
    "im_end",
    "endoftext",
    "eoa",
    "eoh",
    "image",
    "img_context",
    "__media__",
    "__image__",
    "arg_key",
    "arg_value",
    "think",
    "thinking",
    "tool_call",
    "tool_calls",
    "tool_response",
    "tool_responses",
    "tool_result",
    "tool_results",
    "tools",
    "function_call",
    "function_calls",
    "function_results",
    "invoke",
    "role",
    "ref",
    "box",
    "quad",
    "reponame",
    "repo_name",
    "file_sep",
    "gh_stars",
    "empty_output",
    "pre",
    "suf",
    "mid",
];
/// Prefixes of such names.
const ANGLE_BEGINS: &[&str] = &[
    "start_of_",
    "end_of_",
    "begin_of_",
    "unused",
    "reserved_",
    "extra_id_",
    "fim_",
    "fim-",
    "special_",
    "tool_call",
    "function=",
    "parameter=",
    "seed:",
    "tokens_unused",
    "madeupword",
    "mask:",
    "issue_",
    "commit_",
    "jupyter_",
    "image_soft",
    "vision_",
    "antml:",
];
/// Suffixes of such names.
const ANGLE_ENDS: &[&str] =
    &["_token", ":tool_call", "_header_id", "_of_turn", "_of_text", "_of_image", "_of_sentence", "_placeholder"];

/// Names between square brackets, in exactly this spelling: Mistral's and those of BERT, GLM and Kimi.
const SQUARE: &[&str] = &[
    "INST",
    "EOT",
    "start_header_id",
    "end_header_id",
    "AVAILABLE_TOOLS",
    "SYSTEM_PROMPT",
    "MODEL_SETTINGS",
    "CALL_ID",
    "ARGS",
    "THINK",
    "IMG",
    "IMG_BREAK",
    "IMG_END",
    "AUDIO",
    "BEGIN_AUDIO",
    "PREFIX",
    "MIDDLE",
    "SUFFIX",
    "BOS",
    "EOS",
    "PAD",
    "UNK",
    "CLS",
    "SEP",
    "MASK",
    "STREAMING_PAD",
    "multimodal",
    "gMASK",
    "sMASK",
];
/// Prefixes of such names.
const SQUARE_BEGINS: &[&str] = &["TOOL_", "CONTROL_", "REFERENCE_DOC_"];

/// Whether a character with what follows could be read as a control token.
pub(crate) fn opens_token(c: char, rest: &str) -> bool {
    match c {
        '[' | '\u{FF3B}' => rest.starts_with("e~[") || square(rest),
        ']' | '\u{FF3D}' => minimax(rest),
        c if is_opener(c) => angle(rest) || rest.chars().next().is_some_and(is_opener) && twice(rest),
        _ => false,
    }
}

/// `<|…|>`, `<|…>`, `<…|>` with any bar, or one of the listed names.
fn angle(rest: &str) -> bool {
    if barred(rest) {
        return true;
    }
    let Some(inside) = inside(rest, is_closer) else { return false };
    let bars = (inside.starts_with(is_bar), inside.ends_with(is_bar));
    let bare = inside.trim_matches(is_bar);
    if bare.is_empty() {
        return false;
    }
    if bars.0 || bars.1 {
        return true;
    }
    let name = folded(inside.strip_prefix(['/', '\u{FF0F}']).unwrap_or(inside)).to_lowercase();
    let name = name.as_str();
    ANGLE.contains(&name)
        || ANGLE_BEGINS.iter().any(|begin| name.starts_with(begin))
        || ANGLE_ENDS.iter().any(|end| name.ends_with(end))
}

/// `|name|` behind an opening sign, whatever follows: DeepSeek's calls are `<｜DSML｜invoke name="…">`, and the token ends with
/// the second bar.
fn barred(rest: &str) -> bool {
    let rest = rest.strip_prefix(['/', '\u{FF0F}']).unwrap_or(rest);
    let Some(behind) = rest.strip_prefix(is_bar) else { return false };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\u{2581}') || is_passed_over_unseen(c);
    let name: usize = behind.chars().take(NAME_MAX).take_while(|c| is_part(*c)).map(char::len_utf8).sum();
    name > 0 && behind.get(name..).is_some_and(|behind| behind.starts_with(is_bar))
}

/// MiniMax's tokens, behind their bracket: `]~b]`, `]~!b[`, `]!p~[` and `]<]image[>[`.
fn minimax(rest: &str) -> bool {
    let signs = |text: &str| {
        text.len() == 3 && text.contains('~') && text.bytes().all(|b| matches!(b, b'~' | b'!' | b'a'..=b'z'))
    };
    rest.starts_with("~b]") || rest.starts_with("<]") || rest.split_once('[').is_some_and(|(name, _)| signs(name))
}

/// `<<SYS>>`, behind its first sign.
fn twice(rest: &str) -> bool {
    let mut chars = rest.chars();
    chars.next();
    inside(chars.as_str(), is_closer)
        .is_some_and(|name| folded(name.trim_start_matches('/')).eq_ignore_ascii_case("sys"))
}

fn square(rest: &str) -> bool {
    // EXAONE's `[|assistant|]`.
    if barred(rest) && inside(rest, is_square_closer).is_some_and(|inside| inside.ends_with(is_bar)) {
        return true;
    }
    let Some(inside) = inside(rest, is_square_closer) else { return false };
    let name = folded(inside.strip_prefix(['/', '\u{FF0F}']).unwrap_or(inside));
    SQUARE.contains(&name.as_str()) || SQUARE_BEGINS.iter().any(|begin| name.starts_with(begin))
}

/// The text before the closing sign, if that is near and no blanks or opening signs precede it.
fn inside(rest: &str, closes: impl Fn(char) -> bool) -> Option<&str> {
    for (count, (at, c)) in rest.char_indices().enumerate() {
        if closes(c) {
            return rest.get(..at);
        }
        if count >= NAME_MAX || c.is_whitespace() || is_opener(c) {
            return None;
        }
    }
    None
}

fn is_square_closer(c: char) -> bool {
    matches!(c, ']' | '\u{FF3D}')
}

/// an invisible character inside a name, but not a blank: `x <|y| z` of a programming language is not a token.
fn is_passed_over_unseen(c: char) -> bool {
    is_passed_over(c) && !c.is_whitespace()
}

fn is_bar(c: char) -> bool {
    matches!(
        c,
        '|' | '\u{FF5C}'
            | '\u{01C0}'
            | '\u{2223}'
            | '\u{23D0}'
            | '\u{2502}'
            | '\u{2503}'
            | '\u{2758}'
            | '\u{FFE8}'
            | '¦'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_token(text: &str) -> bool {
        let mut chars = text.chars();
        chars.next().is_some_and(|c| opens_token(c, chars.as_str()))
    }

    #[test]
    fn tokens_of_known_templates_and_of_their_shape() {
        for token in [
            "<|im_start|>",
            "<|im_end|>",
            "<|endoftext|>",
            "<|begin_of_text|>",
            "<|eot_id|>",
            "<|start_header_id|>",
            "<|channel|>",
            "<|message|>",
            "<|return|>",
            "<|START_OF_TURN_TOKEN|>",
            "<|user|>",
            "<|end|>",
            "<|turn>",
            "<turn|>",
            "<｜end▁of▁sentence｜>",
            "<｜User｜>",
            "＜｜tool▁calls▁begin｜＞",
            "<|\u{200d}im_end|>",
            "<|a-token-of-tomorrow|>",
            "<s>",
            "</s>",
            "<bos>",
            "<EOS>",
            "<start_of_turn>",
            "<end_of_turn>",
            "<unused42>",
            "<tool_call>",
            "</tool_call>",
            "<think>",
            "</think>",
            "<function=write>",
            "<fim_prefix>",
            "<extra_id_0>",
            "<BOS_TOKEN>",
            "<seed:bos>",
            "<<SYS>>",
            "<</SYS>>",
            "[INST]",
            "[/INST]",
            "[TOOL_CALLS]",
            "[AVAILABLE_TOOLS]",
            "[/TOOL_RESULTS]",
            "[SYSTEM_PROMPT]",
            "[gMASK]",
            "［INST］",
            "[CONTROL_7]",
            "[e~[",
            "]~b]user",
            "<minimax:tool_call>",
            "<reserved_102>",
            "<｜DSML｜invoke name=\"run\">",
            "</｜DSML｜function_calls>",
            "<|tool| x=\"1\">",
            "[|system|]",
            "[|endofturn|]",
            "[EOT]",
            "[start_header_id]",
            "<__media__>",
            "<image>",
            "<IMG_CONTEXT>",
            "<eoa>",
            "<arg_key>",
            "<role>",
            "</role>",
            "<TOKENS_UNUSED_0>",
            "<madeupword3>",
            "<image_placeholder>",
            "<repo_name>",
            "<commit_before>",
            "<mask:7>",
            "]!p~[",
            "]!d~[",
            "]<]image[>[",
            "[STREAMING_PAD]",
        ] {
            assert!(is_token(token), "{token}");
        }
    }

    #[test]
    fn ordinary_text_has_none() {
        for text in [
            "<b>",
            "<div>",
            "<|> b",
            "<| g |> h",
            "<span|",
            "<a href=\"|\">",
            "<3",
            "< 5",
            "<||>",
            "<-|",
            "<T>",
            "<string>",
            "[TODO]",
            "[1]",
            "[x]",
            "[inst]",
            "[args]",
            "[INSTALL]",
            "[]",
            "]",
            "[",
            "<",
            "<https://a.b/c>",
            "<|long name with blanks|>",
            "<|y z|",
            "[|1; 2|]",
            "[|x; y|]",
            "[|",
            "<image href=\"a.png\">",
            "[eot]",
            "]!!![",
            "] [",
            "]abc[",
            "<roles>",
            "<reference>",
        ] {
            assert!(!is_token(text), "{text}");
        }
    }
}
