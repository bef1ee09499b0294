//! Renders pages of files as images.

use bytes::Bytes;
use jig_contract::ops::*;
use jig_contract::{Code, OpError, Operation, WorkbenchPath};
use jig_files::FileKind;
use jig_store::FileNode;
use jig_worker::Method;
use serde_json::{Map, Value, json};

use super::office::{Place, fields, input};
use crate::preview::Converted;
use crate::state::{View, no_draft, no_file};
use crate::{CallContext, Handle, Workbench};
use jig_worker::{Input, Job};

/// The supported scale factors of a page.
const SCALES: std::ops::RangeInclusive<f64> = 0.25..=2.0;
/// The longest side of a thumbnail, in pixels.
const THUMBNAIL_PIXELS: u64 = 256;

macro_rules! renders {
    ($($op:ident),* $(,)?) => {$(
        impl Handle<$op> for Workbench {
            async fn handle(
                &self,
                context: &CallContext,
                params: <$op as Operation>::Params,
            ) -> Result<OfficeAnswer, OpError> {
                let question = fields(&params, &["workbench_id", "path", "root"])?;
                let place = Place { workbench_id: &params.workbench_id, path: &params.path, root: params.root };
                let (path, node) = self.find_file(&place).await?;
                Ok(OfficeAnswer(self.render(context, $op::NAME, &path, node, question).await?))
            }
        }
    )*};
}

renders! { PdfRenderPage, DocxRenderPage, XlsxRenderPage, PptxRenderSlide, OdtRenderPage }

/// The rendering method for a kind of file.
fn method_for(kind: Option<FileKind>) -> Option<&'static str> {
    Some(match kind? {
        FileKind::Pdf => "PdfRenderPage",
        FileKind::Docx => "DocxRenderPage",
        FileKind::Xlsx => "XlsxRenderPage",
        FileKind::Pptx => "PptxRenderSlide",
        FileKind::Odt => "OdtRenderPage",
        kind if kind.is_image() => "ImageRender",
        _ => return None,
    })
}

impl Workbench {
    /// Renders a page with the method of the file's format, using the office program if required.
    async fn render(
        &self,
        context: &CallContext,
        method: &'static str,
        path: &WorkbenchPath,
        node: FileNode,
        question: Value,
    ) -> Result<Map<String, Value>, OpError> {
        if method == "PdfRenderPage" {
            let mut answer = self.office_answer(context, method, path, node, question).await?;
            answer.insert("renderer".to_owned(), "pdf".into());
            return Ok(answer);
        }
        let ending = ending(method, path);
        let copy = || self.render_copy(context, method, path, node);
        match self.previews().pdf(node, &ending, copy, &context.cancel).await? {
            Converted::Pdf(pdf) => {
                let input = Input { name: "converted.pdf".to_owned(), file: node, converted: Some(pdf) };
                let mut answer = self.answer_on(context, "PdfRenderPage", input, as_page(question)).await?;
                answer.insert("renderer".to_owned(), "libreoffice".into());
                if method == "PptxRenderSlide"
                    && let Some(count) = answer.get("page_count").cloned()
                {
                    answer.insert("slide_count".to_owned(), count);
                }
                Ok(answer)
            }
            Converted::Not(reason) => {
                let mut answer = self.office_answer(context, method, path, node, question).await?;
                let plain = answer.get("notice").and_then(Value::as_str).unwrap_or_default();
                answer.insert("notice".to_owned(), format!("{plain}; {reason}").into());
                Ok(answer)
            }
        }
    }

    /// A sanitised copy of a file for LibreOffice; `None` if Jig's reader rejects the file or it cannot be made safe.
    async fn render_copy(
        &self,
        context: &CallContext,
        method: &str,
        path: &WorkbenchPath,
        node: FileNode,
    ) -> Result<Result<Bytes, String>, OpError> {
        let method = match method {
            "DocxRenderPage" => "DocxRenderCopy",
            "XlsxRenderPage" => "XlsxRenderCopy",
            "PptxRenderSlide" => "PptxRenderCopy",
            _ => "OdtRenderCopy",
        };
        let job = Job { input: Some(input(path, node)), ..self.job(method, json!({}))? };
        match self.file_work().run(self.store().blobs(), job, &context.cancel).await {
            Ok(done) => Ok(done.output.ok_or_else(|| "the file could not be copied for rendering".to_owned())),
            Err(error) if error.code() == Code::UserCanceled => Err(error),
            Err(error) => Ok(Err(format!("LibreOffice was not used: {}", error.info.message))),
        }
    }

