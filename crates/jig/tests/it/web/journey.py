"""From an empty server to a published change and back: everything a person does in the browser, in one go."""

import pathlib
import sys

from drive import LOGO, expect, run, said, until

DEMO = pathlib.Path(sys.argv[4])
FILES = ["bank.csv", "budget.xlsx", "deck.pptx", "notes.txt", "policy.pdf", "report.docx"]
BLOCKED = "Publish or discard your Draft to modify context."
OVERWRITES = "This context item was manually edited. Reprocessing will overwrite your manual changes."


def create(visit, page):
    visit.open(page, "/")
    expect(page.get_by_role("heading", name="Welcome to Jig")).to_be_visible()
    expect(page.get_by_role("button", name="Open the demo workbench")).to_be_visible()
    page.get_by_label("Name").fill("Board deck")
    page.get_by_role("button", name="Create workbench").click()
    said(page, "“Board deck” is made")
    expect(page).to_have_url(f"{visit.url}/w/board-deck")
    expect(page.get_by_role("heading", name="No files yet")).to_be_visible()


def add_files(visit, page):
    page.get_by_label("Drop files here").set_input_files([DEMO / name for name in FILES[:-1]])
    page.get_by_role("button", name="Add files").click()
    said(page, "5 files added")
    # One more, dropped.
    content = list((DEMO / FILES[-1]).read_bytes())
    dropped = page.evaluate_handle(
        "([name, bytes]) => { const t = new DataTransfer(); t.items.add(new File([new Uint8Array(bytes)], name)); return t; }",
        [FILES[-1], content],
    )
    page.dispatch_event("main", "drop", {"dataTransfer": dropped})
    said(page, "1 file added")
    for name in FILES:
        expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()
    # The same again is refused, with the words of the operation; nothing is lost by it.
    page.get_by_label("Drop files here").set_input_files({"name": "notes.txt", "mimeType": "text/plain", "buffer": b"other"})
    page.get_by_role("button", name="Add files").click()
    failure = page.get_by_role("alert")
    expect(failure).to_contain_text("exist already: notes.txt")
    expect(failure).to_be_focused()
    # A map, a preview and a text.
    page.get_by_role("link", name="budget.xlsx", exact=True).click()
    expect(page.get_by_role("heading", name="Map")).to_be_visible()
    expect(page.locator("code", has_text="A1").first).to_be_visible()
    visit.open(page, "/w/board-deck/file/policy.pdf")
    image = page.locator("img[data-picture]")
    expect(image).to_be_visible()
    until(page, "document.querySelector('img[data-picture]').naturalWidth > 0")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert pathlib.Path(download.value.path()).read_bytes() == (DEMO / "policy.pdf").read_bytes()
    visit.open(page, "/w/board-deck")
    page.get_by_label("Find a text in the files").fill("Harrow Couriers")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".hits")).to_contain_text("notes.txt")


def card(page, name):
    return page.locator(f"article[data-item={name}]")


