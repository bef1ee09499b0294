//! Resources: paged lists, reading, completion, and change notifications.

use jig_contract::Env;
use jig_surfaces::mcp::McpOptions;
use rmcp::model::{
    ArgumentInfo, CompleteRequestParams, CompletionContext, PaginatedRequestParams, ReadResourceRequestParams,
    Reference, ResourceContents, SubscribeRequestParams, SubscriptionFilter,
};
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::mcp_client::{Client, Person, VERSIONS, bound};

async fn client(bench: &Bench) -> Client {
    Client::new(bench.workbench.clone(), bound(), VERSIONS[1].clone(), Person::CannotBeAsked).await
}

async fn read(client: &Client, uri: &str) -> ResourceContents {
    let mut result = client.service.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
    result.contents.remove(0)
}

#[tokio::test]
async fn everything_listed_can_be_read() {
    let bench = Bench::with_notes().await;
    bench.add("Zürich/100 % #1?.md", "# Grüezi\n".as_bytes()).await;
    bench.add("logo.bin", &[0, 159, 146, 150]).await;
    bench.call("DraftWriteText", json!({ "workbench_id": "deck", "path": "diff", "text": "called diff\n" })).await;
    let client = client(&bench).await;
    let listed = client.service.list_all_resources().await.unwrap();
    let uris: Vec<&str> = listed.iter().map(|resource| resource.uri.as_str()).collect();
    assert_eq!(
        uris,
        [
            "jig://deck/journal",
            "jig://deck/draft/diff",
            "jig://deck/published/Z%C3%BCrich/100%20%25%20%231%3F.md",
            "jig://deck/published/logo.bin",
            "jig://deck/published/notes.txt",
            "jig://deck/draft/Z%C3%BCrich/100%20%25%20%231%3F.md",
            "jig://deck/draft/%64iff",
            "jig://deck/draft/logo.bin",
            "jig://deck/draft/notes.txt",
        ]
    );
    let contents = |value: ResourceContents| serde_json::to_value(value).unwrap();
    assert_eq!(contents(read(&client, uris[2]).await)["text"], "# Grüezi\n");
    assert_eq!(contents(read(&client, uris[3]).await)["blob"], "AJ+Slg==");
    assert_eq!(contents(read(&client, uris[6]).await)["text"], "called diff\n");
    let diff = contents(read(&client, uris[1]).await);
    assert_eq!(diff["mimeType"], "text/x-diff");
    let expected =
        "# Reference (Draft start) → Draft\n--- /dev/null\n+++ draft/diff\n@@ -0,0 +1,1 @@ hunk 1\n+called diff\n";
    assert_eq!(diff["text"], expected);
    let journal: Value =
        serde_json::from_str(contents(read(&client, uris[0]).await)["text"].as_str().unwrap()).unwrap();
    assert_eq!(journal, bench.call("JournalList", json!({ "workbench_id": "deck" })).await);
}

#[tokio::test]
async fn context_items_are_listed_read_completed_and_watched() {
    let bench = Bench::with_notes().await;
    let process = |text: &str| {
        let input = json!({ "mode": "text", "text": text });
        json!({ "workbench_id": "deck", "category": "company-context", "input": input, "model": "offline:extract" })
    };
    bench.call("ContextProcess", process("Acme sells ropes.")).await;
    let mut client = Client::new(bench.workbench.clone(), bound(), VERSIONS[0].clone(), Person::CannotBeAsked).await;
    let listed = client.service.list_all_resources().await.unwrap();
    let uris: Vec<&str> = listed.iter().map(|resource| resource.uri.as_str()).collect();
    let skill = "jig://deck/context/company-context/SKILL.md";
    let summary = "jig://deck/context/company-context/references/summary.md";
    assert_eq!(uris, ["jig://deck/journal", skill, summary, "jig://deck/published/notes.txt"]);
    let contents = |value: ResourceContents| serde_json::to_value(value).unwrap();
    let text = contents(read(&client, summary).await);
    assert!(text["text"].as_str().unwrap().contains("ropes") && text["mimeType"] == "text/markdown", "{text}");
    for gone in ["jig://deck/context/company-context/none.md", "jig://deck/context/situation/context.md"] {
        assert!(client.service.read_resource(ReadResourceRequestParams::new(gone)).await.is_err(), "{gone}");
    }
    let complete = async |name: &str, typed: &str| {
        let template = Reference::for_resource("jig://{workbench}/context/{item}/{path}");
        let mut request = CompleteRequestParams::new(template, ArgumentInfo::new(name, typed));
        let chosen = [("item".to_owned(), "company-context".to_owned())];
        request.context = Some(CompletionContext::with_arguments(chosen.into()));
        client.service.complete(request).await.unwrap().completion.values
    };
    assert_eq!(complete("item", "d").await, ["department-context", "document-style"]);
    assert_eq!(complete("path", "").await, ["SKILL.md", "references/summary.md"]);
    #[expect(deprecated, reason = "the older protocol's way")]
    client.service.subscribe(SubscribeRequestParams::new(summary)).await.unwrap();
    bench.call("ContextProcess", process("Acme sells nets.")).await;
    assert_eq!(client.heard.recv().await.unwrap(), summary);
}