    /// Renders a page of any kind of file; pages are counted from 1.
    async fn picture(
        &self,
        context: &CallContext,
        path: &WorkbenchPath,
        node: FileNode,
        wanted: &Wanted,
    ) -> Result<Picture, OpError> {
        let info = self.describe_one(path, node).await?;
        let kind: Option<FileKind> = info.kind.parse().ok();
        let Some(method) = method_for(kind) else {
            let what = kind.map_or("a file of an unknown kind", FileKind::words);
            let error = OpError::new(Code::ValidationFailed, format!("`{path}` is {what}, which has no pages to show"));
            return Err(error.hint("PDF, Word, Excel, PowerPoint and OpenDocument files and pictures have previews"));
        };
        let page = wanted.page.unwrap_or(1);
        let Some(index) = page.checked_sub(1) else {
            return Err(OpError::new(Code::ValidationFailed, "pages are counted from 1"));
        };
        if method == "ImageRender" {
            return shaped(self.image(context, path, node, wanted).await?, page);
        }
        let key = if method == "PptxRenderSlide" { "slide_index" } else { "page_index" };
        let question = json!({ key: index, "scale": wanted.scale, "thumbnail": wanted.thumbnail });
        let answer = self.render(context, method, path, node, question).await?;
        shaped(answer, page)
    }
}

impl Workbench {
    /// An image as a single page.
    async fn image(
        &self,
        context: &CallContext,
        path: &WorkbenchPath,
        node: FileNode,
        wanted: &Wanted,
    ) -> Result<Map<String, Value>, OpError> {
        if let Some(page) = wanted.page.filter(|page| *page > 1) {
            let words = format!("page {page} does not exist: a picture has 1 page");
            return Err(OpError::new(Code::ValidationFailed, words));
        }
        let mut question = json!({});
        let scale = wanted.scale.unwrap_or(1.0);
        if !SCALES.contains(&scale) {
            let words = format!("scale: a number from {} to {} is needed", SCALES.start(), SCALES.end());
            return Err(OpError::new(Code::ValidationFailed, words));
        }
        if wanted.thumbnail {
            question["max_px"] = THUMBNAIL_PIXELS.into();
        } else if scale < 1.0 {
            let known = self.office_answer(context, "ImageGetMetadata", path, node, json!({})).await?;
            let side = |key: &str| known.get(key).and_then(Value::as_f64).unwrap_or(0.0);
            // The same bounds as those of the method itself.
            question["max_px"] =
                ((side("width").max(side("height")) * scale).round().clamp(16.0, 2_048.0) as u64).into();
        }
        let asked_smaller = question.get("max_px").is_some();
        let mut answer = self.office_answer(context, "ImageRender", path, node, question).await?;
        if asked_smaller {
            answer.insert("scaled_down".to_owned(), false.into());
        }
        let warnings = answer.remove("warnings");
        let mut notices: Vec<&str> =
            warnings.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str).collect();
        if scale > 1.0 {
            notices.push("a picture is not shown larger than it is");
        }
        if !notices.is_empty() {
            answer.insert("notice".to_owned(), notices.join("; ").into());
        }
        answer.insert("page_count".to_owned(), 1.into());
        answer.insert("renderer".to_owned(), "image".into());
        Ok(answer)
    }
}

/// The extension that tells the office program the format: the file's own if it is right.
fn ending(method: &str, path: &WorkbenchPath) -> String {
    let own = path.extension();
    match Method::find(method).map(|method| method.format) {
        Some(format) if !format.endings().contains(&own.as_str()) => format.extension().to_owned(),
        _ => own,
    }
}

