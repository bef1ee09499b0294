"""Documents as python-docx writes them."""
import datetime
import io

import docx
from docx.enum.section import WD_SECTION
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Inches, Pt, RGBColor

from package import OUT, Package, png, vba_project

DAY = datetime.datetime(2024, 1, 5)


def new():
    document = docx.Document()
    document.core_properties.created = document.core_properties.modified = DAY
    return document


def save(document, name):
    document.save(OUT / name)
    package = Package(OUT / name)
    # A picture of the first page of python-docx's template: large, and of no use here.
    if "docProps/thumbnail.jpeg" in package.parts:
        package.parts["docProps/thumbnail.jpeg"] = b"\xff\xd8\xff\xd9"
    package.save(name)
    return package


def report():
    """Headings, lists, tables, a picture, headers and footers, comments, two sections."""
    document = new()
    document.add_paragraph("Before the first heading.")
    document.add_heading("Annual report", 1)
    paragraph = document.add_paragraph("Plain, ")
    paragraph.add_run("bold").bold = True
    run = paragraph.add_run(" and red 14 pt")
    run.font.color.rgb, run.font.size = RGBColor(0xC0, 0, 0), Pt(14)
    paragraph.alignment = WD_ALIGN_PARAGRAPH.JUSTIFY
    document.add_comment(paragraph.runs[1], text="Really bold?", author="Ann", initials="A")
    document.add_heading("Numbers", 2)
    table = document.add_table(3, 3, style="Table Grid")
    for row, values in enumerate([["Region", "2023", "2024"], ["North", "10", "12"], ["South", "8", "9"]]):
        for column, value in enumerate(values):
            table.cell(row, column).text = value
    table.cell(1, 1).merge(table.cell(1, 2))
    document.add_heading("Lists", 2)
    for style in ("List Number", "List Bullet"):
        for text in ("first", "second"):
            document.add_paragraph(text, style=style)
    document.add_picture(io.BytesIO(png(8, 8)), width=Inches(1))
    document.add_section(WD_SECTION.NEW_PAGE)
    document.sections[0].header.paragraphs[0].text = "Header of ACME"
    document.sections[0].footer.paragraphs[0].text = "Footer of ACME"
    first = document.sections[0]
    first.different_first_page_header_footer = True
    first.first_page_header.paragraphs[0].text = "First page only"
    document.add_heading("Outlook", 1)
    document.add_paragraph("ACME will grow. acme grows.")
    save(document, "report.docx")


def macros():
    document = new()
    document.add_paragraph("With a macro")
    package = save(document, "macros.docm")
    package.replace("[Content_Types].xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
                    "application/vnd.ms-word.document.macroEnabled.main+xml")
    package.add("word/vbaProject.bin", vba_project(), "application/vnd.ms-office.vbaProject")
    package.relate("word/document.xml", "http://schemas.microsoft.com/office/2006/relationships/vbaProject", "word/vbaProject.bin")
    package.save("macros.docm")


def make():
    report()
    macros()
