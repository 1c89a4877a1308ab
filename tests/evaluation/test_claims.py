"""Claims: the earlier holds, the dead lose theirs, an error gives them back."""

import subprocess
import sys

import optuna
import pytest

from gradatim.evaluation import claims
from gradatim.evaluation.claims import Claims


@pytest.fixture(params=["memory", "journal", "database"])
def store(request, tmp_path):
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    if request.param == "journal":
        backend = optuna.storages.journal.JournalFileBackend(str(tmp_path / "study.log"))
        return optuna.create_study(storage=optuna.storages.JournalStorage(backend))
    where = f"sqlite:///{tmp_path / 'study.db'}" if request.param == "database" else None
    return optuna.create_study(storage=where)


def workers(store, *names):
    found = []
    for name in names:
        found.append(Claims(store, is_shared=True))
        found[-1].worker = name
    return found


def test_every_choice_is_claimed_once_and_told_once(store):
    one, other = workers(store, "far:1", "away:2")
    first = one.claim(0, {}, {})
    assert one.free(3) == other.free(3) == [1, 2]
    assert other.claim(0, {}, {}) is None
    assert other.free(3) == [1, 2], "a claim that came too late is no claim"
    one.tell(first, 0.5, "COMPLETE", {})
    second = other.claim(2, {}, {})
    other.tell(second, None, "FAIL", {})
    assert {k: t.value for k, t in one.finished().items()} == {0: 0.5, 2: None}
    assert one.free(3) == [1]


def test_a_process_that_is_gone_loses_its_claims(store):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    one, other = workers(store, f"{claims.platform.node()}:{ended.pid}", "away:2")
    late = one.claim(0, {}, {})
    assert other.free(1) == [0]
    again = other.claim(0, {}, {})
    other.tell(again, 0.25, "COMPLETE", {})
    one.tell(late, 0.75, "COMPLETE", {})
    assert {k: t.value for k, t in other.finished().items()} == {0: 0.25}


def test_who_gives_no_sign_of_life_loses_too(store, monkeypatch):
    one, other = workers(store, "far:1", "away:2")
    trial = one.claim(0, {}, {})
    clock = [0.0]
    monkeypatch.setattr(claims.time, "monotonic", lambda: clock[0])
    assert other.free(1) == []
    clock[0] = claims.GRACE - 1
    store._storage.set_trial_user_attr(trial._trial_id, "beats", 1)
    assert other.free(1) == []
    clock[0] += claims.GRACE - 1
    assert other.free(1) == [], "counted from the last sign"
    clock[0] += 2
    assert other.free(1) == [0]


def test_signs_of_life_are_given(store, monkeypatch):
    monkeypatch.setattr(claims, "BEAT", 0.01)
    (one,) = workers(store, "far:1")
    trial = one.claim(0, {}, {})
    with one.held([trial]):
        for _ in range(500):
            claims.time.sleep(0.01)
            if store.get_trials()[0].user_attrs["beats"] > 1:
                return
    pytest.fail("no sign")


def test_an_error_gives_claims_back(store):
    one, other = workers(store, "far:1", "away:2")
    trials = [one.claim(k, {}, {}) for k in range(2)]
    with pytest.raises(KeyboardInterrupt), one.held(trials):
        raise KeyboardInterrupt
    assert other.free(3) == [0, 1, 2]
    assert one.finished() == {}
