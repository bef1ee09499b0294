//! The methods that read: the parameters of a call as a typed query, the reply of an opened file as JSON.
//!
//! Parameters that mean the same are understood alike by all methods: those of the text methods, with which a reply
//! comes in pages, are in `text_page`.

use jig_file_api::read::xlsx::{FindQuery, FormulaMode, GridQuery, RangeQuery, TextQuery};
use jig_file_api::{nearest, parse_query};
use jig_files::engine::{FileError, Reason};
use jig_files::{File, Workbook, render_slides, render_text};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A method without parameters of its own.
#[derive(Deserialize)]
struct NoQuery {}

/// Answers a read method on an opened file.
pub(crate) fn read(file: &File, method: &str, params: &Value) -> Result<Value, FileError> {
    match method {
        // Files that only an office program can draw as they look: their text, laid out on pages.
        "DocxRenderPage" => render_text(&text(file, "DocxExtractText", &json!({}))?, params),
        "XlsxRenderPage" => render_text(&text(file, "XlsxExtractText", &json!({}))?, params),
        "OdtRenderPage" => render_text(&text(file, "OdtExtractText", &json!({}))?, params),
        "PptxRenderSlide" => render_deck(file, params),
        _ => read_typed(file, method, params),
    }
}

fn read_typed(file: &File, method: &str, params: &Value) -> Result<Value, FileError> {
    // Unknown parameters become warnings, before those of the reply.
    let mut warnings = Vec::new();
    let mut own = OwnParams { params, paged: matches!(file, File::Docx(_) | File::Pptx(_)), warnings: &mut warnings };
    let reply = match (file, method) {
        (File::Xlsx(book), _) => return read_workbook(book, method, WorkbookParams(params)),
        (File::Pdf(document), _) => return document.read(method, params).ok_or_else(|| unknown(method))?,
        (File::Odt(document), _) => return document.read(method, params),
        (File::Docx(document), "DocxGetMap") => own.none().and_then(|()| to_json(&document.map()?)),
        (File::Docx(document), "DocxExtractText") => to_json(&document.text(&own.query()?)?),
        (File::Docx(document), "DocxGetSectionContent") => to_json(&document.section(&own.query()?)?),
        (File::Docx(document), "DocxGetStyles") => own.none().and_then(|()| to_json(&document.styles()?)),
        (File::Docx(document), "DocxFind") => to_json(&document.find(&own.query()?)?),
        (File::Pptx(deck), "PptxGetMap") => own.none().and_then(|()| to_json(&deck.map()?)),
        (File::Pptx(deck), "PptxExtractText") => to_json(&deck.text(&own.query()?)?),
        (File::Pptx(deck), "PptxGetSlideContent") => to_json(&deck.slide(&own.query()?)?),
        (File::Pptx(deck), "PptxGetStyles") => own.none().and_then(|()| to_json(&deck.styles()?)),
        (File::Pptx(deck), "PptxFind") => to_json(&deck.find(&own.query()?)?),
        (File::Image(image), "ImageGetMetadata") => own.none().and_then(|()| to_json(&image.metadata())),
        (File::Image(image), "ImageRender") => to_json(&image.render(&own.query()?)?),
        (File::Text(text), "TextGetMap") => {
            let name = params.get("path").and_then(Value::as_str).unwrap_or_default();
            own.none().and_then(|()| to_json(&text.map(name)))
        }
        (File::Text(text), "TextReadLines") => to_json(&text.lines(&own.query()?)?),
        (File::Text(text), "TextFind") => to_json(&text.find(&own.query()?)?),
        _ => return Err(unknown(method)),
    };
    reply.map(|reply| prepend_warnings(reply, warnings))
}

/// The error for a method that a file does not have.
pub(crate) fn unknown(method: &str) -> FileError {
    FileError::invalid(format!("unknown method: {method}"))
}

