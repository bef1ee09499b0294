"""How long until the first paint of each screen of the page, in Chromium: the first visit, and the median of later ones.

Called by the measuring program with the server's address, the browser and the workbench's id; prints one line of JSON.
"""

import json
import statistics
import sys

from playwright.sync_api import sync_playwright

SCREENS = {
    "workbenches": "/",
    "files": "/w/{id}",
    "a file": "/w/{id}/file/in/file-0001.txt",
    "context": "/w/{id}/context",
    "roles": "/w/{id}/roles",
    "entries of a role": "/w/{id}/entries/competitor",
    "an entry": "/w/{id}/entry/brand/_",
    "proposals": "/w/{id}/proposals",
    "recipes": "/w/{id}/recipes",
    "a recipe": "/w/{id}/recipes/weekly-content-calendar",
    "plans": "/w/{id}/plans",
    "an artifact": "/w/{id}/plans/plan-001",
    "workshop": "/w/{id}/workshop",
    "agent": "/w/{id}/agent",
    "an agent workspace": "/w/{id}/agent/workspace/jig",
    "review": "/w/{id}/review",
    "review of a file": "/w/{id}/review/in/file-0001.txt",
    "history": "/w/{id}/history",
    "prompt": "/w/{id}/prompt",
    "settings": "/w/{id}/settings",
    "settings of the server": "/settings",
}
ROUNDS = 7
ANSWER = "(() => { const t = performance.getEntriesByType('navigation')[0]; return t.responseEnd - t.requestStart; })()"
PAINT = "performance.getEntriesByType('paint').find(one => one.name === 'first-contentful-paint')?.startTime"


def main():
    address, chromium, workbench = sys.argv[1:4]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        # Style and script come anew with each visit; the browser's own start is not what is measured.
        page.context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
        page.goto(address + "/static/icon.svg")
        measured = {}
        for name, path in SCREENS.items():
            times = []
            for _ in range(ROUNDS):
                page.goto(address + path.format(id=workbench))
                # The page's policy forbids what Playwright waits by.
                while (painted := page.evaluate(PAINT)) is None:
                    page.wait_for_timeout(5)
                times.append((page.evaluate(ANSWER), painted))
            later = [statistics.median(one[n] for one in times[1:]) for n in (0, 1)]
            measured[name] = [*times[0], *later]
        script = len(play.request.new_context().get(f"{address}/static/page.js").body())
        print(json.dumps({"screens": measured, "script_bytes": script}))


main()
