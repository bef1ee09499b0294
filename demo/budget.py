"""budget.xlsx: plan against actual with formulas, headcount, and a cash chart."""

from pathlib import Path

import xlsxwriter
from xlsxwriter.utility import xl_col_to_name, xl_rowcol_to_cell

import company
import fixed_zip

MONEY = '#,##0;[Red]-#,##0'
PERCENT = '0.0%;[Red]-0.0%'
FIRST_ROW = 3


def write(path: Path) -> None:
    book = xlsxwriter.Workbook(str(path))
    book.set_properties({
        "title": f"Budget {company.QUARTER}",
        "author": company.AUTHOR,
        "company": company.NAME,
        "created": company.CREATED,
    })
    styles = {
        "title": book.add_format({"bold": True, "font_size": 14, "align": "center", "bg_color": "#1F4E5F", "font_color": "white"}),
        "head": book.add_format({"bold": True, "bottom": 1, "align": "center", "bg_color": "#DCE9ED"}),
        "text": book.add_format({}),
        "money": book.add_format({"num_format": MONEY}),
        "percent": book.add_format({"num_format": PERCENT}),
        "total": book.add_format({"bold": True, "top": 1}),
        "total_money": book.add_format({"bold": True, "top": 1, "num_format": MONEY}),
        "total_percent": book.add_format({"bold": True, "top": 1, "num_format": PERCENT}),
        "date": book.add_format({"num_format": "mmm yyyy", "align": "left"}),
    }
    totals = plan_and_actual(book, styles)
    headcount(book, styles)
    cash(book, styles, totals)
    for sheet in book.worksheets():
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
    book.close()
    fixed_zip.fix(path)


def plan_and_actual(book, styles) -> dict:
    sheet = book.add_worksheet("Budget")
    sheet.set_column("A:A", 24)
    sheet.set_column("B:J", 12)
    sheet.merge_range("A1:J1", f"{company.NAME}: plan and actual, {company.QUARTER} (GBP)", styles["title"])
    sheet.merge_range("B2:D2", "Plan", styles["head"])
    sheet.merge_range("E2:G2", "Actual", styles["head"])
    sheet.merge_range("H2:J2", "Quarter", styles["head"])
    heads = ["Line", *company.MONTHS, *company.MONTHS, "Plan", "Actual", "Variance"]
    for column, head in enumerate(heads):
        sheet.write(2, column, head, styles["head"])
    revenue = block(sheet, styles, FIRST_ROW, company.REVENUE, "Total revenue")
    costs = block(sheet, styles, revenue + 2, company.COSTS, "Total costs")
    row = costs + 2
    sheet.write(row, 0, "Result", styles["total"])
    for month in range(3):
        difference(sheet, styles, row, 1 + month, revenue, costs, company.result("plan", month))
        difference(sheet, styles, row, 4 + month, revenue, costs, company.result("actual", month))
    difference(sheet, styles, row, 7, revenue, costs, company.result("plan"))
    difference(sheet, styles, row, 8, revenue, costs, company.result("actual"))
    variance(sheet, styles["total_percent"], row, company.result("plan"), company.result("actual"))
    sheet.freeze_panes(3, 1)
    sheet.conditional_format(FIRST_ROW, 9, costs, 9, {"type": "cell", "criteria": "<", "value": -0.05, "format": book.add_format({"bg_color": "#FBE3E0"})})
    book.define_name("Result_Actual", f"=Budget!$I${row + 1}")
    return {"result": row}


def block(sheet, styles, row: int, lines: dict, label: str) -> int:
    """Writes one line per row, then their total; returns the total's row."""
    first = row
    for name, values in lines.items():
        sheet.write(row, 0, name, styles["text"])
        for month in range(3):
            sheet.write(row, 1 + month, values["plan"][month], styles["money"])
            sheet.write(row, 4 + month, values["actual"][month], styles["money"])
        quarter(sheet, styles["money"], row, company.line_total(values, "plan"), company.line_total(values, "actual"))
        variance(sheet, styles["percent"], row, company.line_total(values, "plan"), company.line_total(values, "actual"))
        row += 1
    sheet.write(row, 0, label, styles["total"])
    for month in range(3):
        column_sum(sheet, styles, row, 1 + month, first, company.total(lines, "plan", month))
        column_sum(sheet, styles, row, 4 + month, first, company.total(lines, "actual", month))
    column_sum(sheet, styles, row, 7, first, company.total(lines, "plan"))
    column_sum(sheet, styles, row, 8, first, company.total(lines, "actual"))
    variance(sheet, styles["total_percent"], row, company.total(lines, "plan"), company.total(lines, "actual"))
    return row


