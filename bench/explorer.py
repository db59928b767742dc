"""How quick the explorer is, measured in Chromium: python -m bench.explorer; --pictures takes its screenshots instead.

First paint after the command is given; from a slider to the redrawn phase plane; frames of the animation; panning and
zooming a diagram of a million points. Debian's package chromium is needed, and the extra `explore`.
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.explorer.chromium import Browser, Page

ROOT = Path(__file__).parents[1]
POINTS = 1_000_000
PHONE = 500
SCREENS = (
    ("explorer", 1440, 900, "light"),
    ("explorer-dark", 1440, 900, "dark"),
    ("explorer-phone", 390, 844, "light"),
)
"""The pictures of docs/pictures: name, width, height, and whether it is dark."""

SLIDER = """(async () => {
    const slider = document.querySelector("input[type=range][data-name='%s']");
    const frame = () => new Promise((next) => requestAnimationFrame(next));
    const low = Number(slider.min), high = Number(slider.max), times = [];
    for (let i = 0; i < %d; i++) {
        const value = low + (high - low) * (0.25 + 0.5 * ((i * 0.381966) %% 1));
        await frame();
        slider.value = String(value);
        const wanted = slider.valueAsNumber, begin = performance.now();
        slider.dispatchEvent(new Event("input", {bubbles: true}));
        await new Promise((done) => {
            const host = explorer.phase.plot.host;
            const listen = () => {
                if (explorer.connection.isBusy("motion")) return;
                host.removeEventListener("painted", listen);
                requestAnimationFrame(done);  // the frame in which it is seen
            };
            host.addEventListener("painted", listen);
        });
        times.push(performance.now() - begin);
    }
    slider.dispatchEvent(new Event("change", {bubbles: true}));
    return times;
})()"""

ANIMATION = """(async () => {
    const before = explorer.playback.frames, begin = performance.now();
    await new Promise((next) => setTimeout(next, 3000));
    return 1000 * (explorer.playback.frames - before) / (performance.now() - begin);
})()"""

MILLION = """(async () => {
    const points = explorer.diagram.points, plot = explorer.diagram.plot, count = %d;
    const value = new Float64Array(count), point = new Float64Array(count), up = new Int8Array(count);
    const [low, high] = plot.x, [bottom, top] = plot.y;
    for (let i = 0; i < count; i++) {
        value[i] = low + (high - low) * ((i * 0.6180339887498949) %% 1);
        point[i] = bottom + (top - bottom) * Math.abs(Math.sin(12.9898 * i));
        up[i] = i %% 2 ? 1 : -1;
    }
    points.clear();
    points.append(value, point, up);
    plot.redraw();
    const frame = () => new Promise((next) => requestAnimationFrame(next));
    await frame(); await frame();
    const rate = async (change) => {
        const first = plot.painted, begin = performance.now();
        while (performance.now() - begin < 2000) { change(plot.painted); await frame(); }
        return 1000 * (plot.painted - first) / (performance.now() - begin);
    };
    const pan = await rate((i) => plot.shift(i %% 40 < 20 ? 5 : -5, 2));
    const zoom = await rate((i) => plot.zoomAt([plot.width / 2, plot.height / 2], i %% 40 < 20 ? 0.95 : 1 / 0.95));
    return [pan, zoom];
})()"""


@contextmanager
def server(*arguments: str) -> Iterator[str]:
    """An explorer on a free port; its address, which is there when it says so."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "stickslip", "explore", *arguments, "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            line = next(line for line in process.stdout if "http://" in line)
            yield line[line.index("http://") :].split()[0].rstrip("/")
        finally:
            process.terminate()
            process.wait(20)


def share() -> float:
    """The part of a core that a process gets now: on a busy machine all times are longer by that."""
    begin, used = time.perf_counter(), time.process_time()
    while time.process_time() - used < 0.3:
        pass
    return (time.process_time() - used) / (time.perf_counter() - begin)


def settled(page: Page) -> None:
    """Wait for the motion and the diagram of an opened page."""
    page.wait("explorer.motion && explorer.phase.plot.painted > 1", 90)
    page.wait("explorer.diagram.points.count > 100 && !explorer.diagram.running", 240)


