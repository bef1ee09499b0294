//! Files as banks, business software and statistics programs export them.

use serde_json::json;

use super::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = programs();
    cases.extend(banks());
    cases
}

fn programs() -> Vec<Case> {
    vec![
        case(
            "pandas with its index",
            ",name,score\n¶0,Ada,1.5\n1,Bo,2.25\n2,Cy,\n",
            json!(["column_1", "name", "score"]),
            json!(["BIGINT", "VARCHAR", "DECIMAL(18,2)"]),
            json!([[0, "Ada", 1.5], [1, "Bo", 2.25], [2, "Cy", null]]),
        ),
        case(
            "R write.csv",
            "\"\",\"mpg\",\"model\"\n¶\"1\",21,\"Mazda RX4\"\n\"2\",22.8,NA\n\"3\",18.1,\"Valiant\"\n",
            json!(["column_1", "mpg", "model"]),
            json!(["BIGINT", "DECIMAL(18,1)", "VARCHAR"]),
            json!([[1, 21.0, "Mazda RX4"], [2, 22.8, "NA"], [3, 18.1, "Valiant"]]),
        ),
        case(
            "R write.csv2",
            "\"id\";\"value\"\r\n¶\"a\";1,5\r\n\"b\";-0,25\r\n",
            json!(["id", "value"]),
            json!(["VARCHAR", "DECIMAL(18,2)"]),
            json!([["a", 1.5], ["b", -0.25]]),
        )
        .with_delimiter(';'),
        case(
            "PostgreSQL COPY with tabs",
            "id\tactive\tnote\n¶1\tt\tfirst\n2\tf\t\\N\n3\tt\tthird\n",
            json!(["id", "active", "note"]),
            json!(["BIGINT", "BOOLEAN", "VARCHAR"]),
            json!([[1, true, "first"], [2, false, "\\N"], [3, true, "third"]]),
        )
        .with_delimiter('\t'),
        case(
            "Excel, Unicode text",
            "Région\tVentes\r\n¶Nord\t1 200,50\r\nSud\t950,00\r\n",
            json!(["Région", "Ventes"]),
            json!(["VARCHAR", "DECIMAL(18,2)"]),
            json!([["Nord", 1200.5], ["Sud", 950.0]]),
        )
        .with_delimiter('\t')
        .encoded("utf-16le", true),
        case(
            "Excel, CSV UTF-8 with empty columns at the end",
            "id;name;;\r\n¶1;Ada;;\r\n2;Bo;;x\r\n",
            json!(["id", "name", "column_3", "column_4"]),
            json!(["BIGINT", "VARCHAR", "VARCHAR", "VARCHAR"]),
            json!([[1, "Ada", null, null], [2, "Bo", null, "x"]]),
        )
        .with_delimiter(';')
        .encoded("utf-8", true),
        case(
            "web analytics with a preamble",
            "# ----------------------------------------\n# All web site data\n# 20240101-20240131\n# ----------------------------------------\n\nPage,Views,Rate\n¶/home,\"1,234\",12.5%\n/about,\"2,345,678\",0.25%\n",
            json!(["Page", "Views", "Rate"]),
            json!(["VARCHAR", "BIGINT", "DECIMAL(18,2)"]),
            json!([["/home", 1234, 12.5], ["/about", 2_345_678, 0.25]]),
        ),
        case(
            "survey form",
            "Timestamp,Email,\"Which days suit you?\",Age\n¶1/31/2024 8:30:00,a@x.org,\"Mon, Tue\",42\n2/1/2024 17:05:12,b@x.org,Wed,7\n",
            json!(["Timestamp", "Email", "Which days suit you?", "Age"]),
            json!(["TIMESTAMP", "VARCHAR", "VARCHAR", "BIGINT"]),
            json!([["2024-01-31 08:30:00", "a@x.org", "Mon, Tue", 42], ["2024-02-01 17:05:12", "b@x.org", "Wed", 7]]),
        ),
        case(
            "sensor log without a header",
            "2024-01-31T08:30:00,21.5,OK\n¶2024-01-31T08:31:00,21.7,OK\n2024-01-31T08:32:00,21.6,LOW\n",
            json!(["column_1", "column_2", "column_3"]),
            json!(["TIMESTAMP", "DECIMAL(18,1)", "VARCHAR"]),
            json!([
                ["2024-01-31 08:30:00", 21.5, "OK"],
                ["2024-01-31 08:31:00", 21.7, "OK"],
                ["2024-01-31 08:32:00", 21.6, "LOW"]
            ]),
        )
        .without_header(),
        case(
            "contacts with telephone numbers",
            "Name,Phone,Zip\n¶Ada,+49 30 123456,01069\nBo,+1 212 5550100,10001\n",
            json!(["Name", "Phone", "Zip"]),
            json!(["VARCHAR", "VARCHAR", "VARCHAR"]),
            json!([["Ada", "+49 30 123456", "01069"], ["Bo", "+1 212 5550100", "10001"]]),
        ),
        case(
            "issue list with code and line breaks",
            "Key,Summary,Description\n¶A-1,\"Quote \"\"x\"\"\",\"line 1\r\nline 2, more\"\nA-2,Plain,\"ends with \"\"quotes\"\"\"\n",
            json!(["Key", "Summary", "Description"]),
            json!(["VARCHAR", "VARCHAR", "VARCHAR"]),
            json!([["A-1", "Quote \"x\"", "line 1\r\nline 2, more"], ["A-2", "Plain", "ends with \"quotes\""]]),
        ),
        case(
            "apostrophes as quotes",
            "'id','note'\n¶'1','a, b'\n'2','it''s'\n",
            json!(["id", "note"]),
            json!(["BIGINT", "VARCHAR"]),
            json!([[1, "a, b"], [2, "it's"]]),
        ),
    ]
}

