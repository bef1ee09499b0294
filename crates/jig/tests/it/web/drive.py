"""A browser for the tests of the page: real clicks and keys in Chromium, and what must hold on every screen."""

import base64
import json
import os
import pathlib
import sys
import urllib.request
from urllib.parse import urlparse

import axe_playwright_python
from playwright.sync_api import expect, sync_playwright

AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
LOGO = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFUlEQVR4nGPgj8/BihgGlwQ/DjC4JAC3TkIBnjPZ2gAAAABJRU5ErkJggg=="
)
expect.set_options(timeout=60_000)


class Visit:
    """One server, one browser, and a folder for what they show."""

    def __init__(self, play):
        self.url, out, chromium = sys.argv[1:4]
        self.out = pathlib.Path(out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        self.complaints = []
        self.requests = set()
        self.token = os.environ.get("JIG_TEST_START_TOKEN") or None

    def page(self, width=1280, height=900, scheme="light", signed_in=True, **options):
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True, **options
        )
        start = os.environ.get("JIG_TEST_START_TOKEN")
        if start and signed_in:
            context.add_cookies([{"name": "jig_token", "value": start, "url": self.url}])
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("request", lambda request: self.requests.add(request.url))
        page.on("pageerror", lambda error: self.complaints.append(f"script: {error}"))
        page.on("console", self.console)
        return page

    def console(self, message):
        # A refusal that the page shows is also told here, as the status of its request.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.complaints.append(f"{message.type}: {message.text}")

    def call(self, operation, **params):
        """An operation, as a program calls it."""
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(
            f"{self.url}/api/op/{operation}", json.dumps(params).encode(), headers, method="POST"
        )
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{operation}: {error.read().decode()}") from error

    def open(self, page, path):
        page.goto(self.url + path)
        return page

    def check(self, page, name):
        """No serious finding of axe, nothing in the page itself that a policy forbids, nothing wider than the screen."""
        # Half faded in, a text has half its contrast.
        page.evaluate("Promise.allSettled(document.getAnimations().map(one => one.finished)).then(() => null)")
        page.evaluate(AXE)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        serious = [one for one in found if one["impact"] in ("serious", "critical")]
        words = [(one["id"], one["help"], [node["html"][:300] for node in one["nodes"][:3]]) for one in serious]
        assert not words, f"{name}: {json.dumps(words, indent=1)}"
        inline = page.evaluate(
            "[...document.querySelectorAll('*')].filter(e => e.getAttribute('style') || "
            "(e.tagName === 'SCRIPT' && !e.src) || e.tagName === 'STYLE' || "
            "[...e.attributes].some(a => a.name.startsWith('on'))).map(e => e.outerHTML.slice(0, 200))"
        )
        assert not inline, f"{name}: {inline}"
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{name}: {wide} px wider than the screen"

    def picture(self, page, name, full=True):
        page.screenshot(path=self.out / f"{name}.png", full_page=full)

    def finish(self):
        outside = [url for url in self.requests if urlparse(url).hostname != "127.0.0.1" and not url.startswith(("data:", "blob:"))]
        assert not outside, f"requests left the machine: {outside}"
        assert not self.complaints, f"the browser complains: {self.complaints}"
        self.browser.close()


def run(test):
    with sync_playwright() as play:
        visit = Visit(play)
        try:
            test(visit)
            visit.finish()
        except BaseException:
            for n, context in enumerate(visit.browser.contexts):
                for page in context.pages:
                    page.screenshot(path=visit.out / f"failed-{n}.png", full_page=True)
                    print(f"at {page.url}", file=sys.stderr)
            raise
    print("all is well")


def said(page, words):
    expect(page.locator("#said")).to_contain_text(words)


def until(page, condition):
    """Waits for a condition. The page's policy forbids what Playwright waits by."""
    for _ in range(400):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never: {condition}")
