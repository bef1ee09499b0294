"""What leaves the machine, and when a Draft can be published: the questions of the page, answered with real clicks."""

import base64
import json
import urllib.request

from drive import LOGO, expect, run

MODEL = "openai:gpt-5.2"
# Put together here, so that the source has no key in it.
KEY = "ghp_" + "9fK2xQ7LmZ4TbW8cVnR1sYdH6uJpGe3aXo5i"


def put(visit, path, text):
    headers = {"Authorization": f"Bearer {visit.token}", "Content-Type": "application/octet-stream"}
    address = f"{visit.url}/api/workbenches/vault/files/{path}"
    request = urllib.request.Request(address, text.encode(), headers, method="PUT")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def workspace():
    """A pack with a document and an image, as text and bytes that are sent with each request."""
    parts = [
        {"type": "template", "role": "system", "path": "prompts/templates/system.md"},
        {"type": "context", "path": "context/docs/rules.md"},
        {"type": "context", "path": "context/images/logo.png"},
    ]
    index = {
        "schema": "jig.agent-workspace/1",
        "prompt_packs": {"main": "prompts/packs/main.json"},
        "tool_catalogs": {"default": "tools/catalogs/default.json"},
        "defaults": {"prompt_pack": "main", "tool_catalog": "default"},
    }
    tool = {
        "name": "write_text_file",
        "description": "Write a text file",
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}, "text": {"type": "string"}}},
    }
    texts = {
        "agent.workspace.json": json.dumps(index),
        "prompts/packs/main.json": json.dumps({"id": "main", "parts": parts}),
        "prompts/templates/system.md": "You write files.",
        "context/docs/rules.md": "Amounts in pounds.",
        "tools/catalogs/default.json": json.dumps({"id": "default", "tools": ["tools/descriptors/write.json"]}),
        "tools/descriptors/write.json": json.dumps(tool),
    }
    files = [{"path": path, "text": text} for path, text in texts.items()]
    return files + [{"path": "context/images/logo.png", "base64": base64.b64encode(LOGO).decode()}]


def send(page, words):
    page.get_by_label("What is to be done?").fill(words)
    page.get_by_role("button", name="Send", exact=True).click()


def answered(page, words):
    expect(page.locator(".message.agent").last).to_contain_text(words)
    expect(page.locator("#live")).to_have_attribute("data-status", "idle")


def consents(visit):
    found = visit.call("ConsentList", workbench_id="vault")["consents"]
    return sorted(one["reach"] for one in found)


def scope_of_a_run(visit, page):
    """The question lists everything that goes; once is once, and kept is kept until something is added."""
    send(page, "Say something")
    question = page.get_by_role("dialog")
    expect(question).to_contain_text(f"May this be sent to {MODEL}?")
    for words in [
        "Files (1)",
        "figures.txt",
        "Context items (1)",
        "situation",
        "Agent documents (2)",
        "context/docs/rules.md",
        "Images (1)",
        "context/images/logo.png",
        "What the agent can read while it works",
    ]:
        expect(question).to_contain_text(words)
    visit.check(page, "scope")
    visit.picture(page, "scope", full=False)
    question.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert visit.call("EgressList", workbench_id="vault")["events"] == [], "nothing was sent"
    page.get_by_role("button", name="Send", exact=True).click()
    expect(question.get_by_label("Only this once")).to_be_checked()
    question.get_by_role("button", name="Agree and send").click()
    answered(page, "The first answer.")
    assert consents(visit) == [], "it was for one run, and is used up"
    send(page, "Once more")
    question.get_by_label("While the files, items, entries and artifacts stay the same").check()
    question.get_by_role("button", name="Agree and send").click()
    answered(page, "The second answer.")
    assert consents(visit) == ["kept"]
    send(page, "And again")
    answered(page, "The third answer.")