def quarter(sheet, style, row: int, plan: int, actual: int) -> None:
    sheet.write_formula(row, 7, f"=SUM(B{row + 1}:D{row + 1})", style, plan)
    sheet.write_formula(row, 8, f"=SUM(E{row + 1}:G{row + 1})", style, actual)


def column_sum(sheet, styles, row: int, column: int, first: int, value: int) -> None:
    name = xl_col_to_name(column)
    sheet.write_formula(row, column, f"=SUM({name}{first + 1}:{name}{row})", styles["total_money"], value)


def difference(sheet, styles, row: int, column: int, plus: int, minus: int, value: int) -> None:
    formula = f"={xl_rowcol_to_cell(plus, column)}-{xl_rowcol_to_cell(minus, column)}"
    sheet.write_formula(row, column, formula, styles["total_money"], value)


def variance(sheet, style, row: int, plan: int, actual: int) -> None:
    sheet.write_formula(row, 9, f"=I{row + 1}/H{row + 1}-1", style, actual / plan - 1)


def headcount(book, styles) -> None:
    sheet = book.add_worksheet("Headcount")
    sheet.set_column("A:A", 14)
    sheet.set_column("B:B", 26)
    sheet.set_column("C:E", 14)
    last = len(company.HEADCOUNT)
    yearly = [people * salary for _, _, people, salary in company.HEADCOUNT]
    sheet.add_table(0, 0, last + 1, 4, {
        "name": "Headcount",
        "total_row": True,
        "style": "Table Style Light 9",
        "data": [list(row) for row in company.HEADCOUNT],
        "columns": [
            {"header": "Team", "total_string": "Total"},
            {"header": "Role"},
            {"header": "People", "total_function": "sum", "total_value": sum(row[2] for row in company.HEADCOUNT)},
            {"header": "Salary", "format": styles["money"]},
            {"header": "Cost", "format": styles["money"], "formula": "=[@People]*[@Salary]",
             "total_function": "sum", "total_value": sum(yearly)},
        ],
    })
    for row, value in enumerate(yearly, start=1):
        sheet.write_formula(row, 4, "=Headcount[[#This Row],[People]]*Headcount[[#This Row],[Salary]]", styles["money"], value)


def cash(book, styles, totals: dict) -> None:
    sheet = book.add_worksheet("Cash")
    sheet.set_column("A:A", 14)
    sheet.set_column("B:D", 14)
    for column, head in enumerate(["Month", "Opening", "Result", "Closing"]):
        sheet.write(0, column, head, styles["head"])
    opening = company.OPENING_CASH
    for month, name in enumerate(company.MONTHS):
        row = month + 1
        result = company.result("actual", month)
        sheet.write_datetime(row, 0, company.CREATED.replace(month=month + 1, day=1, hour=0), styles["date"])
        if month == 0:
            sheet.write_number(row, 1, opening, styles["money"])
        else:
            sheet.write_formula(row, 1, f"=D{row}", styles["money"], opening)
        source = xl_rowcol_to_cell(totals["result"], 4 + month)
        sheet.write_formula(row, 2, f"=Budget!{source}", styles["money"], result)
        opening += result
        sheet.write_formula(row, 3, f"=B{row + 1}+C{row + 1}", styles["money"], opening)
    chart = book.add_chart({"type": "column"})
    chart.add_series({"name": "Closing cash", "categories": "=Cash!$A$2:$A$4", "values": "=Cash!$D$2:$D$4", "fill": {"color": "#1F4E5F"}})
    chart.set_title({"name": f"Cash at month end, {company.QUARTER}"})
    chart.set_x_axis({"num_format": "mmm yyyy"})
    chart.set_y_axis({"min": 0, "num_format": "#,##0"})
    chart.set_legend({"none": True})
    sheet.insert_chart("F2", chart)