/// A reply as JSON.
pub(crate) fn to_json(reply: &impl Serialize) -> Result<Value, FileError> {
    let failed = |error: serde_json::Error| FileError::new(Reason::Internal, format!("internal error: {error}"));
    serde_json::to_value(reply).map_err(failed)
}

/// Puts warnings about the call before those of the reply.
pub fn prepend_warnings(mut reply: Value, warnings: Vec<String>) -> Value {
    if let (Some(fields), false) = (reply.as_object_mut(), warnings.is_empty()) {
        let own = fields.get("warnings").and_then(Value::as_array).cloned().unwrap_or_default();
        let all: Vec<Value> = warnings.into_iter().map(Value::from).chain(own).collect();
        fields.insert("warnings".to_owned(), all.into());
    }
    reply
}

/// The parameters of a method whose query is a struct.
struct OwnParams<'p> {
    params: &'p Value,
    /// Whether pages are cut from the reply, so that their parameters are none of the method's.
    paged: bool,
    warnings: &'p mut Vec<String>,
}

impl OwnParams<'_> {
    fn query<T: serde::de::DeserializeOwned>(&mut self) -> Result<T, FileError> {
        let mut params = self.params.clone();
        if let (Some(params), true) = (params.as_object_mut(), self.paged) {
            params.retain(|name, _| !matches!(name.as_str(), "max_tokens" | "cursor"));
        }
        Ok(parse_query(&params, self.warnings)?)
    }

    /// No parameters: each is a warning.
    fn none(&mut self) -> Result<(), FileError> {
        self.query::<NoQuery>().map(|NoQuery {}| ())
    }
}

/// The `text` of a reply.
fn text(file: &File, method: &str, params: &Value) -> Result<String, FileError> {
    let reply = read(file, method, params)?;
    Ok(reply["text"].as_str().unwrap_or_default().to_owned())
}

fn render_deck(file: &File, params: &Value) -> Result<Value, FileError> {
    let File::Pptx(deck) = file else { return Err(unknown("PptxRenderSlide")) };
    let count = deck.map()?.slide_count;
    let slide = |index| text(file, "PptxExtractText", &json!({ "slide_index": index }));
    let texts = (0..count).map(slide).collect::<Result<Vec<_>, _>>()?;
    let mut reply = render_slides(&texts, params)?;
    reply["slide_count"] = reply["page_count"].clone();
    Ok(reply)
}

fn read_workbook(book: &Workbook, method: &str, params: WorkbookParams<'_>) -> Result<Value, FileError> {
    match method {
        "XlsxGetMap" => to_json(&book.map()?),
        "XlsxGetInfo" => to_json(&book.info()?),
        "XlsxReadRange" => to_json(&book.read(&params.range_query()?)?),
        "XlsxExtractText" => {
            let (mode, include_hidden) = (params.mode()?, params.flag("include_hidden")?);
            to_json(&book.text(&TextQuery { mode, include_hidden })?)
        }
        "XlsxRenderGrid" => to_json(&book.grid(&params.grid_query()?)?),
        "XlsxGetStyles" => to_json(&book.styles(params.text("sheet")?)?),
        "XlsxFind" => to_json(&book.find(&params.find_query()?)?),
        _ => Err(unknown(method)),
    }
}

/// The parameters of a read of a workbook. They are older than the queries, and their errors are part of the protocol.
#[derive(Clone, Copy)]
pub(crate) struct WorkbookParams<'p>(pub(crate) &'p Value);

impl<'p> WorkbookParams<'p> {
    /// Which range is read.
    pub(crate) fn range_query(self) -> Result<RangeQuery, FileError> {
        Ok(RangeQuery {
            mode: self.mode()?,
            max_bytes: self.number("max_bytes")?.map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
            sheet: self.text("sheet")?.map(str::to_owned),
            range: self.text("range")?.map(str::to_owned),
        })
    }

    fn grid_query(self) -> Result<GridQuery, FileError> {
        Ok(GridQuery {
            sheet: self.text("sheet")?.map(str::to_owned),
            row_start: self.number("row_start")?.unwrap_or(0),
            col_start: self.number("col_start")?.unwrap_or(0),
            row_count: self.number("row_count")?,
            col_count: self.number("col_count")?,
        })
    }

