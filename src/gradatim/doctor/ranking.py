"""From facts to a diagnosis: rules find causes, symptoms decide what is said aloud, consequences fold under their cause."""

from gradatim.doctor.codes import codes, upstream
from gradatim.doctor.confidence import confidence_of
from gradatim.doctor.facts import Facts
from gradatim.doctor.findings import Diagnosis, Finding, Symptom, Trial
from gradatim.doctor.rules import RULES
from gradatim.doctor.symptoms import find_symptoms

BELIEVED = 0.3  # strength from which a statistic warns without a trial, if it explains a symptom
SURE = 0.6  # strength from which it warns although its trial was not made
CERTAIN = 0.85  # strength from which a breach of a contract is blamed before all that it explains
CLEAR = 0.7  # strength that a trial which did not help does not take away
TESTABLE = {"data.unscaled", "init.scale", "model.linear-stack", "model.dropout", "model.batch-norm", "model.frozen", "loss.summed", "grad.vanishing", "grad.dead-relu", "grad.saturated", "grad.exploding", "optim.schedule", "optim.weight-decay", "optim.momentum", "optim.clip", "optim.lr-high", "optim.lr-low"}  # fmt: skip
SUSPICIOUS = {"optim.schedule", "optim.momentum", "optim.clip", "init.scale", "grad.saturated", "grad.dead-relu", "grad.vanishing", "model.batch-norm", "model.linear-stack"}  # fmt: skip
WEAK = 0.9  # of the loss as written
UNHELPED, UNTESTED = "did not help: ", "not tested"
SEVERITIES = ("error", "warning", "note")


def diagnose(facts: Facts, trials: list[Trial] | None = None) -> Diagnosis:
    """Name the causes behind what was seen.

    Args:
        facts: What was seen of a run.
        trials: Repairs that were tried, if any.

    Example:
        >>> from gradatim.doctor.facts import Facts, Witness
        >>> facts = Facts(passes=40, steps=40, witnesses={"kept-gradients": Witness(seen=16, of=16)})
        >>> diagnose(facts).findings[0].code
        'optim.no-zero-grad'
    """
    symptoms = {symptom.name: symptom for symptom in find_symptoms(facts)}
    tried = trials or []
    gains = {t.code: _slow(t) for t in tried if t.factor is not None and t.helped}
    found = [f for code, rule in RULES.items() if (f := rule(facts, symptoms | gains.get(code, {}))) is not None]  # fmt: skip
    for gain in gains.values():
        symptoms = gain | symptoms
    judged = [_judge(finding, symptoms, tried) for finding in found]
    ranked = sorted(judged, key=lambda finding: _rank(finding, symptoms, tried))
    ranked = _fold(_promote(ranked, tried), symptoms, tried)
    for finding in ranked:
        finding.explains = [name for name in finding.explains if name in symptoms or _is_found(name, found)]  # fmt: skip
    shown = [f for f in ranked if f.severity != "note" or _is_worth_a_note(f)]
    return Diagnosis(
        shown, list(symptoms.values()), _checks(facts, judged), tried, facts.steps or facts.passes
    )


def candidates(facts: Facts) -> list[Finding]:
    """Statistics that could explain the symptoms of a run, the strongest first: what is worth a trial.

    Args:
        facts: What was seen of a run.
    """
    symptoms = {symptom.name: symptom for symptom in find_symptoms(facts)}
    found = [finding for rule in RULES.values() if (finding := rule(facts, symptoms)) is not None]
    explained = [f for f in found if f.code in codes() and codes()[f.code].kind == "contract" and _explains(f, symptoms)]  # fmt: skip
    if "crash" in symptoms or any(f.strength > 0.85 for f in explained):
        return []
    return sorted((f for f in found if codes()[f.code].kind == "statistic"), key=lambda f: -f.strength)  # fmt: skip