def items(visit, page):
    visit.open(page, "/w/board-deck")
    page.get_by_role("link", name="Add Context").click()
    expect(page.locator("article.item")).to_have_count(4)
    expect(page.locator("article.item .badge", has_text="Empty")).to_have_count(4)
    # Company: a text, by a model. First the question, then a model that fails, then one that answers.
    card(page, "company-context").get_by_role("link", name="Add").click()
    page.get_by_label("Write text").check()
    page.get_by_label("Text", exact=True).fill("We rent and mend bicycles in three towns. Couriers are our customers.")
    page.get_by_role("button", name="Process", exact=True).click()
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("May this be sent to openai:gpt-5.2?")
    expect(question).to_contain_text("the text of this call")
    visit.check(page, "consent")
    visit.picture(page, "consent", full=False)
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_have_count(0)
    expect(page.get_by_label("Text", exact=True)).to_have_value("We rent and mend bicycles in three towns. Couriers are our customers.")
    page.get_by_role("button", name="Process", exact=True).click()
    question.get_by_label("While the files, items, entries and artifacts stay the same").check()
    question.get_by_role("button", name="Agree and send").click()
    failure = page.get_by_role("alert")
    expect(failure).to_be_visible()
    expect(failure.get_by_role("link", name="Cancel")).to_be_visible()
    visit.check(page, "failure")
    visit.picture(page, "failure", full=False)
    failure.get_by_role("button", name="Retry").click()
    expect(page.get_by_role("dialog")).to_contain_text("Processing company context...")
    visit.picture(page, "processing", full=False)
    said(page, "Company-Wide context is active")
    expect(card(page, "company-context").get_by_text("Active")).to_be_visible()
    # Department: a file with a note, by rules on this machine. A picture is refused in the seed's words.
    card(page, "department-context").get_by_role("link", name="Add").click()
    page.get_by_label("Upload file").check()
    page.get_by_label("File", exact=True).set_input_files({"name": "logo.png", "mimeType": "image/png", "buffer": LOGO})
    page.get_by_label("Model").select_option("offline:extract")
    page.get_by_role("button", name="Process", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text(
        "Image files cannot be used as context input. Please provide text or a document file."
    )
    page.get_by_label("File", exact=True).set_input_files(DEMO / "report.docx")
    page.get_by_label("Note (optional)").fill("focus on the hire business")
    page.get_by_role("button", name="Process", exact=True).click()
    said(page, "Department context is active")
    for name, text in [("situation", "Board meeting on Friday. Deadline: 14 April."), ("document-style", "Headings in sentence case.\nNo Oxford commas.")]:
        card(page, name).get_by_role("link", name="Add").click()
        page.get_by_label("Text", exact=True).fill(text)
        page.get_by_label("Model").select_option("offline:extract")
        page.get_by_role("button", name="Process", exact=True).click()
        expect(card(page, name).get_by_text("Active")).to_be_visible()
    # Inspecting.
    card(page, "situation").locator("summary").click()
    expect(card(page, "situation").locator("pre")).to_contain_text("Friday")


def direct_edit(visit, page):
    visit.open(page, "/w/board-deck/context")
    card(page, "company-context").get_by_role("link", name="Direct Edit").click()
    expect(page.get_by_role("navigation", name="Files of the item")).to_contain_text("references/summary.md")
    pane = page.get_by_label("references/summary.md")
    pane.fill(pane.input_value() + "\n- Edited by hand.")
    page.get_by_role("button", name="Save").click()
    said(page, "Saved as it is")
    expect(page.get_by_text("manually edited", exact=True)).to_be_visible()
    visit.open(page, "/w/board-deck/context")
    expect(card(page, "company-context").get_by_text("manually edited")).to_be_visible()
    # Reprocessing asks first; cancelled, the edit is still there.
    card(page, "company-context").get_by_role("link", name="Reprocess from source").click()
    question = page.get_by_role("dialog")
    expect(question).to_contain_text(OVERWRITES)
    question.get_by_role("link", name="Cancel").click()
    expect(card(page, "company-context").get_by_text("manually edited")).to_be_visible()
    card(page, "company-context").get_by_role("link", name="Reprocess from source").click()
    question.get_by_label("Model").select_option("offline:extract")
    question.get_by_role("button", name="Proceed").click()
    said(page, "was made again from its source")
    expect(card(page, "company-context").get_by_text("manually edited")).to_have_count(0)
    # Deleting needs no question; undo brings it back.
    card(page, "situation").get_by_role("button", name="Delete").click()
    said(page, "Situation context is deleted")
    expect(card(page, "situation").get_by_text("Empty")).to_be_visible()
    visit.open(page, "/w/board-deck/history").get_by_role("button", name="Undo").click()
    said(page, "Taken back: deleted the Situation context")


def entries(visit, page):
    visit.open(page, "/w/board-deck/context")
    page.get_by_role("article", name="Brand Identity").get_by_role("link", name="Add").click()
    page.get_by_role("button", name="Save").click()
    said(page, "Saved")
    expect(page.get_by_text("Still to be filled")).to_be_visible()
    page.get_by_label("Brand Name").fill("Spokes & Co")
    page.get_by_label("Brand Voice").fill("Plain and warm.\nNo jargon.")
    page.get_by_label("Brand Colors 1", exact=True).fill("#0F5F6B")
    page.get_by_role("button", name="+ Add Color").click()
    page.get_by_label("Brand Colors 2", exact=True).first.fill("#F0C878")
    # A file that is not what the field takes is refused, and what was typed is still there.
    page.get_by_label("Logo").set_input_files({"name": "logo.png", "mimeType": "image/png", "buffer": b"not an image"})
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("logo")
    expect(page.get_by_label("Brand Name")).to_have_value("Spokes & Co")
    page.get_by_label("Logo").set_input_files({"name": "logo.png", "mimeType": "image/png", "buffer": LOGO})
    page.get_by_role("button", name="Save").click()
    said(page, "Saved")
    expect(page.get_by_role("img", name="logo.png")).to_be_visible()
    brand = visit.call("EntryGet", workbench_id="board-deck", role="brand")["entry"]
    assert brand["data"]["colors"] == ["#0F5F6B", "#F0C878"], brand
    assert brand["data"]["voice"] == "Plain and warm.\nNo jargon.", brand
    page.get_by_role("button", name="Mark done Brand Voice").click()
    said(page, "Marked as done")
    visit.open(page, "/w/board-deck/context")
    shown = page.get_by_role("article", name="Brand Identity")
    expect(shown).to_contain_text("Logo: ✓")
    expect(shown).to_contain_text("100%")
    # Competitors: as many as there are.
    page.get_by_role("link", name="+ Add role").click()
    page.locator("li.card", has=page.get_by_role("heading", name="Competitor", exact=True)).get_by_role("link", name="Add", exact=True).click()
    page.locator("#f-name").fill("Globex Bikes")
    page.get_by_role("button", name="Save").click()
    said(page, "Saved")
    visit.open(page, "/w/board-deck/context")
    page.get_by_role("article", name="Competitor").get_by_role("link", name="+ Add").click()
    page.locator("#f-name").fill("Initech Wheels")
    page.get_by_role("button", name="Save").click()
    said(page, "Saved")
    visit.open(page, "/w/board-deck/context")
    expect(page.get_by_role("article", name="Competitor")).to_contain_text("2 entries")
    # Values found in a text wait as a proposal, and are taken field by field.
    visit.open(page, "/w/board-deck/entry/brand/_")
    page.get_by_label("Text", exact=True).fill("Brand Name: Spokes\nTagline: Wheels that hold.")
    page.locator("#extract-model").select_option("offline:extract")
    page.get_by_role("button", name="Find values").click()
    said(page, "found")
    page.get_by_label("tagline").check()
    if page.get_by_label("name", exact=True).count():
        page.get_by_label("name", exact=True).uncheck()
    page.get_by_role("button", name="Accept what is ticked").click()
    said(page, "1 value taken into the entry")
    brand = visit.call("EntryGet", workbench_id="board-deck", role="brand")["entry"]
    assert (brand["data"]["tagline"], brand["data"]["name"]) == ("Wheels that hold.", "Spokes & Co"), brand
    # A recipe shows what its context costs and what it lacks.
    visit.open(page, "/w/board-deck/recipes").get_by_role("link", name="Weekly").first.click()
    expect(page.locator("main")).to_contain_text("Its context")


def section(page, slug):
    return page.locator(f"article[data-section='{slug}']")


HEARD = """() => {
  window.heard = [];
  let last = null;
  new MutationObserver(() => {
    const now = document.querySelector("#said");
    if (now && now !== last) window.heard.push(now.textContent);
    last = now;
  }).observe(document.body, { childList: true, subtree: true });
}"""

FORMS = """(wanted) => {
  window.forms = wanted.map(([section, act]) => [...document.querySelectorAll(`[data-section="${section}"] form`)]
    .find(one => [...new FormData(one).entries()].some(([name, value]) => name === "act" && value === act)));
  return window.forms.every(one => one);
}"""


def two_at_once(visit, page):
    """Two forms are sent in the same moment, again and again: each says its own sentence, once."""
    slugs = ["one", "two"]
    visit.call("ArtifactCreate", workbench_id="board-deck", title="Twice", content="# Twice\n\n## One\n\nx\n\n## Two\n\ny\n")
    visit.open(page, "/w/board-deck/plans/twice")
    page.evaluate(HEARD)
    said_by = {"fold": "It is shown folded.", "unfold": "It is shown unfolded.", "done": "Marked as done.", "undone": "No longer marked as done."}
    expected = []
    for turn in range(6):
        acts = ["fold", "done"] if turn % 2 == 0 else ["unfold", "undone"]
        # The answer that came last may have been drawn before the other form was done; the page mends that by itself.
        for _ in range(200):
            if page.evaluate(FORMS, list(zip(slugs, acts))):
                break
            page.wait_for_timeout(50)
        page.evaluate("window.forms.forEach(one => one.requestSubmit())")
        expected += [said_by[act] for act in acts]
        until(page, f"window.heard.length >= {len(expected)}")
    heard = page.evaluate("window.heard")
    assert sorted(heard) == sorted(expected), heard
    visit.call("ArtifactDelete", workbench_id="board-deck", slug="twice")
    visit.open(page, "/w/board-deck")


def plans(visit, page):
    """Stages, an artifact from a template, its sections, suggestions, the lock, the way back, in and out."""
    page.get_by_role("link", name="Plans", exact=True).click()
    expect(page.get_by_role("heading", name="Discovery")).to_be_visible()
    page.get_by_role("button", name="Concept", exact=True).click()
    said(page, "“Concept” is made")
    first = page.locator("article.section").first
    slug = first.get_attribute("data-section")
    first.get_by_text("Edit", exact=False).first.click()
    first.get_by_label("Text").fill("Bicycles **by the week**.\n\n- [ ] Price\n\n<script>window.hacked = 1</script>")
    first.get_by_role("button", name="Save section").click()
    said(page, "The section is written")
    expect(section(page, slug).locator("strong")).to_have_text("by the week")
    expect(section(page, slug)).to_contain_text("<script>window.hacked = 1</script>")
    section(page, slug).get_by_role("button", name="Mark done").click()
    said(page, "Marked as done")
    expect(section(page, slug).get_by_role("button", name="Done")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("main")).to_contain_text("1 of ")
    # Somebody else changes it: the page that is open says so.
    page.wait_for_timeout(300)
    op = {"operation": "update_section", "artifact_slug": "concept", "section_slug": slug, "content": "Bicycles by the day."}
    visit.call("ArtifactApplyOps", workbench_id="board-deck", ops=[op])
    expect(section(page, slug).get_by_text("changed since done")).to_be_visible()
    section(page, slug).get_by_role("button", name="Still done").click()
    said(page, "Marked as done")
    # Add, rename, move, delete.
    page.locator("#add-heading").fill("Costs")
    page.locator("#add-text").fill("Unknown yet.")
    page.get_by_label("Place", exact=True).select_option("1")
    page.get_by_role("button", name="Add section").click()
    said(page, "The section is added")
    expect(page.locator("article.section").first).to_have_attribute("data-section", "costs")
    section(page, "costs").get_by_text("Edit", exact=False).first.click()
    section(page, "costs").get_by_label("Heading", exact=True).fill("Costs & prices")
    section(page, "costs").get_by_role("button", name="Rename").click()
    said(page, "Renamed")
    expect(section(page, "costs-prices")).to_contain_text("also reached as costs")
    section(page, "costs-prices").get_by_text("Edit", exact=False).first.click()
    section(page, "costs-prices").get_by_role("button", name="Move down").click()
    said(page, "Moved")
    expect(page.locator("article.section").nth(1)).to_have_attribute("data-section", "costs-prices")
    # A heading inside a section is refused in the operation's words, and what was typed is still there.
    section(page, slug).get_by_text("Edit", exact=False).first.click()
    section(page, slug).get_by_label("Text").fill("One.\n\n## Two\n")
    section(page, slug).get_by_role("button", name="Save section").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(section(page, slug).get_by_label("Text")).to_have_value("One.\n\n## Two\n")
    visit.open(page, "/w/board-deck/plans/concept")
    # Suggestions, one of them on a text that has changed since.
    for text in ["Bicycles by the week or the day.", "Bicycles by the hour."]:
        op = {"operation": "suggest_edit", "artifact_slug": "concept", "section_slug": slug, "suggestion": f"Say: {text}", "content": text}
        visit.call("ArtifactApplyOps", workbench_id="board-deck", ops=[op])
    visit.open(page, "/w/board-deck/plans")
    expect(page.locator("main")).to_contain_text("2 suggestions")
    page.locator(".artifacts").get_by_role("link", name="Concept").click()
    wanted = page.locator("article.suggestion", has_text="or the day")
    expect(wanted.locator(".line.ins")).to_contain_text("Bicycles by the week or the day.")
    wanted.get_by_role("button", name="Accept").click()
    said(page, "the section has the suggested text")
    other = page.locator("article.suggestion")
    expect(other).to_contain_text("conflicts")
    other.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("alert")).to_be_visible()
    other.get_by_role("button", name="Reject").click()
    said(page, "Turned down")
    # The lock, and what it blocks.
    page.get_by_role("button", name="Finalize", exact=True).click()
    said(page, "Finalized")
    blocked = section(page, slug).get_by_role("button", name="Edit")
    expect(blocked).to_have_attribute("title", "This artifact is finalized. Un-finalize it to change it.")
    visit.check(page, "finalized")
    page.get_by_role("button", name="Un-finalize", exact=True).click()
    said(page, "It can be changed again")
    section(page, "costs-prices").get_by_text("Edit", exact=False).first.click()
    section(page, "costs-prices").get_by_role("button", name="Delete section").click()
    said(page, "The section is gone")
    # An old revision is looked at and made the newest.
    page.get_by_label("A name for this revision").fill("as agreed")
    page.get_by_role("button", name="Name it").click()
    said(page, "“as agreed”")
    page.get_by_role("link", name="Look at revision 2").click()
    expect(page.locator("main")).to_contain_text("This is revision 2")
    page.get_by_role("button", name="Restore this revision").click()
    said(page, "Revision 2 is the newest again")
    expect(section(page, slug)).to_contain_text("by the week")
    with page.expect_download() as download:
        page.get_by_role("link", name="Markdown", exact=True).click()
    assert "## " in pathlib.Path(download.value.path()).read_text()
    section(page, slug).get_by_role("button", name="Mark done").click()
    said(page, "Marked as done")
    visit.open(page, "/w/board-deck/plans")
    page.get_by_label("File", exact=True).set_input_files({"name": "ideas.md", "mimeType": "text/markdown", "buffer": b"# Ideas\n\n## First\n\nOne.\n"})
    page.get_by_role("button", name="Import artifact").click()
    said(page, "“Ideas” is made")
    page.get_by_role("button", name="Delete artifact").click()
    said(page, "Deleted. Undo brings it back.")
    assert page.evaluate("window.hacked") is None


