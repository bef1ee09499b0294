//! Small files as other programs write them.

use serde_json::json;

use super::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    [encodings(), dialects(), layouts(), values()].into_iter().flatten().collect()
}

fn people(text: &str) -> Case {
    let rows: Vec<Vec<&str>> =
        text.lines().skip(1).map(|line| line.trim_start_matches('¶').split(',').collect()).collect();
    let types: Vec<&str> = rows[0].iter().map(|_| "VARCHAR").collect();
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    case("encoding", text, json!(names), json!(types), json!(rows))
}

fn encodings() -> Vec<Case> {
    let western = "Name,Straße,Café\n¶Jürgen Groß,Königstraße,crème brûlée\nZoë Müller,Hauptstraße,naïve façade\n";
    let central = "Jméno,Město,Poznámka\n¶Jiří Dvořák,Plzeň,žluťoučký kůň úpěl ďábelské ódy\nŁukasz Żółć,Łódź,zażółć gęślą jaźń\n";
    let cyrillic =
        "Имя,Город,Заметка\n¶Анна Иванова,Москва,сегодня хорошая погода\nПётр Сидоров,Казань,завтра будет дождь\n";
    let japanese =
        "名前,都市,備考\n¶山田花子,東京都,これは日本語の文章です\n鈴木一郎,大阪府,漢字とかなが混ざっています\n";
    let simplified = "姓名,城市,备注\n¶王小明,北京市,这是一个用中文写的句子\n李雷,上海市,里面有很多汉字\n";
    let traditional = "姓名,城市,備註\n¶王小明,臺北市,這是一個用中文寫的句子\n陳美麗,高雄市,裡面有很多漢字和標點\n";
    let korean = "이름,도시,비고\n¶김철수,서울,오늘은 날씨가 좋습니다\n박영희,부산,내일은 비가 옵니다\n";
    let greek = "Όνομα,Πόλη,Σημείωση\n¶Γιώργος Παπαδόπουλος,Αθήνα,σήμερα ο καιρός είναι καλός\nΜαρία,Θεσσαλονίκη,αύριο θα βρέξει πολύ\n";
    let mut cases = Vec::new();
    for text in [western, central, cyrillic, japanese, simplified, korean] {
        cases.push(people(text));
        cases.push(people(text).encoded("utf-8", true));
        for charset in ["utf-16le", "utf-16be", "utf-32le", "utf-32be"] {
            cases.push(people(text).encoded(charset, true));
            cases.push(people(text).encoded(charset, false));
        }
    }
    let legacy = [
        ("windows-1252", western),
        ("windows-1250", central),
        ("windows-1251", cyrillic),
        // The superset of KOI8-R: Russian text does not show which of the two it is.
        ("koi8-u", cyrillic),
        ("windows-1253", greek),
        ("shift_jis", japanese),
        ("euc-jp", japanese),
        ("iso-2022-jp", japanese),
        ("gbk", simplified),
        ("big5", traditional),
        ("euc-kr", korean),
    ];
    cases.extend(legacy.map(|(charset, text)| {
        let mut case = people(text).encoded(charset, false);
        case.text = case.whole();
        case
    }));
    cases
}

