//! What a prompt can mend: only what the model itself decided.

use checkrein_verdict::{Attempt, Cause, Code, Run, Shows};

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
    let found: [(&Rule, Vec<u64>); 6] = [
        (&LOOK_UP_FIRST, blind.chain(reworded.clone()).map(|it| it.attempt).collect()),
        (&WAIT, impatient(document)),
        (&ONE_PER_TURN, parallel.map(|it| it.attempt).collect()),
        (&SAME_WORDS, reworded.map(|it| it.attempt).collect()),
        (&LOOK_BEFORE_REPORTING, never_looked(run, document, Attempt::is_ghost_write)),
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

/// Such writes that nothing was sent or read after that could have shown what became of them.
fn never_looked(run: &Run, document: &Document, is_such: fn(&Attempt) -> bool) -> Vec<u64> {
    let is_left = |number: u64| {
        // A look that a scenario answered by an older state was a look for the right thing.
        let is_stale = |read| run.attempts.get(&read).is_some_and(Attempt::is_stale);
        let is_seen = document
            .read_backs
            .iter()
            .any(|it| it.ghost == number && (it.shows != Shows::Unlikely || is_stale(it.read)));
        let is_sent_again = document.repeats.iter().any(|it| it.repeats == Some(number));
        !is_seen && !is_sent_again
    };
    let such = run.in_order().into_iter().filter(|it| is_such(it) && it.continues.is_none());
    such.map(|it| it.number).filter(|number| is_left(*number)).collect()
}
