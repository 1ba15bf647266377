"""News reach whoever waits at once, from any thread; what nobody tells is found by looking."""

from __future__ import annotations

import asyncio
import threading
import time

from sfumato.service.news import News


def test_whoever_waits_is_woken_from_another_thread() -> None:
    news, there = News(), threading.Event()

    def told() -> None:
        there.set()
        news.tell()

    async def waited() -> int:
        looked: list[float] = []

        def look() -> bool:
            looked.append(time.monotonic())
            if len(looked) == 1:
                threading.Thread(target=told).start()
            return there.is_set()

        await news.until(look, 60.0)
        return len(looked)

    assert asyncio.run(waited()) <= 3
    assert there.is_set()


def test_what_is_there_or_not_asked_for_is_not_waited_for() -> None:
    news = News()
    asyncio.run(news.until(lambda: True, 60.0))
    asyncio.run(news.until(lambda: False, 0.0))
    news.tell()


def test_what_nobody_tells_is_found_by_looking() -> None:
    news, begun = News(), time.monotonic()
    asyncio.run(news.until(lambda: time.monotonic() > begun + 0.3, 60.0))
    assert time.monotonic() < begun + 60.0
