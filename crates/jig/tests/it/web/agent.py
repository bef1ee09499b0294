"""A running agent: its questions, the end of a run, failures, resuming, going back, and inspecting each step."""

from drive import expect, run, said


def send(page, words):
    page.get_by_label("What is to be done?").fill(words)
    page.get_by_label("What is to be done?").press("Control+Enter")
    expect(page.locator(".message.person").last).to_contain_text(words)


def idle(page):
    expect(page.locator("#live")).to_have_attribute("data-status", "idle")


def questions(visit, page, session):
    visit.open(page, f"/w/talk/workshop/{session}")
    send(page, "Write a file")
    ask = page.get_by_role("group", name="May the agent call write_text_file?")
    expect(ask).to_contain_text("files.write")
    visit.check(page, "question")
    visit.picture(page, "question")
    ask.get_by_role("button", name="Allow once").click()
    expect(page.locator(".message.agent").last).to_contain_text("since you allowed it")
    idle(page)
    expect(page.get_by_role("link", name="Review 1 changed file")).to_be_visible()
    send(page, "And another one")
    ask.get_by_role("button", name="Deny").click()
    expect(page.locator(".message.agent").last).to_contain_text("Then not.")
    expect(page.locator("#progress")).to_contain_text("TOOL_NOT_PERMITTED")
    files = visit.call("FileList", workbench_id="talk", root="draft")["files"]
    assert [one["path"] for one in files] == ["first.txt"], files


def stopping(visit, page):
    send(page, "Think for long")
    page.get_by_role("button", name="Cancel the run").click()
    said(page, "The run ends")
    idle(page)
    expect(page.locator("#progress")).to_contain_text("The run was cancelled.")
    send(page, "Fail")
    failure = page.get_by_role("alert")
    expect(failure).to_contain_text("Paused")
    expect(failure).to_contain_text("PROVIDER_AUTH_FAILED")
    visit.check(page, "stands-still")
    visit.picture(page, "stands-still")
    failure.get_by_role("button", name="Resume").click()
    expect(page.locator(".message.agent").last).to_contain_text("Here I am again.")
    idle(page)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".message.agent").last).to_contain_text("Said in other words.")
    idle(page)
    assert page.locator(".message.agent", has_text="Here I am again.").count() == 0
    page.locator(".message.person", has_text="And another one").get_by_role("button", name="Undo to here").click()
    said(page, "as they were at that message")
    expect(page.locator(".message.person", has_text="Fail")).to_have_count(0)


def inside(visit, page, session):
    """Every step as the model saw it, and the proof that it was so."""
    page.get_by_role("link", name="Agent", exact=True).click()
    page.get_by_role("region", name="Sessions").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="What the model saw")).to_be_visible()
    page.get_by_role("link", name="First", exact=True).click()
    expect(page.locator("#step")).to_contain_text("Step 1 of")
    expect(page.locator("#step")).to_contain_text("Write a file")
    expect(page.locator("#step")).to_contain_text("calls write_text_file")
    page.get_by_text("What each source of it costs").click()
    expect(page.get_by_role("heading", name="The bill")).to_be_visible()
    visit.check(page, "step")
    page.get_by_role("link", name="Replay").click()
    expect(page.locator("#replay")).to_contain_text("The same, byte for byte")


def watching(visit, page, session):
    """The screen of a session follows it without disturbing what the user is doing."""
    looking, chosen = visit.page(), visit.page()
    visit.open(looking, f"/w/talk/agent/session/{session}")
    visit.open(chosen, f"/w/talk/agent/session/{session}?step=1")
    looking.get_by_label("Workspace or version").fill("half typed")
    expect(looking.locator("#live")).to_have_attribute("data-status", "idle")
    visit.open(page, f"/w/talk/workshop/{session}")
    send(page, "Look around")
    expect(looking.locator("#live")).to_have_attribute("data-status", "running")
    expect(looking.locator("#progress")).to_contain_text("list_files")
    expect(looking.locator("#step-shown")).to_contain_text("list_files")
    visit.check(looking, "watched")
    visit.picture(looking, "watched")
    expect(looking.locator("#step-shown")).to_contain_text("Seen while it happened.")
    expect(looking.locator("#live")).to_have_attribute("data-status", "idle")
    expect(looking.get_by_label("Workspace or version")).to_have_value("half typed")
    expect(chosen.locator("#step-shown")).to_contain_text("Write a file")
    total = looking.locator("#step-ways .muted").inner_text().split()[-1]
    expect(chosen.locator("#step-ways")).to_contain_text(f"Step 1 of {total}")
    chosen.get_by_role("link", name="Newest").click()
    expect(chosen.locator("#step-shown")).to_contain_text("Seen while it happened.")
    looking.context.close()
    chosen.context.close()


