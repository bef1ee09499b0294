"""Makes the Office files of `cargo xtask bench` with other programs than Jig: `make.py FOLDER`.

Every file comes out the same each time. One that is already there is left alone.
"""

import datetime
import random
import sys
from pathlib import Path

WORDS = (
    "account agreed annual balance board budget capital change client closing cost credit customer delivery demand "
    "division draft estimate expense export figure forecast growth income interest invoice ledger margin market "
    "measure month office order partner payment period plan price product profit project quarter rate region report "
    "result revenue review risk sales season sector service share supplier target total trade value volume year"
).split()
CITIES = ["Berlin", "Lagos", "Lima", "Oslo", "Osaka", "Porto", "Quito", "Riga", "Seoul", "Turin"]
DAY = datetime.date(2024, 1, 1)


def sentence(rng, words):
    return " ".join(rng.choice(WORDS) for _ in range(words)).capitalize() + "."


def sheet(path, rows, columns):
    """A header and rows of text, dates and numbers; texts of column C occur once, others often."""
    import xlsxwriter

    rng = random.Random(rows * 100 + columns)
    book = xlsxwriter.Workbook(str(path))
    page = book.add_worksheet("Data")
    date = book.add_format({"num_format": "yyyy-mm-dd"})
    page.write_row(0, 0, ["Id", "Date", "Text", "City"] + [f"Value {n}" for n in range(5, columns + 1)])
    for row in range(1, rows):
        page.write_number(row, 0, row)
        page.write_datetime(row, 1, DAY + datetime.timedelta(days=row % 1000), date)
        page.write_string(row, 2, f"{rng.choice(WORDS)} {rng.choice(WORDS)} {row}")
        page.write_string(row, 3, rng.choice(CITIES))
        for column in range(4, columns):
            page.write_number(row, column, round(rng.uniform(0, 10_000), 2))
    book.close()


def document(path, pages):
    """Ten paragraphs a page of about 45 words in one to three runs; a heading every three pages, a table every ten."""
    import docx

    rng = random.Random(pages)
    document = docx.Document()
    for page in range(pages):
        if page % 3 == 0:
            document.add_heading(f"Chapter {page // 3 + 1}: {sentence(rng, 4)}", level=1 + page // 3 % 3)
        for _ in range(10):
            paragraph = document.add_paragraph()
            for _ in range(rng.randint(1, 3)):
                run = paragraph.add_run(sentence(rng, rng.randint(15, 30)) + " ")
                run.bold = rng.random() < 0.2 or None
        if page % 10 == 5:
            table = document.add_table(rows=6, cols=4)
            for cell in table._cells:
                cell.text = rng.choice(WORDS)
        if page + 1 < pages:
            document.add_page_break()
    document.save(path)


def deck(path, slides):
    """A title and six bullets a slide, a text box, and on every fourth a table."""
    import pptx
    from pptx.util import Inches

    rng = random.Random(slides)
    deck = pptx.Presentation()
    for number in range(slides):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"{number + 1}. {sentence(rng, 4)}"
        body = slide.placeholders[1].text_frame
        body.text = sentence(rng, 8)
        for _ in range(5):
            body.add_paragraph().text = sentence(rng, 8)
        slide.shapes.add_textbox(Inches(1), Inches(6), Inches(6), Inches(1)).text_frame.text = sentence(rng, 12)
        if number % 4 == 0:
            table = slide.shapes.add_table(4, 4, Inches(1), Inches(4), Inches(6), Inches(1)).table
            for cell in table.iter_cells():
                cell.text = rng.choice(WORDS)
        slide.notes_slide.notes_text_frame.text = sentence(rng, 20)
    deck.save(path)


FILES = {
    "sheet-1.xlsx": lambda path: sheet(path, 6_250, 20),
    "sheet-4.xlsx": lambda path: sheet(path, 25_000, 20),
    "sheet-16.xlsx": lambda path: sheet(path, 100_000, 20),
    "long-1.xlsx": lambda path: sheet(path, 12_500, 10),
    "long-4.xlsx": lambda path: sheet(path, 50_000, 10),
    "long-16.xlsx": lambda path: sheet(path, 200_000, 10),
    "report-1.docx": lambda path: document(path, 19),
    "report-4.docx": lambda path: document(path, 75),
    "report-16.docx": lambda path: document(path, 300),
    "deck-1.pptx": lambda path: deck(path, 6),
    "deck-4.pptx": lambda path: deck(path, 25),
    "deck-16.pptx": lambda path: deck(path, 100),
}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in FILES.items():
        path = folder / name
        if not path.exists():
            # Under another name first: a file that was broken off must not count as made.
            half = folder / f"half-{name}"
            make(half)
            half.rename(path)


main()