    fn find_query(self) -> Result<FindQuery, FileError> {
        Ok(FindQuery {
            text: self.text("query")?.unwrap_or_default().to_owned(),
            match_case: self.flag("match_case")?,
            formulas: self.flag("formulas")?,
            max_results: self.number("max_results")?,
            sheet: self.text("sheet")?.map(str::to_owned),
        })
    }

    fn get(self, name: &str) -> Option<&'p Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(self, name: &str) -> Result<Option<&'p str>, FileError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(FileError::invalid(format!("{name}: a text is needed, not {other}"))),
        }
    }

    /// A flag.
    pub(crate) fn flag(self, name: &str) -> Result<bool, FileError> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(FileError::invalid(format!("{name}: true or false is needed, not {other}"))),
        }
    }

    /// A whole number from 0; a float without a fraction is one too.
    fn number(self, name: &str) -> Result<Option<u64>, FileError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let whole = value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..1e15).contains(number));
        match value.as_u64().or(whole.map(|number| number as u64)) {
            Some(number) => Ok(Some(number)),
            None => Err(FileError::invalid(format!("{name}: a whole number from 0 is needed, not {value}"))),
        }
    }

    /// What is shown of formulas.
    fn mode(self) -> Result<FormulaMode, FileError> {
        const MODES: [(&str, FormulaMode); 3] =
            [("values", FormulaMode::Values), ("formulas", FormulaMode::Formulas), ("both", FormulaMode::Both)];
        let Some(text) = self.text("mode")? else { return Ok(FormulaMode::Values) };
        match MODES.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)) {
            Some((_, mode)) => Ok(*mode),
            None => {
                let words = MODES.map(|(word, _)| word);
                let why = format!("mode: `{text}` is not known; write one of {}", words.join(", "));
                Err(FileError { suggestions: nearest(text, words), ..FileError::invalid(why) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jig_files::FileBytes;
    use jig_files::engine::Format;

    use super::*;

    #[test]
    fn wrong_parameters_are_reported_with_their_field() {
        let error = |params: Value| {
            let params = WorkbookParams(&params);
            params.range_query().err().or_else(|| params.grid_query().err()).unwrap().to_string()
        };
        assert_eq!(error(json!({"sheet": 5})), "sheet: a text is needed, not 5");
        assert_eq!(error(json!({"mode": "raw"})), "mode: `raw` is not known; write one of values, formulas, both");
        assert_eq!(error(json!({"row_start": -1})), "row_start: a whole number from 0 is needed, not -1");
    }

    #[test]
    fn a_null_counts_as_absent() {
        let params = json!({"sheet": null, "range": "B2", "mode": "BOTH", "max_bytes": 5.0});
        let query =
            RangeQuery { sheet: None, range: Some("B2".to_owned()), mode: FormulaMode::Both, max_bytes: Some(5) };
        assert_eq!(WorkbookParams(&params).range_query(), Ok(query));
    }

    #[test]
    fn unknown_parameters_are_warnings() {
        let engine = jig_files::engine::Engine::default();
        let bytes = FileBytes::from(engine.blank(Format::Docx, None).unwrap());
        let document = engine.open(Format::Docx, &bytes).unwrap();
        let params = json!({ "path": "a.docx", "root": "draft", "workbench_id": "w", "section": null, "sectoin": 1, "now": "t" });
        let reply = read(&document, "DocxExtractText", &params).unwrap();
        assert_eq!(reply, json!({ "text": "", "warnings": ["sectoin: unknown field, skipped"] }));
        let error = read(&document, "DocxExtractText", &json!({ "view": "latest" })).unwrap_err();
        assert!(error.message.starts_with("view: unknown variant `latest`"), "{error}");
        assert_eq!(read(&document, "XlsxGetMap", &json!({})).unwrap_err().message, "unknown method: XlsxGetMap");
    }
}