def ask(visit, page):
    """An agent works; the page shows it live, even while a user types."""
    page.get_by_role("link", name="Workshop", exact=True).click()
    expect(page.get_by_role("heading", name="What is to be done?")).to_be_visible()
    page.get_by_label("What is to be done?").fill("Set the two figures and shorten the notes")
    page.get_by_role("button", name="Send", exact=True).click()
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("May this be sent to openai:gpt-5.2?")
    question.get_by_label("Always, whatever is added later").check()
    question.get_by_role("button", name="Agree and send").click()
    expect(page.locator(".message.person")).to_contain_text("Set the two figures")
    expect(page.locator("#send button")).to_have_attribute("title", "A run is under way: wait for it, or cancel it.")
    page.get_by_label("What is to be done?").fill("and then")
    expect(page.locator("#progress")).to_contain_text("Research")
    expect(page.locator("#progress")).to_contain_text("Item 1 of 2: Set B3 and B4")
    visit.picture(page, "at-work", full=False)
    expect(page.locator("#progress")).to_contain_text("Item 2 of 2: Shorten notes.txt")
    expect(page.locator(".message.agent")).to_contain_text("Two files are changed.")
    expect(page.get_by_label("What is to be done?")).to_have_value("and then")
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_visible()
    expect(page.locator("#progress")).to_contain_text("xlsx_operations")
    expect(page.locator("#spent")).to_contain_text("tokens in")
    expect(page.get_by_role("link", name="Review 2 changed files")).to_be_visible()
    expect(page.get_by_role("complementary", name="Draft")).to_contain_text("Draft ready for review")
    page.get_by_label("What is to be done?").fill("")
    visit.check(page, "conversation")
    visit.open(page, "/w/board-deck")
    expect(page.get_by_role("button", name="Add files")).to_have_attribute("aria-disabled", "true")
    visit.open(page, "/w/board-deck/context")
    for name in ["Edit", "Direct Edit", "Reprocess from source", "Delete"]:
        control = card(page, "company-context").get_by_role("button", name=name).first
        expect(control).to_have_attribute("aria-disabled", "true")
        expect(control).to_have_attribute("title", BLOCKED)
    card(page, "company-context").get_by_role("button", name="Edit").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#activity")).to_have_text(BLOCKED)