fn dialects() -> Vec<Case> {
    let simple = |name, delimiter: char| {
        let text = "id,name,note\n¶1,Ada,first\n2,Bo,second\n3,Cy,third\n".replace(',', &delimiter.to_string());
        let rows = json!([[1, "Ada", "first"], [2, "Bo", "second"], [3, "Cy", "third"]]);
        case(name, &text, json!(["id", "name", "note"]), json!(["BIGINT", "VARCHAR", "VARCHAR"]), rows)
            .with_delimiter(delimiter)
    };
    let mut cases: Vec<Case> = [
        ("comma", ','),
        ("semicolon", ';'),
        ("tab", '\t'),
        ("pipe", '|'),
        ("caret", '^'),
        ("tilde", '~'),
        ("colon", ':'),
        ("unit separator", '\u{1f}'),
        ("start of heading (Hive)", '\u{1}'),
    ]
    .map(|(name, delimiter)| simple(name, delimiter))
    .into();
    let quoted = |name, text: &str| {
        let rows = json!([[1, "a, b"], [2, "say \"hi\""], [3, "line\nbreak"]]);
        case(name, text, json!(["id", "note"]), json!(["BIGINT", "VARCHAR"]), rows)
    };
    cases.push(quoted("quotes as in Excel", "id,note\n¶1,\"a, b\"\n2,\"say \"\"hi\"\"\"\n3,\"line\nbreak\"\n"));
    cases.push(quoted(
        "all quoted (pandas QUOTE_ALL)",
        "\"id\",\"note\"\n¶\"1\",\"a, b\"\n\"2\",\"say \"\"hi\"\"\"\n\"3\",\"line\nbreak\"\n",
    ));
    cases.push(quoted(
        "escaped quotes (MySQL)",
        "\"id\",\"note\"\n¶\"1\",\"a, b\"\n\"2\",\"say \\\"hi\\\"\"\n\"3\",\"line\nbreak\"\n",
    ));
    cases.push(quoted("spaces before quotes", "id, note\n¶1, \"a, b\"\n2, \"say \"\"hi\"\"\"\n3, \"line\nbreak\"\n"));
    for (name, ending) in [("CRLF", "\r\n"), ("CR only", "\r")] {
        let mut one = simple(name, ';');
        one.text = one.text.replace('\n', ending);
        cases.push(one);
    }
    cases.push(
        case(
            "sep= line of Excel",
            "sep=;\nid;a,b\n¶1;x\n2;y\n",
            json!(["id", "a,b"]),
            json!(["BIGINT", "VARCHAR"]),
            json!([[1, "x"], [2, "y"]]),
        )
        .with_delimiter(';'),
    );
    cases.push(case(
        "quote that is never closed",
        "id,size,note\n¶1,15\",wide\n2,\"17,open\n3,19,last\n",
        json!(["id", "size", "note"]),
        json!(["BIGINT", "VARCHAR", "VARCHAR"]),
        json!([[1, "15\"", "wide"], [2, "\"17", "open"], [3, "19", "last"]]),
    ));
    cases.push(case(
        "no line ending at the end",
        "a,b\n¶1,2\n3,4",
        json!(["a", "b"]),
        json!(["BIGINT", "BIGINT"]),
        json!([[1, 2], [3, 4]]),
    ));
    cases
}

