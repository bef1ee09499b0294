//! Further languages, bullets and markup languages: written after the code, each to find a heading that is lost.

use super::Document;
use super::Formats::{All, Only};
use super::Meaning::{Do, Dont};

pub(crate) const DOCUMENTS: &[Document] = &[
    Document {
        name: "French with a blank before the colon",
        text: "À bannir :\n- les points de suspension\n- les majuscules à outrance\n\nÀ privilégier :\n- la voix active\n",
        rules: &[
            (All, Dont("les points de suspension", "bannir")),
            (All, Dont("les majuscules à outrance", "bannir")),
            (All, Do("la voix active")),
        ],
    },
    Document {
        name: "Spanish with emoji bullets",
        text: "## Qué no hacer\n\n🚫 Mezclar tipografías\n🚫 Abusar de las negritas\n\n## Qué hacer\n\n✅ Frases cortas\n✅ Un título por tabla\n",
        rules: &[
            (All, Dont("Mezclar tipografías", "Qué no hacer")),
            (All, Dont("Abusar de las negritas", "Qué no hacer")),
            (All, Do("Frases cortas")),
            (All, Do("Un título por tabla")),
        ],
    },
    Document {
        name: "emoji alone carry the meaning",
        text: "✅ Plain words\n✅ One font\n❌ Drop shadows\n❌ Word art\n",
        rules: &[
            (All, Do("Plain words")),
            (All, Do("One font")),
            (All, Dont("Drop shadows", "❌")),
            (All, Dont("Word art", "❌")),
        ],
    },
    Document {
        name: "emoji at the end of a bullet",
        text: "- Times New Roman 👎\n- Comic Sans 👎\n- Inter 👍\n",
        rules: &[(All, Dont("Times New Roman", "👎")), (All, Dont("Comic Sans", "👎")), (All, Do("Inter"))],
    },
    Document {
        name: "Japanese with full-width colons and middle dots",
        text: "使わない表現：\n・させていただく\n・弊社的には\n\n使う表現：\n・いたします\n・当社\n",
        rules: &[
            (All, Dont("させていただく", "使わない表現")),
            (All, Dont("弊社的には", "使わない表現")),
            (All, Do("いたします")),
            (All, Do("当社")),
        ],
    },
    Document {
        name: "Japanese brackets as headings",
        text: "【禁止】\n・太字の多用\n・機種依存文字\n\n【推奨】\n・短い文\n",
        rules: &[(All, Dont("太字の多用", "禁止")), (All, Dont("機種依存文字", "禁止")), (All, Do("短い文"))],
    },
    Document {
        name: "Chinese with numbered captions",
        text: "一、禁止使用\n1. 红色字体\n2. 合并单元格\n\n二、推荐使用\n1. 短句\n",
        rules: &[(All, Dont("红色字体", "禁止使用")), (All, Dont("合并单元格", "禁止使用")), (All, Do("短句"))],
    },
    Document {
        name: "Arabic with bullets and an Arabic colon",
        text: "لا تستخدم:\n• الخط الأحمر\n• الجمل الطويلة\n\nاستخدم:\n• العناوين الواضحة\n",
        rules: &[
            (All, Dont("الخط الأحمر", "لا تستخدم")),
            (All, Dont("الجمل الطويلة", "لا تستخدم")),
            (All, Do("العناوين الواضحة")),
        ],
    },
    Document {
        name: "Hebrew headings",
        text: "## אסור\n\n- טקסט אדום\n- קיצורים\n\n## מותר\n\n- כותרות קצרות\n",
        rules: &[(All, Dont("טקסט אדום", "אסור")), (All, Dont("קיצורים", "אסור")), (All, Do("כותרות קצרות"))],
    },
    Document {
        name: "Korean table",
        text: "| 쓰지 않는 말 | 쓰는 말 |\n|---|---|\n| 컨펌 | 확인 |\n| 리스크 | 위험 |\n",
        rules: &[(All, Dont("컨펌", "쓰지 않는 말")), (All, Dont("리스크", "쓰지 않는 말"))],
    },
    Document {
        name: "German with dashes of a word processor",
        text: "Das lassen wir bleiben\n– Passivsätze\n– Ausrufezeichen\n\nDas machen wir\n– kurze Sätze\n",
        rules: &[
            (All, Dont("Passivsätze", "Das lassen wir bleiben")),
            (All, Dont("Ausrufezeichen", "Das lassen wir bleiben")),
            (All, Do("kurze Sätze")),
        ],
    },
    Document {
        name: "check boxes",
        text: "### Not OK\n\n- [x] Orphan headings\n- [ ] Widows\n\n### OK\n\n- [x] Sentence case\n",
        rules: &[(All, Dont("Orphan headings", "Not OK")), (All, Dont("Widows", "Not OK")), (All, Do("Sentence case"))],
    },
    Document {
        name: "letters as list markers",
        text: "Unwanted:\na) pie charts\nb) three dimensional charts\n\nWanted:\na) bar charts\n",
        rules: &[
            (All, Dont("pie charts", "Unwanted")),
            (All, Dont("three dimensional charts", "Unwanted")),
            (All, Do("bar charts")),
        ],
    },
    Document {
        name: "three levels of bullets, the prohibition in the middle",
        text: "* Word documents\n    * Stay away from\n        * Drop caps\n        * Columns\n    * Go for\n        * Numbered headings\n* Slides\n    * Stay away from\n        * Paragraphs\n",
        rules: &[
            (Only(&["docx"]), Dont("Drop caps", "Stay away from")),
            (Only(&["docx"]), Dont("Columns", "Stay away from")),
            (Only(&["docx"]), Do("Numbered headings")),
            (Only(&["pptx"]), Dont("Paragraphs", "Stay away from")),
        ],
    },
    Document {
        name: "tabs as indents",
        text: "Never\n\t- Oxford commas\n\t- Red totals\nAlways\n\t- Bold headers\n",
        rules: &[(All, Dont("Oxford commas", "Never")), (All, Dont("Red totals", "Never")), (All, Do("Bold headers"))],
    },
    Document {
        name: "capitals as headings, without blank lines",
        text: "NEVER\nOxford commas\nRed totals\nALWAYS\nBold headers\n",
        rules: &[(All, Dont("Oxford commas", "NEVER")), (All, Dont("Red totals", "NEVER"))],
    },
    Document {
        name: "reStructuredText",
        text: "Forbidden\n=========\n\n* Marquees\n* Auto-play\n\nEncouraged\n==========\n\n* Captions\n",
        rules: &[(All, Dont("Marquees", "Forbidden")), (All, Dont("Auto-play", "Forbidden")), (All, Do("Captions"))],
    },
    Document {
        name: "reStructuredText with other underlines",
        text: "Forbidden\n~~~~~~~~~\n\n* Marquees\n\nEncouraged\n~~~~~~~~~~\n\n* Captions\n",
        rules: &[(All, Dont("Marquees", "Forbidden")), (All, Do("Captions"))],
    },
    Document {
        name: "AsciiDoc",
        text: "== Forbidden\n\n* Marquees\n* Frames\n\n== Encouraged\n\n* Captions\n",
        rules: &[(All, Dont("Marquees", "Forbidden")), (All, Dont("Frames", "Forbidden")), (All, Do("Captions"))],
    },
    Document {
        name: "wiki headings",
        text: "== Never ==\n* Marquees\n* Frames\n\n== Always ==\n* Captions\n",
        rules: &[(All, Dont("Marquees", "Never")), (All, Dont("Frames", "Never")), (All, Do("Captions"))],
    },
    Document {
        name: "Org mode",
        text: "* Never\n- Marquees\n- Frames\n* Always\n- Captions\n",
        rules: &[(All, Dont("Marquees", "Never")), (All, Dont("Frames", "Never")), (All, Do("Captions"))],
    },
    Document {
        name: "Org mode in two levels",
        text: "* Spreadsheets\n** Never\n- hidden rows\n** Always\n- units in headers\n* Slides\n** Never\n- walls of text\n",
        rules: &[
            (Only(&["xlsx"]), Dont("hidden rows", "Never")),
            (Only(&["xlsx"]), Do("units in headers")),
            (Only(&["pptx"]), Dont("walls of text", "Never")),
        ],
    },
    Document {
        name: "lists in lists of a wiki",
        text: "* Never\n** marquees\n** frames\n* Always\n** captions\n",
        rules: &[(All, Dont("marquees", "Never")), (All, Dont("frames", "Never")), (All, Do("captions"))],
    },
    Document {
        name: "Jira wiki",
        text: "h2. Don'ts\n* Marquees\n* Frames\n\nh2. Dos\n* Captions\n",
        rules: &[(All, Dont("Marquees", "Don'ts")), (All, Dont("Frames", "Don'ts")), (All, Do("Captions"))],
    },
    Document {
        name: "JSON",
        text: "{\"never\": [\"marquees\", \"frames\"], \"always\": [\"captions\"]}\n",
        rules: &[(All, Dont("marquees", "never")), (All, Dont("frames", "never"))],
    },
    Document {
        name: "TOML",
        text: "[never]\nrules = [\"marquees\", \"frames\"]\n\n[always]\nrules = [\"captions\"]\n",
        rules: &[(All, Dont("marquees", "never")), (All, Dont("frames", "never")), (All, Do("captions"))],
    },
    Document {
        name: "tab-separated columns of a spreadsheet",
        text: "Don't say\tSay\nutilise\tuse\ncommence\tstart\n",
        rules: &[(All, Dont("utilise", "Don't say")), (All, Dont("commence", "Don't say"))],
    },
    Document {
        name: "arrows",
        text: "## Wrong → right\n\n- utilise → use\n- in order to → to\n",
        rules: &[(All, Dont("utilise", "Wrong")), (All, Dont("in order to", "Wrong"))],
    },
    Document {
        name: "a heading in bold inside a bullet, rules below",
        text: "- **Nie verwenden**\n  - Rote Zahlen\n  - Leere Zeilen\n- **Immer verwenden**\n  - Einheiten\n",
        rules: &[
            (All, Dont("Rote Zahlen", "Nie verwenden")),
            (All, Dont("Leere Zeilen", "Nie verwenden")),
            (All, Do("Einheiten")),
        ],
    },
    Document {
        name: "a callout of a note-taking program",
        text: "> [!danger] Never\n> - Marquees\n> - Frames\n\n> [!tip] Always\n> - Captions\n",
        rules: &[(All, Dont("Marquees", "Never")), (All, Dont("Frames", "Never")), (All, Do("Captions"))],
    },
    Document {
        name: "an admonition",
        text: "!!! danger \"Never\"\n    - Marquees\n    - Frames\n\n!!! tip \"Always\"\n    - Captions\n",
        rules: &[(All, Dont("Marquees", "Never")), (All, Dont("Frames", "Never")), (All, Do("Captions"))],
    },
    Document {
        name: "text behind an admonition",
        text: "!!! danger \"Never\"\n    - Marquees\n\n    - Frames\n\n- Captions\n",
        rules: &[(All, Dont("Marquees", "Never")), (All, Dont("Frames", "Never")), (All, Do("Captions"))],
    },
    Document {
        name: "a table with formats down and polarity across",
        text: "| | Vermeiden | Verwenden |\n|---|---|---|\n| Excel | Leerzeilen | Filter |\n| PowerPoint | Fließtext | Bilder |\n",
        rules: &[(Only(&["xlsx"]), Dont("Leerzeilen", "Vermeiden")), (Only(&["pptx"]), Dont("Fließtext", "Vermeiden"))],
    },
    Document {
        name: "definition list of Markdown extensions",
        text: "Banned\n: marquees\n: frames\n\nWelcome\n: captions\n",
        rules: &[(All, Dont("marquees", "Banned")), (All, Dont("frames", "Banned")), (All, Do("captions"))],
    },
    Document {
        name: "a line of stars under a caption and windows line ends",
        text: "Banned\r\n******\r\n\r\n- marquees\r\n- frames\r\n\r\nWelcome\r\n*******\r\n\r\n- captions\r\n",
        rules: &[(All, Dont("marquees", "Banned")), (All, Dont("frames", "Banned")), (All, Do("captions"))],
    },
    Document {
        name: "Turkish and Vietnamese",
        text: "## Yapma\n\n- Kırmızı yazı\n\n## Yap\n\n- Kısa cümle\n\n## Không được\n\n- Chữ đỏ\n",
        rules: &[(All, Dont("Kırmızı yazı", "Yapma")), (All, Do("Kısa cümle")), (All, Dont("Chữ đỏ", "Không được"))],
    },
];
