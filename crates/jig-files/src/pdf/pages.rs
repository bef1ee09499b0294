//! Parses page selections: lists of numbers, or words like `1-5,9`.

use std::collections::HashSet;

use jig_file_api::ops::as_count;
use serde_json::{Value, json};

use super::CHUNK_PAGES;
use super::error::PdfError;

/// The most pages that a call names one by one, some of them perhaps again and again.
const MOST_NAMED: usize = 2_000_000;

/// The pages a call asks for, as indexes from 0, in the order asked for; all of them when it names none.
pub(super) fn selected_pages(params: &Value, count: usize) -> Result<Vec<usize>, PdfError> {
    let mut pages = Vec::new();
    match params.get("pages") {
        None | Some(Value::Null) => pages.extend(0..count),
        Some(number @ Value::Number(_)) => add(&mut pages, page(as_count(number))?, count)?,
        Some(Value::String(text)) => spans(&mut pages, text, count)?,
        Some(Value::Array(list)) => {
            for one in list {
                match one {
                    Value::String(text) => spans(&mut pages, text, count)?,
                    one => add(&mut pages, page(as_count(one))?, count)?,
                }
            }
        }
        Some(_) => return Err(unclear()),
    }
    if pages.is_empty() {
        return Err(unclear());
    }
    // A page that is named twice is given once.
    let mut named = HashSet::with_capacity(pages.len());
    pages.retain(|page| named.insert(*page));
    Ok(pages)
}

fn unclear() -> PdfError {
    PdfError::Invalid("pages: a list of numbers from 1, as [1, 2, 5], or a text like \"1-5,9\", is needed".to_owned())
}

fn page(number: Option<u64>) -> Result<u64, PdfError> {
    number.filter(|number| *number > 0).ok_or_else(unclear)
}

fn spans(pages: &mut Vec<usize>, text: &str, count: usize) -> Result<(), PdfError> {
    for span in text.split(',').map(str::trim).filter(|span| !span.is_empty()) {
        let number = |text: &str| page(text.trim().parse().ok());
        let (first, last) = match span.split_once(['-', '–']) {
            None => (number(span)?, number(span)?),
            // `5-` is the rest of the file.
            Some((first, "")) => (number(first)?, count as u64),
            Some((first, last)) => (number(first)?, number(last)?),
        };
        if first > last {
            return Err(PdfError::Invalid(format!("pages: `{span}` ends before it begins")));
        }
        // The end is checked first: a span like 1-99999999999 must not be walked.
        known(last, count)?;
        for number in first..=last {
            add(pages, number, count)?;
        }
    }
    Ok(())
}

fn known(number: u64, count: usize) -> Result<usize, PdfError> {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    index.filter(|index| *index < count).ok_or(PdfError::NoPage { page: number, count })
}

fn add(pages: &mut Vec<usize>, number: u64, count: usize) -> Result<(), PdfError> {
    // A list that names pages over and over must not grow without end.
    if pages.len() > MOST_NAMED {
        return Err(PdfError::Invalid("pages: the list is too long".to_owned()));
    }
    pages.push(known(number, count)?);
    Ok(())
}

/// The map's chunks.
pub(super) fn chunks(count: usize) -> Vec<Value> {
    let chunk = |index: usize| json!({ "index": index, "pages": range(index, count) });
    (0..count.div_ceil(CHUNK_PAGES)).map(chunk).collect()
}

fn range(chunk: usize, count: usize) -> String {
    let first = chunk * CHUNK_PAGES + 1;
    let last = (first + CHUNK_PAGES - 1).min(count);
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// What was read of a file with several chunks: the pages asked for, and whether more follow. Pages that are not a run
/// have no range in one piece, so their numbers are listed.
pub(super) fn chunk_info(params: &Value, wanted: &[usize], count: usize) -> Option<Value> {
    params.get("pages").filter(|pages| !pages.is_null())?;
    let total = count.div_ceil(CHUNK_PAGES);
    let (first, last) = (*wanted.iter().min()?, *wanted.iter().max()?);
    if total < 2 {
        return None;
    }
    Some(json!({
        "chunk_index": first / CHUNK_PAGES,
        "total_chunks": total,
        "has_more": last + 1 < count,
        "range": ranges(wanted),
    }))
}

/// Page numbers from 1 as `1-3,9`.
fn ranges(pages: &[usize]) -> String {
    let mut sorted = pages.to_vec();
    sorted.sort_unstable();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for page in sorted {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == page => *end = page,
            _ => runs.push((page, page)),
        }
    }
    let run = |(first, last): &(usize, usize)| match first == last {
        true => (first + 1).to_string(),
        false => format!("{}-{}", first + 1, last + 1),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_words_name_the_same_pages() {
        let cases = [
            (json!([1, 2, 5]), vec![0, 1, 4]),
            (json!("1-3,9"), vec![0, 1, 2, 8]),
            (json!("9, 1-2"), vec![8, 0, 1]),
            (json!(["1-2", 4]), vec![0, 1, 3]),
            (json!("8-"), vec![7, 8]),
            (json!(3), vec![2]),
            (json!("2,2,1-2"), vec![1, 0]),
            (Value::Null, (0..9).collect()),
        ];
        for (pages, expected) in cases {
            assert_eq!(selected_pages(&json!({ "pages": pages }), 9), Ok(expected), "{pages}");
        }
        assert_eq!(selected_pages(&json!({}), 2), Ok(vec![0, 1]));
    }

    #[test]
    fn what_names_no_page_is_refused() {
        for pages in
            [json!([]), json!(""), json!("one"), json!([0]), json!("0-2"), json!("3-1"), json!({}), json!([1.5])]
        {
            assert!(matches!(selected_pages(&json!({ "pages": pages }), 9), Err(PdfError::Invalid(_))), "{pages}");
        }
        let none = Err(PdfError::NoPage { page: 10, count: 9 });
        assert_eq!(selected_pages(&json!({ "pages": [1, 10] }), 9), none);
        let far = Err(PdfError::NoPage { page: u64::MAX, count: 9 });
        assert_eq!(selected_pages(&json!({ "pages": format!("1-{}", u64::MAX) }), 9), far);
    }

    #[test]
    fn chunks_have_five_pages() {
        let expected =
            json!([{"index": 0, "pages": "1-5"}, {"index": 1, "pages": "6-10"}, {"index": 2, "pages": "11"}]);
        assert_eq!(json!(chunks(11)), expected);
        let info = json!({ "chunk_index": 1, "total_chunks": 3, "has_more": true, "range": "7-8" });
        assert_eq!(chunk_info(&json!({ "pages": "7-8" }), &[6, 7], 11), Some(info));
        let across = json!({ "chunk_index": 0, "total_chunks": 3, "has_more": true, "range": "5-6" });
        assert_eq!(chunk_info(&json!({ "pages": "5-6" }), &[4, 5], 11), Some(across));
        assert_eq!(chunk_info(&json!({}), &[6], 11), None);
        assert_eq!(chunk_info(&json!({ "pages": [1] }), &[0], 5), None);
    }
}
