//! Layouts that lose a heading easily: HTML, plain text without blank lines, numbered and keyed lists, merged cells.

use super::Document;
use super::Formats::{All, Only};
use super::Meaning::{Do, Dont};

pub(crate) const DOCUMENTS: &[Document] = &[
    Document {
        name: "HTML with blank lines",
        text: "<h2>Never</h2>\n\n<ul>\n<li>Oxford commas</li>\n<li>Red totals</li>\n</ul>\n\n<h2>Always</h2>\n\n<ul>\n<li>Bold headers</li>\n</ul>\n",
        rules: &[(All, Dont("Oxford commas", "Never")), (All, Dont("Red totals", "Never")), (All, Do("Bold headers"))],
    },
    Document {
        name: "HTML in one line",
        text: "<html><body><h1>Style</h1><h3>Don&#39;ts</h3><ul><li>Merged cells</li><li><p>Clip art</p></li></ul><h3>Dos</h3><ol><li>Short titles</li></ol></body></html>",
        rules: &[(All, Dont("Merged cells", "Don'ts")), (All, Dont("Clip art", "Don'ts")), (All, Do("Short titles"))],
    },
    Document {
        name: "HTML lists in lists, bold as a heading",
        text: "<p><strong>Excel</strong></p>\n<ul>\n  <li>Never\n    <ul>\n      <li>Hidden rows</li>\n      <li>Merged headers</li>\n    </ul>\n  </li>\n  <li>Always\n    <ul><li>Units in headers</li></ul>\n  </li>\n</ul>\n",
        rules: &[
            (Only(&["xlsx"]), Dont("Hidden rows", "Never")),
            (Only(&["xlsx"]), Dont("Merged headers", "Never")),
            (Only(&["xlsx"]), Do("Units in headers")),
        ],
    },
    Document {
        name: "a folded section",
        text: "<details><summary>Verboten</summary>\n\n- Rote Schrift\n- Ausrufezeichen\n\n</details>\n\n<details><summary>Erwünscht</summary>\n\n- Kurze Sätze\n\n</details>\n",
        rules: &[
            (All, Dont("Rote Schrift", "Verboten")),
            (All, Dont("Ausrufezeichen", "Verboten")),
            (All, Do("Kurze Sätze")),
        ],
    },
    Document {
        name: "an HTML table with a cell over several rows",
        text: "<table>\n<tr><th>Kind</th><th>What</th></tr>\n<tr><td rowspan=\"2\">Avoid</td><td>passive voice</td></tr>\n<tr><td>nominalisations</td></tr>\n<tr><td>Use</td><td>plain verbs</td></tr>\n</table>\n",
        rules: &[
            (All, Dont("passive voice", "Avoid")),
            (All, Dont("nominalisations", "Avoid")),
            (All, Do("plain verbs")),
        ],
    },
    Document {
        name: "HTML terms and descriptions",
        text: "<dl>\n<dt>À éviter</dt>\n<dd>les anglicismes</dd>\n<dd>le jargon</dd>\n<dt>À faire</dt>\n<dd>des phrases courtes</dd>\n</dl>\n",
        rules: &[
            (All, Dont("les anglicismes", "À éviter")),
            (All, Dont("le jargon", "À éviter")),
            (All, Do("des phrases courtes")),
        ],
    },
    Document {
        name: "captions without marks between lists",
        text: "Never\n- Oxford commas\n- Red totals\nAlways\n- Bold headers\n- One idea per slide\n",
        rules: &[
            (All, Dont("Oxford commas", "Never")),
            (All, Dont("Red totals", "Never")),
            (All, Do("Bold headers")),
            (All, Do("One idea per slide")),
        ],
    },
    Document {
        name: "captions without marks in another language, wanted first",
        text: "Suosi\n* Lyhyet otsikot\n* Selkeä kieli\nVältä\n* Pitkät lauseet\n* Passiivi\n",
        rules: &[(All, Do("Lyhyet otsikot")), (All, Dont("Pitkät lauseet", "Vältä")), (All, Dont("Passiivi", "Vältä"))],
    },
    Document {
        name: "small captions with a colon",
        text: "Our style, in short.\n\nnever:\n- comic fonts\n- shouting\nalways:\n- plain words\n",
        rules: &[(All, Dont("comic fonts", "never")), (All, Dont("shouting", "never")), (All, Do("plain words"))],
    },
    Document {
        name: "a wrapped item is not a caption",
        text: "Avoid:\n- long sentences that go on and on and never come to any end at\nall in a document\n- slang\n",
        rules: &[(All, Dont("long sentences", "Avoid")), (All, Dont("slang", "Avoid"))],
    },
    Document {
        name: "YAML",
        text: "style:\n  always:\n  - bold headers\n  never:\n  - red totals\n  - merged cells\n  excel:\n    never:\n      - hidden rows\n    always:\n      - freeze the first row\n",
        rules: &[
            (All, Do("bold headers")),
            (All, Dont("red totals", "never")),
            (All, Dont("merged cells", "never")),
            (Only(&["xlsx"]), Dont("hidden rows", "never")),
            (Only(&["xlsx"]), Do("freeze the first row")),
        ],
    },
    Document {
        name: "YAML at the margin",
        text: "---\ndo_not:\n- use exclamation marks\n- use clip art\ndo:\n- number the headings\nfont: Arial\n",
        rules: &[
            (All, Dont("use exclamation marks", "do_not")),
            (All, Dont("use clip art", "do_not")),
            (All, Do("number the headings")),
            (All, Do("font: Arial")),
        ],
    },
    Document {
        name: "numbered captions above bullets",
        text: "1. Never\n- Oxford commas\n- Red totals\n\n2. Always\n- Bold headers\n",
        rules: &[(All, Dont("Oxford commas", "Never")), (All, Dont("Red totals", "Never")), (All, Do("Bold headers"))],
    },
    Document {
        name: "numbered captions above bullets of a word processor",
        text: "1) Was wir nicht schreiben\n• Anglizismen\n• Füllwörter\n2) Was wir schreiben\n• Kurze Sätze\n",
        rules: &[(All, Dont("Anglizismen", "nicht")), (All, Dont("Füllwörter", "nicht")), (All, Do("Kurze Sätze"))],
    },
    Document {
        name: "section numbers",
        text: "3 Writing\n\n3.1 Words to avoid\n\nleverage, synergy\n\n3.2 Words to use\n\nprofit, teamwork\n\n3.3 Spreadsheets\n\n3.3.1 Forbidden\n\nmerged cells\n",
        rules: &[
            (All, Dont("leverage, synergy", "Words to avoid")),
            (All, Do("profit, teamwork")),
            (Only(&["xlsx"]), Dont("merged cells", "Forbidden")),
        ],
    },
    Document {
        name: "labels between paragraphs",
        text: "Never\n\nOxford commas\n\nRed totals\n\nAlways\n\nBold headers\n",
        rules: &[(All, Dont("Oxford commas", "Never")), (All, Dont("Red totals", "Never")), (All, Do("Bold headers"))],
    },
    Document {
        name: "labels of several words between paragraphs",
        text: "What we do not do\n\nJokes about customers\n\nWords we never use\n\nsynergy\n\nleverage\n",
        rules: &[
            (All, Dont("Jokes about customers", "What we do not do")),
            (All, Dont("synergy", "Words we never use")),
            (All, Dont("leverage", "Words we never use")),
        ],
    },
    Document {
        name: "merged cells in the first column",
        text: "| Rule | What |\n|---|---|\n| Never | Oxford commas |\n| | Red totals |\n| Always | Bold headers |\n| | Page numbers |\n",
        rules: &[
            (All, Dont("Oxford commas", "Never")),
            (All, Dont("Red totals", "Never")),
            (All, Do("Bold headers")),
            (All, Do("Page numbers")),
        ],
    },
    Document {
        name: "rows that announce rows",
        text: "| What | Why |\n|---|---|\n| **Don't** | |\n| Centre text | hard to read |\n| Justify | rivers |\n| **Do** | |\n| Align left | easy to read |\n",
        rules: &[(All, Dont("Centre text", "Don't")), (All, Dont("Justify", "Don't")), (All, Do("Align left"))],
    },
];
