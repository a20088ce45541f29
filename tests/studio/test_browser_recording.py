"""The page in Chromium: recordings moved through, videos, and what a piano sounds like."""

from __future__ import annotations

import base64
import math
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from browser_page import comes, held, let_go, opened, own_plant, pass_time, seen
from playwright.sync_api import Browser, Page

import inloop as il
from inloop.realtime import Mailbox

RATE = 48_000  # of samples of sound [Hz]
C4 = 261.6255653005986  # [Hz]: 440 Hz, nine semitones down
B = math.pi**2 * 3.82e-5  # inharmonicity: pi² times the stiffness that Chaigne and Askenfelt give

# what a string does: struck at a speed, damped at a time
RENDER = """async ([note, speed, seconds, damped]) => {
    const { StruckString } = await import("/static/string.js");
    const string = new StruckString(note, 48000);
    const samples = new Float32Array(48000 * seconds);
    string.strike(speed);
    for (let at = 0; at < samples.length; at += 480) {
        if (at >= 48000 * damped && !string.damped) string.setDamper(true);
        string.render(samples.subarray(at, at + 480));
    }
    return packed(samples);
}"""
# the same by the thread that makes sound, asked for it after a tenth of a second
OFFLINE = """async () => {
    const context = new OfflineAudioContext(1, 24000, 48000);
    await context.audioWorklet.addModule("/static/stringprocessor.js");
    const options = { numberOfInputs: 0, outputChannelCount: [1] };
    const strings = new AudioWorkletNode(context, "strings", options);
    strings.connect(context.destination);
    const strike = async () => {
        strings.port.postMessage({ note: 60, speed: 3 });
        await new Promise((done) => setTimeout(done, 100));
        await context.resume();
    };
    context.suspend(0.1).then(strike);
    return packed((await context.startRendering()).getChannelData(0));
}"""
PACKED = """const packed = (samples) => {
    let text = "";
    for (const byte of new Uint8Array(samples.buffer)) text += String.fromCharCode(byte);
    return btoa(text);
};"""


@pytest.fixture(scope="module")
def errors() -> list[str]:
    return []


@pytest.fixture(scope="module")
def opened_page(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, errors: list[str]
) -> Iterator[tuple[Page, Mailbox, str]]:
    with (
        own_plant("piano", recordings=tmp_path_factory.mktemp("recordings")) as studio,
        opened(browser, studio.address, errors) as page,
        il.attach(studio.plant) as box,
    ):
        yield page, box, studio.address
    assert not errors


@pytest.fixture
def page(opened_page: tuple[Page, Mailbox, str]) -> Page:
    return opened_page[0]


@pytest.fixture
def box(opened_page: tuple[Page, Mailbox, str]) -> Mailbox:
    return opened_page[1]


def rendered(page: Page, program: str, words: list[float] | None = None) -> np.ndarray:
    """Samples that the page has computed."""
    text = page.evaluate(f"(words) => {{ {PACKED} return ({program})(words); }}", words)
    return np.frombuffer(base64.b64decode(text), "<f4").astype(float)


