"""deck.pptx: the board deck, five slides with notes and one table."""

from pathlib import Path

from pptx import Presentation
from pptx.util import Inches, Pt

import company
import fixed_zip


def write(path: Path) -> None:
    deck = Presentation()
    deck.slide_width, deck.slide_height = Inches(10), Inches(7.5)
    properties(deck)
    title(deck)
    bullets(deck, "The quarter in three sentences", [
        f"Result {company.pounds(company.result('actual'))}, plan {company.pounds(company.result('plan'))}",
        "Fleet contracts and repairs are ahead of plan",
        "Bike sales are behind: cargo models came four weeks late",
    ], "Say first that cash is sound, then explain bike sales.")
    numbers(deck)
    bullets(deck, "What we learned", [
        "Four in ten repair bookings come in outside opening hours",
        "A second courier company signed after a two-week trial",
        "The spring campaign sells tours, not bikes",
    ], "The trial is the point to stay on: it cost us £900 and won £5,000 a month.")
    bullets(deck, "Decisions for the board", [
        "Order autumn stock before the end of May",
        "One more mechanic if fleet stays above £25,000 a month",
        "New hire prices from July",
    ], "Ask for the first decision today; the other two can wait until June.")
    deck.save(str(path))
    fixed_zip.fix(path)


def properties(deck) -> None:
    core = deck.core_properties
    core.title = f"Board deck {company.QUARTER}"
    core.author = core.last_modified_by = company.AUTHOR
    core.created = core.modified = company.CREATED
    core.revision = 1


def title(deck) -> None:
    slide = deck.slides.add_slide(deck.slide_layouts[0])
    slide.shapes.title.text = f"{company.SHORT}: {company.QUARTER}"
    slide.placeholders[1].text = f"Board meeting, 16 April 2026\n{company.AUTHOR}, {company.TITLE}"
    slide.notes_slide.notes_text_frame.text = "Welcome. Twenty minutes, questions at any time."


def bullets(deck, heading: str, texts: list[str], notes: str) -> None:
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = heading
    frame = slide.placeholders[1].text_frame
    frame.text = texts[0]
    for text in texts[1:]:
        frame.add_paragraph().text = text
    slide.notes_slide.notes_text_frame.text = notes


def numbers(deck) -> None:
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Plan and actual"
    rows = [("GBP", "Plan", "Actual", "Variance")]
    rows += [row(name, company.line_total(v, "plan"), company.line_total(v, "actual")) for name, v in company.REVENUE.items()]
    rows.append(row("Total revenue", company.total(company.REVENUE, "plan"), company.total(company.REVENUE, "actual")))
    rows.append(row("Total costs", company.total(company.COSTS, "plan"), company.total(company.COSTS, "actual")))
    rows.append(row("Result", company.result("plan"), company.result("actual")))
    shape = slide.shapes.add_table(len(rows), 4, Inches(0.8), Inches(1.8), Inches(8.4), Inches(4))
    for r, texts in enumerate(rows):
        for c, text in enumerate(texts):
            cell = shape.table.cell(r, c)
            cell.text = text
            cell.text_frame.paragraphs[0].font.size = Pt(16)
    slide.notes_slide.notes_text_frame.text = "The full table is in budget.xlsx, sheet Budget."


def row(name: str, plan: int, actual: int) -> tuple[str, str, str, str]:
    return name, f"{plan:,}", f"{actual:,}", company.percent(actual - plan, plan)
