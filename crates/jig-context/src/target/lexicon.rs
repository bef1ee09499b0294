//! Function words that show what a sentence does with the things it names: verbs, articles, negations, and so on.
//!
//! A confident answer requires a word from this table. In a language that is not covered, people are asked.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::fold::{exact, plain};

/// The possible classes of a word, as a bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Class(u32);

impl Class {
    /// Asks for something to be done with what follows.
    pub(super) const VERB: Self = Self(1);
    /// A verb whose object may not exist yet.
    pub(super) const MAKER: Self = Self(1 << 1);
    /// A verb that refers to the subject as often as to a document about it.
    pub(super) const WRITER: Self = Self(1 << 19);
    /// Moves something from one place to another.
    pub(super) const MOVE: Self = Self(1 << 20);
    /// A definite article or similar.
    pub(super) const THE: Self = Self(1 << 2);
    /// An indefinite article, which refers to something new.
    pub(super) const NEW: Self = Self(1 << 3);
    /// Makes what follows the location of the work.
    pub(super) const PLACE: Self = Self(1 << 4);
    /// Makes what follows a source or a topic.
    pub(super) const SOURCE: Self = Self(1 << 5);
    /// Negates what follows.
    pub(super) const NOT: Self = Self(1 << 6);
    /// Joins the items of a list.
    pub(super) const AND: Self = Self(1 << 7);
    /// Starts another clause.
    pub(super) const BUT: Self = Self(1 << 8);
    /// "Section" and its synonyms.
    pub(super) const SECTION: Self = Self(1 << 9);
    /// "Document" and its synonyms.
    pub(super) const DOCUMENT: Self = Self(1 << 10);
    /// May occur between an article and a name without changing the meaning.
    pub(super) const KIND_OF: Self = Self(1 << 11);
    /// May follow a name without belonging to it.
    pub(super) const AFTER: Self = Self(1 << 12);
    /// Compares.
    pub(super) const COMPARE: Self = Self(1 << 13);
    /// "called": a name follows.
    pub(super) const CALLED: Self = Self(1 << 14);
    /// Ignored when names are compared.
    pub(super) const SKIP: Self = Self(1 << 15);
    /// "this": the open document.
    pub(super) const THIS: Self = Self(1 << 16);
    /// Followed by an "on" that does not introduce a topic: work on, focus on.
    pub(super) const ON: Self = Self(1 << 17);
    /// Cancels a negation: don't forget to.
    pub(super) const UNLESS: Self = Self(1 << 18);

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) const fn is_known(self) -> bool {
        self.0 != 0
    }
}