fn banks() -> Vec<Case> {
    vec![
        case(
            "Germany",
            "\"Konto\";\"Buchungstag\";\"Verwendungszweck\";\"Betrag\";\"Währung\"\r\n¶\"DE02\";\"31.01.2024\";\"Miete für Februar\";\"-1.250,00\";\"EUR\"\r\n\"DE02\";\"01.02.2024\";\"Gehalt\";\"3.400,55\";\"EUR\"\r\n",
            json!(["Konto", "Buchungstag", "Verwendungszweck", "Betrag", "Währung"]),
            json!(["VARCHAR", "DATE", "VARCHAR", "DECIMAL(18,2)", "VARCHAR"]),
            json!([
                ["DE02", "2024-01-31", "Miete für Februar", -1250.0, "EUR"],
                ["DE02", "2024-02-01", "Gehalt", 3400.55, "EUR"]
            ]),
        )
        .with_delimiter(';')
        .encoded("windows-1252", false),
        case(
            "Germany with account details above",
            "\"Konto:\";\"DE02 1203 0000\"\n\"Kontostand:\";\"1.234,56 EUR\"\n\"\"\n\"Datum\";\"Text\";\"Betrag\";\"Saldo\";\"Art\"\n¶\"31.01.2024\";\"Miete\";\"-950,00\";\"284,56\";\"SEPA\"\n\"30.01.2024\";\"Bar\";\"50,00\";\"1.234,56\";\"Kasse\"\n",
            json!(["Datum", "Text", "Betrag", "Saldo", "Art"]),
            json!(["DATE", "VARCHAR", "DECIMAL(18,2)", "DECIMAL(18,2)", "VARCHAR"]),
            json!([
                ["2024-01-31", "Miete", -950.0, 284.56, "SEPA"],
                ["2024-01-30", "Bar", 50.0, 1234.56, "Kasse"]
            ]),
        )
        .with_delimiter(';'),
        case(
            "United Kingdom",
            "Date,Type,Description,Value,Balance\n¶31/01/2024,POS,SHOP,-12.50,1204.10\n01/02/2024,BAC,PAY,2500.00,3704.10\n",
            json!(["Date", "Type", "Description", "Value", "Balance"]),
            json!(["DATE", "VARCHAR", "VARCHAR", "DECIMAL(18,2)", "DECIMAL(18,2)"]),
            json!([
                ["2024-01-31", "POS", "SHOP", -12.5, 1204.1],
                ["2024-02-01", "BAC", "PAY", 2500.0, 3704.1]
            ]),
        ),
        case(
            "United States",
            "Transaction Date,Post Date,Amount,Memo\n¶01/31/2024,02/02/2024,\"$1,204.10\",RENT\n02/14/2024,02/15/2024,-$3.75,COFFEE\n",
            json!(["Transaction Date", "Post Date", "Amount", "Memo"]),
            json!(["DATE", "DATE", "DECIMAL(18,2)", "VARCHAR"]),
            json!([["2024-01-31", "2024-02-02", 1204.1, "RENT"], ["2024-02-14", "2024-02-15", -3.75, "COFFEE"]]),
        ),
        case(
            "Switzerland",
            "Datum;Text;Belastung;Gutschrift\r\n¶31.01.2024;Miete Zürich;1'850.00;\r\n01.02.2024;Lohn;;7'200.55\r\n",
            json!(["Datum", "Text", "Belastung", "Gutschrift"]),
            json!(["DATE", "VARCHAR", "DECIMAL(18,2)", "DECIMAL(18,2)"]),
            json!([["2024-01-31", "Miete Zürich", 1850.0, null], ["2024-02-01", "Lohn", null, 7200.55]]),
        )
        .with_delimiter(';')
        .encoded("utf-8", true),
        case(
            "France",
            "Date;Libellé;Débit euros;Crédit euros;\n¶31/01/2024;\"PRLV loyer\";-1 250,00;;\n01/02/2024;\"VIR salaire\";;3 400,55;\n",
            json!(["Date", "Libellé", "Débit euros", "Crédit euros"]),
            json!(["DATE", "VARCHAR", "DECIMAL(18,2)", "DECIMAL(18,2)"]),
            json!([["2024-01-31", "PRLV loyer", -1250.0, null], ["2024-02-01", "VIR salaire", null, 3400.55]]),
        )
        .with_delimiter(';'),
        case(
            "Sweden",
            "Bokföringsdag;Belopp;Rubrik\n¶2024-01-31;-129,00;ICA Supermarket Örebro\n2024/02/01;25000,00;Lön\n",
            json!(["Bokföringsdag", "Belopp", "Rubrik"]),
            json!(["DATE", "DECIMAL(18,2)", "VARCHAR"]),
            json!([["2024-01-31", -129.0, "ICA Supermarket Örebro"], ["2024-02-01", 25000.0, "Lön"]]),
        )
        .with_delimiter(';'),
        case(
            "Japan",
            "日付,摘要,出金,残高\r\n¶2024/01/31,コンビニ,1280,45200\r\n2024/02/01,給与振込,,345200\r\n",
            json!(["日付", "摘要", "出金", "残高"]),
            json!(["DATE", "VARCHAR", "BIGINT", "BIGINT"]),
            json!([["2024-01-31", "コンビニ", 1280, 45200], ["2024-02-01", "給与振込", null, 345_200]]),
        )
        .encoded("shift_jis", false),
        case(
            "Russia",
            "Дата;Сумма;Описание\r\n¶31.01.2024;-1250,00;Оплата аренды квартиры\r\n01.02.2024;90000,50;Заработная плата\r\n",
            json!(["Дата", "Сумма", "Описание"]),
            json!(["DATE", "DECIMAL(18,2)", "VARCHAR"]),
            json!([["2024-01-31", -1250.0, "Оплата аренды квартиры"], ["2024-02-01", 90000.5, "Заработная плата"]]),
        )
        .with_delimiter(';')
        .encoded("windows-1251", false),
        case(
            "Brazil",
            "Data,Valor,Identificador\n¶31/01/2024,R$ 10.50,ab-1\n01/02/2024,-R$ 3.25,ab-2\n",
            json!(["Data", "Valor", "Identificador"]),
            json!(["DATE", "DECIMAL(18,2)", "VARCHAR"]),
            json!([["2024-01-31", 10.5, "ab-1"], ["2024-02-01", -3.25, "ab-2"]]),
        ),
        case(
            "SAP list with a minus sign at the end",
            "Buchungskreis|Beleg|Betrag\n¶1000|0000004711|1.234,56-\n1000|0000004712|99,00\n",
            json!(["Buchungskreis", "Beleg", "Betrag"]),
            json!(["BIGINT", "VARCHAR", "VARCHAR"]),
            json!([[1000, "0000004711", "1.234,56-"], [1000, "0000004712", "99,00"]]),
        )
        .with_delimiter('|'),
    ]
}
