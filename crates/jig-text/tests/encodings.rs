//! Texts in many encodings: each is detected, or the guess has a low confidence. A wrong guess must never look certain.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use jig_text::{Charset, detect_encoding};

/// Below this confidence, callers warn that the encoding is a guess.
const CERTAIN: f64 = 0.9;

const WESTERN: &str = "Name;Straße;Café\nJürgen Groß;Königstraße;crème brûlée\nZoë Müller;Hauptstraße;naïve façade\n";
const EURO: &str = "pays;prix;œuvre\nFrance;12 €;Le cœur à ses raisons\nItalie;9 €;Perché no, così è la vita\n";
const CENTRAL: &str =
    "Jméno;Město;Poznámka\nJiří Dvořák;Plzeň;žluťoučký kůň úpěl ďábelské ódy\nŁukasz;Łódź;zażółć gęślą jaźń\n";
const POLISH: &str =
    "imię;miasto;uwaga\nŁukasz Żółć;Łódź;zażółć gęślą jaźń\nBożena Świątek;Kraków;wszystko będzie dobrze\n";
const CYRILLIC: &str =
    "Имя;Город;Заметка\nАнна Иванова;Москва;сегодня хорошая погода\nПётр Сидоров;Казань;завтра будет дождь\n";
const UKRAINIAN: &str =
    "Ім'я;Місто;Нотатка\nОлена Шевченко;Київ;сьогодні гарна погода\nІгор Ковальчук;Львів;завтра буде дощ\n";
const GREEK: &str =
    "Όνομα;Πόλη;Σημείωση\nΓιώργος Παπαδόπουλος;Αθήνα;σήμερα ο καιρός είναι καλός\nΜαρία;Θεσσαλονίκη;αύριο θα βρέξει\n";
const TURKISH: &str =
    "ad;şehir;not\nÇağlar Öztürk;İstanbul;bugün hava çok güzel\nAyşe Yılmaz;Eskişehir;yarın yağmur yağacak\n";
const HEBREW: &str = "שם;עיר;הערה\nדוד כהן;ירושלים;היום מזג האוויר נאה מאוד\nשרה לוי;חיפה;מחר ירד גשם בצפון\n";
const ARABIC: &str = "الاسم;المدينة;ملاحظة\nأحمد علي;القاهرة;الطقس جميل اليوم\nفاطمة حسن;دمشق;سوف تمطر غدا في الشمال\n";
const BALTIC: &str =
    "vārds;pilsēta;piezīme\nJānis Bērziņš;Rīga;šodien ir jauks laiks\nŽydrūnas;Kaunas;rytoj lis visą dieną\n";
const VIETNAMESE: &str = "tên;thành phô;ghi chu\nĐưc;Đà Lat;hôm nay trơi đep lăm\nÂn;Huê;ngày mai trơi mưa\n";
const THAI: &str = "ชื่อ;เมือง;หมายเหตุ\nสมชาย ใจดี;กรุงเทพ;วันนี้อากาศดีมาก\nมาลี;เชียงใหม่;พรุ่งนี้ฝนจะตก\n";
const JAPANESE: &str =
    "名前;都市;備考\n山田花子;東京都;これは日本語の文章です\n鈴木一郎;大阪府;漢字とかなが混ざっています\n";
const SIMPLIFIED: &str = "姓名;城市;备注\n王小明;北京市;这是一个用中文写的句子\n李雷;上海市;里面有很多汉字\n";
const TRADITIONAL: &str = "姓名;城市;備註\n王小明;臺北市;這是一個用中文寫的句子\n陳美麗;高雄市;裡面有很多漢字和標點\n";
const KOREAN: &str = "이름;도시;비고\n김철수;서울;오늘은 날씨가 좋습니다\n박영희;부산;내일은 비가 옵니다\n";

const UNICODE: [&str; 7] = ["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be", "iso-2022-jp", "gb18030"];

