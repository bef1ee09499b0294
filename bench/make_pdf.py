"""Makes the PDF files of `cargo xtask bench` with another program than Jig: `make_pdf.py FOLDER`.

Every file comes out the same each time. One that is already there is left alone. A page has a heading, text in one
column or in two, in a standard font or in one that lies in the file, and on every fifth page a table.
"""

import random
import sys
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    FrameBreak,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Table,
)

WORDS = (
    "account agreed annual balance board budget capital change client closing cost credit customer delivery demand "
    "division draft estimate expense export figure forecast growth income interest invoice ledger margin market "
    "measure month office order partner payment period plan price product profit project quarter rate region report "
    "result revenue review risk sales season sector service share supplier target total trade value volume year"
).split()
PAGES = {"manual-1.pdf": 31, "manual-4.pdf": 125, "manual-16.pdf": 500}


def sentence(rng, words):
    return " ".join(rng.choice(WORDS) for _ in range(words)).capitalize() + "."


def paragraph(rng, words):
    return " ".join(sentence(rng, rng.randint(6, 18)) for _ in range(words // 12))


def manual(path, pages):
    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
    rng = random.Random(pages)
    heading = ParagraphStyle("heading", fontName="Helvetica-Bold", fontSize=14, leading=18, spaceAfter=6)
    styles = [
        ParagraphStyle("standard", fontName="Times-Roman", fontSize=10, leading=12.5, spaceAfter=6, alignment=4),
        ParagraphStyle("own", fontName="Vera", fontSize=8.5, leading=11.5, spaceAfter=6),
    ]
    document = BaseDocTemplate(str(path), pagesize=A4, invariant=1)
    width, height = A4[0] - 4 * cm, A4[1] - 4 * cm
    half = (width - 0.8 * cm) / 2
    one = [Frame(2 * cm, 2 * cm, width, height)]
    two = [Frame(2 * cm, 2 * cm, half, height), Frame(2.8 * cm + half, 2 * cm, half, height)]
    document.addPageTemplates([PageTemplate("one", one), PageTemplate("two", two)])
    story = []
    for page in range(pages):
        style = styles[page % 2]
        columns = 2 if page % 3 == 2 else 1
        story.append(Paragraph(f"{page + 1}. {sentence(rng, 4)}", heading))
        if columns == 2:
            story.extend(Paragraph(paragraph(rng, 60), style) for _ in range(3))
            story.append(FrameBreak())
            story.extend(Paragraph(paragraph(rng, 60), style) for _ in range(4))
        else:
            story.extend(Paragraph(paragraph(rng, 80), style) for _ in range(5))
            if page % 5 == 0:
                rows = [[rng.choice(WORDS)] + [f"{rng.uniform(0, 9_999):,.2f}" for _ in range(4)] for _ in range(8)]
                story.append(Table(rows, colWidths=width / 5))
        if page + 1 < pages:
            story.extend([NextPageTemplate("two" if (page + 1) % 3 == 2 else "one"), PageBreak()])
    document.build(story)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, pages in PAGES.items():
        path = folder / name
        if not path.exists():
            # Under another name first: a file that was broken off must not count as made.
            half = folder / f"half-{name}"
            manual(half, pages)
            half.rename(path)


main()
