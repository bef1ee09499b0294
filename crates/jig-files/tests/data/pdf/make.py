"""Makes the PDF files of this folder that are our own, and for every file what pdftotext reads in it.

Needs reportlab, matplotlib, fpdf2, pikepdf and python-docx (pip), LibreOffice, poppler-utils and poppler-data. Run it here.
Files whose names begin with `pypdf-` come from the tests of pypdf (BSD-3-Clause, see SOURCES.md) and stay as they are.
"""

import datetime
import io
import pathlib
import subprocess
import tempfile

import pikepdf
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.units import cm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Spacer, Table

HERE = pathlib.Path(__file__).parent
SERIF = "/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf"
WORDS = (
    "The committee met on the first Monday of the month and went through the figures that the office had prepared. "
    "Costs for rent and heating rose less than expected, while travel took more than the plan allowed for. "
    "It was agreed that every trip above the limit needs a written reason, signed by two people before it begins. "
    "The affiliates filed their offers on time; five of them were fit for the final flight of talks. "
).split()


def sentence(start, count):
    return " ".join(WORDS[(start + at) % len(WORDS)] for at in range(count)) + "."


def columns(name, count, invariant=True):
    path = str(HERE / name)
    styles = getSampleStyleSheet()
    document = BaseDocTemplate(path, pagesize=A4, invariant=1)
    width = (A4[0] - 4 * cm - (count - 1) * 0.8 * cm) / count
    frames = [
        Frame(2 * cm + at * (width + 0.8 * cm), 2 * cm, width, A4[1] - 7 * cm, leftPadding=0, rightPadding=0)
        for at in range(count)
    ]

    def heading(page, _):
        page.setFont("Helvetica-Bold", 20)
        page.drawString(2 * cm, A4[1] - 3 * cm, "Minutes of the quarter in columns")

    document.addPageTemplates(PageTemplate(frames=frames, onPage=heading))
    story = []
    for at in range(24):
        if at % 6 == 0:
            story.append(Paragraph(f"Part {at // 6 + 1}", styles["Heading2"]))
        story.append(Paragraph(sentence(at * 13, 45), styles["BodyText"]))
        story.append(Spacer(1, 6))
    document.build(story)


def table(name):
    document = BaseDocTemplate(str(HERE / name), pagesize=A4, invariant=1)
    document.addPageTemplates(PageTemplate(frames=[Frame(2 * cm, 2 * cm, A4[0] - 4 * cm, A4[1] - 4 * cm)]))
    styles = getSampleStyleSheet()
    rows = [["Item", "Plan", "Actual", "Difference"]]
    rows += [[f"Position {at}", f"{at * 120}", f"{at * 117}", f"{at * -3}"] for at in range(1, 15)]
    document.build([Paragraph("A table", styles["Title"]), Table(rows), Paragraph(sentence(3, 60), styles["BodyText"])])


def drawn(name, draw, **options):
    page = canvas.Canvas(str(HERE / name), pagesize=A4, invariant=1, **options)
    draw(page)
    page.save()


def rotated(page):
    for turn, words in [(0, "upright"), (90, "a quarter"), (180, "upside down"), (270, "three quarters")]:
        page.setPageRotation(turn)
        page.setFont("Times-Roman", 14)
        for line in range(12):
            page.drawString(3 * cm, A4[1] - (4 + line) * cm, f"Page turned by {words}, line {line + 1} of twelve")
        page.showPage()


def turned_text(page):
    page.setFont("Helvetica", 12)
    page.drawString(4 * cm, 25 * cm, "Text that runs as usual at the top of the page")
    page.saveState()
    page.translate(3 * cm, 5 * cm)
    page.rotate(90)
    page.drawString(0, 0, "Text that runs up along the left margin")
    page.restoreState()
    page.drawString(4 * cm, 20 * cm, "And some more that runs as usual below")
    page.showPage()


def chinese(page):
    for face, text in [
        ("STSong-Light", "中文段落：委员会在每月的第一个星期一开会。费用低于预期。"),
        ("HeiseiMin-W3", "日本語の段落：委員会は毎月最初の月曜日に会合を開いた。"),
        ("HYSMyeongJo-Medium", "한국어 문단: 위원회는 매월 첫째 월요일에 모였다."),
    ]:
        pdfmetrics.registerFont(UnicodeCIDFont(face))
        page.setFont(face, 14)
        page.drawString(2 * cm, 20 * cm, text)
        page.drawString(2 * cm, 18 * cm, text + " 2026")
        page.showPage()


