"""Hostile names and contents, tokens and roles, pages of other sites, and a page without its script."""

import json
import urllib.error
import urllib.request

from drive import expect, run, said

SCRIPT = "<script>window.hacked = 1</script>"
NAMES = ["<img src=x onerror=alert(1)>.txt", "\u202etxt.exe", "a" * 120 + ".txt", "ü & “ö” %2F?#.txt", "' onclick='x.txt"]


def raw(visit, method, path, headers=None, body=b""):
    request = urllib.request.Request(visit.url + path, data=body or None, headers=headers or {}, method=method)
    opener = urllib.request.build_opener(NoRedirect)
    try:
        with opener.open(request) as answer:
            return answer.status, dict(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read().decode()


def signed(visit):
    """The cookie of whoever started the server."""
    return {"Cookie": f"jig_token={visit.token}"}


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def hostile(visit, page):
    visit.open(page, "/")
    page.get_by_label("Name").fill(f"{SCRIPT} & “names”")
    page.get_by_role("button", name="Create workbench").click()
    said(page, "is made")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{SCRIPT} & “names”")
    place = page.url.removeprefix(visit.url)
    bench = {"workbench_id": place.removeprefix("/w/")}
    for name in NAMES:
        page.get_by_label("Drop files here").set_input_files({"name": name, "mimeType": "text/plain", "buffer": SCRIPT.encode()})
        page.get_by_role("button", name="Add files").click()
        expect(page.locator("#said, #failure").first).to_be_visible()
        visit.open(page, place)
    there = [file["path"] for file in visit.call("FileList", **bench)["files"]]
    taken = [name for name in NAMES if name in there]
    assert len(taken) >= 3, taken
    for name in taken:
        expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()
    page.get_by_role("link", name=taken[0], exact=True).click()
    expect(page.locator("pre.text")).to_contain_text(SCRIPT)
    # Ten million bytes of one line, and of many.
    for name, content in [("long.txt", b"<b>x" * 2_500_000), ("lines.md", f"{SCRIPT}\n".encode() * 200_000)]:
        visit.open(page, place)
        page.get_by_label("Drop files here").set_input_files({"name": name, "mimeType": "text/plain", "buffer": content})
        page.get_by_role("button", name="Add files").click()
        said(page, "1 file added")
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", name="Text", exact=True)).to_be_visible()
        assert len(page.content()) < 1_000_000, len(page.content())
    # The same in an entry, an item and a Draft.
    visit.call("EntryPut", **bench, role="competitor", entry_key="x", display_name=SCRIPT, data={"name": SCRIPT, "description": SCRIPT})
    visit.open(page, f"{place}/entries/competitor")
    expect(page.get_by_role("link", name=SCRIPT)).to_be_visible()
    page.get_by_role("link", name=SCRIPT).click()
    expect(page.get_by_label("Name")).to_have_value(SCRIPT)
    visit.open(page, f"{place}/context/situation/input")
    page.get_by_label("Text", exact=True).fill(f"</textarea>{SCRIPT}\nDeadline: Friday")
    page.get_by_label("Model").select_option("offline:extract")
    page.get_by_role("button", name="Process", exact=True).click()
    said(page, "is active")
    visit.open(page, f"{place}/context/situation?edit=1")
    visit.call("DraftWriteText", **bench, path=taken[0], text=f"{SCRIPT}\n\u202eabc\n</pre><h1>x</h1>")
    visit.call("ReviewComment", **bench, path=taken[0], text=SCRIPT)
    visit.open(page, f"{place}/review")
    page.get_by_role("link", name=taken[0], exact=True).first.click()
    expect(page.locator(".comment").first).to_contain_text(SCRIPT)
    content = f"# {SCRIPT}\n\n## {SCRIPT}\n\n{SCRIPT} [x](javascript:alert(1)) ![x](https://evil.example/x.png)\n\n## \u202eabc\n\n<iframe src=//evil.example></iframe>\n"
    visit.call("ArtifactCreate", **bench, title="Hostile", slug="hostile", content=content)
    visit.call("SessionCreate", **bench, title=SCRIPT)
    visit.open(page, f"{place}/plans/hostile")
    expect(page.locator("article.section").first).to_contain_text(SCRIPT)
    assert page.locator("main a[href^='javascript']").count() == 0 and page.locator("main img, main iframe").count() == 0
    for step in ["/plans", "/plans/hostile", "/plans/hostile?edit=1", "/workshop", "/workshop?new=1", "/agent", "", "/context", "/review", "/history", "/prompt?bill=1", "/prompt?message=%3Cscript%3E&bill=1", "/settings", "/recipes"]:
        visit.open(page, place + step)
        visit.check(page, step)
        assert page.evaluate("window.hacked") is None
    visit.open(page, "/?q=%3Cscript%3Ealert(1)%3C/script%3E")
    visit.open(page, "/sign-in?next=//evil.example")
    expect(page.locator("input[name=next]")).to_have_value("/")


def policy(visit):
    status, headers, text = raw(visit, "GET", "/", {"Accept": "text/html"} | signed(visit))
    csp = headers["content-security-policy"]
    assert status == 200 and "script-src 'self'" in csp and "unsafe" not in csp and "default-src 'none'" in csp, csp
    script = raw(visit, "GET", "/static/page.js")[2]
    style = raw(visit, "GET", "/static/page.css")[2]
    assert len(script) < 150_000 and "http://" not in script + style and "https://" not in script + style
    # A form of another site, and one that does not say where it comes from.
    form = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
    for more in [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {}]:
        status, _, text = raw(visit, "POST", "/w", form | more | signed(visit), b"name=Evil")
        assert status == 403, (more, status, text)
    assert "Evil" not in json.dumps(visit.call("WorkbenchList"))
    status, _, text = raw(visit, "POST", "/w", form | {"Origin": visit.url} | signed(visit), b"name=")
    assert status == 400 and 'id="failure"' in text, (status, text)


def without_script(visit):
    """Every form is a form."""
    page = visit.page(java_script_enabled=False)
    visit.open(page, "/")
    page.get_by_label("Name").fill("Plain")
    page.get_by_role("button", name="Create workbench").click()
    said(page, "“Plain” is made")
    page.get_by_label("Drop files here").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"a\n"})
    page.get_by_role("button", name="Add files").click()
    said(page, "1 file added")
    visit.call("DraftWriteText", workbench_id="plain", path="a.txt", text="b\n")
    visit.open(page, "/w/plain")
    page.get_by_role("link", name="Publish").first.click()
    page.get_by_role("button", name="Publish").click()
    said(page, "Published 1 changed file")
    visit.open(page, "/w/plain/history").get_by_label("Name").fill("")
    page.get_by_role("button", name="Undo").click()
    said(page, "Taken back")
    visit.call("DraftDiscard", workbench_id="plain")
    visit.open(page, "/w/plain/context/situation/input")
    page.get_by_label("Text", exact=True).fill("  ")
    page.get_by_label("Model").select_option("offline:extract")
    page.get_by_role("button", name="Process").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("link", name="Back").click()