fn layouts() -> Vec<Case> {
    vec![
        case(
            "numbers without a header",
            "1,20\n¶2,30\n3,40\n",
            json!(["column_1", "column_2"]),
            json!(["BIGINT", "BIGINT"]),
            json!([[1, 20], [2, 30], [3, 40]]),
        )
        .without_header(),
        case(
            "text without a header",
            "x,y\n¶x,z\nw,y\n",
            json!(["column_1", "column_2"]),
            json!(["VARCHAR", "VARCHAR"]),
            json!([["x", "y"], ["x", "z"], ["w", "y"]]),
        )
        .without_header(),
        case(
            "names that are years",
            "region,2023,2024\n¶North,10,20\nSouth,30,40\n",
            json!(["region", "2023", "2024"]),
            json!(["VARCHAR", "BIGINT", "BIGINT"]),
            json!([["North", 10, 20], ["South", 30, 40]]),
        ),
        case(
            "a name that is a number",
            "district,2018\n¶AK-1,R+15.21\nAL-1,R+29.5\n",
            json!(["district", "2018"]),
            json!(["VARCHAR", "VARCHAR"]),
            json!([["AK-1", "R+15.21"], ["AL-1", "R+29.5"]]),
        ),
        case(
            "repeated and empty names",
            "id,id,,Id\n¶1,2,x,3\n4,5,y,6\n",
            json!(["id", "id_2", "column_3", "Id_3"]),
            json!(["BIGINT", "BIGINT", "VARCHAR", "BIGINT"]),
            json!([[1, 2, "x", 3], [4, 5, "y", 6]]),
        ),
        case(
            "title above the table",
            "Quarterly report\nCreated 2024-01-31\n\nid,name,note\n¶1,Ada,x\n2,Bo,y\n",
            json!(["id", "name", "note"]),
            json!(["BIGINT", "VARCHAR", "VARCHAR"]),
            json!([[1, "Ada", "x"], [2, "Bo", "y"]]),
        ),
        case(
            "comments above the table",
            "# made by R\n# 3 columns\nid,name,note\n¶1,Ada,x\n2,Bo,y\n",
            json!(["id", "name", "note"]),
            json!(["BIGINT", "VARCHAR", "VARCHAR"]),
            json!([[1, "Ada", "x"], [2, "Bo", "y"]]),
        ),
        case(
            "short rows",
            "a,b,c\n¶1,2,3\n4,5\n6,7,8\n",
            json!(["a", "b", "c"]),
            json!(["BIGINT", "BIGINT", "BIGINT"]),
            json!([[1, 2, 3], [4, 5, null], [6, 7, 8]]),
        ),
        case(
            "long rows",
            "a,b\n¶1,2\n3,4,5\n6,7\n",
            json!(["a", "b", "extra"]),
            json!(["BIGINT", "BIGINT", "VARCHAR"]),
            json!([[1, 2, null], [3, 4, "5"], [6, 7, null]]),
        ),
        case(
            "empty lines",
            "a,b\n¶1,2\n\n3,4\n\n\n",
            json!(["a", "b"]),
            json!(["BIGINT", "BIGINT"]),
            json!([[1, 2], [3, 4]]),
        ),
        case(
            "delimiter at the end of each line",
            "a;b;\n¶1;2;\n3;4;\n",
            json!(["a", "b"]),
            json!(["BIGINT", "BIGINT"]),
            json!([[1, 2], [3, 4]]),
        )
        .with_delimiter(';'),
        case("one column", "name\nAda\nBo\n", json!(["name"]), json!(["VARCHAR"]), json!([["Ada"], ["Bo"]])),
        case("one column of numbers", "5\n7\n9\n", json!(["column_1"]), json!(["BIGINT"]), json!([[5], [7], [9]]))
            .without_header(),
        case("header only", "id,name\n", json!(["id", "name"]), json!(["VARCHAR", "VARCHAR"]), json!([])),
        case(
            "header over two lines",
            "\"id\",\"first\nname\"\n¶1,Ada\n2,Bo\n",
            json!(["id", "first name"]),
            json!(["BIGINT", "VARCHAR"]),
            json!([[1, "Ada"], [2, "Bo"]]),
        ),
    ]
}

