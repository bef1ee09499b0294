"""Workbooks as XlsxWriter and openpyxl write them."""
import datetime
import io

import openpyxl
import xlsxwriter
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font, NamedStyle, PatternFill
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table

from package import OUT, Package, png, vba_project

DAY = datetime.datetime(2024, 1, 5)
SALES = [["North", "Widget", 120], ["South", "Widget", 80], ["North", "Gadget", 45.5], ["South", "Gadget", 300]]


def everything():
    """Nearly all that Excel can put beside the cells, as Excel itself would write it."""
    book = xlsxwriter.Workbook(OUT / "everything.xlsx")
    book.set_properties({"title": "Everything", "author": "Jig", "created": DAY})
    bold, red = book.add_format({"bold": True}), book.add_format({"font_color": "red", "italic": True})
    money = book.add_format({"num_format": "#,##0.00 [$€-407]"})
    date = book.add_format({"num_format": "yyyy-mm-dd"})
    data = book.add_worksheet("Data")
    data.write_row("A1", ["Region", "Product", "Amount", "When", "Share"], bold)
    for row, values in enumerate(SALES, 1):
        data.write_row(row, 0, values)
        data.write_datetime(row, 3, DAY + datetime.timedelta(days=row), date)
        data.write_formula(row, 4, f"=C{row + 1}/SUM($C$2:$C$5)", money, values[2] / 545.5)
    data.write_rich_string("A7", "plain ", bold, "bold ", red, "red")
    data.write_url("B7", "https://example.com/", string="a link")
    data.write_boolean("C7", True)
    data.merge_range("A9:C10", "merged", bold)
    data.write_comment("A1", "An old comment", {"author": "Ann"})
    data.insert_image("G2", "dot.png", {"image_data": io.BytesIO(png()), "description": "a dot"})
    data.insert_textbox("G8", "Text in a box")
    data.insert_checkbox("F2", True)
    data.freeze_panes(1, 0)
    data.set_header("&LLeft&RRight")
    data.data_validation("B2:B5", {"validate": "list", "source": ["Widget", "Gadget"]})
    data.data_validation("C2:C5", {"validate": "decimal", "criteria": ">=", "value": 0})
    data.conditional_format("C2:C5", {"type": "data_bar", "data_bar_2010": True, "bar_solid": True})
    data.conditional_format("E2:E5", {"type": "icon_set", "icon_style": "3_arrows"})
    data.conditional_format("A2:A5", {"type": "cell", "criteria": "==", "value": '"North"', "format": red})
    data.add_sparkline("F4", {"range": "Data!C2:C5", "markers": True})
    chart = book.add_chart({"type": "column"})
    chart.add_series({"name": "Amounts", "categories": "=Data!$A$2:$A$5", "values": "=Data!$C$2:$C$5",
                      "trendline": {"type": "linear"}, "gradient": {"colors": ["#FF0000", "#00FF00"]}})
    data.insert_chart("G12", chart)
    table = book.add_worksheet("Table")
    table.add_table("B2:D7", {"name": "Sales", "data": SALES, "total_row": True, "columns": [
        {"header": "Region", "total_string": "Total"}, {"header": "Product"},
        {"header": "Amount", "total_function": "sum", "format": money}]})
    table.write_formula("F2", "=SUM(Sales[Amount])", None, 545.5)
    arrays = book.add_worksheet("Arrays")
    arrays.write_column("A1", [1, 2, 3])
    arrays.write_array_formula("B1:B3", "{=A1:A3*2}", None, 2)
    arrays.write_dynamic_array_formula("D1:D3", "=_xlfn._xlws.SORT(A1:A3,,-1)", None, 3)
    arrays.write_formula("E1", "=_xlfn.SINGLE(A1:A3)", None, 1)
    book.add_worksheet("Hidden").hide()
    book.add_worksheet("Very hidden").very_hidden()
    book.add_chartsheet("Chart alone").set_chart(other_chart(book))
    book.define_name("Rate", "=Data!$C$2")
    book.define_name("Arrays!Local", "=Arrays!$A$1:$A$3")
    book.close()


def other_chart(book):
    chart = book.add_chart({"type": "pie"})
    chart.add_series({"categories": "=Data!$A$2:$A$5", "values": "=Data!$C$2:$C$5"})
    return chart


def dates_1904():
    book = xlsxwriter.Workbook(OUT / "dates-1904.xlsx", {"date_1904": True})
    book.set_properties({"created": DAY})
    sheet = book.add_worksheet("Dates")
    for row, code in enumerate(["yyyy-mm-dd", "d mmm yyyy", "h:mm:ss", "[h]:mm"]):
        sheet.write_datetime(row, 0, DAY + datetime.timedelta(hours=13.5), book.add_format({"num_format": code}))
    book.close()


def macros():
    """The project is an empty one: what counts is that it stays."""
    book = xlsxwriter.Workbook(OUT / "macros.xlsm")
    book.set_properties({"created": DAY})
    book.add_vba_project(io.BytesIO(vba_project()), True)
    book.add_worksheet("Sheet1").insert_button("B2", {"macro": "run"})
    book.close()


def islands():
    book = xlsxwriter.Workbook(OUT / "islands.xlsx")
    book.set_properties({"created": DAY})
    sheet = book.add_worksheet("Report")
    sheet.write_column("A1", ["Title", None, "Name", "a", "b"])
    sheet.write_column("B3", ["Value", 1, 2])
    sheet.write_column("E3", ["Other", "x", "y"])
    for row in range(120):
        sheet.write_row(row + 9, 0, ["Key", "Count"] if row == 0 else [f"k{row}", row])
    book.add_worksheet("It's a \"sheet\" & more").write("A1", "odd name")
    book.close()


def by_openpyxl():
    book = openpyxl.Workbook()
    book.properties.created = book.properties.modified = DAY
    sheet = book.active
    sheet.title = "Budget"
    for row in [["Item", "Cost", "Due"], ["Rent", 900, DAY], ["Food", 250.75, DAY], ["Sum", "=SUM(B2:B3)", None]]:
        sheet.append(row)
    for cell in sheet["C"][1:3]:
        cell.number_format = "dd/mm/yyyy"
    style = NamedStyle(name="Loud", font=Font(bold=True, color="FFC00000"), fill=PatternFill("solid", fgColor="FFFFFF00"))
    book.add_named_style(style)
    sheet["A1"].style = "Loud"
    sheet["A2"].comment = Comment("from openpyxl", "Bo")
    validation = DataValidation(type="whole", operator="between", formula1="0", formula2="1000")
    validation.add("B2:B3")
    sheet.add_data_validation(validation)
    sheet.conditional_formatting.add("B2:B3", CellIsRule(operator="greaterThan", formula=["500"], font=Font(bold=True)))
    sheet.add_table(Table(displayName="Costs", ref="A1:C3"))
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "E2")
    other = book.create_sheet("عربي")
    other.sheet_view.rightToLeft = True
    for row in [["مرحبا", 1], ["שלום", 2], ["こんにちは", 3], ["😀 emoji", 4]]:
        other.append(row)
    book.save(OUT / "openpyxl.xlsx")
    Package(OUT / "openpyxl.xlsx").save("openpyxl.xlsx")


def make():
    everything()
    dates_1904()
    macros()
    islands()
    by_openpyxl()