def suspects(facts: Facts) -> list[Finding]:
    """Statistics of a run that learns, so far from the usual that a trial is worth its time: it shows what is lost.

    Args:
        facts: What was seen of a run.
    """
    symptoms = {symptom.name: symptom for symptom in find_symptoms(facts)}
    known = [f for rule in RULES.values() if (f := rule(facts, symptoms)) is not None]
    if "crash" in symptoms or any(codes()[f.code].kind == "contract" and f.strength >= SURE for f in known):  # fmt: skip
        return []
    pretended = {**symptoms, "slow": Symptom("slow")}
    found = [f for code in SUSPICIOUS if (f := RULES[code](facts, pretended)) is not None]
    return sorted((f for f in found if f.strength >= SURE), key=lambda f: -f.strength)


def _slow(trial: Trial) -> dict[str, Symptom]:
    """A run that learns, but slower than it could: what a repair made of it is the measure."""
    numbers = {"end": trial.as_written or 0.0, "repaired": trial.repaired or 0.0, "steps": float(trial.steps)}  # fmt: skip
    return {"slow": Symptom("slow", None, numbers)}


def _explains(finding: Finding, symptoms: dict[str, Symptom]) -> bool:
    return any(name in symptoms for name in codes()[finding.code].explains)


def _judge(finding: Finding, symptoms: dict[str, Symptom], trials: list[Trial]) -> Finding:
    """Give a finding its severity: no symptom, no alarm, unless a contract is broken."""
    entry, explains = codes()[finding.code], _explains(finding, symptoms)
    own = [trial for trial in trials if trial.code == finding.code and trial.ended != "void"]
    best = min((t for t in own if t.repaired is not None), key=lambda t: t.repaired or 0.0, default=None)  # fmt: skip
    proved = best is not None and best.helped and not _is_haste(finding, symptoms)
    if entry.kind == "contract":
        finding.severity = "error" if explains else "warning"
        if finding.strength < 0.5:
            finding.severity = "warning" if explains else "note"
    elif entry.kind == "statistic":
        refuted = bool(own) and not proved and finding.strength < CLEAR
        believed = finding.strength >= (SURE if own or not trials else BELIEVED)
        if not trials:
            believed = finding.strength >= BELIEVED
        told = (
            "crash" not in symptoms or "crash" in entry.explains
        )  # what ended the run comes first
        warns = told and explains and (proved or (believed and not refuted))
        finding.severity = "warning" if warns else "note"
    if best is not None:
        finding.trial = f"{'' if proved else UNHELPED}{_told(best)}"
    elif finding.code in TESTABLE and explains:
        finding.trial = UNTESTED
    finding.confidence = confidence_of(finding.code, proved=proved)
    return finding


def _is_haste(finding: Finding, symptoms: dict[str, Symptom]) -> bool:
    """Another rate is often faster; of a run that learns and moves as usual that is no fault."""
    is_rate = finding.code in {"optim.lr-low", "optim.lr-high"}
    return is_rate and finding.strength < BELIEVED and set(symptoms) <= {"slow", "gap"}


def _told(trial: Trial) -> str:
    written = "NaN" if trial.as_written is None else f"{trial.as_written:.3g}"
    return f"{trial.repair}: loss {trial.repaired:.3g} after {trial.steps} steps; as written: {written}"  # fmt: skip


def _rank(finding: Finding, symptoms: dict[str, Symptom], trials: list[Trial]) -> tuple[float, ...]:
    """Contracts that explain symptoms first, then what trials proved (the best, and among equals the cause further
    upstream) beside strong evidence that no trial can test, then strength."""
    kind, off = codes()[finding.code].kind, not _explains(finding, symptoms)
    severity = SEVERITIES.index(finding.severity)
    own = [t for t in trials if t.code == finding.code and t.helped and not _is_weak(t)]
    untestable = kind == "statistic" and finding.strength >= SURE and finding.code not in TESTABLE
    certain = kind == "contract" and finding.strength >= 0.5
    seen = finding.strength >= BELIEVED  # else the trial is all there is
    order = 0 if certain else 1 if untestable or (own and seen) else 2 if own else 3
    gain = min((_level(t, trials) for t in own), default=0)
    return (
        severity if not off else max(severity, 1), off, order, gain if order in {1, 2} else 0,
        -finding.strength if order not in {1, 2} else 0, upstream(finding.code),
    )  # fmt: skip


