"""report.docx: the quarterly report, with headings, lists, a table, header and footer."""

from pathlib import Path

from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm

import company
import fixed_zip


def write(path: Path) -> None:
    document = Document()
    properties(document)
    header_and_footer(document.sections[0])
    document.add_heading(f"Quarterly report, {company.QUARTER}", level=0)
    document.add_paragraph(f"{company.NAME}, {company.CITY}. Prepared by {company.AUTHOR}, {company.TITLE}.")
    summary(document)
    revenue(document)
    costs(document)
    outlook(document)
    document.save(str(path))
    fixed_zip.fix(path)


def properties(document) -> None:
    core = document.core_properties
    core.title = f"Quarterly report {company.QUARTER}"
    core.author = core.last_modified_by = company.AUTHOR
    core.created = core.modified = company.CREATED
    core.comments = ""
    core.revision = 1


def header_and_footer(section) -> None:
    section.left_margin = section.right_margin = Cm(2.3)
    section.header.paragraphs[0].text = f"{company.SHORT} · {company.QUARTER} · Confidential"
    footer = section.footer.paragraphs[0]
    footer.alignment = WD_ALIGN_PARAGRAPH.CENTER
    footer.add_run("Page ")
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), "PAGE")
    footer._p.append(field)


def summary(document) -> None:
    plan, actual = company.result("plan"), company.result("actual")
    document.add_heading("Summary", level=1)
    paragraph = document.add_paragraph("The quarter closed with a result of ")
    paragraph.add_run(company.pounds(actual)).bold = True
    paragraph.add_run(f" against a plan of {company.pounds(plan)}. Three things explain the difference:")
    for text in [
        "Bike sales stayed behind plan in all three months; the new cargo models arrived four weeks late.",
        "Fleet contracts grew faster than planned after a second courier company signed in February.",
        "Overtime in the workshop raised wages, but repairs ended the quarter above plan.",
    ]:
        document.add_paragraph(text, style="List Bullet")


def revenue(document) -> None:
    document.add_heading("Revenue", level=1)
    document.add_heading("By line", level=2)
    table(document, company.REVENUE, "Total revenue")
    document.add_heading("Comments", level=2)
    document.add_paragraph(
        "Workshop repairs profit from the booking page that opened in January: four in ten bookings now come "
        "in outside opening hours. Hire and tours had their best March so far."
    )


def costs(document) -> None:
    document.add_heading("Costs", level=1)
    table(document, company.COSTS, "Total costs")
    document.add_paragraph(
        "Marketing went over plan in February and March because the spring campaign was brought forward. "
        "Rent is unchanged until the review in September."
    )


def outlook(document) -> None:
    document.add_heading("Outlook", level=1)
    document.add_paragraph("For the second quarter the team has agreed to:")
    for text in [
        "order the autumn stock before the end of May;",
        "hire one more mechanic if fleet contracts stay above £25,000 a month;",
        "review prices for hire before the summer holidays.",
    ]:
        document.add_paragraph(text, style="List Number")


def table(document, lines: dict, label: str) -> None:
    grid = document.add_table(rows=1, cols=4)
    grid.style = "Light Grid Accent 1"
    fill(grid.rows[0], ["Line", "Plan", "Actual", "Variance"])
    for name, values in lines.items():
        plan, actual = company.line_total(values, "plan"), company.line_total(values, "actual")
        fill(grid.add_row(), [name, company.pounds(plan), company.pounds(actual), company.percent(actual - plan, plan)])
    plan, actual = company.total(lines, "plan"), company.total(lines, "actual")
    fill(grid.add_row(), [label, company.pounds(plan), company.pounds(actual), company.percent(actual - plan, plan)])
    document.add_paragraph()


def fill(row, texts: list[str]) -> None:
    for column, (cell, text) in enumerate(zip(row.cells, texts)):
        cell.text = text
        if column > 0:
            cell.paragraphs[0].alignment = WD_ALIGN_PARAGRAPH.RIGHT