fn values() -> Vec<Case> {
    let one = |name, text: &str, column: &str, sql: &str, values: serde_json::Value| {
        let rows: Vec<serde_json::Value> =
            values.as_array().unwrap().iter().zip('a'..).map(|(value, id)| json!([id, value])).collect();
        let lines: String = text.split('|').zip('a'..).map(|(value, id)| format!("{id};{value}\n")).collect();
        let text = format!("id;{column}\n¶{lines}");
        case(name, &text, json!(["id", column]), json!(["VARCHAR", sql]), json!(rows)).with_delimiter(';')
    };
    vec![
        one("decimal commas", "1,5|-2,25|1200,00", "amount", "DECIMAL(18,2)", json!([1.5, -2.25, 1200.0])),
        one(
            "thousands by point",
            "1.234,50|12,00|1.000.000,25",
            "amount",
            "DECIMAL(18,2)",
            json!([1234.5, 12.0, 1_000_000.25]),
        ),
        one(
            "thousands by comma",
            "1,234.50|12.00|1,000,000.25",
            "amount",
            "DECIMAL(18,2)",
            json!([1234.5, 12.0, 1_000_000.25]),
        ),
        one(
            "thousands by space",
            "1 234,50|12,00|1\u{a0}000\u{a0}000,25",
            "amount",
            "DECIMAL(18,2)",
            json!([1234.5, 12.0, 1_000_000.25]),
        ),
        one(
            "thousands by apostrophe",
            "1'234.50|12.00|1'000'000.25",
            "amount",
            "DECIMAL(18,2)",
            json!([1234.5, 12.0, 1_000_000.25]),
        ),
        one("currency", "€ 12.50|€ 3.00|-€ 4.25", "amount", "DECIMAL(18,2)", json!([12.5, 3.0, -4.25])),
        one("percent", "5%|12.5%|0%", "rate", "DECIMAL(18,1)", json!([5.0, 12.5, 0.0])),
        one("parentheses", "(12.50)|3.00|(4.25)", "amount", "DECIMAL(18,2)", json!([-12.5, 3.0, -4.25])),
        one("booleans", "yes|No|YES", "paid", "BOOLEAN", json!([true, false, true])),
        one(
            "ISO dates",
            "2024-01-31|2024-02-29|1999-12-31",
            "day",
            "DATE",
            json!(["2024-01-31", "2024-02-29", "1999-12-31"]),
        ),
        one(
            "31 February",
            "2024-01-31|2024-02-31|1999-12-31",
            "day",
            "VARCHAR",
            json!(["2024-01-31", "2024-02-31", "1999-12-31"]),
        ),
        one(
            "D/M/Y dates",
            "31/01/2024|01/02/2024|15/12/2023",
            "day",
            "DATE",
            json!(["2024-01-31", "2024-02-01", "2023-12-15"]),
        ),
        one(
            "M/D/Y dates",
            "01/31/2024|02/01/2024|12/15/2023",
            "day",
            "DATE",
            json!(["2024-01-31", "2024-02-01", "2023-12-15"]),
        ),
        one(
            "ambiguous dates",
            "01/02/2024|03/04/2024|05/06/2024",
            "day",
            "VARCHAR",
            json!(["01/02/2024", "03/04/2024", "05/06/2024"]),
        ),
        one(
            "dates with points",
            "31.01.2024|1.2.2024|15.12.2023",
            "day",
            "DATE",
            json!(["2024-01-31", "2024-02-01", "2023-12-15"]),
        ),
        one("times", "08:30|12:00:15|23:59", "at", "TIME", json!(["08:30:00", "12:00:15", "23:59:00"])),
        one(
            "dates with times",
            "2024-01-31 08:30:00|2024-02-01T00:00:00|2024-02-02 23:59:59",
            "at",
            "TIMESTAMP",
            json!(["2024-01-31 08:30:00", "2024-02-01 00:00:00", "2024-02-02 23:59:59"]),
        ),
        one(
            "time zones",
            "2024-01-31T08:30:00Z|2024-02-01T02:00:00+02:00|2024-02-02T00:00:00-05:00",
            "at",
            "TIMESTAMP",
            json!(["2024-01-31 08:30:00", "2024-02-01 00:00:00", "2024-02-02 05:00:00"]),
        ),
        one("leading zeros", "00123|00456|07000", "zip", "VARCHAR", json!(["00123", "00456", "07000"])),
        one(
            "integers beyond 64 bits",
            "12345678901234567890|1|2",
            "n",
            "DECIMAL(38,0)",
            json!(["12345678901234567890", 1, 2]),
        ),
        one("integers beyond a double", "9007199254740993|1|2", "n", "BIGINT", json!(["9007199254740993", 1, 2])),
        one("exponents", "1.5e3|2E-4|7", "n", "DOUBLE", json!([1500.0, 0.0002, 7.0])),
        one("missing values", "1|NA|3", "n", "BIGINT", json!([1, null, 3])),
        one("numbers and text", "1|two|3", "n", "VARCHAR", json!(["1", "two", "3"])),
    ]
}
