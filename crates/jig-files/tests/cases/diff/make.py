"""Makes the two versions of each diff case with openpyxl, python-docx and python-pptx.

Run it in this folder; `UPDATE=1 cargo test -p jig-files --test it diff_cases` then writes what is expected.
"""
import copy
import os
import struct
import zlib

import docx
import openpyxl
from docx.enum.text import WD_ALIGN_PARAGRAPH
from openpyxl.styles import Font, PatternFill
from pptx import Presentation
from pptx.util import Inches


def folder(name):
    os.makedirs(name, exist_ok=True)
    return lambda file: os.path.join(name, file)


def text(name, ending, old, new):
    at = folder(name)
    for side, content in (("old", old), ("new", new)):
        with open(at(f"{side}.{ending}"), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())


def budget():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Budget"
    sheet.append(["Item", "Cost", "Count", "Sum"])
    for row, (item, cost, number) in enumerate([("Desk", 120, 2), ("Lamp", 35.5, 4), ("Chair", 80, 6)], 2):
        sheet.append([item, cost, number, f"=B{row}*C{row}"])
    sheet["A5"] = "Total"
    sheet["D5"] = "=SUM(D2:D4)"
    other = book.create_sheet("Notes here")
    other["A1"] = "Prices come from the catalogue of last spring."
    book.create_sheet("Old")["A1"] = "gone soon"
    return book


def workbooks():
    at = folder("xlsx-cells")
    budget().save(at("old.xlsx"))
    book = budget()
    sheet = book["Budget"]
    sheet["B2"] = 150
    sheet["A3"] = "Desk lamp"
    sheet["D4"] = "=B4*C4*0.9"
    sheet["E1"] = "New"
    sheet["C4"] = None
    sheet["A1"].font = Font(bold=True, color="FFFF0000")
    sheet["B3"].number_format = "0.00%"
    sheet["D5"].fill = PatternFill("solid", fgColor="FFFFFF00")
    book["Notes here"]["A1"] = "Prices come from the catalogue of this autumn."
    del book["Old"]
    book.create_sheet("Fresh")["A1"] = "hello"
    book.save(at("new.xlsx"))

    at = folder("xlsx-rows")

    def table(rows, end):
        book = openpyxl.Workbook()
        sheet = book.active
        sheet.title = "Data"
        for row in rows:
            sheet.append(row)
        sheet.append(["Total", f"=SUM(B1:B{end})"])
        return book

    rows = [[f"Name {n}", n * 10] for n in range(1, 41)]
    table(rows, 40).save(at("old.xlsx"))
    changed = [list(row) for row in rows]
    changed[29][1] = 999
    del changed[20]
    changed.insert(5, ["Inserted", 1])
    changed.insert(6, ["Inserted too", 2])
    table(changed, 41).save(at("new.xlsx"))

    at = folder("xlsx-layout")
    book = budget()
    book["Budget"].column_dimensions["A"].width = 12
    book["Budget"].row_dimensions[2].height = 20
    book.save(at("old.xlsx"))
    book = budget()
    sheet = book["Budget"]
    sheet.column_dimensions["A"].width = 30
    sheet.row_dimensions[2].height = 40
    sheet.freeze_panes = "A2"
    sheet.merge_cells("A7:B7")
    book.save(at("new.xlsx"))


def report():
    document = docx.Document()
    document.add_heading("Report", 1)
    document.add_paragraph("This report sums up the year in a few words for the board.")
    document.add_paragraph("Sales grew in every month but August.")
    document.add_heading("Risks", 1)
    document.add_paragraph("We expect ten percent growth in the coming year, as in the years before it.")
    document.add_paragraph("This paragraph will be removed from the text.")
    document.add_paragraph("A paragraph that stays where it is and as it is.")
    document.add_paragraph("Here stands a paragraph that moves to the end of the document.")
    table = document.add_table(rows=3, cols=2)
    for row, cells in zip(table.rows, [("Risk", "Weight"), ("Prices", "high"), ("Rain", "low")]):
        for cell, words in zip(row.cells, cells):
            cell.text = words
    document.add_heading("Outlook", 1)
    document.add_paragraph("Only the look of this one changes.")
    document.add_paragraph("The end.")
    document.sections[0].header.paragraphs[0].text = "Draft of March"
    return document


