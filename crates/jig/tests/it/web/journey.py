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
    expect(question).to_contain_text("notes.txt")
    visit.check(page, "consent")
    visit.picture(page, "consent", full=False)
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_have_count(0)
    expect(page.get_by_label("Text", exact=True)).to_have_value("We rent and mend bicycles in three towns. Couriers are our customers.")
    page.get_by_role("button", name="Process", exact=True).click()
    question.get_by_label("As long as the workbench holds the same files and items").check()
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
    page.get_by_label("Logo").set_input_files({"name": "logo.png", "mimeType": "image/png", "buffer": b"no picture at all"})
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


def draft(visit, page):
    """An agent writes; the page that is open shows it by itself."""
    visit.open(page, "/w/board-deck")
    page.wait_for_timeout(300)
    sheet = visit.call("XlsxGetMap", workbench_id="board-deck", path="budget.xlsx")["sheets"][0]["name"]
    ops = [{"op": "set_range", "sheet": sheet, "start": "B3", "values": [[1234], [99]]}]
    visit.call("XlsxApplyOps", workbench_id="board-deck", path="budget.xlsx", ops=ops)
    visit.call("DraftWriteText", workbench_id="board-deck", path="notes.txt", text="Only this is left.\n")
    expect(page.get_by_role("complementary", name="Draft")).to_contain_text("A Draft waits.")
    expect(page.get_by_role("button", name="Add files")).to_have_attribute("aria-disabled", "true")
    visit.open(page, "/w/board-deck/context")
    for name in ["Edit", "Direct Edit", "Reprocess from source", "Delete"]:
        control = card(page, "company-context").get_by_role("button", name=name).first
        expect(control).to_have_attribute("aria-disabled", "true")
        expect(control).to_have_attribute("title", BLOCKED)
    card(page, "company-context").get_by_role("button", name="Edit").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#activity")).to_have_text(BLOCKED)


def review(visit, page):
    page.get_by_role("link", name="Review").first.click()
    expect(page.get_by_text("Reference (Draft start)").first).to_be_visible()
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
    for step in [create, add_files, items, direct_edit, entries, draft, review, history]:
        print(step.__name__, flush=True)
        step(visit, page)
        visit.check(page, step.__name__)


run(test)
