"""Presentations with what python-pptx cannot write, and the smallest that the format allows."""
import io

from pptx.util import Inches

from drawing import smart_art
from package import OFFICE, Package
from pptx_library import new

P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
MS = "http://schemas.microsoft.com/office"
PML = "application/vnd.openxmlformats-officedocument.presentationml"
SPACES = f'xmlns:a="{A}" xmlns:r="{OFFICE}" xmlns:p="{P}"'
TREE = ('<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/>'
        '<a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>')


def package_of(deck):
    buffer = io.BytesIO()
    deck.save(buffer)
    package = Package(buffer)
    package.parts["docProps/thumbnail.jpeg"] = b"\xff\xd8\xff\xd9"
    return package


def review():
    """SmartArt, comments old and threaded, sections, a transition, an animation, a hidden slide."""
    deck = new()
    for title in ("One", "Two", "Three"):
        deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = title
    package = package_of(deck)
    one, two, three = (f"ppt/slides/slide{number}.xml" for number in (1, 2, 3))
    diagram = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
    frame = ('<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="Smart"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="914400" y="1828800"/><a:ext cx="3657600" cy="1828800"/></p:xfrm>'
             f'<a:graphic><a:graphicData uri="{diagram}"><dgm:relIds xmlns:dgm="{diagram}" xmlns:r="{OFFICE}" r:dm="rIdData" r:lo="rIdLayout" r:qs="rIdStyle" r:cs="rIdColors"/></a:graphicData></a:graphic></p:graphicFrame>')
    package.replace(one, "</p:spTree>", f"{frame}</p:spTree>")
    smart_art(package, one, "ppt/diagrams")
    package.replace(two, "</p:sld>", '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main" Requires="p14">'
                    '<p:transition spd="slow" p14:dur="2000"><p14:reveal/></p:transition></mc:Choice><mc:Fallback><p:transition spd="slow"><p:fade/></p:transition></mc:Fallback></mc:AlternateContent>'
                    '<p:timing><p:tnLst><p:par><p:cTn id="1" dur="indefinite" restart="never" nodeType="tmRoot"/></p:par></p:tnLst></p:timing></p:sld>')
    package.replace(three, "<p:sld ", '<p:sld show="0" ')
    old_comments(package, two)
    new_comments(package, three)
    sections(package)
    package.save("review.pptx")


def old_comments(package, slide):
    package.add("ppt/commentAuthors.xml", f'<p:cmAuthorLst {SPACES}><p:cmAuthor id="0" name="Ann" initials="A" lastIdx="1" clrIdx="0"/></p:cmAuthorLst>', f"{PML}.commentAuthors+xml")
    package.relate("ppt/presentation.xml", f"{OFFICE}/commentAuthors", "ppt/commentAuthors.xml")
    package.add("ppt/comments/comment1.xml", f'<p:cmLst {SPACES}><p:cm authorId="0" dt="2024-01-05T10:00:00.000" idx="1"><p:pos x="10" y="10"/><p:text>An old comment</p:text></p:cm></p:cmLst>', f"{PML}.comments+xml")
    package.relate(slide, f"{OFFICE}/comments", "ppt/comments/comment1.xml")


def new_comments(package, slide):
    p188 = f"{MS}/powerpoint/2018/8/main"
    author, first, reply = (f"{{00000000-0000-0000-0000-00000000000{number}}}" for number in (1, 2, 3))
    body = lambda text: f"<p188:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr lang=\"en-US\"/><a:t>{text}</a:t></a:r></a:p></p188:txBody>"
    package.add("ppt/authors.xml", f'<p188:authorLst {SPACES} xmlns:p188="{p188}"><p188:author id="{author}" name="Ann" initials="A" userId="ann" providerId="None"/></p188:authorLst>',
                "application/vnd.ms-powerpoint.authors+xml")
    package.relate("ppt/presentation.xml", f"{MS}/2018/10/relationships/authors", "ppt/authors.xml")
    package.add("ppt/comments/modernComment_102_0.xml",
                f'<p188:cmLst {SPACES} xmlns:p188="{p188}"><p188:cm id="{first}" authorId="{author}" created="2024-01-05T10:00:00.000"><pc:sldMkLst xmlns:pc="{MS}/powerpoint/2013/main/command"><pc:docMk/><pc:sldMk cId="0" sldId="258"/></pc:sldMkLst>'
                f'<p188:replyLst><p188:reply id="{reply}" authorId="{author}" created="2024-01-05T11:00:00.000">{body("Yes.")}</p188:reply></p188:replyLst>{body("Is this right?")}</p188:cm></p188:cmLst>',
                "application/vnd.ms-powerpoint.comments+xml")
    package.relate(slide, f"{MS}/2018/10/relationships/comments", "ppt/comments/modernComment_102_0.xml")


