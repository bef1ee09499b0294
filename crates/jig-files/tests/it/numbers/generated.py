"""Makes random workbooks, takes the values of formulas out of copies, and tells what files store.

One question comes in as JSON and one answer goes out.
"""
import json
import pathlib
import random
import re
import sys
import zipfile

import openpyxl
import xlsxwriter
from lxml import etree
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table

ROWS = 8


def formulas(chance, place, sheets):
    """Formulas of a sheet by cell, over names, tables and all sheets; formulas only of this sheet and those before it."""
    number = lambda: f"'{chance.choice(sheets)}'!{chance.choice('AB')}{row()}"
    before = lambda: f"'{chance.choice(sheets[:place])}'!{chance.choice(['D', 'F'])}{row()}" if place else number()
    row = lambda: chance.randint(2, ROWS)
    kinds = [
        lambda: f"SUM(A2:A{row()})+{number()}+N({before()})",
        lambda: f"IF(A{row()}>B{row()},A{row()}*2,{number()})",
        lambda: f"ROUND(AVERAGE('{chance.choice(sheets)}'!A2:B{ROWS})/3,4)",
        lambda: f"SUMIF(C2:C{ROWS},\"x\",A2:A{ROWS})*Rate",
        lambda: f"COUNTIF('{chance.choice(sheets)}'!A2:A{ROWS},\">5\")+MAX(B2:B{ROWS})",
        lambda: "SUM(Items)-MIN(A:A)",
        lambda: f"C{row()}&\"-\"&A{row()}",
        lambda: f"INDEX(A2:A{ROWS},{chance.randint(1, ROWS - 1)})+MOD(B{row()},3)",
        lambda: f"IFERROR(A{row()}/B{row()},0)+ABS({number()})",
        lambda: f"SUM(D2:D{ROWS})+Rate",
        lambda: f"VLOOKUP(A{row()},A2:B{ROWS},2,FALSE)",
        # Not as a result: LibreOffice has no truth values of their own.
        lambda: f"IF(AND(A{row()}>1,B{row()}<9),1,2)",
        lambda: f"SUMPRODUCT(A2:A{ROWS},B2:B{ROWS})",
        lambda: f"OFFSET(A1,{row() - 1},0)+INDIRECT(\"B{row()}\")",
        lambda: "SUM(Sales[Amount])",
        lambda: f"SUM('{sheets[place - 1]}'!G2:G3)" if place else "Rate+1",
        # No program of this test computes it but LibreOffice: what builds on it is not known.
        lambda: f"GAMMALN(ABS(A{row()})+1)",
    ]
    found = {}
    for at in range(2, ROWS + 1):
        found[f"D{at}"] = f"A{at}*B{at}+1"
        found[f"E{at}"] = chance.choice(kinds)()
        # Behind the others, so that chains grow without circles.
        found[f"F{at}"] = f"E{at}" if chance.random() < 0.3 else f"IF(ISNUMBER(E{at}),E{at}+D{at},LEN(E{at}))"
    found["G2"] = f"SUM(D2:D{ROWS})"
    found["G3"] = f"COUNT(F2:F{ROWS})+SUM(F2:F{ROWS})"
    return found


def constants(chance):
    found = {}
    for at in range(2, ROWS + 1):
        found[f"A{at}"] = chance.choice([chance.randint(-9, 9), round(chance.random() * 10, 2), chance.randint(1, 900)])
        found[f"B{at}"] = chance.randint(0, 9)
        found[f"C{at}"] = chance.choice("xyz")
    return found


def book_of(chance):
    sheets = ["In", "Work here", "Out"]
    return {sheet: constants(chance) | {cell: "=" + text for cell, text in formulas(chance, place, sheets).items()} for place, sheet in enumerate(sheets)}


def write_openpyxl(path, cells):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, content in cells.items():
        sheet = book.create_sheet(name)
        for place, value in content.items():
            sheet[place] = value
    table(book["In"])
    book.defined_names["Rate"] = openpyxl.workbook.defined_name.DefinedName("Rate", attr_text="In!$B$2")
    book.defined_names["Items"] = openpyxl.workbook.defined_name.DefinedName("Items", attr_text=f"'Work here'!$A$2:$A${ROWS}")
    book["Out"]["K2"] = ArrayFormula("K2:K4", "=A2:A4*2")
    book.save(path)
    share(path)


