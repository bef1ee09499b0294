"""Every screen, light and dark, wide and narrow: checked by axe, with screenshots for manual review."""

import base64

from drive import LOGO, expect, run, said

WIDTHS = {"wide": (1280, 900), "narrow": (375, 740)}


def prepare(visit, page):
    """The demo workbench, with an item, a comment, edits in three formats and a proposal."""
    visit.open(page, "/")
    visit.picture(page, "home-first")
    visit.check(page, "home-first")
    page.get_by_role("button", name="Open the demo workbench").click()
    # An agent works on a task for it, which takes its time on a busy machine.
    expect(page.locator("#said")).to_contain_text("This is the demo workbench", timeout=120_000)
    demo = {"workbench_id": "demo"}
    visit.call("DraftPublish", **demo)
    visit.call("WorkbenchCreate", name="A workbench with a rather long name, as people give them when they have little time: third quarter")
    visit.call("WorkbenchCreate", name="Empty")
    content = base64.b64encode(LOGO).decode()
    visit.call("AssetUpload", **demo, name="logo.png", content_base64=content, role="brand", field="logo")
    visit.call("EntryPut", **demo, role="brand", data={"colors": ["#0F5F6B", "#F0C878", "#9C2528"]})
    visit.call("EntryExtract", **demo, role="brand", text="Tagline: Wheels that hold.", model="offline:extract")
    visit.open(page, "/w/demo/context/department-context/input")
    page.get_by_label("Text", exact=True).fill("Finance: two people. Goal: the books closed by the fifth working day. Tools: the bank export and the budget.")
    page.get_by_label("Model").select_option("offline:extract")
    page.get_by_role("button", name="Process", exact=True).click()
    said(page, "is active")
    visit.open(page, "/w/demo/context/situation/input")
    page.get_by_label("Text", exact=True).fill("Board meeting on Friday. Deadline: 14 April. Audience: the board.")
    page.get_by_label("Model").select_option("offline:extract")
    page.get_by_role("button", name="Reprocess", exact=True).click()
    said(page, "is active")
    visit.open(page, "/w/demo/context/situation?edit=1")
    pane = page.get_by_label("context.md")
    pane.fill(pane.input_value() + "- Bring paper copies.\n")
    page.get_by_role("button", name="Save").click()
    said(page, "Saved as it is")
    visit.call("RecipeRun", **demo, recipe="weekly-content-calendar", model="offline:extract", wait=True)
    sheet = visit.call("XlsxGetMap", **demo, path="budget.xlsx")["sheets"][0]["name"]
    ops = [{"op": "set_range", "sheet": sheet, "start": "B3", "values": [[1234], [99]]}]
    visit.call("XlsxApplyOps", **demo, path="budget.xlsx", ops=ops)
    section = visit.call("DocxGetMap", **demo, path="report.docx")["sections"][1]
    ops = [{"op": "replace_text", "search": section["heading"], "replace": section["heading"] + ", revised"}]
    visit.call("DocxApplyOps", **demo, path="report.docx", ops=ops)
    text = visit.call("FileRead", **demo, path="notes.txt")["text"].replace("Worth it, but not for ever.", "Worth it until the summer.")
    visit.call("DraftWriteText", **demo, path="notes.txt", text=text)
    visit.call("DraftRemoveFile", **demo, path="policy.pdf")
    visit.call("ReviewComment", **demo, path="notes.txt", text="Is this agreed with Jo?")


    long = "A heading that was written in a hurry and that continues for much longer than any heading should, with one-very-long-word-that-does-not-break-anywhere-at-all"
    ops = [
        {"operation": "mark_section_done", "artifact_slug": "concept", "section_slug": "core-features", "is_done": True},
        {"operation": "update_section", "artifact_slug": "concept", "section_slug": "what-is-it", "content": "Bicycles by the week.\n\n```\ncode\n```\n\n> quoted"},
        {"operation": "create_section", "artifact_slug": "scope", "title": long, "content": "x" * 400},
    ]
    visit.call("ArtifactApplyOps", **demo, ops=ops)
    visit.call("ArtifactFinalize", **demo, slug="scope")
    visit.call("ConsentGrant", **demo, model="openai:gpt-5.2", reach="all")
    session = visit.call("SessionCreate", **demo, title="How the quarter went")["session"]["id"]
    visit.call("WorkshopSend", **demo, session_id=session, message="Which figures are short of the plan, and why? Write it down.", options={"model": "openai:gpt-5.2"})
    SCREENS["agent-session"] = f"/w/demo/agent/session/{session}"


