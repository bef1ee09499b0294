"""Documents with what python-docx cannot write: parts by hand."""
from drawing import smart_art
from package import OFFICE, Package, png

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MS = "http://schemas.microsoft.com/office/word"
WML = "application/vnd.openxmlformats-officedocument.wordprocessingml"
MAIN = f"{WML}.document.main+xml"
SPACES = (
    f'xmlns:w="{W}" xmlns:r="{OFFICE}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    f'xmlns:w14="{MS}/2010/wordml" xmlns:w15="{MS}/2012/wordml" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'mc:Ignorable="w14 w15"'
)
WHO = 'w:author="Ann" w:date="2024-01-05T10:00:00Z"'
SECTION = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr>'


def document(body, main="word/document.xml", absolute=False):
    package = Package.empty(main, MAIN)
    if absolute:
        package.replace("_rels/.rels", 'Target="word', 'Target="/word')
    package.add(main, f"<w:document {SPACES}><w:body>{body}{SECTION}</w:body></w:document>")
    return package


def part(package, name, xml, content_type, kind, rel_id=None):
    package.add(name, xml, content_type)
    return package.relate("word/document.xml", kind, name, rel_id)


def p(content, properties=""):
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{content}</w:p>"


def r(text, properties="", tag="t"):
    return f'<w:r>{f"<w:rPr>{properties}</w:rPr>" if properties else ""}<w:{tag} xml:space="preserve">{text}</w:{tag}></w:r>'


def table(rows):
    grid = '<w:gridCol w:w="2000"/>' * len(rows[0])
    cells = lambda row: "".join(f'<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>{cell}</w:tc>' for cell in row)
    body = "".join(f"<w:tr>{cells(row)}</w:tr>" for row in rows)
    return f'<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{body}</w:tbl>'


def review():
    """Redlines of every sort, and a comment with an answer."""
    mark = lambda kind, number: f'<w:{kind} w:id="{number}" {WHO}>'
    body = (
        p(r("The price is ") + mark("del", 1) + r("ten", tag="delText") + "</w:del>" + mark("ins", 2) + r("twelve") + "</w:ins>" + r(" dollars."))
        + p(mark("ins", 3) + r("A new paragraph.") + "</w:ins>", f'<w:rPr><w:ins w:id="4" {WHO}/></w:rPr>')
        + p(mark("del", 5) + r("A deleted one.", tag="delText") + "</w:del>", f'<w:rPr><w:del w:id="6" {WHO}/></w:rPr>')
        + p(r("Now bold", f'<w:b/><w:rPrChange w:id="7" {WHO}><w:rPr/></w:rPrChange>'), f'<w:jc w:val="center"/><w:pPrChange w:id="8" {WHO}><w:pPr/></w:pPrChange>')
        + p(f'<w:moveFromRangeStart w:id="9" w:name="move1" {WHO}/>' + mark("moveFrom", 10) + r("Moved text.") + '</w:moveFrom><w:moveFromRangeEnd w:id="9"/>')
        + p(f'<w:moveToRangeStart w:id="11" w:name="move1" {WHO}/>' + mark("moveTo", 12) + r("Moved text.") + '</w:moveTo><w:moveToRangeEnd w:id="11"/>')
        + table([[p(r("kept"))], [p(r("row added"))]]).replace("<w:tr><w:tc><w:tcPr><w:tcW w:w=\"2000\" w:type=\"dxa\"/></w:tcPr><w:p><w:r><w:t xml:space=\"preserve\">row",
                                                              f'<w:tr><w:trPr><w:ins w:id="13" {WHO}/></w:trPr><w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr><w:p><w:r><w:t xml:space="preserve">row')
        + p('<w:commentRangeStart w:id="0"/><w:commentRangeStart w:id="1"/>' + r("Discussed") + '<w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r>'
            '<w:commentRangeEnd w:id="1"/><w:r><w:commentReference w:id="1"/></w:r>' + r(" here."))
    )
    package = document(body)
    comment = lambda number, text: f'<w:comment w:id="{number}" {WHO} w:initials="A"><w:p w14:paraId="0000000{number + 1}">{r(text)}</w:p></w:comment>'
    part(package, "word/comments.xml", f"<w:comments {SPACES}>{comment(0, 'Why?')}{comment(1, 'Because.')}</w:comments>", f"{WML}.comments+xml", f"{OFFICE}/comments")
    part(package, "word/commentsExtended.xml",
         f'<w15:commentsEx {SPACES}><w15:commentEx w15:paraId="00000001" w15:done="0"/><w15:commentEx w15:paraId="00000002" w15:paraIdParent="00000001" w15:done="0"/></w15:commentsEx>',
         f"{WML}.commentsExtended+xml", "http://schemas.microsoft.com/office/2011/relationships/commentsExtended")
    part(package, "word/people.xml", f'<w15:people {SPACES}><w15:person w15:author="Ann"><w15:presenceInfo w15:providerId="None" w15:userId="Ann"/></w15:person></w15:people>',
         f"{WML}.people+xml", "http://schemas.microsoft.com/office/2011/relationships/people")
    part(package, "word/settings.xml", f"<w:settings {SPACES}><w:trackRevisions/></w:settings>", f"{WML}.settings+xml", f"{OFFICE}/settings")
    package.save("review.docx")