def table(sheet):
    for place, value in {"M1": "Name", "N1": "Amount", "M2": "a", "N2": 4, "M3": "b", "N3": 5.5}.items():
        sheet[place] = value
    sheet.add_table(Table(displayName="Sales", ref="M1:N3"))


def share(path):
    """Column D of the first sheet as one shared formula, as Excel writes it."""
    parts = {}
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            parts[info.filename] = archive.read(info)
    name = "xl/worksheets/sheet1.xml"
    text = parts[name].decode()
    formula = re.compile(r'(<c r="D(\d+)"[^>]*>)<f>[^<]*</f>')
    def shared(match):
        first = match[2] == "2"
        return match[1] + (f'<f t="shared" si="0" ref="D2:D{ROWS}">A2*B2+1</f>' if first else '<f t="shared" si="0"/>')
    parts[name] = formula.sub(shared, text).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def write_xlsxwriter(path, cells):
    book = xlsxwriter.Workbook(str(path))
    for name, content in cells.items():
        sheet = book.add_worksheet(name)
        for place, value in content.items():
            (sheet.write_formula if isinstance(value, str) and value.startswith("=") else sheet.write)(place, value)
        if name == "In":
            sheet.add_table("M1:N3", {"name": "Sales", "data": [["a", 4], ["b", 5.5]], "columns": [{"header": "Name"}, {"header": "Amount"}]})
    book.define_name("Rate", "=In!$B$2")
    book.define_name("Items", f"='Work here'!$A$2:$A${ROWS}")
    book.close()


def make(question):
    chance = random.Random(question["seed"])
    folder, books = pathlib.Path(question["folder"]), []
    for number in range(question["make"]):
        cells = book_of(chance)
        name = f"{number}.xlsx"
        (write_openpyxl if number % 2 else write_xlsxwriter)(folder / name, cells)
        edits = []
        for _ in range(2):
            sheet = chance.choice(list(cells))
            edits.append(chance.choice([
                {"op": "set_cells", "sheet": sheet, "cells": [{"cell": f"{chance.choice('AB')}{chance.randint(2, ROWS)}", "value": chance.randint(-20, 20), "type": "number"}]},
                {"op": "set_cells", "sheet": sheet, "cells": [{"cell": f"C{chance.randint(2, ROWS)}", "value": "x"}, {"cell": "A3", "value": 3.25}]},
                {"op": "set_cells", "sheet": "In", "cells": [{"cell": "N2", "value": chance.randint(0, 50)}]},
                {"op": "set_cells", "sheet": sheet, "cells": [{"cell": "H2", "value": f"=SUM(A2:B{ROWS})*2"}, {"cell": "B3", "value": None}]},
            ]))
        books.append({"file": name, "edits": edits})
    return books


MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def strip(question):
    folder = pathlib.Path(question["folder"])
    for name in question["strip"]:
        with zipfile.ZipFile(folder / name) as before, zipfile.ZipFile(folder / f"bare-{name}", "w", zipfile.ZIP_DEFLATED) as after:
            for info in before.infolist():
                data = before.read(info)
                if info.filename.startswith("xl/worksheets/sheet"):
                    root = etree.fromstring(data)
                    for cell in root.iter(f"{MAIN}c"):
                        if cell.find(f"{MAIN}f") is not None or cell.get("r") in ("K3", "K4"):
                            for value in cell.findall(f"{MAIN}v"):
                                cell.remove(value)
                            cell.attrib.pop("t", None)
                    data = etree.tostring(root)
                after.writestr(info.filename, data)
    return {}


def read(question):
    folder, found = pathlib.Path(question["folder"]), {}
    for name in question["read"]:
        formulas = openpyxl.load_workbook(folder / name)
        values = openpyxl.load_workbook(folder / name, data_only=True)
        cells = found[name] = {}
        for sheet in formulas:
            for row in sheet.iter_rows():
                for cell in row:
                    if cell.data_type == "f":
                        value = values[sheet.title][cell.coordinate].value
                        cells[f"{sheet.title}!{cell.coordinate}"] = float(value) if isinstance(value, (bool, int)) else value
    return found


question = json.load(sys.stdin)
answer = make(question) if "make" in question else strip(question) if "strip" in question else read(question)
json.dump(answer, sys.stdout)
