//! Files as text, by map and region; entries; and links to what was written.

use rmcp::model::{
    ArgumentInfo, CompleteRequestParams, CompletionContext, ReadResourceRequestParams, Reference,
    SubscribeRequestParams,
};
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::mcp_client::{Client, Person, VERSIONS, bound};

async fn client(bench: &Bench) -> Client {
    Client::new(bench.workbench.clone(), bound(), VERSIONS[1].clone(), Person::CannotBeAsked).await
}

async fn read(client: &Client, uri: &str) -> Result<Value, String> {
    let got = client.service.read_resource(ReadResourceRequestParams::new(uri)).await;
    got.map(|mut got| serde_json::to_value(got.contents.remove(0)).unwrap()).map_err(|error| error.to_string())
}

async fn with_workbook() -> Bench {
    let bench = Bench::with_notes().await;
    let values = json!([["Item", "Amount"], ["Rent", 1200], ["Travel", 300]]);
    let ops = json!([{ "op": "ensure_sheet", "sheet": "Costs" }, { "op": "set_range", "sheet": "Costs", "start": "A1", "values": values }]);
    let params = json!({ "workbench_id": "deck", "path": "budget.xlsx", "create_new": true, "ops": ops });
    bench.call("XlsxApplyOps", params).await;
    bench
}

#[tokio::test]
async fn a_file_is_read_as_text_by_map_and_by_region() {
    let bench = with_workbook().await;
    let client = client(&bench).await;
    let map = read(&client, "jig://deck/map/budget.xlsx").await.unwrap();
    assert_eq!(map["mimeType"], "application/json");
    assert!(map["text"].as_str().unwrap().contains("Costs"), "{map}");
    let whole = read(&client, "jig://deck/text/budget.xlsx").await.unwrap();
    assert!(whole["text"].as_str().unwrap().contains("Travel"), "{whole}");
    let region = read(&client, "jig://deck/text/budget.xlsx?sheet=Costs&range=A1%3AB2").await.unwrap();
    let text = region["text"].as_str().unwrap();
    assert!(text.contains("Rent") && !text.contains("Travel"), "{text}");
    let line = read(&client, "jig://deck/text/notes.txt?line_start=2&line_count=1").await.unwrap();
    assert_eq!(line["text"], "two\n");
    for (uri, expected) in [
        ("jig://deck/text/notes.txt?line=2", "did you mean"),
        ("jig://deck/text/notes.txt?line_start=two", "whole number"),
        ("jig://deck/map/none.xlsx", "FILE_NOT_FOUND"),
    ] {
        let error = read(&client, uri).await.unwrap_err();
        assert!(error.contains(expected), "{uri}: {error}");
    }
}

#[tokio::test]
async fn a_long_text_comes_in_pieces_that_name_the_next() {
    let bench = Bench::with_notes().await;
    let lines: String = (0..9_000).map(|n| format!("line {n}\n")).collect();
    bench.add("long.txt", lines.as_bytes()).await;
    let client = client(&bench).await;
    let first = read(&client, "jig://deck/text/long.txt").await.unwrap();
    let text = first["text"].as_str().unwrap();
    let next = first["_meta"]["jig/next"].as_str().unwrap();
    assert!(text.len() < lines.len() && text.ends_with(&format!("[continues at {next}]\n")), "a first piece");
    let (mut uri, mut joined, mut pieces) = ("jig://deck/text/long.txt?max_tokens=9000".to_owned(), String::new(), 0);
    loop {
        let piece = read(&client, &uri).await.unwrap();
        joined.push_str(piece["text"].as_str().unwrap());
        pieces += 1;
        match piece["_meta"]["jig/next"].as_str() {
            Some(next) => uri = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(joined, lines);
    assert!(pieces > 2, "{pieces}");
}

#[tokio::test]
async fn entries_are_listed_read_completed_and_watched() {
    let bench = Bench::with_notes().await;
    let put = |name: &str| json!({ "workbench_id": "deck", "role": "brand", "data": { "name": name } });
    bench.call("EntryPut", put("Acme")).await;
    let mut client = Client::new(bench.workbench.clone(), bound(), VERSIONS[0].clone(), Person::CannotBeAsked).await;
    let listed = client.service.list_all_resources().await.unwrap();
    let uri = "jig://deck/entry/brand";
    assert!(listed.iter().any(|resource| resource.uri == uri), "{listed:?}");
    let entry: Value = serde_json::from_str(read(&client, uri).await.unwrap()["text"].as_str().unwrap()).unwrap();
    assert_eq!(entry["entry"]["data"]["name"], "Acme", "{entry}");
    assert!(read(&client, "jig://deck/entry/nothing").await.is_err());
    let complete = async |name: &str, typed: &str| {
        let reference = Reference::for_resource("jig://{workbench}/entry/{role}/{entry_key}");
        let mut request = CompleteRequestParams::new(reference, ArgumentInfo::new(name, typed));
        request.context = Some(CompletionContext::with_arguments([("role".to_owned(), "brand".to_owned())].into()));
        client.service.complete(request).await.unwrap().completion.values
    };
    assert_eq!(complete("role", "bra").await, ["brand"]);
    #[expect(deprecated, reason = "the older protocol's way")]
    client.service.subscribe(SubscribeRequestParams::new(uri)).await.unwrap();
    bench.call("EntryPut", put("Acme & Co")).await;
    assert_eq!(client.heard.recv().await.unwrap(), uri);
}

#[tokio::test]
async fn regions_are_completed_from_the_map() {
    let bench = with_workbook().await;
    let client = client(&bench).await;
    let reference = || Reference::for_resource("jig://{workbench}/text/{path}{?sheet,range}");
    let complete = async |name: &str, typed: &str| {
        let mut request = CompleteRequestParams::new(reference(), ArgumentInfo::new(name, typed));
        request.context =
            Some(CompletionContext::with_arguments([("path".to_owned(), "budget.xlsx".to_owned())].into()));
        client.service.complete(request).await.unwrap().completion.values
    };
    assert_eq!(complete("sheet", "co").await, ["Costs"]);
    assert_eq!(complete("range", "A1").await, ["A1:B3"]);
    assert_eq!(complete("view", "f").await, ["final"]);
}

#[tokio::test]
async fn what_was_written_is_linked() {
    let bench = Bench::with_notes().await;
    let client = client(&bench).await;
    let result = client.call("write_text_file", json!({ "path": "a b.md", "text": "# Hi\n" })).await;
    let link = serde_json::to_value(&result.content[1]).unwrap();
    assert_eq!((&link["type"], &link["uri"]), (&json!("resource_link"), &json!("jig://deck/draft/a%20b.md")), "{link}");
    let dry = client.call("write_text_file", json!({ "path": "c.md", "text": "x", "dry_run": true })).await;
    assert_eq!(dry.content.len(), 1, "nothing was written, so nothing is linked");
}