def embedded(page):
    pdfmetrics.registerFont(TTFont("Serif", SERIF))
    page.setFont("Serif", 12)
    lines = [
        "Größe, Übergänge und ein schöner Weißdorn",
        "Ελληνικά γράμματα σε μια γραμμή",
        "Русский текст в одной строке",
        "Čeština, polski zażółć gęślą jaźń, română țară",
        "Arrows → and sums ∑ and a price of 12 €",
    ]
    for at, line in enumerate(lines):
        page.drawString(2 * cm, (25 - at) * cm, line)
    page.showPage()


def bold_by_drawing_twice(page):
    page.setFont("Helvetica", 14)
    for shift in (0, 0.4):
        page.drawString(2 * cm + shift, 25 * cm, "A heading made bold by drawing it twice")
    page.drawString(2 * cm, 23 * cm, "Plain text follows below the heading")
    page.showPage()


def spaced(page):
    page.setFont("Helvetica", 12)
    line = page.beginText(2 * cm, 25 * cm)
    line.setCharSpace(1.0)
    line.textLine("Letters set apart by a point each")
    line.setCharSpace(0)
    line.setWordSpace(6)
    line.textLine("Words set apart by six points each")
    line.setWordSpace(0)
    line.setHorizScale(80)
    line.textLine("A line pressed to four fifths of its width")
    line.setHorizScale(100)
    line.setRise(4)
    line.textLine("A raised line at the end")
    page.drawText(line)
    page.showPage()


def form(page):
    page.setFont("Helvetica", 12)
    page.drawString(2 * cm, 25 * cm, "Name of the applicant")
    page.acroForm.textfield(name="name", value="Ada Lovelace", x=8 * cm, y=24.6 * cm, width=200, tooltip="Full name")
    page.drawString(2 * cm, 23 * cm, "Member since last year")
    page.acroForm.checkbox(name="member", checked=True, x=8 * cm, y=22.8 * cm)
    page.drawString(2 * cm, 21 * cm, "Colour")
    page.acroForm.choice(name="colour", value="Green", options=["Red", "Green", "Blue"], x=8 * cm, y=20.6 * cm, width=120, height=20)
    page.showPage()


def outline(page):
    page.setTitle("Handbook")
    page.setAuthor("Office")
    page.setSubject("How we work")
    for at, (title, level) in enumerate([("Start", 0), ("Rules", 0), ("Travel", 1), ("Meals", 2), ("End", 0)]):
        page.setFont("Times-Roman", 12)
        page.bookmarkPage(f"p{at}")
        page.addOutlineEntry(title, f"p{at}", level)
        page.drawString(2 * cm, 25 * cm, f"{title}: {sentence(at * 7, 9)}")
        page.showPage()


def picture_only(page):
    page.rect(3 * cm, 3 * cm, 10 * cm, 10 * cm, fill=1)
    page.showPage()
    page.drawString(3 * cm, 20 * cm, "The second page has text")
    page.showPage()
    page.circle(10 * cm, 10 * cm, 4 * cm)
    page.showPage()


def type3(name):
    import matplotlib

    matplotlib.use("pdf")
    import matplotlib.pyplot as plot

    plot.rcParams["pdf.fonttype"] = 3
    plot.rcParams["pdf.compression"] = 6
    figure, axes = plot.subplots(figsize=(6, 4))
    axes.plot([1, 2, 3, 4], [3, 1, 4, 1])
    axes.set_title("Sales by quarter in thousands")
    axes.set_xlabel("Quarter of the year")
    axes.set_ylabel("Thousand units sold")
    figure.savefig(HERE / name, metadata={"CreationDate": None})


def fpdf(name):
    from fpdf import FPDF

    page = FPDF()
    page.set_creation_date(datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc))
    page.add_page()
    page.add_font("Serif", fname=SERIF)
    page.set_font("Serif", size=12)
    page.set_text_shaping(False)
    page.multi_cell(0, 7, "\n".join(sentence(at * 11, 22) for at in range(8)))
    page.output(str(HERE / name))


def office(name, fill):
    document = Document()
    fill(document)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / (pathlib.Path(name).stem + ".docx")
        document.save(source)
        profile = f"-env:UserInstallation=file://{folder}/profile"
        command = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(HERE), str(source)]
        subprocess.run(command, check=True, capture_output=True)