/// The words; `*` matches any ending.
const TABLE: &[(Class, &str)] = &[
    // English.
    (
        Class::VERB,
        "update updating fix fixing rewrite rewriting revise edit editing change changing improve improving expand extend \
      shorten lengthen polish refine clarify summarise summarize review check proofread correct complete finish finalize finalise \
      unfinalize fill delete remove clear drop replace rename retitle move merge split translate tidy clean restructure reword \
      rephrase simplify show open read print display explain redo revert restore tick mark flag flesh elaborate adjust amend \
      modify rework refresh reorganize reorganise reformat shrink trim tighten strengthen sharpen format condense copy swap \
      annotate comment untick collapse bring work continue focus look view",
    ),
    (Class::VERB, "add append insert put write draft include make create paste prepend"),
    (Class::MAKER, "add append insert put include create paste prepend"),
    (Class::WRITER, "write draft make look work focus continue"),
    (Class::MOVE, "move moving merge merging swap"),
    (Class::ON, "work working focus elaborate expand continue comment improve section look"),
    (Class::THE, "the teh hte our my your his her its their these those that this"),
    (Class::THIS, "this current present"),
    (Class::NEW, "a an another some any new more one"),
    (Class::PLACE, "in into to of within inside under at for onto"),
    (
        Class::SOURCE,
        "about regarding concerning on from using use via per like than as with based after before following since \
      describe match fit against behind beside between above below by reuse mirror resemble quote cite if when because while \
      refer according mention",
    ),
    (
        Class::NOT,
        "not no never without except dont doesnt didnt shouldnt wont cannot cant mustnt neither nor excluding avoid skip ignore \
      leave keep preserve exclude omit spare instead rather besides apart stop isnt arent wasnt",
    ),
    (Class::UNLESS, "forget hesitate only just fail"),
    (Class::AND, "and or plus also"),
    (Class::BUT, "but however although though whereas then yet"),
    (Class::SECTION, "section sections chapter part heading paragraph text content wording subsection"),
    (Class::DOCUMENT, "artifact artifacts artefact document documents doc docs file files entry item"),
    (Class::KIND_OF, "whole entire complete current present existing old outdated long short first full own latest"),
    (
        Class::AFTER,
        "what how why whose does did says looks seems lacks please now again too also is are was were be been has have had need want should must can could will would may might \
      so that which who where until unless first next today tomorrow soon here there done complete finished ready shorter longer \
      clearer simpler better warmer bigger smaller properly quickly carefully accordingly thoroughly up out off back measurable \
      it them say look sound seem lack miss still needs",
    ),
    (Class::COMPARE, "compare comparing comparison difference differ versus vs contrast diff"),
    (Class::CALLED, "called named titled entitled labelled labeled"),
    (Class::SKIP, "the a an of and"),
    // German.
    (
        Class::VERB,
        "aktualisier* überarbeit* änder* korrigier* verbesser* kürz* ergänz* erweiter* schreib* lösch* entfern* ersetz* \
      übersetz* zeig* öffn* prüf* verschieb* umbenenn* formulier* füg* bearbeit* markier* vervollständig*",
    ),
    (Class::MAKER, "füg*"),
    (Class::THE, "der die das den dem des unser* mein* dein* diese* jene*"),
    (Class::NEW, "ein eine einen einem einer eines neue*"),
    (Class::PLACE, "im ins zu zum zur auf unter"),
    (Class::SOURCE, "über aus von vom mit nach vor wie laut gemäß anhand wegen bezüglich für"),
    (Class::NOT, "nicht nichts kein* nie niemals ohne außer ausser statt anstatt weder"),
    (Class::AND, "und oder sowie"),
    (Class::BUT, "aber sondern"),
    (Class::SECTION, "abschnitt* kapitel* teil"),
    (Class::DOCUMENT, "dokument* datei*"),
    (Class::AFTER, "bitte jetzt noch ist sind wird fertig neu"),
    (Class::COMPARE, "vergleich* unterschied*"),
    (Class::SKIP, "und des der"),
    // French.
    (
        Class::VERB,
        "mets mettre mettez actualise* corrige* modifi* change* améliore* raccourci* complète* ajoute* écri* supprim* réécri* \
      traduis traduire remplace* montre* ouvre* résume",
    ),
    (Class::THE, "le la les l notre votre mon ma mes cette ces"),
    (Class::NEW, "un une nouveau nouvelle"),
    (Class::PLACE, "dans à au aux du"),
    (Class::SOURCE, "sur avec selon depuis comme après avant concernant"),
    (Class::NOT, "ne n pas sans sauf jamais"),
    (Class::AND, "et ou"),
    (Class::BUT, "mais"),
    (Class::SECTION, "partie chapitre rubrique"),
    (Class::AFTER, "jour stp svp"),
    (Class::COMPARE, "comparer comparez différence"),
    // Spanish, Italian, Portuguese.
    (
        Class::VERB,
        "actualiza* corrig* modifica* cambia* mejora* amplía* acorta* añad* agrega* escrib* elimina* borra* reescrib* traduc* \
      reemplaza* muestra* revisa* completa* aggiorna* correggi* migliora* riscriv* aggiung* atualiz* alter* edita* adicion*",
    ),
    (Class::THE, "el los las lo il gli nuestro nuestra nostra nostro nossa nosso"),
    (Class::NEW, "uno una um uma nuevo nueva nuovo nuova novo nova"),
    (Class::PLACE, "en al del nel nella della dello di na em da de"),
    (Class::SOURCE, "sobre con según desde como después antes su secondo com conforme"),
    (Class::NOT, "sin excepto nunca salvo non senza tranne mai não sem exceto menos"),
    (Class::AND, "y e ed"),
    (Class::BUT, "pero sino ma però mas"),
    (Class::SECTION, "sección apartado sezione capitolo seção capítulo"),
    (Class::COMPARE, "compara* diferencia differenza diferença confronta*"),
    // Dutch, Polish.
    (Class::VERB, "werk wijzig* verbeter* herschrijf* popraw* zmień zaktualizuj* skróć dodaj* usuń"),
    (Class::NOT, "niet geen zonder behalve nie bez oprócz"),
    (Class::THE, "het"),
    // Russian.
    (
        Class::VERB,
        "обнови* исправ* измени* перепиш* дополн* сократ* удали* добав* покаж* провер* улучш* поправ* переведи* допиши*",
    ),
    (Class::PLACE, "в во к из"),
    (Class::SOURCE, "о об про по с со после перед как для на"),
    (Class::NOT, "не без кроме ни никогда вместо"),
    (Class::AND, "и или"),
    (Class::BUT, "а но"),
    (Class::SECTION, "раздел* глав* част*"),
    (Class::THE, "наш нашу эту этот"),
    (Class::COMPARE, "сравни*"),
    (Class::AFTER, "пожалуйста"),
    // Greek.
    (Class::VERB, "ενημέρωσ* διόρθωσ* άλλαξ* βελτίωσ* γράψ* συμπλήρωσ* σβήσ* πρόσθεσ* σύντομευσ* δείξ*"),
    (Class::THE, "ο η το τον την του της τα τις οι"),
    (Class::PLACE, "στο στη στην στον σε"),
    (Class::SOURCE, "για από με μετά πριν σαν"),
    (Class::NOT, "δεν δε μη μην όχι χωρίς εκτός ποτέ αντί"),
    (Class::AND, "και ή"),
    (Class::BUT, "αλλά"),
    (Class::SECTION, "ενότητα τμήμα κεφάλαιο"),
    // Arabic.
    (Class::VERB, "حدث عدل صحح غير حسن اختصر أضف اكتب احذف راجع وسع"),
    (Class::PLACE, "في إلى"),
    (Class::SOURCE, "عن من حول مثل بعد قبل"),
    (Class::NOT, "لا ليس بدون باستثناء دون سوى لم لن"),
    (Class::SECTION, "قسم فصل جزء"),
];

