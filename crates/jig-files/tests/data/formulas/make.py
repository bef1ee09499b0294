"""Makes expected.tsv: what LibreOffice computes for each line of formulas.txt over grid.tsv.

Needs openpyxl and soffice: python3 make.py
"""
import pathlib, subprocess, tempfile
import openpyxl
from openpyxl.worksheet.formula import ArrayFormula

HERE = pathlib.Path(__file__).parent
# Functions that files mark as newer than Excel 2007.
NEW = {name: "_xlfn." + name for name in (
    "IFNA IFS SWITCH XOR STDEV.P VAR.P MAXIFS MINIFS CONCAT TEXTJOIN AGGREGATE XLOOKUP XMATCH BASE BITAND CEILING.MATH "
    "UNICHAR UNICODE NUMBERVALUE ISOWEEKNUM DAYS NORM.DIST NORM.S.INV T.DIST BINOM.DIST POISSON.DIST CHISQ.DIST.RT "
    "CONFIDENCE.NORM LET"
).split()}

# Entered as array formulas: elsewhere they would mean the one cell in the formula's own row.
ARRAYS = {"SUM(IF(G2:G7>5,G2:G7,0))", "MAX({1,5,3}*2)"}


def stored(formula):
    for name, marked in NEW.items():
        if formula.startswith(name + "("):
            formula = marked + formula[len(name):]
    return formula.replace("LET(x,5,x*2)", "LET(_xlpm.x,5,_xlpm.x*2)")


def main():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Data"
    for line in (HERE / "grid.tsv").read_text("utf-8").split("\n"):
        if line:
            cell, kind, value = line.split("\t")
            sheet[cell] = {"n": float, "b": lambda v: v == "TRUE", "s": str, "e": str}[kind](value)
            sheet[cell].data_type = kind
    formulas = [line for line in (HERE / "formulas.txt").read_text("utf-8").split("\n") if line]
    for row, formula in enumerate(formulas, 1):
        # Far to the right and below, so that SUM(A:A) and SUM(1:1) do not meet the formulas.
        at = sheet.cell(row=row + 100, column=30)
        text = "=" + stored(formula)
        at.value = ArrayFormula(at.coordinate, text) if formula in ARRAYS else text
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "in.xlsx"
        book.save(source)
        subprocess.run(["soffice", "-env:UserInstallation=file://" + folder + "/p", "--headless", "--convert-to",
                        "xlsx:Calc MS Excel 2007 XML", "--outdir", folder + "/out", str(source)], check=True)
        result = openpyxl.load_workbook(folder + "/out/in.xlsx", data_only=True)["Data"]
        lines = []
        for row, formula in enumerate(formulas, 1):
            cell = result.cell(row=row + 100, column=30)
            value = cell.value
            if cell.is_date and not isinstance(value, (int, float)):
                from openpyxl.utils.datetime import to_excel
                value = to_excel(value)
            if isinstance(value, bool):
                kind, text = "b", str(value).upper()
            elif isinstance(value, (int, float)):
                kind, text = "n", repr(value)
            elif cell.data_type == "e":
                kind, text = "e", value
            else:
                kind, text = "s", value or ""
            shown = "{" + stored(formula) + "}" if formula in ARRAYS else stored(formula)
            lines.append(f"{shown}\t{kind}\t{text}\n")
    (HERE / "expected.tsv").write_text("".join(lines), "utf-8")


main()
