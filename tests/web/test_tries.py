"""Patience with who guesses the PIN: guessing is hopeless, and keeps nobody else out."""

from __future__ import annotations

from controller.web.tries import FREE, LOUD, Tries

HOUR = 3600.0


class Attack:
    """Tries that are never right, as fast as they are let, from some addresses. `wrong`: how many were made."""

    def __init__(self) -> None:
        self.now = 0.0
        self.tries = Tries(lambda: self.now)
        self.wrong = 0

    def guess(self, address: str) -> bool:
        if self.tries.wait_s(address) > 0:
            return False
        self.tries.begin(address)
        self.wrong += 1
        return True

    def go_on(self, hours: float, addresses: int) -> None:
        until = self.now + hours * HOUR
        while self.now < until:
            self.all_guess(addresses)
            self.now += 10.0

    def all_guess(self, addresses: int) -> None:
        for number in range(addresses):
            while self.guess(f"10.0.0.{number}"):
                pass


def test_wrong_tries_cost_ever_longer_waits():
    attack = Attack()
    for _ in range(FREE):
        assert attack.guess("x")
    waits = []
    for _ in range(9):
        waits.append(attack.tries.wait_s("x"))
        attack.now += waits[-1]
        assert attack.guess("x")
    assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
    attack.tries.right("x")
    assert attack.guess("x")


def test_four_addresses_that_guess_all_day_keep_nobody_out():
    attack = Attack()
    attack.go_on(1, 4)
    assert attack.tries.wait_s("umpire") == 0
    attack.go_on(13, 4)
    assert attack.tries.wait_s("umpire") == 0
    assert attack.wrong < 150


def test_those_who_were_wrong_before_do_not_use_up_the_tries_of_those_who_come_anew():
    attack = Attack()
    attack.go_on(0.6, 200)
    attack.all_guess(200)
    assert attack.tries.wait_s("10.0.0.1") > 0
    assert attack.tries.wait_s("umpire") == 0


def test_a_day_of_guessing_from_a_thousand_addresses_does_not_find_six_digits():
    attack = Attack()
    for hour in range(14):
        # Another hour, other addresses: as many as a forger likes.
        for number in range(1000):
            attack.now += HOUR / 1000
            while attack.guess(f"{hour}.{number}"):
                pass
    assert attack.wrong < 14 * HOUR / 3
    assert attack.wrong / 1e6 < 0.02


def test_a_browser_that_knew_the_pin_waits_for_nobody_but_itself():
    attack = Attack()
    for number in range(200):
        attack.guess(f"10.0.{number}.1")
    assert attack.tries.wait_s("a new one") > 0
    assert attack.tries.wait_s("browser", known=True) == 0
    for _ in range(FREE):
        attack.tries.begin("browser", known=True)
    assert attack.tries.wait_s("browser", known=True) == 60


def test_a_hall_of_umpires_logs_in_at_once():
    attack = Attack()
    for number in range(20):
        assert attack.guess(f"10.0.0.{number}")
        attack.tries.right(f"10.0.0.{number}")
    assert not attack.tries.loud()


def test_a_restart_lets_who_was_wrong_wait_in_full_and_strangers_drip():
    attack = Attack()
    for _ in range(FREE + 2):
        attack.now += attack.tries.wait_s("x")
        attack.guess("x")
    attack.guess("slipped")
    before, attack.tries = attack.tries, Tries(lambda: attack.now, attack.tries.wrong())
    assert attack.tries.wait_s("x") == before.wait_s("x") == 240
    assert attack.tries.wait_s("browser", known=True) == 0
    # Who has not been wrong waits for the drip alone, and who is right is forgotten.
    assert attack.tries.wait_s("umpire") == 6
    attack.now += 6
    assert attack.guess("umpire")
    attack.tries.right("umpire")
    assert attack.tries.wrong() == {"x": FREE + 2, "slipped": 1}


def test_restarts_give_no_tries_that_waiting_would_not():
    attack = Attack()
    attack.all_guess(200)
    had = attack.wrong
    for _ in range(100):
        attack.now += 30.0
        attack.tries = Tries(lambda: attack.now, attack.tries.wrong())
        attack.all_guess(200)
    assert attack.wrong - had < 100 * 30 / 6 + 100 * 30 / 10


def test_who_was_wrong_is_forgotten_after_a_day():
    attack = Attack()
    attack.guess("x")
    attack.now += 25 * HOUR
    assert attack.tries.wrong() == {}


def test_guessing_is_worth_a_word():
    attack = Attack()
    attack.go_on(1, 1)
    assert attack.wrong < LOUD
    assert not attack.tries.loud()
    attack.go_on(0.1, 4)
    assert attack.tries.loud()
    attack.now += 2 * HOUR
    assert not attack.tries.loud()