def control(content, properties):
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def fields():
    """Content controls, fields simple and complex, bookmarks, links, footnotes and endnotes, an equation."""
    char = lambda kind: f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'
    complex_field = lambda code, text: char("begin") + r(f" {code} ", tag="instrText") + char("separate") + r(text) + char("end")
    body = (
        control(p(complex_field(r'TOC \o "1-3" \h', "Contents")), '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>')
        + p('<w:bookmarkStart w:id="0" w:name="top"/>' + r("Heading by level") + '<w:bookmarkEnd w:id="0"/>', '<w:outlineLvl w:val="0"/>')
        + control(p(r("In a block control")), '<w:alias w:val="Block"/><w:tag w:val="block"/><w:id w:val="1"/>')
        + p(r("Name: ") + control(r("In a run control"), '<w:alias w:val="Name"/><w:id w:val="2"/><w:text/>')
            + control(r("two"), '<w:id w:val="3"/><w:dropDownList><w:listItem w:displayText="one" w:value="1"/><w:listItem w:displayText="two" w:value="2"/></w:dropDownList>')
            + control(r("☒"), '<w:id w:val="4"/><w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>'))
        + p('<w:fldSimple w:instr=" PAGE ">' + r("1") + "</w:fldSimple>" + r(" of ") + complex_field("NUMPAGES", "9") + r("; see ") + complex_field(r"REF top \h", "Heading by level"))
        + p('<w:hyperlink r:id="rIdLink">' + r("A link out", "<w:b/>") + '</w:hyperlink><w:hyperlink w:anchor="top">' + r(" and in") + "</w:hyperlink>")
        + p(r("A note") + '<w:r><w:footnoteReference w:id="1"/></w:r>' + r(" and an end note") + '<w:r><w:endnoteReference w:id="1"/></w:r>' + r("."))
        + p("<m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath><w:r><w:tab/><w:br/><w:noBreakHyphen/><w:sym w:font=\"Wingdings\" w:char=\"F04A\"/></w:r>")
    )
    package = document(body)
    package.relate("word/document.xml", f"{OFFICE}/hyperlink", "https://example.com/?a=1&amp;b=2", "rIdLink", mode="External")
    for kind, name in (("footnote", "footnotes"), ("endnote", "endnotes")):
        own = f'<w:{kind} w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:{kind}><w:{kind} w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:{kind}>'
        note = f'<w:{kind} w:id="1"><w:p><w:r><w:{kind}Ref/></w:r>{r(f" Text of the {kind}.")}</w:p></w:{kind}>'
        part(package, f"word/{name}.xml", f"<w:{name} {SPACES}>{own}{note}</w:{name}>", f"{WML}.{name}+xml", f"{OFFICE}/{name}")
    package.add("customXml/item1.xml", '<data xmlns="urn:example"><name>In a run control</name></data>')
    package.relate("word/document.xml", f"{OFFICE}/customXml", "customXml/item1.xml")
    package.save("fields.docx")