def documents():
    at = folder("docx-words")
    report().save(at("old.docx"))
    document = report()
    find = lambda start: next(p for p in document.paragraphs if p.text.startswith(start))
    find("We expect").runs[0].text = "We expect three percent growth in the coming year, as in the years before it."
    gone = find("This paragraph will")._p
    gone.getparent().remove(gone)
    moving = find("Here stands")._p
    moving.getparent().remove(moving)
    find("The end.")._p.addnext(moving)
    find("A paragraph that stays").insert_paragraph_before("This paragraph is new.")
    find("Only the look").alignment = WD_ALIGN_PARAGRAPH.CENTER
    find("Only the look").runs[0].bold = True
    table = document.tables[0]
    table.rows[1].cells[1].text = "middle"
    row = copy.deepcopy(table.rows[2]._tr)
    table.rows[2]._tr.addnext(row)
    table.rows[3].cells[0].text = "Wind"
    document.sections[0].header.paragraphs[0].text = "Draft of April"
    document.save(at("new.docx"))


def deck():
    presentation = Presentation()
    for title, body in [("Start", "Welcome"), ("Costs", "Rent\nPower"), ("Plan", "First\nSecond"), ("Thanks", "Questions?")]:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
        slide.notes_slide.notes_text_frame.text = f"Say something about {title.lower()}."
    table = presentation.slides[1].shapes.add_table(2, 2, Inches(1), Inches(4), Inches(4), Inches(1)).table
    for place, words in zip([(0, 0), (0, 1), (1, 0), (1, 1)], ["Rent", "100", "Power", "40"]):
        table.cell(*place).text = words
    return presentation


def decks():
    at = folder("pptx-slides")
    deck().save(at("old.pptx"))
    presentation = deck()
    slides = presentation.slides
    slides[1].placeholders[1].text = "Rent\nPower and water"
    next(s for s in slides[1].shapes if s.has_table).table.cell(1, 1).text = "45"
    slides[3].notes_slide.notes_text_frame.text = "Say thanks twice."
    slides[0].shapes.title.left = Inches(2)
    slides[0].shapes.title.top = Inches(1)
    slides[0].shapes.title.width = Inches(5)
    slides[0].shapes.title.height = Inches(1)
    added = slides.add_slide(presentation.slide_layouts[1])
    added.shapes.title.text = "Appendix"
    ids = slides._sldIdLst
    gone = list(ids)[2]
    presentation.part.drop_rel(gone.rId)
    ids.remove(gone)
    presentation.save(at("new.pptx"))

    at = folder("pptx-order")
    deck().save(at("old.pptx"))
    presentation = deck()
    ids = presentation.slides._sldIdLst
    first = list(ids)[0]
    ids.remove(first)
    ids.append(first)
    presentation.save(at("new.pptx"))


def tables():
    head = "id,name,amount\n"
    rows = [f"{n},Name {n},{n * 7}\n" for n in range(1, 21)]
    changed = list(rows)
    changed[4] = "5,Name five,35\n"
    changed[9] = '10,"Name, ten",71\n'
    del changed[14]
    changed.insert(2, "99,Fresh,1\n")
    text("csv-keyed", "csv", head + "".join(rows), head + "".join(changed))
    plain = [f"{n % 3};{n % 4};x\n" for n in range(30)]
    other = list(plain)
    other[10] = "7;8;y\n"
    del other[20]
    other.append("9;9;z\n")
    text("csv-aligned", "csv", "".join(plain), "".join(other))
    text(
        "csv-columns", "csv",
        "key,first,last,age\n1,Ann,Bee,30\n2,Cid,Dee,40\n3,Eve,Foe,50\n",
        "key,given,last,town\n1,Ann,Bee,Rome\n2,Cid,Day,Oslo\n3,Eve,Foe,Bern\n",
    )
    text("tsv-quotes", "tsv", 'a\tb\n1\t"x\ny"\n2\tz\n', 'a\tb\n1\t"x\nw"\n2\tz\n')


def texts():
    old = [f"line {n} of the text\n" for n in range(1, 41)]
    new = list(old)
    new[4] = "line 5 of this text\n"
    new[30:32] = ["one for two\n"]
    new.append("the end")
    text("text-words", "txt", "".join(old), "".join(new))
    text("text-endings", "txt", b"a\r\nb\r\nc\r\n", b"a\nB\nc\n")


def pictures():
    def png(width, height):
        chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
        rows = b"".join(b"\0" + b"\x80" * width for _ in range(height))
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")

    text("image", "png", png(4, 3), png(8, 3))
    with open("xlsx-cells/old.xlsx", "rb") as file:
        whole = file.read()
    text("damaged", "xlsx", whole, whole[: len(whole) // 2])


workbooks()
documents()
decks()
tables()
texts()
pictures()
