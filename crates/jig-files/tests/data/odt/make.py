"""Makes the OpenDocument samples with LibreOffice, from Word samples and a page of HTML:

    python make.py /usr/bin/soffice

`encrypted.odt` needs a Python that has LibreOffice's `uno` (Debian: python3-uno), and has the password `secret`.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
OFFICE = os.path.join(HERE, "..", "office")

PAGE = """<html><head><meta charset="utf-8"></head><body>
<p>Before any heading.</p>
<h1>Plan</h1>
<p>Costs &amp; <b>dates</b>, with  two   blanks and a line<br>break.</p>
<ol><li>First</li><li>Second<ol type="a"><li>inner one</li><li>inner two</li></ol></li><li>Third</li></ol>
<ul><li>Milk</li><li>Bread</li></ul>
<h2>Budget</h2>
<table border="1"><tr><th>Item</th><th>Cost</th></tr><tr><td>Desk | lamp</td><td>420</td></tr>
<tr><td colspan="2">merged<br>twice</td></tr></table>
<p>Straße, 東京, Привет.</p>
<h1>Plan</h1>
<p>The heading above is there twice.</p>
</body></html>
"""


def convert(soffice, source, kind, folder, *more):
    profile = "-env:UserInstallation=file://" + os.path.join(folder, "profile")
    command = [soffice, profile, "--headless", *more, "--convert-to", kind, "--outdir", folder, source]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=240)
    ending = kind.split(":")[0]
    return os.path.join(folder, os.path.splitext(os.path.basename(source))[0] + "." + ending)


def encrypted(soffice, source, target, folder):
    import uno
    from com.sun.star.beans import PropertyValue

    def prop(name, value):
        found = PropertyValue()
        found.Name, found.Value = name, value
        return found

    pipe = "jig-make"
    profile = "-env:UserInstallation=file://" + os.path.join(folder, "profile")
    accept = f"--accept=pipe,name={pipe};urp;"
    process = subprocess.Popen([soffice, profile, "--headless", "--norestore", accept])
    try:
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
        for _ in range(120):
            try:
                context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
                break
            except Exception:
                time.sleep(0.5)
        desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        document = desktop.loadComponentFromURL("file://" + source, "_blank", 0, (prop("Hidden", True),))
        document.storeToURL("file://" + target, (prop("FilterName", "writer8"), prop("Password", "secret")))
        document.close(True)
        desktop.terminate()
    finally:
        process.wait(60)


def main():
    soffice = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        with open(page, "w", encoding="utf-8") as file:
            file.write(PAGE)
        made = convert(soffice, page, "odt:writer8", folder, "--infilter=HTML (StarWriter)")
        shutil.copy(made, os.path.join(HERE, "page.odt"))
        for kind in ["fodt:OpenDocument Text Flat XML", "ott:writer8_template"]:
            shutil.copy(convert(soffice, made, kind, folder), os.path.join(HERE, "page." + kind.split(":")[0]))
        for name in ["report", "review", "drawings", "fields"]:
            made = convert(soffice, os.path.join(OFFICE, name + ".docx"), "odt:writer8", folder)
            shutil.copy(made, HERE)
        encrypted(soffice, os.path.join(HERE, "page.odt"), os.path.join(HERE, "encrypted.odt"), folder)


main()