def drawings():
    """Text boxes with their fallback, SmartArt, a picture, nested tables, merged and empty cells."""
    box = f'<w:txbxContent>{p(r("Text in a box"))}{p(r("ACME in a box"))}</w:txbxContent>'
    frame = lambda number, inner, uri: (
        '<w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="1828800" cy="914400"/>'
        f'<wp:docPr id="{number}" name="Thing {number}" descr="thing number {number}"/><a:graphic><a:graphicData uri="{uri}">{inner}</a:graphicData></a:graphic></wp:inline></w:drawing>')
    shape = ('<wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1828800" cy="914400"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr>'
             f"<wps:txbx>{box}</wps:txbx><wps:bodyPr/></wps:wsp>")
    fallback = f'<w:pict><v:shape id="box" type="#_x0000_t202" style="width:144pt;height:72pt"><v:textbox>{box}</v:textbox></v:shape></w:pict>'
    choice = f'<w:r><mc:AlternateContent><mc:Choice Requires="wps">{frame(1, shape, "http://schemas.microsoft.com/office/word/2010/wordprocessingShape")}</mc:Choice><mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent></w:r>'
    picture = ('<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:nvPicPr><pic:cNvPr id="0" name="dot.png"/><pic:cNvPicPr/></pic:nvPicPr>'
               '<pic:blipFill><a:blip r:embed="rIdDot"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="914400" cy="914400"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic>')
    diagram = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
    smart = f'<dgm:relIds xmlns:dgm="{diagram}" r:dm="rIdData" r:lo="rIdLayout" r:qs="rIdStyle" r:cs="rIdColors"/>'
    inner = table([[p(r("inner a")), p(r("inner ACME"))]])
    merged = '<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid>' \
             '<w:tr><w:tc><w:tcPr><w:tcW w:w="4000" w:type="dxa"/><w:gridSpan w:val="2"/></w:tcPr>' + p(r("wide | bar")) + "</w:tc></w:tr>" \
             '<w:tr><w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/><w:vMerge w:val="restart"/></w:tcPr>' + p(r("tall")) + '</w:tc><w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>' + p("") + "</w:tc></w:tr>" \
             '<w:tr><w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/><w:vMerge/></w:tcPr>' + p("") + '</w:tc><w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>' + p(r("one")) + p(r("two")) + "</w:tc></w:tr></w:tbl>"
    body = (p(choice) + p(f'<w:r>{frame(2, smart, diagram)}</w:r>') + p(f'<w:r>{frame(3, picture, "http://schemas.openxmlformats.org/drawingml/2006/picture")}</w:r>')
            + table([[p(r("outer a")), inner + p("")], [p(r("outer c")), p(r("outer d"))]]) + p("") + merged + p(r("After.")))
    package = document(body)
    package.default("png", "image/png")
    package.parts["word/media/image1.png"] = png(8, 8)
    package.relate("word/document.xml", f"{OFFICE}/image", "word/media/image1.png", "rIdDot")
    smart_art(package, "word/document.xml", "word/diagrams")
    package.save("drawings.docx")


