"""What another program makes of the samples: LibreOffice's own packages, the old formats; and strict and locked packages."""
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from package import OUT, Package, compound_file

# Transitional names and their strict counterparts (ISO/IEC 29500-1, annex A).
OLD, NEW = "http://schemas.openxmlformats.org", "http://purl.oclc.org/ooxml"
SAME = re.compile(rf"{OLD}/(?!package/|markup-compatibility/)(\w+)/2006/")


def libreoffice(soffice):
    with tempfile.TemporaryDirectory() as folder:
        for source, ending, target in [
            ("openpyxl.xlsx", "xlsx", "libreoffice.xlsx"), ("report.docx", "docx", "libreoffice.docx"), ("deck.pptx", "pptx", "libreoffice.pptx"),
            ("openpyxl.xlsx", "xls", "legacy.xls"), ("minimal.docx", "doc", "legacy.doc"), ("minimal.pptx", "ppt", "legacy.ppt"),
        ]:
            profile = f"-env:UserInstallation={Path(folder, 'profile').as_uri()}"
            command = [soffice, profile, "--headless", "--convert-to", ending, "--outdir", folder, str(OUT / source)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            shutil.move(Path(folder, Path(source).stem + f".{ending}"), OUT / target)


def strict(source, target):
    """The same content in the strict variant's namespaces."""
    package = Package(OUT / source)
    for name, data in package.parts.items():
        if name.endswith((".xml", ".rels")) and name != "[Content_Types].xml":
            package.parts[name] = SAME.sub(rf"{NEW}/\1/", data.decode()).encode()
    for name, tag in (("xl/workbook.xml", "<workbook "), ("word/document.xml", "<w:document "), ("ppt/presentation.xml", "<p:presentation ")):
        if name in package.parts:
            package.replace(name, tag, f'{tag}conformance="strict" ', 1)
    package.save(target)


def locked(target):
    """The container of an encrypted package; what it holds cannot be read without a password anyway."""
    data = compound_file({"EncryptionInfo": b"\x04\0\x04\0\x40\0\0\0" + b"<encryption/>", "EncryptedPackage": bytes(200)})
    (OUT / target).write_bytes(data)


def make(soffice):
    libreoffice(soffice)
    strict("openpyxl.xlsx", "strict.xlsx")
    strict("report.docx", "strict.docx")
    strict("deck.pptx", "strict.pptx")
    for target in ("encrypted.xlsx", "encrypted.docx", "encrypted.pptx"):
        locked(target)