/// Encodings that leave no mark of themselves, with a text that they can represent.
const LEGACY: [(&str, &str); 40] = [
    ("windows-1252", WESTERN),
    ("windows-1252", EURO),
    ("iso-8859-1", WESTERN),
    ("iso-8859-15", EURO),
    ("macintosh", WESTERN),
    ("windows-1250", CENTRAL),
    ("windows-1250", POLISH),
    ("iso-8859-2", CENTRAL),
    ("iso-8859-2", POLISH),
    ("iso-8859-16", POLISH),
    ("windows-1251", CYRILLIC),
    ("windows-1251", UKRAINIAN),
    ("koi8-r", CYRILLIC),
    ("koi8-u", UKRAINIAN),
    ("iso-8859-5", CYRILLIC),
    ("ibm866", CYRILLIC),
    ("x-mac-cyrillic", CYRILLIC),
    ("windows-1253", GREEK),
    ("iso-8859-7", GREEK),
    ("windows-1254", TURKISH),
    ("iso-8859-9", TURKISH),
    ("windows-1255", HEBREW),
    ("iso-8859-8", HEBREW),
    ("windows-1256", ARABIC),
    ("iso-8859-6", ARABIC),
    ("windows-1257", BALTIC),
    ("iso-8859-13", BALTIC),
    ("iso-8859-4", BALTIC),
    ("windows-1258", VIETNAMESE),
    ("windows-874", THAI),
    ("iso-8859-3", "nomo;urbo\nĈu vi ŝatas ĝin;Ĵaŭdo\n"),
    ("iso-8859-10", "namn;stad\nÅsa Öberg;Malmö\nÞórður;Reykjavík\n"),
    ("iso-8859-14", "enw;tref\nSiân Ŵyn;Caerdydd\nŶsbyty;Llŷn\n"),
    ("shift_jis", JAPANESE),
    ("euc-jp", JAPANESE),
    ("gbk", SIMPLIFIED),
    ("gb18030", SIMPLIFIED),
    ("big5", TRADITIONAL),
    ("euc-kr", KOREAN),
    ("x-sjis", JAPANESE),
];

fn all_texts() -> [&'static str; 17] {
    [
        WESTERN,
        EURO,
        CENTRAL,
        POLISH,
        CYRILLIC,
        UKRAINIAN,
        GREEK,
        TURKISH,
        HEBREW,
        ARABIC,
        BALTIC,
        VIETNAMESE,
        THAI,
        JAPANESE,
        SIMPLIFIED,
        TRADITIONAL,
        KOREAN,
    ]
}

/// The text as detection decodes it, and the confidence.
fn read(bytes: &[u8]) -> (String, f64, &'static str) {
    let detected = detect_encoding(bytes, true);
    let (text, _) = detected.charset.decode(&bytes[detected.bom_len..]);
    (text.into_owned(), detected.confidence, detected.charset.name())
}

#[test]
fn unicode_encodings_are_detected_with_certainty() {
    for text in all_texts() {
        for name in &UNICODE[..5] {
            let charset = Charset::named(name).unwrap();
            let bytes = charset.encode(text).unwrap();
            let (found, confidence, guess) = read(&bytes);
            assert_eq!((found.as_str(), guess), (text, charset.name()), "{name}");
            assert!(confidence >= CERTAIN, "{name}: {confidence}");
            let mark = charset.encode("\u{feff}").unwrap();
            let (found, confidence, guess) = read(&[mark, bytes].concat());
            assert_eq!(
                (found.as_str(), guess, confidence),
                (text, charset.name(), 1.0),
                "{name} with a byte order mark"
            );
        }
    }
}

#[test]
fn escape_sequences_show_iso_2022_jp() {
    let charset = Charset::named("iso-2022-jp").unwrap();
    let (found, confidence, _) = read(&charset.encode(JAPANESE).unwrap());
    assert_eq!((found.as_str(), confidence), (JAPANESE, 0.9));
}

#[test]
fn a_wrong_guess_never_looks_certain() {
    let mut right = 0;
    for (name, text) in LEGACY {
        let charset = Charset::named(name).unwrap();
        let bytes = charset.encode(text).unwrap_or_else(|c| panic!("{name} has no {c:?}"));
        // The entire text, and its beginnings: a few characters are little evidence.
        for lines in 1..=text.lines().count() {
            let end: usize = text.lines().take(lines).map(|line| charset.encode(line).unwrap().len() + 1).sum();
            let part = &bytes[..end.min(bytes.len())];
            let expected = charset.decode(part).0;
            let (found, confidence, guess) = read(part);
            if !part.is_ascii() {
                assert!(confidence < CERTAIN, "{name} read as {guess} with confidence {confidence}: {found}");
            }
            if part.len() == bytes.len() {
                right += usize::from(found == expected);
            }
        }
    }
    // Encodings of one script often agree on nearly all letters, so not every guess can be right.
    assert!(right >= 28, "only {right} of {} texts are decoded correctly", LEGACY.len());
}

#[test]
fn bytes_that_are_no_text_are_never_certain() {
    let cases: [&[u8]; 6] =
        [b"\xff", b"\x80\x81\x82", b"a,b\n\xe9,1\n", b"\xc3(", b"caf\xc3\xa9 \xff", b"\xf0\x9f\x98"];
    for bytes in cases {
        let detected = detect_encoding(bytes, true);
        assert!(detected.confidence < CERTAIN, "{bytes:?}: {} {}", detected.charset.name(), detected.confidence);
    }
}