def languages():
    """Right to left, East Asian, combining marks and emoji; headings by German and inherited styles."""
    style = lambda style_id, name, inner="", kind="paragraph", default="": f'<w:style w:type="{kind}"{default} w:styleId="{style_id}"><w:name w:val="{name}"/>{inner}</w:style>'
    level = lambda number: f'<w:pPr><w:outlineLvl w:val="{number}"/></w:pPr>'
    styles = (style("Standard", "Normal", default=' w:default="1"') + style("berschrift1", "heading 1", '<w:basedOn w:val="Standard"/>' + level(0))
              + style("Kapitel", "Kapitel", '<w:basedOn w:val="berschrift1"/>') + style("Abschnitt", "Mein Abschnitt", '<w:basedOn w:val="Standard"/>' + level(1)))
    body = (p(r("Überschrift"), '<w:pStyle w:val="berschrift1"/>') + p(r("Straße und Größe"), '<w:pStyle w:val="Standard"/>')
            + p(r("Kapitel zwei"), '<w:pStyle w:val="Kapitel"/>') + p(r("Abschnitt"), '<w:pStyle w:val="Abschnitt"/>')
            + p(r("مرحبا بالعالم", "<w:rtl/>"), "<w:bidi/>") + p(r("שלום עולם", "<w:rtl/>"), "<w:bidi/>")
            + p(r("日本語の", '<w:rFonts w:eastAsia="MS Mincho"/>') + r("文章")) + p(r("e\u0301 👩‍👩‍👧 ") + "<w:r><w:ruby><w:rubyPr><w:rubyAlign w:val=\"center\"/><w:hps w:val=\"10\"/><w:hpsRaise w:val=\"18\"/><w:hpsBaseText w:val=\"21\"/><w:lid w:val=\"ja-JP\"/></w:rubyPr><w:rt>" + r("かん") + "</w:rt><w:rubyBase>" + r("漢") + "</w:rubyBase></w:ruby></w:r>"))
    package = document(body)
    part(package, "word/styles.xml", f"<w:styles {SPACES}>{styles}</w:styles>", f"{WML}.styles+xml", f"{OFFICE}/styles")
    package.save("languages.docx")


def minimal():
    """One part; and the same under another name, another prefix, no declaration, targets from the root."""
    document(p(r("Only a document."))).save("minimal.docx")
    package = document("", "word/document2.xml", absolute=True)
    package.parts["word/document2.xml"] = (f'<ns0:document xmlns:ns0="{W}"><ns0:body>\n  <ns0:p><ns0:r><ns0:t>Other prefix</ns0:t></ns0:r></ns0:p>\n'
                                           "  <ns0:p/>\n</ns0:body></ns0:document>").encode()
    package.save("absolute-targets.docx")


def google():
    """The habits of Google's export: every run formatted in place, no theme, lists as multilevel definitions, sizes after the data."""
    run = lambda text, more="": f'<w:r w:rsidDel="00000000" w:rsidR="00000000" w:rsidRPr="00000000"><w:rPr>{more}<w:rtl w:val="0"/></w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'
    ids = 'w:rsidR="00000000" w:rsidDel="00000000" w:rsidP="00000000" w:rsidRDefault="00000000" w:rsidRPr="00000000"'
    paragraph = lambda inner, properties="": f"<w:p {ids}><w:pPr>{properties}<w:rPr/></w:pPr>{inner}</w:p>"
    item = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:ind w:left="720" w:hanging="360"/>'
    body = (paragraph(run("Titel"), '<w:pStyle w:val="Heading1"/>') + paragraph(run("Ein ") + run("ACME", "<w:b w:val=\"1\"/>") + run(" Text")) + paragraph(run("Punkt"), item))
    package = document(body)
    styles = ('<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Arial" w:cs="Arial" w:eastAsia="Arial" w:hAnsi="Arial"/><w:sz w:val="22"/><w:szCs w:val="22"/><w:lang w:val="de"/></w:rPr></w:rPrDefault></w:docDefaults>'
              '<w:style w:type="paragraph" w:styleId="Normal" w:default="1"><w:name w:val="normal"/></w:style>'
              '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/></w:style>')
    part(package, "word/styles.xml", f"<w:styles {SPACES}>{styles}</w:styles>", f"{WML}.styles+xml", f"{OFFICE}/styles")
    numbering = '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="●"/><w:lvlJc w:val="left"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    part(package, "word/numbering.xml", f"<w:numbering {SPACES}>{numbering}</w:numbering>", f"{WML}.numbering+xml", f"{OFFICE}/numbering")
    package.save_streamed("google-like.docx")


def make():
    review()
    fields()
    drawings()
    languages()
    minimal()
    google()