def likely_key(visit, page):
    """A likely key stops a request, with its place; a person can allow that one key."""
    added = put(visit, "deploy.md", f"# Deploy\n\nGITHUB_TOKEN={KEY}\n")
    assert added["secrets"][0]["line"] == 3, added
    before = len(visit.call("EgressList", workbench_id="vault")["events"])
    send(page, "Deploy it")
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("Likely key found. Nothing was sent")
    expect(question).to_contain_text("github-pat in deploy.md")
    assert KEY not in page.content(), "the page never shows the key"
    visit.check(page, "likely-key")
    visit.picture(page, "likely-key", full=False)
    question.get_by_role("button", name="Do not send").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert len(visit.call("EgressList", workbench_id="vault")["events"]) == before
    page.get_by_role("button", name="Send", exact=True).click()
    question.get_by_role("button", name=f"Send github-pat to {MODEL} anyway").click()
    # The file is new, so the kept consent does not cover it.
    expect(page.get_by_role("dialog")).to_contain_text("Files (2)")
    question.get_by_role("button", name="Agree and send").click()
    answered(page, "With the key.")
    assert consents(visit) == ["kept", "secret"]
    visit.call("ConsentGrant", workbench_id="vault", model=MODEL, reach="all")


def a_run_at_work(visit, page):
    """While a run writes, every screen shows it without a reload, and publishing is disabled."""
    other = visit.page()
    visit.open(other, "/w/vault/history")
    banner = other.get_by_role("complementary", name="Draft")
    expect(banner).to_have_count(0)
    send(page, "Write a file")
    expect(banner).to_contain_text("An agent is working on this Draft")
    expect(banner).to_contain_text("You can publish when the run ends")
    publish = banner.get_by_role("button", name="Publish")
    expect(publish).to_have_attribute("aria-disabled", "true")
    visit.check(other, "working")
    visit.picture(other, "working", full=False)
    # A blocked control stays reachable and reports the reason.
    publish.click(force=True)
    expect(other.locator("#activity")).to_contain_text("You can publish when the run ends, or stop it.")
    # The question by its own address says the same.
    asking = visit.page()
    visit.open(asking, "/w/vault/publish")
    expect(asking.locator(".question")).to_contain_text("An agent is working on this Draft")
    expect(asking.locator(".question").get_by_role("button", name="Publish")).to_have_attribute("aria-disabled", "true")
    asking.context.close()
    answered(page, "It is written.")
    expect(banner).to_contain_text("Draft ready for review")
    expect(banner.get_by_role("link", name="Publish")).to_be_visible()
    expect(page.get_by_role("complementary", name="Draft")).to_contain_text("Draft ready for review")
    # A run can be stopped from any screen.
    send(page, "Write another one")
    expect(banner).to_contain_text("An agent is working on this Draft")
    banner.get_by_role("button", name="Stop the run").click()
    expect(banner).to_contain_text("Draft ready for review")
    visit.open(other, "/w/vault/history")
    banner.get_by_role("link", name="Publish").click()
    other.get_by_role("dialog").get_by_role("button", name="Publish").click()
    expect(other.locator("#said")).to_contain_text("Published")
    expect(banner).to_have_count(0)
    other.context.close()


def test(visit):
    page = visit.page()
    visit.call("WorkbenchCreate", name="Vault")
    put(visit, "figures.txt", "Rent: 1200\n")
    visit.call("AgentWorkspaceCommit", workbench_id="vault", files=workspace())
    session = visit.call("SessionCreate", workbench_id="vault", workspace="own", mode="direct")["session"]["id"]
    visit.open(page, "/w/vault/context/situation/input")
    page.get_by_label("Text", exact=True).fill("Board meeting on Friday.")
    page.get_by_label("Model").select_option("offline:extract")
    page.get_by_role("button", name="Process", exact=True).click()
    expect(page.locator("#said")).to_contain_text("is active")
    visit.open(page, f"/w/vault/workshop/{session}")
    for step in [scope_of_a_run, likely_key, a_run_at_work]:
        print(step.__name__, flush=True)
        step(visit, page)


run(test)