def spectrum(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies [Hz] and amplitudes, fine enough to tell half a cent."""
    size = 1 << 19
    found = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), size))
    return np.fft.rfftfreq(size, 1.0 / RATE), found


def partial(n: int, first: float = C4, b: float = B) -> float:
    """Frequency of a mode of a stiff string whose first mode is tuned [Hz]."""
    return n * first * math.sqrt((1.0 + b * n * n) / (1.0 + b))


def cents(samples: np.ndarray, expected: float) -> float:
    """How far the peak near a frequency is from it."""
    frequencies, amplitudes = spectrum(samples)
    near = np.abs(frequencies - expected) < 0.02 * expected
    peak = frequencies[near][amplitudes[near].argmax()]
    return abs(1200.0 * math.log2(peak / expected))


def loudness(samples: np.ndarray, begin: float, end: float) -> float:
    """Effective value between two times [s]."""
    return float(np.sqrt(np.mean(samples[round(begin * RATE) : round(end * RATE)] ** 2)))


@pytest.mark.long
def test_a_string_is_stiff_loud_bright_and_fades(page: Page) -> None:
    def struck(speed: float, note: int = 60, damped: float = 9.0) -> np.ndarray:
        return rendered(page, RENDER, [note, speed, 1.8, damped])

    sounds = {speed: struck(speed) for speed in (0.5, 1.5, 4.5)}
    for n in (1, 2, 3, 4, 7, 10):
        assert cents(sounds[4.5], partial(n)) < 1.0
    # a harmonic string would be wrong by far
    assert 1200.0 * math.log2(partial(10) / (10 * C4)) > 20.0
    # an octave up: half as long, so that the stiffness counts four times
    assert cents(struck(3.0, note=72), partial(6, 2.0 * C4, 4.0 * B)) < 1.0
    # harder blows: louder, and brighter, because the felt is stiffer then
    level, bright = [], []
    for samples in sounds.values():
        frequencies, amplitudes = spectrum(samples)
        power = amplitudes**2
        level.append(loudness(samples, 0.0, 0.5))
        bright.append(power[frequencies > 2500.0].sum() / power.sum())
        assert np.abs(samples).max() < 1.0
    assert level[0] * 2.0 < level[1] and level[1] * 2.0 < level[2]
    assert bright[0] * 2.0 < bright[1] and bright[1] * 1.5 < bright[2]
    # the first mode loses exp(-(b1 + b3 ω²) t)
    first = [
        np.abs(np.sum(sounds[1.5][k : k + 9600] * np.exp(-2j * np.pi * C4 * np.arange(9600) / RATE)
                      * np.hanning(9600)))
        for k in (24_000, 72_000)
    ]  # fmt: skip
    loss = 0.5 + 6.25e-9 * (2.0 * np.pi * C4) ** 2
    assert math.log(first[0] / first[1]) == pytest.approx(loss * 1.0, rel=0.02)
    # the damper ends it
    damped = struck(1.5, damped=0.5)
    assert loudness(damped, 0.3, 0.5) == loudness(sounds[1.5], 0.3, 0.5)
    assert loudness(damped, 1.0, 1.2) < 1e-5 < 0.01 < loudness(sounds[1.5], 1.0, 1.2)


def test_the_thread_of_the_sound_plays_the_same_string(page: Page) -> None:
    played = rendered(page, OFFLINE)
    alone = rendered(page, RENDER, [60, 3.0, 0.5, 9.0])
    begin = int(np.flatnonzero(played)[0])
    assert begin >= 4800 and played.any()
    count = min(len(played) - begin, 9600)
    # both begin with the first sample after the blow
    start = int(np.flatnonzero(alone)[0])
    assert np.allclose(played[begin : begin + count], alone[start : start + count], atol=1e-6)


def press(page: Page) -> None:
    """Press the key of the piano; the studio has heard of it."""
    page.keyboard.down("a")
    comes(page, "inloop.hand.value === inloop.hand.device.keys.KeyA")
    held(page, page.evaluate("inloop.hand.value"))


def test_it_sounds_when_a_person_wants_it_and_says_how_late(page: Page, box: Mailbox) -> None:
    assert page.evaluate("inloop.sound.context") is None  # nobody has asked for it
    page.click("#sound")
    comes(page, "inloop.sound.context?.state === 'running'")
    assert page.evaluate("localStorage.getItem('inloop.sound')").startswith('{"on":true')
    page.evaluate(
        """() => { inloop.struck = [];
        inloop.sound.strings.port.postMessage = (blow) => inloop.struck.push(blow); }"""
    )
    press(page)
    pass_time(page, box, 0.4)
    comes(page, "inloop.struck.length === 1")
    blow = page.evaluate("inloop.struck[0]")
    assert blow["note"] == 60 and 0.2 < blow["speed"] < 7.0
    velocity = int(page.locator("#note").inner_text().split("velocity")[1])
    assert velocity == round(52 + 25 * math.log2(blow["speed"]))
    assert page.locator("#sound-hint").inner_text().endswith(" ms")
    page.keyboard.up("a")
    let_go(page)
    pass_time(page, box, 0.4)
    comes(page, "inloop.struck.length === 2 && inloop.struck[1].damp")
    page.click("#sound")
    assert page.locator("#sound").get_attribute("aria-pressed") == "false"
    assert page.evaluate("localStorage.getItem('inloop.sound')").startswith('{"on":false')


def test_a_recording_is_moved_through(page: Page, box: Mailbox) -> None:
    page.evaluate("inloop.plots.choose(['key.q', 'hammer.q'])")
    # pressed: it says so before the server has answered
    word = "document.querySelector('#record span').textContent"
    assert page.evaluate(f"(document.querySelector('#record').click(), {word})") == "Starting …"
    comes(page, f"inloop.recordings.now?.phase === 'on' && {word} === 'Stop'")
    file = page.evaluate("inloop.recordings.now.file")
    assert file.endswith(".mcap")
    comes(page, f"document.querySelector('#recording-now').textContent.includes({file!r})")
    pass_time(page, box, 0.5)
    last = box.peek()
    page.click("#record")
    comes(page, f"inloop.recordings.now?.phase === 'off' && {word} === 'Record'")
    page.get_by_role("button", name=f"Replay {file}").click()
    comes(page, "inloop.timeline.on && inloop.timeline.recorded.scanned === 1")
    page.click("#pause")
    comes(page, "inloop.transport.state === 'paused'")
    # to its end by the bar, at once: a record that is on its way would move the bar back
    length = page.evaluate("inloop.timeline.recorded.length")
    to_the_end = "(bar) => { bar.value = bar.max; bar.dispatchEvent(new Event('input')); }"
    page.evaluate(f"({to_the_end})(inloop.timeline.bar)")
    # poses, values and the mark of the time follow
    comes(page, f"inloop.timeline.place?.record === {last.sequence}")
    assert page.evaluate("inloop.timeline.place.at") == pytest.approx(length, abs=1e-6)
    value = "inloop.plots.samples.latest('hammer.q', inloop.plots.cursor)"
    comes(page, f"Math.abs(inloop.plots.cursor - {last.t!r}) < 1e-9")
    comes(page, f"Math.abs({value} - {last['hammer.q']!r}) < 1e-6")
    comes(page, f"Math.abs(inloop.plots.charts[0].cursor - {last.t!r}) < 1e-9")
    # back by records, with the keyboard
    page.locator("#view").focus()
    for back in (1, 2):
        page.keyboard.press(",")
        comes(page, f"inloop.timeline.place.record === {last.sequence - back}")
    page.keyboard.press(".")
    comes(page, f"inloop.timeline.place.record === {last.sequence - 1}")
    comes(page, "inloop.view.motion.frames.at(-1).t === inloop.timeline.place.t")
    page.locator("#timeline").get_by_role("button", name="Live").click()
    comes(page, "!inloop.timeline.on && inloop.plots.cursor === null")
    seen(page, box)


@pytest.fixture
def drawn(
    browser: Browser, opened_page: tuple[Page, Mailbox, str], errors: list[str]
) -> Iterator[Page]:
    """A page of its own, where the mechanism is drawn."""
    with opened(browser, opened_page[2], errors, draws=True) as found:
        yield found


@pytest.mark.long
def test_a_video_can_be_seen(
    drawn: Page, box: Mailbox, require_package: Callable[[str], Path], tmp_path: Path
) -> None:
    page = drawn
    require_package("imageio_ffmpeg")
    import imageio_ffmpeg

    page.click("#video")
    comes(page, "inloop.video.recorder?.state === 'recording'")
    press(page)
    for _ in range(8):
        drawn = page.evaluate("inloop.view.rendered")
        pass_time(page, box, 0.02)
        comes(page, f"inloop.view.rendered > {drawn}")
        # each picture is put into the video when the browser next draws its page
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    page.keyboard.up("a")
    with page.expect_download() as saved:
        page.click("#video")
    let_go(page)
    path = tmp_path / saved.value.suggested_filename
    saved.value.save_as(path)
    assert path.name.startswith("piano_") and path.suffix in (".webm", ".mp4")
    width, height = page.evaluate("[inloop.video.picture.width, inloop.video.picture.height]")
    program = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", str(path)]
    decode = [*program, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    decoded = subprocess.run(decode, capture_output=True, check=True)
    assert not decoded.stderr
    pictures = np.frombuffer(decoded.stdout, np.uint8).reshape(-1, height, width, 3)
    assert (width % 2, height % 2) == (0, 0) and len(pictures) >= 2
    ground = pictures[0][5, 5].astype(int)
    assert ground.min() > 200  # the ground of the light theme, not black
    # the key goes down and the hammer up
    moved = np.abs(pictures[-1].astype(int) - pictures[0]).max(axis=2) > 60
    assert 100 < np.count_nonzero(moved) < 0.5 * moved.size
    assert page.locator("#videos li").count() == 1
