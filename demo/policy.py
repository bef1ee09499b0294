"""policy.pdf: the travel and expenses policy, three pages with an outline."""

from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.units import cm
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

import company

SECTIONS = [
    ("1. Purpose", [
        f"This policy says what {company.NAME} pays for when people work away from the shop, and how money "
        "spent for the company is paid back. It applies to everyone on the payroll and to tour guides on "
        "day contracts.",
        "The rule behind all others: spend the company's money as carefully as your own.",
    ]),
    ("2. Approval", [
        "Spending up to £50 needs no approval. From £50 to £500 ask the manager of your team before you "
        "spend. Above £500 the head of finance approves in writing.",
        "Orders for stock follow the purchasing list and are not part of this policy.",
    ]),
    ("3. Travel", [
        "Take the bike where the way is under five miles, the train where there is one, and a company van "
        "where there is something to carry. A private car is paid at 45 pence a mile.",
        "Trains are booked in standard class and, where the day is known, at least a week ahead.",
    ]),
    ("4. Meals and rooms", [
        "The limits below are for one person and one day. What goes beyond them needs a reason on the claim.",
    ]),
    ("5. Claims", [
        "Send the claim within 30 days with a photograph of every receipt. A claim without a receipt is paid "
        "up to £10. Claims that arrive by the 20th are paid with that month's wages.",
        "A claim that is wrong by mistake is corrected. A claim that is wrong on purpose ends the trust that "
        "this policy rests on.",
    ]),
    ("6. Review", [
        f"{company.AUTHOR} keeps this policy and reviews it each April. The next review is in April 2027.",
    ]),
]
LIMITS = [["What", "In the UK", "Abroad"], ["Breakfast", "£9", "£12"], ["Lunch", "£12", "£16"], ["Dinner", "£24", "£32"], ["Room", "£110", "£140"]]
NEW_PAGE_BEFORE = {"3. Travel", "5. Claims"}


class Policy(SimpleDocTemplate):
    """Adds an outline entry for every section heading."""

    def afterFlowable(self, flowable) -> None:
        if getattr(flowable, "style", None) is not None and flowable.style.name == "Heading2":
            text = flowable.getPlainText()
            self.canv.bookmarkPage(text)
            self.canv.addOutlineEntry(text, text, level=0)


def write(path: Path) -> None:
    document = Policy(
        str(path), pagesize=A4, leftMargin=2.5 * cm, rightMargin=2.5 * cm, invariant=1,
        title="Travel and expenses policy", author=company.AUTHOR, subject=company.NAME,
    )
    document.build(story(), onFirstPage=footer, onLaterPages=footer)


def story() -> list:
    styles = getSampleStyleSheet()
    flow = [Paragraph("Travel and expenses policy", styles["Title"]), Paragraph(f"{company.NAME}. Valid from 1 April 2026.", styles["Normal"]), Spacer(1, 12)]
    for heading, paragraphs in SECTIONS:
        if heading in NEW_PAGE_BEFORE:
            flow.append(PageBreak())
        flow.append(Paragraph(heading, styles["Heading2"]))
        flow += [Paragraph(text, styles["BodyText"]) for text in paragraphs]
        if heading.startswith("4."):
            flow += [Spacer(1, 6), limits()]
    return flow


def limits() -> Table:
    table = Table(LIMITS, colWidths=[5 * cm, 4 * cm, 4 * cm])
    table.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, "#888888"), ("BACKGROUND", (0, 0), (-1, 0), "#DCE9ED"), ("ALIGN", (1, 0), (-1, -1), "RIGHT")]))
    return table


def footer(canvas, document) -> None:
    canvas.setFont("Helvetica", 8)
    canvas.drawCentredString(A4[0] / 2, 1.2 * cm, f"{company.SHORT} · page {document.page}")
