//! What a prompt can mend: only what the model itself decided.

use checkrein_verdict::{Attempt, Cause, Code, Confidence, ReadBack, Run, Shows};

use super::{Advice, Language, Layer, Patch, troubling};
use crate::document::Document;

/// A rule for a model, in both languages.
struct Rule {
    topic: &'static str,
    seen: &'static str,
    english: &'static str,
    german: &'static str,
}

const LOOK_UP_FIRST: Rule = Rule {
    topic: "look-up-before-writing-again",
    seen: "The model sent a write again without knowing what had become of the first one.",
    english: "When a call that changes something ends in a timeout, a lost connection or an unclear \
              error, it may have been carried out all the same. Before you send it again, look the \
              record up by what you asked for, not by an id you never received. Send it again only \
              if the record is not there, with exactly the same arguments and the same idempotency \
              key. If you cannot look it up, stop and say that the outcome is unknown.",
    german: "Endet ein Aufruf, der etwas verändert, mit einer Zeitüberschreitung, einer \
             abgebrochenen Verbindung oder einem unklaren Fehler, kann er trotzdem ausgeführt worden \
             sein. Suche den Datensatz anhand deiner Angaben, bevor du ihn noch einmal sendest, \
             nicht anhand einer Kennung, die du nie erhalten hast. Sende ihn nur dann noch einmal, \
             wenn der Datensatz fehlt, mit genau denselben Argumenten und demselben \
             Idempotenzschlüssel. Kannst du nicht nachsehen, höre auf und sage, dass der Ausgang \
             unbekannt ist.",
};

const PERHAPS_LOOK_UP_FIRST: Rule = Rule {
    seen: "If it was the model that sent a write again, it did so without knowing what had become of \
           the first one.",
    ..LOOK_UP_FIRST
};

const WAIT: Rule = Rule {
    topic: "wait-for-retry-after",
    seen: "The model sent a write again before the wait it was asked for was over.",
    english: "When an answer asks you to wait (429, `retry_after`, `Retry-After`), do not send the \
              same call again before that time has passed. If you cannot wait that long, stop and \
              say when it may be tried again.",
    german: "Bittet dich eine Antwort zu warten (429, `retry_after`, `Retry-After`), sende denselben \
             Aufruf nicht vor Ablauf dieser Zeit noch einmal. Kannst du nicht so lange warten, höre \
             auf und sage, wann es wieder versucht werden darf.",
};

const ONE_PER_TURN: Rule = Rule {
    topic: "one-write-per-turn",
    seen: "The model asked for the same write more than once in one turn.",
    english: "Send calls that change something one at a time, and read each answer before you send \
              the next. Never ask for the same change twice in one turn.",
    german: "Sende Aufrufe, die etwas verändern, einzeln und lies jede Antwort, bevor du den \
             nächsten sendest. Verlange dieselbe Änderung nie zweimal in einem Zug.",
};

const SAME_WORDS: Rule = Rule {
    topic: "keep-the-arguments",
    seen: "The model sent the same write again in other words, so that no server can see that it \
           is the same.",
    english: "When you send a call again, repeat its arguments exactly: the same spelling, the same \
              form of dates and numbers, the same idempotency key.",
    german: "Sendest du einen Aufruf noch einmal, wiederhole seine Argumente genau: dieselbe \
             Schreibweise, dieselbe Form von Datum und Zahl, derselbe Idempotenzschlüssel.",
};

const LOOK_BEFORE_REPORTING: Rule = Rule {
    topic: "look-up-before-reporting",
    seen: "After a timeout or an unclear error the model never looked whether its write had been \
           carried out, though it had.",
    english: "After a timeout or an unclear error, look up whether the change was made before you report. If you cannot \
              find out, say that the outcome is unknown; do not say that it failed.",
    german: "Sieh nach einer Zeitüberschreitung oder einem unklaren Fehler nach, ob die Änderung vorgenommen wurde, bevor du \
             berichtest. Lässt es sich nicht feststellen, sage, dass der Ausgang unbekannt ist, und \
             nicht, dass es fehlgeschlagen sei.",
};

const LOOK_AT_THE_RIGHT_THING: Rule = Rule {
    topic: "look-up-what-was-written",
    seen: "After a timeout or an unclear error the model looked, but by the names and arguments of \
           its reads at something that can hardly have shown what it had written.",
    english: "When you look up whether a change was made, use the tool that shows this kind of thing, and ask \
              by values that you wrote, not by an id you never received.",
    german: "Prüfst du, ob eine Änderung vorgenommen wurde, nimm das Werkzeug, das solche Dinge zeigt, \
             und frage nach Werten, die du geschrieben hast, nicht nach einer Kennung, die du nie \
             erhalten hast.",
};

