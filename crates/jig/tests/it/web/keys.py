"""The keyboard alone, on a small screen: no click anywhere."""

from drive import expect, run, said


def reach(page, words, most=80):
    """Tabs until the control with this name has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "(() => { const e = document.activeElement; return (e.getAttribute('aria-label') || "
            "(e.labels && e.labels[0] && e.labels[0].innerText) || e.innerText || e.id || '').trim(); })()"
        )
        if name.startswith(words):
            visible = page.evaluate(
                "(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0; })()"
            )
            assert visible, f"the focus on {words} cannot be seen"
            return
    raise AssertionError(f"{words} is not reached by the keyboard")


def test(visit):
    page = visit.page(375, 740)
    visit.open(page, "/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id || location.hash") in ("main", "#main")
    reach(page, "Name")
    page.keyboard.type("Keys")
    page.keyboard.press("Enter")
    said(page, "“Keys” is made")
    assert page.evaluate("document.activeElement.id") in ("said", "main"), "the focus goes to what was said"
    visit.open(page, "/w/keys/context")
    reach(page, "Add")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Add Company-Wide")).to_be_visible()
    reach(page, "Write text")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Upload file")).to_be_checked()
    expect(page.get_by_label("Note (optional)")).to_be_visible()
    page.keyboard.press("ArrowUp")
    reach(page, "Text")
    page.keyboard.type("We rent bicycles.")
    reach(page, "Model")
    page.keyboard.type("offline")
    reach(page, "Process")
    page.keyboard.press("Enter")
    said(page, "is active")
    # A dialog takes the focus, keeps it, gives it back.
    reach(page, "Reprocess from source")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    for _ in range(8):
        page.keyboard.press("Tab")
        inside = page.evaluate("!!document.activeElement.closest('dialog') || document.activeElement === document.body")
        assert inside, "the focus left the dialog"
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.evaluate("document.activeElement.innerText") == "Reprocess from source"
    # A blocked control can be reached, and says why.
    visit.call("DraftWriteText", workbench_id="keys", path="a.txt", text="a\n")
    visit.open(page, "/w/keys/context")
    reach(page, "Edit")
    page.keyboard.press("Enter")
    expect(page.locator("#activity")).to_have_text("Publish or discard your Draft to modify context.")
    visit.open(page, "/w/keys/review/a.txt")
    reach(page, "Accept")
    page.keyboard.press("Enter")
    said(page, "Accepted")
    visit.open(page, "/w/keys/review")
    reach(page, "Publish")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    reach(page, "Publish")
    page.keyboard.press("Enter")
    said(page, "Published 1 changed file")
    # A plan, made and ticked off.
    visit.open(page, "/w/keys/plans")
    reach(page, "Title")
    page.keyboard.type("Notes")
    page.keyboard.press("Enter")
    said(page, "“Notes” is made")
    reach(page, "Heading")
    page.keyboard.type("First")
    page.keyboard.press("Enter")
    said(page, "The section is added")
    reach(page, "Mark done")
    page.keyboard.press("Enter")
    said(page, "Marked as done")
    # A task: without a model the page says what to do, and the words are still there.
    visit.open(page, "/w/keys/workshop")
    reach(page, "What is to be done?")
    page.keyboard.type("Sum it up")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("PROVIDER_NOT_CONFIGURED")
    expect(page.get_by_label("What is to be done?")).to_have_value("Sum it up")


run(test)
