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
    "review": "/w/{id}/review",
    "review of a file": "/w/{id}/review/in/file-0001.txt",
    "history": "/w/{id}/history",
    "prompt": "/w/{id}/prompt",
    "settings": "/w/{id}/settings",
    "settings of the server": "/settings",
}
ROUNDS = 7
PAINT = "performance.getEntriesByType('paint').find(one => one.name === 'first-contentful-paint')?.startTime"


def main():
    address, chromium, workbench = sys.argv[1:4]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        # The browser's own first page is not what is measured.
        browser.new_page().goto("about:blank")
        measured = {}
        for name, path in SCREENS.items():
            times = []
            for _ in range(ROUNDS):
                # A context of its own: nothing is kept from the visit before.
                context = browser.new_context(viewport={"width": 1280, "height": 900})
                page = context.new_page()
                page.goto(address + path.format(id=workbench))
                page.wait_for_function(f"!!({PAINT})")
                times.append(page.evaluate(PAINT))
                context.close()
            measured[name] = [times[0], statistics.median(times[1:])]
        script = len(play.request.new_context().get(f"{address}/static/page.js").body())
        print(json.dumps({"screens": measured, "script_bytes": script}))


main()