const DO_NOT_TRUST: Rule = Rule {
    topic: "look-up-after-success",
    seen: "The model took a success at its word that was none.",
    english: "After a change that matters, look the record up and make sure that it is there before \
              you report success.",
    german: "Sieh nach einer Änderung, auf die es ankommt, nach, ob der Datensatz da ist, bevor du \
             Erfolg meldest.",
};

impl Rule {
    fn advice(&self, attempts: Vec<u64>) -> Advice {
        let patch = |language, text: &str| Patch { language, text: text.to_owned() };
        Advice {
            patches: vec![patch(Language::En, self.english), patch(Language::De, self.german)],
            ..Advice::new(Layer::Prompt, self.topic, self.seen, attempts)
        }
    }
}

pub(super) fn of(run: &Run, document: &Document) -> Vec<Advice> {
    let retries: Vec<_> = troubling(document, Cause::ModelRetry).collect();
    let blind = retries.iter().filter(|repeat| !repeat.is_reworded);
    let reworded = retries.iter().filter(|repeat| repeat.is_reworded);
    let parallel = troubling(document, Cause::ParallelCalls);
    let perhaps = troubling(document, Cause::ClientResend)
        .filter(|repeat| repeat.confidence == Confidence::Possible && retries.is_empty());
    let found: [(&Rule, Vec<u64>); 8] = [
        (&PERHAPS_LOOK_UP_FIRST, perhaps.map(|it| it.attempt).collect()),
        (&LOOK_UP_FIRST, blind.chain(reworded.clone()).map(|it| it.attempt).collect()),
        (&WAIT, impatient(document)),
        (&ONE_PER_TURN, parallel.map(|it| it.attempt).collect()),
        (&SAME_WORDS, reworded.map(|it| it.attempt).collect()),
        (&LOOK_BEFORE_REPORTING, never_looked(run, document, Attempt::is_ghost_write)),
        (&LOOK_AT_THE_RIGHT_THING, looked_elsewhere(run, document)),
        (&DO_NOT_TRUST, never_looked(run, document, |it| it.is_ghost() && it.is_withheld())),
    ];
    let found = found.into_iter().filter(|(_, attempts)| !attempts.is_empty());
    found.map(|(rule, attempts)| rule.advice(attempts)).collect()
}

/// The repeats that the model sent before the wait was over.
fn impatient(document: &Document) -> Vec<u64> {
    let broken = document.reasons.iter().filter(|it| it.code == Code::RetryAfterViolated);
    let early = broken.filter_map(|reason| reason.attempts.last());
    let by_model = |attempt: &&u64| {
        document.repeats.iter().any(|it| it.attempt == **attempt && it.cause != Cause::ClientResend)
    };
    early.filter(by_model).copied().collect()
}

/// Such writes after which nothing was looked at, and that were not sent again.
fn never_looked(run: &Run, document: &Document, is_such: fn(&Attempt) -> bool) -> Vec<u64> {
    let looks = |number: u64| looks_after(run, document, number).next().is_some();
    left(run, document, is_such).filter(|number| !looks(*number)).collect()
}

/// Ghost writes after which only something else was looked at, and that were not sent again.
fn looked_elsewhere(run: &Run, document: &Document) -> Vec<u64> {
    // A look that a scenario answered by an older state was a look for the right thing.
    let is_stale = |read| run.attempts.get(&read).is_some_and(Attempt::is_stale);
    let is_elsewhere = |number: &u64| {
        let mut looks = looks_after(run, document, *number).peekable();
        looks.peek().is_some() && looks.all(|it| it.shows == Shows::Unlikely && !is_stale(it.read))
    };
    left(run, document, Attempt::is_ghost_write).filter(is_elsewhere).collect()
}

/// The looks after a ghost that got an answer.
fn looks_after<'a>(
    run: &'a Run,
    document: &'a Document,
    ghost: u64,
) -> impl Iterator<Item = &'a ReadBack> {
    let is_answered =
        |read| run.attempts.get(&read).is_some_and(|read| read.is_executed() || read.is_stale());
    document.read_backs.iter().filter(move |it| it.ghost == ghost && is_answered(it.read))
}

/// Such writes that were not sent again.
fn left(
    run: &Run,
    document: &Document,
    is_such: fn(&Attempt) -> bool,
) -> impl Iterator<Item = u64> {
    let such = run.in_order().into_iter().filter(move |it| is_such(it) && it.continues.is_none());
    let is_again = |number| document.repeats.iter().any(|it| it.repeats == Some(number));
    such.map(|it| it.number).filter(move |number| !is_again(*number))
}