def first_paint(browser: Browser) -> tuple[float, float]:
    """Seconds from the command to the page, and to the motion on it, with a warm cache and an open browser."""
    page = browser.open()
    begin = time.perf_counter()
    with server("block_on_belt") as address:
        page.call("Page.navigate", url=f"{address}/")
        page.wait("performance.getEntriesByName('first-contentful-paint').length > 0")
        page_there = time.perf_counter() - begin
        page.wait("window.explorer && explorer.motion && explorer.phase.plot.painted > 1", 60)
        motion_there = time.perf_counter() - begin
        page.call("Page.close")
    return page_there, motion_there


def slider(browser: Browser, address: str, model: str, parameter: str, count: int = 80) -> list[float]:
    """Milliseconds from the event of the slider to the redrawn phase plane."""
    page = browser.open(address + "/#" + '{"model":{"library":"' + model + '"}}')
    settled(page)
    page.evaluate(SLIDER % (parameter, 10))
    found: list[float] = page.evaluate(SLIDER % (parameter, count))
    page.call("Page.close")
    return found


def measure() -> None:
    """All numbers, with what they should be."""
    print(f"what a process gets of a core      {share():6.0%}   (100 % on a machine that does nothing else)")
    with Browser() as browser:
        with server("block_on_belt") as address:  # fills the cache of compiled models
            for model in ("block_on_belt", "two_blocks"):
                page = browser.open(address + "/#" + '{"model":{"library":"' + model + '"}}')
                settled(page)
                page.call("Page.close")
        page_there, motion_there = first_paint(browser)
        print(f"first paint after the command      {page_there:6.2f} s   (< 1 s); with the motion {motion_there:.2f} s")
        with server("block_on_belt") as address:
            for model, limit in (("block_on_belt", 40), ("two_blocks", 100)):
                times = sorted(slider(browser, address, model, "belt.speed"))
                tail = times[int(0.95 * len(times))]
                middle = statistics.median(times)
                print(f"slider to phase plane, {model:<13} {middle:5.1f} ms  (< {limit} ms); 95 % {tail:.1f} ms")
            page = browser.open(f"{address}/")
            settled(page)
            print(f"animation                          {page.evaluate(ANIMATION):6.1f} frames per second (60)")
            pan, zoom = page.evaluate(MILLION % POINTS)
            print(f"{POINTS:,} points                 pan {pan:.1f}, zoom {zoom:.1f} frames per second (>= 30)")


def pictures(folder: Path) -> None:
    """Screenshots for the README and the pages."""
    folder.mkdir(parents=True, exist_ok=True)
    with Browser() as browser, server("two_blocks") as address:
        for name, width, height, scheme in SCREENS:
            page = browser.open()
            page.resize(width, height, 1.0, mobile=width < PHONE)
            page.scheme(scheme)
            page.go(f"{address}/")
            settled(page)
            page.evaluate("explorer.setParameters({'belt.speed': 0.2})")
            page.wait("!explorer.connection.isBusy('motion')")
            page.evaluate("document.querySelector('#orbit-follow').click()")
            page.wait("explorer.diagram.branches.grown[0]?.done", 240)
            page.evaluate("explorer.playback.toggle(), explorer.playback.jump(0.815 * explorer.motion.end)")
            page.evaluate("new Promise((next) => setTimeout(next, 400))")
            (folder / f"{name}.png").write_bytes(smaller(page.picture()))
            page.call("Page.close")


def smaller(picture: bytes) -> bytes:
    """The same picture with a palette: a page has few colours."""
    from PIL import Image

    made = io.BytesIO()
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(192, dither=Image.Dither.NONE).save(
        made, "png", optimize=True
    )
    return made.getvalue()


def main() -> None:
    """Measure, or take pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", action="store_true", help="take the screenshots of docs/pictures instead")
    parser.add_argument("--folder", type=Path, default=ROOT / "docs/pictures", help="where pictures go")
    given = parser.parse_args()
    pictures(given.folder) if given.pictures else measure()


if __name__ == "__main__":
    main()