def tokens(visit, page):
    """Whoever makes the first token stays signed in; others need one, and get as far as their role."""
    visit.open(page, "/settings")
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("Role").select_option("owner")
    page.get_by_role("button", name="Make token").click()
    visit.token = page.locator("#fresh").input_value()
    assert visit.token.startswith("jig_"), visit.token
    reader = visit.call("TokenCreate", name="Rex", role="reader")["token"]
    visit.open(page, "/")
    expect(page.get_by_role("link", name="Plain").first).to_be_visible()
    other = visit.page(signed_in=False)
    visit.open(other, "/w/plain?root=published")
    expect(other).to_have_url(f"{visit.url}/sign-in?next=%2Fw%2Fplain%3Froot%3Dpublished")
    visit.check(other, "sign-in")
    visit.picture(other, "sign-in")
    other.get_by_label("Token").fill("jig_wrong")
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("alert")).to_contain_text("The token is unknown")
    other.get_by_label("Token").fill(reader)
    other.get_by_role("button", name="Sign in").click()
    expect(other).to_have_url(f"{visit.url}/w/plain?root=published")
    expect(other.get_by_role("button", name="Add files")).to_have_attribute("aria-disabled", "true")
    expect(other.get_by_role("button", name="Add files")).to_have_attribute("title", "Your token's role is reader; this needs writer.")
    cookie = next(one for one in other.context.cookies() if one["name"] == "jig_token")
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict", cookie
    # The cookie reads, and fills in forms of the page; programs need the header.
    crumbs = {"Cookie": f"jig_token={visit.token}"}
    assert raw(visit, "GET", "/api/workbenches", crumbs)[0] == 200
    assert raw(visit, "POST", "/api/op/WorkbenchList", crumbs | {"Content-Type": "application/json"}, b"{}")[0] == 401
    form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": visit.url, "Accept": "text/html"}
    assert raw(visit, "POST", "/w", form, b"name=Nobody")[0] == 401
    assert raw(visit, "POST", "/w", form | {"Cookie": f"jig_token={reader}"}, b"name=Nobody")[0] == 403
    # Events come by the cookie too.
    expect(page.get_by_role("link", name="Plain").first).to_be_visible()
    visit.open(page, "/w/plain")
    page.wait_for_timeout(300)
    visit.call("DraftWriteText", workbench_id="plain", path="b.txt", text="live\n")
    expect(page.get_by_role("complementary", name="Draft")).to_contain_text("Draft ready for review")
    other.get_by_role("button", name="Sign out Rex").click()
    expect(other).to_have_url(f"{visit.url}/sign-in")
    visit.open(other, "/")
    expect(other).to_have_url(f"{visit.url}/sign-in?next=%2F")
    page.get_by_role("link", name="Jig").first.click()


def test(visit):
    page = visit.page()
    for step in [hostile]:
        print(step.__name__, flush=True)
        step(visit, page)
    print("policy", flush=True)
    policy(visit)
    print("without_script", flush=True)
    without_script(visit)
    print("tokens", flush=True)
    tokens(visit, page)


run(test)
