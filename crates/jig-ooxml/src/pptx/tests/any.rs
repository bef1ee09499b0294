//! Any ops and any slide: an answer or an error, and never a deck that cannot be read again.

use proptest::prelude::*;

use super::*;
use jig_file_api::ops::pptx::PptxOp;
use jig_file_api::{OpSet, Strictness};

use crate::pptx::copy_assets;

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..5).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z<&\u{1}\n ]{0,6}".prop_map(Value::from),
        Just(json!([{"text": "a\nb", "bold": true}])),
        Just(json!(["b", {"text": "c", "level": 1}])),
        Just(json!([{"row": 0, "col": 0, "text": "t"}])),
        Just(Value::from(PIXELS)),
        Just(Value::from("text_style:0:0->0:0")),
    ]
}

fn op() -> impl Strategy<Value = Value> {
    let names = [
        "index",
        "title",
        "body",
        "title_runs",
        "body_runs",
        "bullets",
        "from",
        "to",
        "text",
        "search",
        "replace",
        "cells",
        "table",
        "data_base64",
        "placeholder",
        "layout",
        "left",
        "width",
        "alignment",
        "line_spacing",
    ];
    let fields = prop::collection::vec((prop::sample::select(names.to_vec()), value()), 0..6);
    (prop::sample::select(PptxOp::names()), fields, 0_usize..3).prop_map(|(op, fields, index)| {
        let mut object = json!({"op": op, "index": index, "text": "t", "search": "t", "replace": "u", "to": 0});
        object.as_object_mut().unwrap().extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
        object
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn ops_give_a_deck_or_an_error(ops in prop::collection::vec(op(), 0..5)) {
        let bytes = run(None, json!([{"op": "add_slide", "title": "t"}, {"op": "add_slide", "layout": "picture_with_caption"}])).unwrap().bytes;
        let options = ApplyOptions { strictness: Strictness::Warn, ..ApplyOptions::default() };
        if let Ok(applied) = crate::pptx::apply(Some(Arc::from(bytes)), &Value::Array(ops.clone()), &options) {
            let map = read(&applied.bytes, "PptxGetMap", json!({}));
            prop_assert_eq!(&map["warnings"], &json!([]));
            prop_assert_eq!(applied.changes.len(), ops.len());
        }
    }

    #[test]
    fn any_markup_is_read_or_refused(inner in "(<[/]?(p:sp|p:pic|p:txBody|a:p|a:r|a:t|p:grpSp|p:spPr|a:xfrm|a:off x=\"9\" y=\"-1\"/)>|x){0,14}") {
        let bytes = Making::new().slide(&inner).bytes();
        let deck = Deck::open(bytes.clone(), Limits::default()).unwrap();
        for method in ["PptxGetMap", "PptxExtractText", "PptxGetSlideContent", "PptxGetStyles"] {
            let reply = call(&deck, method, &json!({"detail": "positioned"}));
            prop_assert_eq!(&call(&deck, method, &json!({"detail": "positioned"})), &reply);
        }
        // A slide that is not well-formed is listed with its error.
        let map = call(&deck, "PptxGetMap", &json!({})).unwrap();
        let is_read = map["slides"][0].get("error").is_none();
        prop_assert_eq!(call(&deck, "PptxExtractText", &json!({"slide_index": 0})).is_ok(), is_read);
        for op in PptxOp::names() {
            let applied = run(Some(bytes.clone()), json!([{"op": op, "index": 0, "title": "t", "text": "t", "bullets": ["t"], "to": 0, "search": "x", "replace": "y", "cells": [{"row": 0, "col": 0, "text": "t"}], "data_base64": PIXELS}]));
            // No op makes a deck that cannot be read, nor one whose slide is damaged when it was not before.
            if let Ok(applied) = applied {
                let map = read(&applied.bytes, "PptxGetMap", json!({}));
                let damaged = map["slides"].as_array().unwrap().iter().any(|slide| slide.get("error").is_some());
                prop_assert!(!damaged || !is_read, "{op}: {map}");
            }
        }
        let assets = json!(["text_style:0:0->0:0", "image:0:0->0"]);
        if let Ok(applied) = copy_assets(Arc::from(bytes.clone()), Some(Arc::from(bytes)), &assets, &ApplyOptions::default()) {
            prop_assert_eq!(&read(&applied.bytes, "PptxGetMap", json!({}))["slide_count"], &json!(1));
        }
    }
}
