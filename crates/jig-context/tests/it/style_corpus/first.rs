//! The first half of the corpus, which was known when the code was written.

use super::Document;
use super::Formats::{All, Only};
use super::Meaning::{Do, DoUnder, Dont};

pub(crate) const DOCUMENTS: &[Document] = &[
    Document {
        name: "the finding: nested don'ts",
        text: "# House style\n\n## Tables\n\n### Dos\n\n- Bold header row\n\n### Don'ts\n\n- Merged cells\n- Red totals\n\n## Writing\n\n### Don't\n\n- Oxford commas\n\n## Words to avoid\n\n- leverage\n- synergy\n",
        rules: &[
            (All, Do("Bold header row")),
            (All, Dont("Merged cells", "Don'ts")),
            (All, Dont("Red totals", "Don'ts")),
            (All, Dont("Oxford commas", "Don't")),
            (All, Dont("leverage", "Words to avoid")),
            (All, Dont("synergy", "Words to avoid")),
        ],
    },
    Document {
        name: "the finding: offline",
        text: "## Never\n- Oxford commas\n## Do not\n- Use exclamation marks\n## Words we avoid\nleverage, synergy\n## Excel\n- Header row: bold\n- Freeze the first row\n",
        rules: &[
            (All, Dont("Oxford commas", "Never")),
            (All, Dont("Use exclamation marks", "Do not")),
            (All, Dont("leverage, synergy", "Words we avoid")),
            (Only(&["xlsx"]), Do("Header row: bold")),
            (Only(&["xlsx"]), Do("Freeze the first row")),
        ],
    },
    Document {
        name: "emoji marks without bullets",
        text: "Formatting\n\n✅ Sentence case in headings\n❌ Underlined text\n❌ Centred paragraphs\n",
        rules: &[
            (All, Do("Sentence case in headings")),
            (All, Dont("Underlined text", "❌")),
            (All, Dont("Centred paragraphs", "❌")),
        ],
    },
    Document {
        name: "a table with do and don't columns",
        text: "## Numbers\n\n| Topic | Do | Don't |\n|---|---|---|\n| Thousands | use a thin space | use a full stop |\n| Dates | write 3 May 2026 | write 03/05/26 |\n",
        rules: &[
            (All, Dont("use a full stop", "Don't")),
            (All, Dont("write 03/05/26", "Don't")),
            (All, Dont("write 3 May 2026", "Do:")),
        ],
    },
    Document {
        name: "instead of, as a table",
        text: "# Plain words\n\n| Instead of | Write |\n|:--|:--|\n| utilise | use |\n| prior to | before |\n",
        rules: &[(All, Dont("utilise", "Instead of")), (All, Dont("prior to", "Instead of"))],
    },
    Document {
        name: "German headings",
        text: "# Hausstil\n\n## So machen wir es\n\n- Überschriften ohne Punkt\n\n## Das vermeiden wir\n\n- Anglizismen\n- Substantivketten\n\n## Verboten\n\n- Rote Schrift\n\n## Folien\n\n- Höchstens fünf Zeilen\n",
        rules: &[
            (All, Do("Überschriften ohne Punkt")),
            (All, Dont("Anglizismen", "vermeiden")),
            (All, Dont("Substantivketten", "vermeiden")),
            (All, Dont("Rote Schrift", "Verboten")),
            (Only(&["pptx"]), Do("Höchstens fünf Zeilen")),
        ],
    },
    Document {
        name: "French headings",
        text: "# Charte\n\n## À faire\n\n- Guillemets français\n\n## À éviter\n\n- Majuscules dans les titres\n\n### Interdit\n\n- Texte rouge\n\n## Feuilles de calcul\n\n- Figer la première ligne\n",
        rules: &[
            (All, Do("Guillemets français")),
            (All, Dont("Majuscules dans les titres", "À éviter")),
            (All, Dont("Texte rouge", "Interdit")),
            (Only(&["xlsx"]), Do("Figer la première ligne")),
        ],
    },
    Document {
        name: "Spanish headings",
        text: "# Guía de estilo\n\n## Lo que hacemos\n\n- Frases cortas\n\n## Lo que no hacemos\n\n- Signos de exclamación\n\n## Palabras prohibidas\n\nsinergia, apalancar\n",
        rules: &[
            (All, Do("Frases cortas")),
            (All, Dont("Signos de exclamación", "no hacemos")),
            (All, Dont("sinergia, apalancar", "prohibidas")),
        ],
    },
    Document {
        name: "a lead with a colon",
        text: "Write in British English.\n\nNever use:\n\n- exclamation marks\n- clip art\n\nAlways use:\n\n- numbered headings\n",
        rules: &[
            (All, Do("Write in British English.")),
            (All, Dont("exclamation marks", "Never use")),
            (All, Dont("clip art", "Never use")),
            (All, Do("numbered headings")),
        ],
    },
    Document {
        name: "bold paragraphs as headings",
        text: "**Dos**\n\n- Short titles\n\n**Don'ts**\n\n- Drop shadows\n- Gradients\n",
        rules: &[(All, Do("Short titles")), (All, Dont("Drop shadows", "Don'ts")), (All, Dont("Gradients", "Don'ts"))],
    },
    Document {
        name: "a wanted rule among the unwanted",
        text: "## Don'ts\n\n- Title Case\n- Always use sentence case\n",
        rules: &[(All, Dont("Title Case", "Don'ts")), (All, DoUnder("Always use sentence case"))],
    },
    Document {
        name: "a prohibition among the wanted",
        text: "## Dos\n\n- Active voice\n- Avoid nominalisations\n- Merged cells are not allowed\n",
        rules: &[
            (All, Do("Active voice")),
            (All, Dont("Avoid nominalisations", "Avoid")),
            (All, Dont("Merged cells are not allowed", "not allowed")),
        ],
    },
    Document {
        name: "formats as headings",
        text: "# Style\n\n- Be brief\n\n## xlsx\n\n- Font: Arial 10\n\n## Word documents\n\n- Font: Georgia 11\n\n## In PowerPoint\n\n- Font: Arial 24\n\n### Don'ts\n\n- Animations\n",
        rules: &[
            (All, Do("Be brief")),
            (Only(&["xlsx"]), Do("Font: Arial 10")),
            (Only(&["docx"]), Do("Font: Georgia 11")),
            (Only(&["pptx"]), Do("Font: Arial 24")),
            (Only(&["pptx"]), Dont("Animations", "Don'ts")),
        ],
    },
    Document {
        name: "formats as leads",
        text: "Use Arial everywhere.\n\nIn spreadsheets:\n\n- Freeze the header row\n- Never merge cells\n\nOn slides:\n\n- One idea each\n",
        rules: &[
            (All, Do("Use Arial everywhere.")),
            (Only(&["xlsx"]), Do("Freeze the header row")),
            (Only(&["xlsx"]), Dont("Never merge cells", "Never")),
            (Only(&["pptx"]), Do("One idea each")),
        ],
    },
    Document {
        name: "formats as labels",
        text: "- Excel: two decimals\n- PowerPoint: 16:9\n- Word: page numbers at the bottom\n- Tone: calm\n",
        rules: &[
            (Only(&["xlsx"]), Do("two decimals")),
            (Only(&["pptx"]), Do("16:9")),
            (Only(&["docx"]), Do("page numbers at the bottom")),
            (All, Do("Tone: calm")),
        ],
    },
    Document {
        name: "nested lists",
        text: "- Charts\n  - Bar charts first\n  - Avoid:\n    - pie charts\n    - 3D effects\n- Text\n  - Short sentences\n",
        rules: &[
            (All, Do("Bar charts first")),
            (All, Dont("pie charts", "Avoid")),
            (All, Dont("3D effects", "Avoid")),
            (All, Do("Short sentences")),
        ],
    },
    Document {
        name: "capital headings in plain text",
        text: "GENERAL\nUse metric units\n\nFORBIDDEN\nComic Sans\nClip art\n\nALLOWED\nCalibri\n",
        rules: &[
            (All, Do("Use metric units")),
            (All, Dont("Comic Sans", "FORBIDDEN")),
            (All, Dont("Clip art", "FORBIDDEN")),
            (All, Do("Calibri")),
        ],
    },
    Document {
        name: "labels in each line",
        text: "Do: write figures as digits\nDon't: spell out figures\nDo: put units in the header\nDon't: repeat units in cells\n",
        rules: &[
            (All, Do("write figures as digits")),
            (All, Dont("spell out figures", "Don't")),
            (All, Do("put units in the header")),
            (All, Dont("repeat units in cells", "Don't")),
        ],
    },
    Document {
        name: "no-gos",
        text: "# Brand\n\n## No-gos\n\n* Stretching the logo\n* Logo on photographs\n\n## What we don't do\n\n1. Jokes about customers\n2. Sarcasm\n",
        rules: &[
            (All, Dont("Stretching the logo", "No-gos")),
            (All, Dont("Logo on photographs", "No-gos")),
            (All, Dont("Jokes about customers", "What we don't do")),
            (All, Dont("Sarcasm", "What we don't do")),
        ],
    },
    Document {
        name: "a language the reader does not know",
        text: "# Tyyliopas\n\n## Vältä\n\n- Pitkät lauseet\n- Passiivi\n\n## Suosi\n\n- Lyhyet otsikot\n",
        rules: &[(All, Dont("Pitkät lauseet", "Vältä")), (All, Dont("Passiivi", "Vältä")), (All, Do("Lyhyet otsikot"))],
    },
    Document {
        name: "a sentence before the list",
        text: "We do not accept these in customer documents.\n\n- Internal code names\n- Screenshots of chats\n",
        rules: &[
            (All, Dont("Internal code names", "do not accept")),
            (All, Dont("Screenshots of chats", "do not accept")),
        ],
    },
    Document {
        name: "one column for each format",
        text: "| | Excel | Word | PowerPoint |\n|---|---|---|---|\n| Font | Arial 10 | Georgia 11 | Arial 24 |\n| Don't | merge cells | justify | animate |\n",
        rules: &[
            (Only(&["xlsx"]), Do("Arial 10")),
            (Only(&["docx"]), Do("Georgia 11")),
            (Only(&["pptx"]), Do("Arial 24")),
            (Only(&["xlsx"]), Dont("merge cells", "Don't")),
            (Only(&["docx"]), Dont("justify", "Don't")),
            (Only(&["pptx"]), Dont("animate", "Don't")),
        ],
    },
    Document {
        name: "rules that share words with principles",
        text: "- Spell out numbers below ten in running text\n- Write 'colour', not 'color'\n- Mention totals in the summary e-mail\n- Do not merge branches on Friday sheets\n",
        rules: &[
            (All, Do("Spell out numbers below ten in running text")),
            (All, Dont("Write 'colour', not 'color'", "not")),
            (All, Do("Mention totals in the summary e-mail")),
            (All, Dont("Do not merge branches on Friday sheets", "Do not")),
        ],
    },
];