def sections(package):
    section = lambda name, number, ids: f'<p14:section name="{name}" id="{{00000000-0000-0000-0001-00000000000{number}}}"><p14:sldIdLst>' + "".join(f'<p14:sldId id="{i}"/>' for i in ids) + "</p14:sldIdLst></p14:section>"
    ext = (f'<p:ext uri="{{521415D9-36F7-43E2-AB2F-B90AF26B5E84}}"><p14:sectionLst xmlns:p14="{MS}/powerpoint/2010/main">'
           + section("Start", 1, [256]) + section("Rest", 2, [257, 258]) + "</p14:sectionLst></p:ext>")
    if "<p:extLst>" in package.text("ppt/presentation.xml"):
        package.replace("ppt/presentation.xml", "<p:extLst>", f"<p:extLst>{ext}", 1)
    else:
        package.replace("ppt/presentation.xml", "</p:presentation>", f"<p:extLst>{ext}</p:extLst></p:presentation>")


def layouts():
    """Layouts under other names and in another order, one without any placeholder, a slide 16:9."""
    deck = new()
    deck.slide_width, deck.slide_height = Inches(13.333), Inches(7.5)
    for index in (6, 1, 0):
        deck.slides.add_slide(deck.slide_layouts[index])
    package = package_of(deck)
    names = ["Titelfolie", "Titel und Inhalt", "Abschnitt", "Zwei Inhalte", "Vergleich", "Nur Titel", "Leer", "Inhalt", "Bild", "Senkrecht", "ACME Spezial"]
    for number, name in enumerate(names, 1):
        part = f"ppt/slideLayouts/slideLayout{number}.xml"
        old = package.text(part).split('<p:cSld name="', 1)[1].split('"', 1)[0]
        package.replace(part, f'<p:cSld name="{old}"', f'<p:cSld name="{name}"')
    package.save("layouts.pptx")


def shape(number, name, placeholder, text, frame=True):
    """A placeholder with text; its place comes from the layout unless given."""
    place = '<a:xfrm><a:off x="685800" y="685800"/><a:ext cx="7772400" cy="1143000"/></a:xfrm>' if frame else ""
    return (f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{name}"/><p:cNvSpPr/><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:spPr>{place}</p:spPr>'
            f"<p:txBody><a:bodyPr/><a:lstStyle/>{text}</p:txBody></p:sp>")


def paragraph(text, properties="", lang="en-US"):
    return f'<a:p>{properties}<a:r><a:rPr lang="{lang}"/><a:t>{text}</a:t></a:r></a:p>'


