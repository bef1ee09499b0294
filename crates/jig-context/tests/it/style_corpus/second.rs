//! The second half of the corpus: written before the code and first run when the code was finished.

use super::Document;
use super::Formats::{All, Only};
use super::Meaning::{Do, DoUnder, Dont};

pub(crate) const DOCUMENTS: &[Document] = &[
    Document {
        name: "bullets of a word processor",
        text: "Style guide\n\nPlease avoid:\n• Passive voice\n• Double spaces\n\nPlease use:\n• Active verbs\n",
        rules: &[
            (All, Dont("Passive voice", "avoid")),
            (All, Dont("Double spaces", "avoid")),
            (All, Do("Active verbs")),
        ],
    },
    Document {
        name: "setext headings",
        text: "Banned\n------\n\n- Wingdings\n- Blinking text\n\nWelcome\n-------\n\n- White space\n",
        rules: &[(All, Dont("Wingdings", "Banned")), (All, Dont("Blinking text", "Banned")), (All, Do("White space"))],
    },
    Document {
        name: "Italian",
        text: "# Stile\n\n## Da fare\n\n- Titoli brevi\n\n## Da evitare\n\n- Testo in maiuscolo\n\n## Presentazioni\n\n- Sfondo bianco\n",
        rules: &[
            (All, Do("Titoli brevi")),
            (All, Dont("Testo in maiuscolo", "Da evitare")),
            (Only(&["pptx"]), Do("Sfondo bianco")),
        ],
    },
    Document {
        name: "Portuguese",
        text: "## Não usar\n\n- Gírias\n- Negrito em parágrafos\n\n## Usar\n\n- Voz ativa\n",
        rules: &[
            (All, Dont("Gírias", "Não usar")),
            (All, Dont("Negrito em parágrafos", "Não usar")),
            (All, Do("Voz ativa")),
        ],
    },
    Document {
        name: "Dutch",
        text: "## Wel\n\n- Korte zinnen\n\n## Niet\n\n- Afkortingen\n- Uitroeptekens\n",
        rules: &[(All, Do("Korte zinnen")), (All, Dont("Afkortingen", "Niet")), (All, Dont("Uitroeptekens", "Niet"))],
    },
    Document {
        name: "Polish",
        text: "# Zasady\n\n### Zabronione\n\n- Czerwony tekst\n\n### Zalecane\n\n- Krótkie tytuły\n",
        rules: &[(All, Dont("Czerwony tekst", "Zabronione")), (All, Do("Krótkie tytuły"))],
    },
    Document {
        name: "Japanese",
        text: "## 禁止事項\n\n- 赤い文字\n- セルの結合\n\n## Excelの場合\n\n- 一行目を固定する\n",
        rules: &[
            (All, Dont("赤い文字", "禁止事項")),
            (All, Dont("セルの結合", "禁止事項")),
            (Only(&["xlsx"]), Do("一行目を固定する")),
        ],
    },
    Document {
        name: "Arabic",
        text: "## ممنوع\n\n- النص الأحمر\n- الخط المائل\n\n## مسموح\n\n- العناوين القصيرة\n",
        rules: &[
            (All, Dont("النص الأحمر", "ممنوع")),
            (All, Dont("الخط المائل", "ممنوع")),
            (All, Do("العناوين القصيرة")),
        ],
    },
    Document {
        name: "Russian",
        text: "## Нельзя\n\n- Красный текст\n\n## Нужно\n\n- Короткие заголовки\n",
        rules: &[(All, Dont("Красный текст", "Нельзя")), (All, Do("Короткие заголовки"))],
    },
    Document {
        name: "deep nesting with a format outside",
        text: "# Spreadsheets\n\n## Layout\n\n### Prohibited\n\n#### Rows\n\n- Blank rows between records\n\n### Required\n\n- A title row\n",
        rules: &[
            (Only(&["xlsx"]), Dont("Blank rows between records", "Prohibited")),
            (Only(&["xlsx"]), Do("A title row")),
        ],
    },
    Document {
        name: "bold labels in a list",
        text: "- **Do**: label every axis\n- **Don't**: rely on colour alone\n- **Never**: start an axis above zero\n",
        rules: &[
            (All, Do("label every axis")),
            (All, Dont("rely on colour alone", "Don't")),
            (All, Dont("start an axis above zero", "Never")),
        ],
    },
    Document {
        name: "crosses and ticks in a table",
        text: "| ✓ | ✗ |\n|---|---|\n| sign in | login as a verb |\n| email | e-mail with a hyphen |\n",
        rules: &[(All, Dont("login as a verb", "✗")), (All, Dont("e-mail with a hyphen", "✗"))],
    },
    Document {
        name: "a table without polarity in its header",
        text: "## Do not write\n\n| Phrase | Reason |\n|---|---|\n| going forward | filler |\n| touch base | jargon |\n",
        rules: &[(All, Dont("going forward", "Do not write")), (All, Dont("touch base", "Do not write"))],
    },
    Document {
        name: "prefer over",
        text: "## Wording\n\n- Prefer \"use\" over \"utilise\"\n- \"about\" rather than \"approximately\"\n- Say client instead of customer\n",
        rules: &[
            (All, Dont("utilise", "over")),
            (All, Dont("approximately", "rather than")),
            (All, Dont("customer", "instead of")),
        ],
    },
    Document {
        name: "short lines below a lead",
        text: "Not allowed:\nhandwritten fonts\nbackground images\nsound\n",
        rules: &[
            (All, Dont("handwritten fonts", "Not allowed")),
            (All, Dont("background images", "Not allowed")),
            (All, Dont("sound", "Not allowed")),
        ],
    },
    Document {
        name: "quoted block",
        text: "## Don't\n\n> - Shout\n> - Blame readers\n\n## Do\n\n> - Explain\n",
        rules: &[(All, Dont("Shout", "Don't")), (All, Dont("Blame readers", "Don't")), (All, Do("Explain"))],
    },
    Document {
        name: "wrapped prose",
        text: "All documents are written in the second person. Never address the reader as\n\"the user\", and do not write in the passive\nvoice.\n",
        rules: &[(All, Dont("the user", "Never")), (All, Dont("passive", "do not"))],
    },
    Document {
        name: "a positive sentence below a prohibition in German",
        text: "## Verboten\n\n- Kursivschrift\n- Immer Blocksatz verwenden\n",
        rules: &[(All, Dont("Kursivschrift", "Verboten")), (All, DoUnder("Immer Blocksatz verwenden"))],
    },
    Document {
        name: "format below polarity",
        text: "# Never\n\n## Excel\n\n- Hidden rows\n\n## PowerPoint\n\n- Walls of text\n\n# Always\n\n## Excel\n\n- Units in headers\n",
        rules: &[
            (Only(&["xlsx"]), Dont("Hidden rows", "Never")),
            (Only(&["pptx"]), Dont("Walls of text", "Never")),
            (Only(&["xlsx"]), Do("Units in headers")),
        ],
    },
    Document {
        name: "format in the same heading as the prohibition",
        text: "## Not in Excel\n\n- Screenshots of tables\n\n## Avoid on slides\n\n- Footnotes\n\n## For Word and PowerPoint\n\n- Alt text\n",
        rules: &[
            (Only(&["xlsx"]), Dont("Screenshots of tables", "Not in Excel")),
            (Only(&["pptx"]), Dont("Footnotes", "Avoid")),
            (Only(&["docx", "pptx"]), Do("Alt text")),
        ],
    },
    Document {
        name: "numbered list with several paragraphs",
        text: "## Out of bounds\n\n1. Stock photographs\n\n   They look cheap.\n\n2. Ligatures\n",
        rules: &[(All, Dont("Stock photographs", "Out of bounds")), (All, Dont("Ligatures", "Out of bounds"))],
    },
    Document {
        name: "a label of two words",
        text: "Do not use: ampersands, contractions, emoji\nUse: full words\nExcel only: thousands separators\n",
        rules: &[
            (All, Dont("ampersands, contractions, emoji", "Do not use")),
            (All, Do("full words")),
            (Only(&["xlsx"]), Do("thousands separators")),
        ],
    },
    Document {
        name: "struck through",
        text: "## Terms\n\n- ~~whitelist~~ allowlist\n- ~~master~~ main\n",
        rules: &[(All, Dont("whitelist", "~~")), (All, Dont("master", "~~"))],
    },
];
