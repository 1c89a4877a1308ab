from gradatim.fitting.clock import LEAST, Clock


def test_without_a_budget_time_is_never_over():
    clock = Clock(None, lambda: 1e9)
    assert not clock.over_at(0.1)()
    assert clock.has(1e9, by=0.1)


def test_time_is_over_at_its_share_and_a_little_later_for_who_comes_late():
    now = [10.0]
    clock = Clock(100.0, lambda: now[0])
    early = clock.over_at(0.5)
    now[0] = 60.0
    late = clock.over_at(0.5)
    assert early()
    assert not late()
    now[0] += 100 * LEAST + 0.1
    assert late()


def test_has_counts_from_now():
    clock = Clock(100.0, lambda: 80.0)
    assert clock.has(10.0, by=0.9)
    assert not clock.has(10.1, by=0.9)