def send_back(visit, page):
    """A comment on a change becomes the agent's next task."""
    visit.open(page, "/w/board-deck/review/notes.txt")
    hunk = page.locator("article.diff").first
    hunk.get_by_text("Comment", exact=False).first.click()
    hunk.get_by_label("Comment on this change").fill("Is this agreed with Jo?")
    hunk.get_by_role("button", name="Send to the agent").click()
    said(page, "The agent has your comment as its next task")
    expect(page.locator(".message.person").last).to_contain_text("in `notes.txt` in the Draft: Is this agreed with Jo?")
    expect(page.locator(".message.agent").last).to_contain_text("Jo was there")
    visit.open(page, "/w/board-deck/review/notes.txt")
    expect(page.locator(".comment").first).to_contain_text("Is this agreed with Jo?")


def review(visit, page):
    page.get_by_role("link", name="Review").first.click()
    expect(page.get_by_text("Reference (Draft start)").first).to_be_visible()
    expect(page.get_by_role("region", name="What the agent says it did")).to_be_visible()
    expect(page.locator("li.change", has_text="budget.xlsx").get_by_role("link", name="step").first).to_be_visible()
    page.get_by_role("link", name="budget.xlsx").click()
    changes = page.locator("article.diff")
    expect(changes.first).to_be_visible()
    expect(page.get_by_role("heading", name="Pages side by side")).to_be_visible()
    expect(page.get_by_role("link", name="Published (current preview)")).to_be_visible()
    assert "baseline" not in page.content().lower()
    rejected = page.locator("article.diff", has_text="B3")
    rejected.get_by_text("Comment", exact=False).first.click()
    rejected.get_by_label("Comment on this change").fill("Where is this from?")
    rejected.get_by_role("button", name="Comment").click()
    said(page, "Your comment is kept")
    expect(page.locator(".comment").first).to_contain_text("Where is this from?")
    page.locator("article.diff", has_text="B4").first.get_by_role("button", name="Accept").click()
    said(page, "Accepted")
    page.locator("article.diff", has_text="B3").first.get_by_role("button", name="Reject").click()
    expect(page.locator("article.diff", has_text="B3!").or_(page.locator("article.diff[aria-label$='!B3']"))).to_have_count(0)
    page.get_by_role("link", name="All changes").click()
    page.get_by_role("button", name="Accept file notes.txt").click()
    said(page, "Accepted notes.txt")
    page.get_by_role("link", name="Publish").first.click()
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("Publish the Draft?")
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    expect(page.get_by_role("link", name="Publish").first).to_be_focused()
    page.get_by_role("link", name="Publish").first.click()
    question.get_by_role("button", name="Publish").click()
    said(page, "Published 2 changed files")
    expect(page.get_by_role("complementary", name="Draft")).to_have_count(0)
    text = visit.call("FileRead", workbench_id="board-deck", path="notes.txt")["text"]
    assert text == "Only this is left.\n", text
    sheet = visit.call("XlsxGetMap", workbench_id="board-deck", path="budget.xlsx")["sheets"][0]["name"]
    cells = visit.call("XlsxReadRange", workbench_id="board-deck", path="budget.xlsx", sheet=sheet, range="B3:B4")["text"]
    assert "Jan" in cells and "99" in cells and "1234" not in cells, cells


def history(visit, page):
    page.get_by_role("link", name="History").click()
    expect(page.locator("ol.journal > li").first).to_contain_text("published")
    expect(page.get_by_text("before a publish")).to_be_visible()
    page.get_by_label("Name").fill("after the meeting")
    page.get_by_role("button", name="Make a checkpoint").click()
    said(page, "“after the meeting” is made")
    page.get_by_role("button", name="Undo").click()
    said(page, "Taken back")
    expect(page.get_by_role("complementary", name="Draft")).to_be_visible()
    text = visit.call("FileRead", workbench_id="board-deck", path="notes.txt", root="published")["text"]
    assert text.startswith("Finance meeting"), text
    page.get_by_role("button", name="Redo").click()
    said(page, "Made again")
    page.get_by_role("link", name="Prompt").click()
    expect(page.get_by_role("heading", name="The bill")).to_be_visible()
    expect(page.locator(".bill")).to_contain_text("report.docx")


def test(visit):
    page = visit.page()
    for step in [create, add_files, items, direct_edit, entries, plans, two_at_once, ask, send_back, review, history]:
        print(step.__name__, flush=True)
        step(visit, page)
        visit.check(page, step.__name__)


run(test)