/// Common phrases for the titles of the built-in templates, as (title, phrases).
pub(super) const OTHER_WORDS: &[(&str, &[&str])] = &[
    ("problem being solved", &["problem statement"]),
    ("value proposition", &["value prop"]),
    ("competitive analysis", &["competitor analysis", "competition analysis"]),
];

struct Lexicon {
    whole: BTreeMap<String, Class>,
    beginnings: BTreeMap<String, Class>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon { whole: BTreeMap::new(), beginnings: BTreeMap::new() };
    for (class, words) in TABLE {
        for word in words.split_whitespace() {
            let (map, key) = match word.strip_suffix('*') {
                Some(beginning) => (&mut lexicon.beginnings, plain(&exact(beginning))),
                None => (&mut lexicon.whole, plain(&exact(word))),
            };
            let entry = map.entry(key).or_insert(Class(0));
            *entry = Class(entry.0 | class.0);
        }
    }
    lexicon
});

/// The classes of a word. Diacritics are ignored but endings are not: "updates" is not a request.
pub(super) fn class_of(exact: &str) -> Class {
    let word = plain(exact);
    let whole = LEXICON.whole.get(&word).copied().unwrap_or_default();
    let beginnings = word.char_indices().map(|(at, c)| &word[..at + c.len_utf8()]).filter(|start| start.len() >= 3);
    let found = beginnings.filter_map(|start| LEXICON.beginnings.get(start)).fold(0, |all, class| all | class.0);
    Class(whole.0 | found)
}

/// Whether a word is ignored in names.
pub(super) fn is_skipped(exact: &str) -> bool {
    LEXICON.whole.get(&plain(exact)).is_some_and(|class| class.has(Class::SKIP))
}

/// Words that ask for a change, in languages written without spaces.
pub(super) const UNSPACED_VERBS: &[&str] = &[
    "更新",
    "修正",
    "変更",
    "追加",
    "短く",
    "書き直",
    "削除",
    "編集",
    "直して",
    "改善",
    "加筆",
    "要約",
    "翻訳",
    "見せて",
    "書いて",
    "修改",
    "改写",
    "编辑",
    "添加",
    "删除",
    "缩短",
    "重写",
    "补充",
    "完善",
    "翻译",
    "改进",
    "扩展",
    "總結",
    "编写",
    "加入",
    "업데이트",
    "수정",
    "변경",
    "추가",
    "삭제",
    "고쳐",
    "편집",
    "줄여",
    "개선",
    "보완",
    "번역",
];

/// Words that negate everything in the sentence.
pub(super) const UNSPACED_NOT: &[&str] = &[
    "ないで",
    "するな",
    "しない",
    "せずに",
    "不要",
    "别",
    "別",
    "勿",
    "除了",
    "不改",
    "不能",
    "지마",
    "지 마",
    "지않",
    "지 않",
    "금지",
];

/// Words that negate what is directly before them.
pub(super) const UNSPACED_NOT_AFTER: &[&str] = &[
    "ではなく",
    "じゃなく",
    "でなく",
    "以外",
    "を除",
    "は除",
    "除外",
    "以外",
    "말고",
    "제외",
    "아니라",
    "아닌",
    "除外",
];

/// What may directly precede a name in a script without spaces, besides a verb.
pub(super) const UNSPACED_BEFORE: &str = "のをはがにへともで的在把将請请对給给中里从與和与";

/// What may directly follow a name.
pub(super) const UNSPACED_AFTER: &[&str] = &[
    "の",
    "を",
    "は",
    "が",
    "に",
    "へ",
    "と",
    "も",
    "で",
    "的",
    "中",
    "里",
    "部分",
    "章",
    "节",
    "節",
    "セクション",
    "を",
    "을",
    "를",
    "은",
    "는",
    "이",
    "가",
    "에",
    "의",
    "도",
    "와",
    "과",
    "로",
    "으",
    "만",
    "섹션",
    "并",
    "和",
    "与",
    "以",
];