def _is_weak(trial: Trial) -> bool:
    """A repair after which the run is hardly better."""
    if trial.as_written is None or trial.repaired is None or trial.as_written <= 0:
        return False
    return trial.repaired > WEAK * trial.as_written


def _promote(ranked: list[Finding], trials: list[Trial]) -> list[Finding]:
    """A cause that explains a finding before it comes first, if it is a certain breach of a contract, or proved and of the
    same family: clipping makes a rate too low."""
    proved = {t.code for t in trials if t.helped}
    for k, finding in enumerate(ranked):
        entry = codes()[finding.code]
        certain = entry.kind == "contract" and finding.strength >= CERTAIN
        for earlier in range(k):
            other = ranked[earlier]
            related = finding.code in proved and upstream(other.code) == upstream(finding.code)
            if (certain or related) and other.code in entry.explains:
                return _promote([*ranked[:earlier], finding, *ranked[earlier:k], *ranked[k + 1 :]], trials)  # fmt: skip
    return ranked


def _level(trial: Trial, trials: list[Trial]) -> int:
    """0 for trials that come as far as the best, by the spread of the control; 1 and more for those behind."""
    reached = [t.repaired for t in trials if t.helped and t.repaired is not None]
    best, own = min(reached), trial.repaired if trial.repaired is not None else float("inf")
    worst = [
        t.reference for t in trials if t.reference is not None
    ]  # where the loop as written has no loss at all
    written = trial.as_written if trial.as_written is not None else max([2 * abs(own), *worst])
    room = max(trial.spread, 0.25 * abs(written - best))
    return int((own - best) / room) if room > 0 else 0


def _fold(ranked: list[Finding], symptoms: dict[str, Symptom], trials: list[Trial]) -> list[Finding]:  # fmt: skip
    """Drop what a finding before it explains, and guesses at symptoms that a certain breach of a contract explains."""
    proved = {t.code for t in trials if t.helped}
    kept: list[Finding] = []
    for finding in ranked:
        entry = codes()[finding.code]
        before = [codes()[k.code] for k in kept if k.severity != "note"]
        sure = [codes()[k.code] for k in kept if k.severity == "error" and k.strength >= CERTAIN]
        told = {name for code in sure if code.kind == "contract" for name in code.explains}
        is_guess = entry.kind == "statistic" and finding.code not in proved
        if any(finding.code in code.explains for code in before):
            continue
        if is_guess and sure and {name for name in entry.explains if name in symptoms} <= told:
            continue
        kept.append(finding)
    return kept


def _is_found(name: str, found: list[Finding]) -> bool:
    return any(finding.code == name and finding.strength >= BELIEVED for finding in found)


def _is_worth_a_note(finding: Finding) -> bool:
    if codes()[finding.code].kind == "note":
        return True
    if (finding.trial or "").startswith(UNHELPED) and finding.strength < SURE:
        return False
    return finding.strength >= BELIEVED


def _checks(facts: Facts, judged: list[Finding]) -> dict[str, str]:
    """What became of every code; one that is folded under its cause was found too."""
    names = {f.code for f in judged if f.severity != "note" or codes()[f.code].kind == "note"}
    return {name: "found" if name in names else _unfound(name, facts) for name in codes()}


def _unfound(name: str, facts: Facts) -> str:
    family = name.partition(".")[0]
    if family == "crash":
        return "clear" if facts.failure is None else "not applicable"
    if facts.passes < 3:
        return "not reached"
    needs = {
        "loss": bool(facts.losses),
        "optim": bool(facts.optimizers),
        "data": facts.data.rows > 0,
        "init": bool(facts.layers),
        "model": bool(facts.models),
    }
    judged = {"model.train-in-evaluation", "data.leak", "data.validation-differs", "fit.overfit"}
    if name in judged and not facts.evaluations:
        return "not applicable"
    if name in {"model.batch-mixing", "model.future-leak"}:
        return "clear" if facts.witness(name.partition(".")[2]).of else "not reached"
    return "clear" if needs.get(family, True) else "not applicable"