#[tokio::test]
async fn a_long_list_comes_in_pages_without_loss() {
    let bench = Bench::new().await;
    bench.call("WorkbenchCreate", json!({ "name": "Deck" })).await;
    bench.add_many(450).await;
    bench.call("WorkbenchCreate", json!({ "name": "Other" })).await;
    let options = McpOptions::new(Env::system());
    let client = Client::new(bench.workbench.clone(), options, VERSIONS[0].clone(), Person::CannotBeAsked).await;
    let first = client.service.list_resources(None).await.unwrap();
    assert!(first.next_cursor.is_some() && first.resources.len() < 450);
    let all = client.service.list_all_resources().await.unwrap();
    let mut uris: Vec<String> = all.into_iter().map(|resource| resource.uri).collect();
    let total = uris.len();
    uris.sort();
    uris.dedup();
    assert_eq!((uris.len(), total), (452, 452), "450 files and two journals, each once");
    let page = PaginatedRequestParams::default().with_cursor(Some("nonsense".to_owned()));
    let wrong = client.service.list_resources(Some(page)).await.unwrap_err();
    assert!(wrong.to_string().contains("-32602"), "{wrong}");
}

#[tokio::test]
async fn what_is_not_there_is_the_protocols_own_error() {
    let bench = Bench::with_notes().await;
    for (version, number) in VERSIONS.into_iter().zip(["-32002", "-32602"]) {
        let client = Client::new(bench.workbench.clone(), bound(), version, Person::CannotBeAsked).await;
        for uri in ["jig://deck/published/none.txt", "jig://none/journal", "jig://deck/meta/x", "file:///etc/passwd"] {
            let error = client.service.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap_err();
            assert!(error.to_string().contains(number), "{uri}: {error}");
        }
    }
}

#[tokio::test]
async fn a_file_too_large_to_hand_out_whole_says_so() {
    let bench = Bench::with_notes().await;
    let options = McpOptions { max_resource_bytes: 4, ..bound() };
    let client = Client::new(bench.workbench.clone(), options, VERSIONS[1].clone(), Person::CannotBeAsked).await;
    let uri = "jig://deck/published/notes.txt";
    let error = client.service.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap_err().to_string();
    assert!(error.contains("LIMIT_EXCEEDED") && error.contains("read_file"), "{error}");
}

#[tokio::test]
async fn ids_and_paths_are_completed() {
    let bench = Bench::with_notes().await;
    bench.add("numbers.csv", b"a,b\n").await;
    let client = client(&bench).await;
    let complete = async |name: &str, typed: &str| {
        let template = Reference::for_resource("jig://{workbench}/published/{path}");
        let request = CompleteRequestParams::new(template, ArgumentInfo::new(name, typed));
        client.service.complete(request).await.unwrap().completion.values
    };
    assert_eq!(complete("workbench", "de").await, ["deck"]);
    assert_eq!(complete("path", "n").await, ["notes.txt", "numbers.csv"]);
    assert_eq!(complete("path", "nu").await, ["numbers.csv"]);
    assert_eq!(complete("other", "").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_client_of_the_older_protocol_hears_of_the_files_it_subscribed_to() {
    let bench = Bench::with_notes().await;
    let mut client = Client::new(bench.workbench.clone(), bound(), VERSIONS[0].clone(), Person::CannotBeAsked).await;
    let uri = "jig://deck/published/notes.txt";
    #[expect(deprecated, reason = "the older protocol's way")]
    client.service.subscribe(SubscribeRequestParams::new(uri)).await.unwrap();
    bench.add("other.txt", b"other\n").await;
    bench.add("notes.txt", b"changed\n").await;
    assert_eq!(client.heard.recv().await.unwrap(), uri);
}

#[tokio::test]
async fn a_client_of_the_newer_protocol_listens() {
    let bench = Bench::with_notes().await;
    let client = client(&bench).await;
    let uri = "jig://deck/published/notes.txt";
    let filter = SubscriptionFilter::builder().resource_subscription(uri).resources_list_changed().build();
    let mut listening = client.service.listen(filter).await.unwrap();
    let mut both = async || format!("{:?} {:?}", listening.next().await.unwrap(), listening.next().await.unwrap());
    let heard = both().await;
    assert!(heard.contains("ResourceListChanged") && heard.contains(uri), "what changed before is told: {heard}");
    bench.add("notes.txt", b"changed\n").await;
    let heard = both().await;
    assert!(heard.contains("ResourceListChanged") && heard.contains(uri), "{heard}");
}