def recipe(visit, page, session):
    """The run of a recipe is watched in its session, and what it made leads there."""
    plans = {"workbench_id": "plans"}
    visit.call("WorkbenchCreate", name="Plans")
    visit.call("ConsentGrant", **plans, model="openai:gpt-5.2", reach="all")
    visit.call("EntryPut", **plans, role="brand", data={"name": "Acme Wheels", "voice": "Plain."})
    visit.call("EntryPut", **plans, role="customer", data={"description": "Couriers", "pain_points": ["no time"]})
    job = visit.call("RecipeRun", **plans, recipe="weekly-content-calendar", wait=False)["job"]["id"]
    while visit.call("SessionList", **plans, recipes=True)["sessions"] == []:
        page.wait_for_timeout(50)
    visit.open(page, "/w/plans/recipes/weekly-content-calendar")
    page.get_by_role("link", name="Watch it").click()
    assert page.url.endswith(job), page.url
    expect(page.locator("#live")).to_have_attribute("data-status", "running")
    expect(page.locator("#step-shown")).to_contain_text("Acme Wheels")
    expect(page.locator("#step-shown")).to_contain_text("Cargo bikes")
    expect(page.locator("#live")).to_have_attribute("data-status", "idle")
    page.get_by_role("link", name="Recipe", exact=True).click()
    made = page.get_by_role("article").filter(has_text="Cargo bikes")
    visit.check(page, "made")
    visit.picture(page, "made")
    made.get_by_role("link", name="What the model saw").click()
    expect(page.locator("#step-ways")).to_contain_text("Step 1 of 1")
    expect(page.locator("#step-shown")).to_contain_text("Acme Wheels")


def workspace(visit, page, session):
    """A workspace of one's own, synced, applied and reverted."""
    visit.open(page, "/w/talk/agent")
    page.get_by_role("button", name="Begin one of your own").click()
    said(page, "taken over")
    page.get_by_role("link", name="prompts/templates/base.md").click()
    page.locator("#file-text").fill("Answer in one sentence.\n")
    page.locator("#file").get_by_role("button", name="Save as a new version").click()
    said(page, "is the newest version now")
    page.get_by_role("link", name="Compare with the one that comes with Jig").click()
    expect(page.locator("#diff .line.ins").first).to_contain_text("Answer in one sentence.")
    visit.open(page, f"/w/talk/agent/session/{session}")
    page.get_by_label("Workspace or version").fill("own")
    page.get_by_role("button", name="Sync").click()
    said(page, "A snapshot is ready")
    pending = page.get_by_role("article", name="Pending")
    expect(pending).to_contain_text("own@")
    expect(page.locator("#diff")).to_contain_text("prompts/templates/base.md")
    visit.check(page, "pending")
    visit.picture(page, "pending")
    pending.get_by_label("When").select_option("immediate_if_idle")
    pending.get_by_role("button", name="Apply").click()
    said(page, "It is in use")
    expect(page.get_by_role("article", name="In use")).to_contain_text("own@")
    page.get_by_text("In use before").click()
    page.get_by_role("article", name="Before").get_by_role("button", name="Go back to it").click()
    said(page, "It is adopted when that is due")
    # What is wrong is told all at once, with its place; nothing changes.
    files = [{"path": "agent.workspace.json", "text": '{"schema": "jig.agent-workspace/1", "nonsense": 1}'}]
    visit.call("AgentWorkspaceCommit", workbench_id="talk", name="own", files=files)
    page.get_by_label("Workspace or version").fill("own")
    page.get_by_role("button", name="Sync").click()
    expect(page.get_by_role("alert")).to_contain_text("agent.workspace.json")
    expect(page.get_by_role("article", name="In use")).to_contain_text("own@")


def test(visit):
    page = visit.page()
    talk = {"workbench_id": "talk"}
    visit.call("WorkbenchCreate", name="Talk")
    visit.call("ConsentGrant", **talk, model="openai:gpt-5.2", reach="all")
    rule = {"capability": "files.write", "decision": "ask"}
    session = visit.call("SessionCreate", **talk, title="With questions", policy=[rule], mode="direct")["session"]["id"]
    # The page's own choice is made in the form; these runs go directly.
    visit.open(page, f"/w/talk/workshop/{session}")
    for step in [questions, stopping, inside, watching, recipe, workspace]:
        print(step.__name__, flush=True)
        step(visit, page) if step is stopping else step(visit, page, session)
        visit.check(page, step.__name__)


run(test)