SCREENS = {
    "home": "/",
    "plans": "/w/demo/plans",
    "plans-empty": "/w/empty/plans",
    "plan": "/w/demo/plans/concept",
    "plan-finalized": "/w/demo/plans/scope",
    "plan-edit": "/w/demo/plans/concept?edit=1",
    "plan-revision": "/w/demo/plans/concept?revision=1",
    "workshop": "/w/demo/workshop",
    "workshop-empty": "/w/empty/workshop",
    "agent": "/w/demo/agent",
    "agent-empty": "/w/empty/agent",
    "agent-workspace": "/w/demo/agent/workspace/jig",
    "files": "/w/demo",
    "files-empty": "/w/empty",
    "file": "/w/demo/file/report.docx",
    "context": "/w/demo/context",
    "context-empty": "/w/empty/context",
    "item": "/w/demo/context/company-context",
    "item-input": "/w/empty/context/company-context/input",
    "roles": "/w/demo/roles",
    "entry": "/w/demo/entry/brand/_",
    "entries": "/w/demo/entries/competitor",
    "proposals": "/w/demo/proposals",
    "recipes": "/w/demo/recipes",
    "recipe": "/w/demo/recipes/weekly-content-calendar",
    "review": "/w/demo/review",
    "review-empty": "/w/empty/review",
    "review-text": "/w/demo/review/notes.txt",
    "review-docx": "/w/demo/review/report.docx",
    "review-xlsx": "/w/demo/review/budget.xlsx",
    "publish": "/w/demo/publish",
    "history": "/w/demo/history",
    "prompt": "/w/demo/prompt?bill=1",
    "prompt-asked": "/w/demo/prompt?message=Summarise+the+budget&bill=1",
    "settings": "/w/demo/settings",
    "server": "/settings",
    "lost": "/nowhere",
    "lost-workbench": "/w/nowhere",
}


def dialogs(visit, page, name):
    visit.open(page, "/w/demo/review")
    page.get_by_role("link", name="Publish").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    visit.check(page, f"dialog-{name}")
    visit.picture(page, f"dialog-{name}", full=False)
    page.keyboard.press("Escape")


# The pictures of the manual: `docs/images`.
MANUAL = {
    "context-light": ("/w/demo/context", "light"),
    "review-light": ("/w/demo/review/budget.xlsx", "light"),
    "plan-light": ("/w/demo/plans/concept", "light"),
    "workshop-dark": ("/w/demo/workshop", "dark"),
    "prompt-dark": ("/w/demo/prompt?message=Summarise+the+budget&bill=1", "dark"),
}


def manual(visit):
    for name, (path, scheme) in MANUAL.items():
        page = visit.page(1200, 760, scheme)
        visit.open(page, path)
        page.evaluate("Promise.allSettled([...document.images].map(i => (i.loading = 'eager', i.decode())))")
        visit.picture(page, f"manual-{name}", full=False)
        page.context.close()


def test(visit):
    prepare(visit, visit.page())
    manual(visit)
    for scheme in ["light", "dark"]:
        for width, (across, down) in WIDTHS.items():
            page = visit.page(across, down, scheme)
            for name, path in SCREENS.items():
                visit.open(page, path)
                page.evaluate("Promise.allSettled([...document.images].map(i => (i.loading = 'eager', i.decode())))")
                visit.check(page, f"{name}-{width}-{scheme}")
                visit.picture(page, f"{name}-{width}-{scheme}")
            dialogs(visit, page, f"{width}-{scheme}")
            page.context.close()
    # The switch: as the system, then dark, then light, and it is kept.
    page = visit.page()
    visit.open(page, "/")
    for theme in ["dark", "light", None]:
        page.locator("#theme").click()
        if theme:
            expect(page.locator("html")).to_have_attribute("data-theme", theme)
        else:
            expect(page.locator("html")).not_to_have_attribute("data-theme", "light")
    page.locator("#theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    visit.open(page, "/settings")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


run(test)