def small(slides, absolute=False):
    """One master, one layout, a theme, and these slides' shapes. Nothing optional."""
    main = "ppt/presentation.xml"
    package = Package.empty(main, f"{PML}.presentation.main+xml")
    if absolute:
        package.replace("_rels/.rels", 'Target="ppt', 'Target="/ppt')
    sheet = lambda tag, inner, rest: f"<p:{tag} {SPACES}><p:cSld><p:spTree>{TREE}{inner}</p:spTree></p:cSld>{rest}</p:{tag}>"
    colours = '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
    master, layout, theme = "ppt/slideMasters/slideMaster1.xml", "ppt/slideLayouts/slideLayout1.xml", "ppt/theme/theme1.xml"
    prompt = shape(2, "Title 1", '<p:ph type="title"/>', paragraph("Title")) + shape(3, "Body 2", '<p:ph type="body" idx="1"/>', paragraph("Body"))
    package.add(master, sheet("sldMaster", prompt, f'{colours}<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst>'), f"{PML}.slideMaster+xml")
    package.add(layout, sheet("sldLayout", prompt, "<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr>").replace("<p:cSld>", '<p:cSld name="Only layout">'), f"{PML}.slideLayout+xml")
    package.add(theme, theme_xml(), "application/vnd.openxmlformats-officedocument.theme+xml")
    package.relate(master, f"{OFFICE}/slideLayout", layout, "rId1", absolute=absolute)
    package.relate(master, f"{OFFICE}/theme", theme, "rId2", absolute=absolute)
    package.relate(layout, f"{OFFICE}/slideMaster", master, "rId1", absolute=absolute)
    package.relate(main, f"{OFFICE}/slideMaster", master, "rId1", absolute=absolute)
    entries = ""
    for number, shapes in enumerate(slides, 1):
        name = f"ppt/slides/slide{number}.xml"
        package.add(name, sheet("sld", shapes, ""), f"{PML}.slide+xml")
        package.relate(name, f"{OFFICE}/slideLayout", layout, "rId1", absolute=absolute)
        package.relate(main, f"{OFFICE}/slide", name, f"rId{number + 1}", absolute=absolute)
        entries += f'<p:sldId id="{255 + number}" r:id="rId{number + 1}"/>'
    package.add(main, f'<p:presentation {SPACES}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst>'
                f'{f"<p:sldIdLst>{entries}</p:sldIdLst>" if entries else ""}<p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>')
    return package


def theme_xml():
    names = "dk1 lt1 dk2 lt2 accent1 accent2 accent3 accent4 accent5 accent6 hlink folHlink".split()
    colours = "".join(f'<a:{name}><a:srgbClr val="{index * 0x151515:06X}"/></a:{name}>' for index, name in enumerate(names))
    font = '<a:latin typeface="Arial"/><a:ea typeface=""/><a:cs typeface=""/>'
    fill = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
    return (f'<a:theme xmlns:a="{A}" name="Small"><a:themeElements><a:clrScheme name="Small">{colours}</a:clrScheme><a:fontScheme name="Small"><a:majorFont>{font}</a:majorFont><a:minorFont>{font}</a:minorFont></a:fontScheme>'
            f'<a:fmtScheme name="Small"><a:fillStyleLst>{fill * 3}</a:fillStyleLst><a:lnStyleLst>{f"<a:ln>{fill}</a:ln>" * 3}</a:lnStyleLst>'
            f'<a:effectStyleLst>{"<a:effectStyle><a:effectLst/></a:effectStyle>" * 3}</a:effectStyleLst><a:bgFillStyleLst>{fill * 3}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>')


TITLE, BODY = '<p:ph type="title"/>', '<p:ph type="body" idx="1"/>'


def smallest():
    slide = shape(2, "Title 1", TITLE, paragraph("Small"), False) + shape(3, "Body 2", BODY, paragraph("ACME text"), False)
    small([slide]).save("minimal.pptx")
    small([]).save("no-slides.pptx")
    small([slide, slide], absolute=True).save("absolute-targets.pptx")


def languages():
    rtl = '<a:pPr algn="r" rtl="1"/>'
    slides = [shape(2, "Title 1", TITLE, paragraph("مرحبا", rtl, "ar-SA"), False) + shape(3, "Body 2", BODY, paragraph("שלום עולם", rtl, "he-IL") + paragraph("日本語", lang="ja-JP") + paragraph("👩‍👩‍👧 e\u0301"), False)]
    small(slides).save("languages.pptx")


def google():
    """The habits of Google's export: names from ids, empty paragraphs with their own marks, sizes after the data."""
    text = '<a:p><a:pPr indent="0" lvl="0" marL="0" rtl="0" algn="l"><a:spcBef><a:spcPts val="0"/></a:spcBef><a:buNone/></a:pPr><a:r><a:rPr lang="de"/><a:t>Folie</a:t></a:r><a:endParaRPr/></a:p>'
    package = small([shape(54, "Google Shape;54;p13", TITLE, text, False) + shape(55, "Google Shape;55;p13", BODY, text.replace("Folie", "Punkt"), False)])
    package.save_streamed("google-like.pptx")


def make():
    review()
    layouts()
    smallest()
    languages()
    google()