/// The rendering options, for any format.
struct Wanted {
    page: Option<u64>,
    scale: Option<f64>,
    thumbnail: bool,
}

/// Slides of a converted presentation are pages.
fn as_page(mut question: Value) -> Value {
    if let Some(slide) = question.as_object_mut().and_then(|question| question.remove("slide_index")) {
        question["page_index"] = slide;
    }
    question
}

fn shaped(mut answer: Map<String, Value>, page: u64) -> Result<Picture, OpError> {
    answer.insert("page".to_owned(), page.into());
    serde_json::from_value(Value::Object(answer))
        .map_err(|e| OpError::new(Code::Internal, "the file engine's picture has another shape").because(e))
}

impl Handle<FileGetPreview> for Workbench {
    async fn handle(&self, context: &CallContext, params: FileGetPreviewParams) -> Result<Picture, OpError> {
        let place = Place { workbench_id: &params.workbench_id, path: &params.path, root: params.root };
        let (path, node) = self.find_file(&place).await?;
        let wanted = Wanted { page: params.page, scale: params.scale, thumbnail: params.thumbnail };
        self.picture(context, &path, node, &wanted).await
    }
}

/// One version of a file under review.
struct Side {
    node: FileNode,
    label: &'static str,
    source: Option<ReferenceSource>,
    warning: Option<String>,
}

impl Workbench {
    async fn side_of(
        &self,
        params: &ReviewGetPreviewParams,
        path: &WorkbenchPath,
        side: ReviewSide,
    ) -> Result<Side, OpError> {
        let session = self.enter(&params.workbench_id.check()?).await?;
        let view = View::of(self.store(), &session.head);
        let record = view.draft().await?.ok_or_else(no_draft)?;
        let plain = |node, label| Side { node, label, source: None, warning: None };
        let found = match side {
            ReviewSide::Draft => view.file(Root::Draft, path).await?.map(|node| plain(node, "Draft")),
            ReviewSide::Published => {
                let node = view.file(Root::Published, path).await?;
                node.map(|node| plain(node, ReferenceSource::Published.label()))
            }
            ReviewSide::Reference => {
                let start = View::at(self.store(), record.base_state).file(Root::Published, path).await;
                let (node, source, warning) = match start {
                    Ok(node) => (node, ReferenceSource::DraftStart, None),
                    Err(error) => {
                        let words = "the state at the Draft's start cannot be read, so this shows what is published";
                        let node = view.file(Root::Published, path).await?;
                        (node, ReferenceSource::Published, Some(format!("{words}: {error}")))
                    }
                };
                match node {
                    Some(node) => {
                        let (node, lost) = self.readable_reference(&session.head, path, node).await?;
                        let source = if lost.is_some() { ReferenceSource::Published } else { source };
                        Some(Side { node, label: source.label(), source: Some(source), warning: lost.or(warning) })
                    }
                    None => None,
                }
            }
        };
        match (found, side) {
            (Some(side), _) => Ok(side),
            (None, ReviewSide::Draft) => Err(no_file(view, Root::Draft, path).await),
            (None, _) if view.file(Root::Draft, path).await?.is_some() => {
                let words = format!("`{path}` is new in the Draft: there is no version before");
                Err(OpError::new(Code::FileNotFound, words).hint("show the side `draft`"))
            }
            (None, _) => Err(no_file(view, Root::Published, path).await),
        }
    }
}

impl Handle<ReviewGetPreview> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: ReviewGetPreviewParams,
    ) -> Result<ReviewGetPreviewOutput, OpError> {
        let path = params.path.check()?;
        let shown = params.side.unwrap_or(ReviewSide::Draft);
        let side = self.side_of(&params, &path, shown).await?;
        let wanted = Wanted { page: params.page, scale: params.scale, thumbnail: false };
        let picture = self.picture(context, &path, side.node, &wanted).await?;
        Ok(ReviewGetPreviewOutput {
            picture,
            side: shown,
            label: side.label.to_owned(),
            reference_source: side.source,
            reference_warning: side.warning,
        })
    }
}