def report(document):
    document.add_heading("Annual report", 0)
    for part in range(3):
        document.add_heading(f"Chapter {part + 1}", 1)
        for at in range(3):
            document.add_paragraph(sentence(part * 17 + at * 5, 60))
        for item in range(4):
            document.add_paragraph(sentence(item * 3, 8), style="List Bullet")
    rows = document.add_table(5, 3).rows
    for y, row in enumerate(rows):
        for x, cell in enumerate(row.cells):
            cell.text = f"Cell {y + 1}.{x + 1}"


def two_columns(document):
    document.add_heading("A page in two columns", 1)
    shape = document.sections[0]._sectPr
    columns = shape.find(qn("w:cols"))
    if columns is None:
        columns = OxmlElement("w:cols")
        shape.append(columns)
    columns.set(qn("w:num"), "2")
    columns.set(qn("w:space"), "500")
    for at in range(14):
        document.add_paragraph(sentence(at * 9, 50))


def right_to_left(document):
    for text in ["שלום עולם, זהו משפט בעברית", "הוועדה נפגשה ביום שני הראשון של החודש"]:
        paragraph = document.add_paragraph()
        properties = paragraph._p.get_or_add_pPr()
        properties.append(OxmlElement("w:bidi"))
        run = paragraph.add_run(text)
        run._r.get_or_add_rPr().append(OxmlElement("w:rtl"))
    document.add_paragraph("And a line in English")


def footnotes_and_sizes(document):
    paragraph = document.add_paragraph()
    for at, word in enumerate(sentence(0, 40).split()):
        run = paragraph.add_run(word + " ")
        run.bold, run.italic = at % 5 == 0, at % 7 == 0
        run.font.size = Pt(10 + at % 4)
    paragraph = document.add_paragraph("Water is H")
    paragraph.add_run("2").font.subscript = True
    paragraph.add_run("O and the area is 12 m")
    paragraph.add_run("2").font.superscript = True


def derived():
    """Files made from others: encrypted, damaged, cut off, with annotations, with layers."""
    plain = (HERE / "office-report.pdf").read_bytes()
    with pikepdf.open(io.BytesIO(plain)) as pdf:
        for name, user in [("encrypted-empty.pdf", ""), ("encrypted-password.pdf", "secret")]:
            keys = pikepdf.Encryption(owner="owner", user=user, R=6)
            pdf.save(HERE / name, encryption=keys, deterministic_id=False)
    (HERE / "cut-off.pdf").write_bytes(plain[: len(plain) * 9 // 10])
    at = plain.rindex(b"startxref")
    (HERE / "wrong-table.pdf").write_bytes(plain[:at] + b"startxref\n7\n%%EOF\n")
    with pikepdf.open(HERE / "outline.pdf") as pdf:
        page = pdf.pages[1]
        page.Annots = pdf.make_indirect(
            [
                pikepdf.Dictionary(
                    Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Text, Rect=[50, 700, 70, 720],
                    Contents="Please check the figures", T="Grace",
                ),
                pikepdf.Dictionary(
                    Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Link, Rect=[50, 600, 90, 620],
                    A=pikepdf.Dictionary(S=pikepdf.Name.URI, URI="https://example.org/"),
                ),
            ]
        )
        pdf.save(HERE / "annotated.pdf", static_id=True)


def readings():
    """What pdftotext reads, beside each file that it can read."""
    for path in sorted(HERE.glob("*.pdf")):
        done = subprocess.run(["pdftotext", "-enc", "UTF-8", str(path), "-"], capture_output=True)
        target = path.with_suffix(".txt")
        target.unlink(missing_ok=True)
        if done.returncode == 0 and done.stdout.strip():
            target.write_bytes(done.stdout)


def main():
    columns("columns-2.pdf", 2)
    columns("columns-3.pdf", 3)
    table("table.pdf")
    drawn("rotated-pages.pdf", rotated)
    drawn("turned-text.pdf", turned_text)
    drawn("east-asian.pdf", chinese)
    drawn("embedded.pdf", embedded)
    drawn("drawn-twice.pdf", bold_by_drawing_twice)
    drawn("spaced.pdf", spaced)
    drawn("form.pdf", form)
    drawn("outline.pdf", outline)
    drawn("no-text.pdf", picture_only)
    type3("type3.pdf")
    fpdf("fpdf.pdf")
    office("office-report.pdf", report)
    office("office-columns.pdf", two_columns)
    office("office-hebrew.pdf", right_to_left)
    office("office-sizes.pdf", footnotes_and_sizes)
    derived()
    readings()


main()
