"""Moving pictures of a run, as files of every kind."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import inloop as il
from inloop.pictures import movie_files
from inloop.pictures.moments import MOST, moments
from inloop.pictures.movie_files import find_ffmpeg
from inloop.simulate.results.result import Gap

SIZE = (160, 120)


def frames(path: Path) -> list[np.ndarray]:
    with Image.open(path) as image:
        found = []
        for k in range(getattr(image, "n_frames", 1)):
            image.seek(k)
            found.append(np.asarray(image.convert("RGB")).astype(int))
        return found


def red(picture: np.ndarray) -> float:
    """Column of what is red [pixels]."""
    _, x = np.nonzero((picture[..., 0] > 110) & (picture[..., 1] < 80))
    return float(x.mean())


def test_a_gif_shows_the_motion_at_its_speed(swing: il.Result, tmp_path: Path) -> None:
    path = swing.animate(tmp_path / "swing.gif", size=SIZE, speed=0.5, fps=10)
    found = frames(path)
    # one second at half the speed, ten pictures per second, the first and the last one too
    assert len(found) == 21 and found[0].shape == (120, 160, 3)
    with Image.open(path) as image:
        assert image.info["duration"] == 100 and image.info["loop"] == 0
    x = np.array([red(frame) for frame in found])
    times = np.round(np.linspace(0.0, 1.0, 21), 9)
    q = swing.q[np.searchsorted(swing.t, times), 0]
    fit = np.polyfit(-0.8 * np.sin(q), x, 1)
    assert np.abs(np.polyval(fit, -0.8 * np.sin(q)) - x).max() < 1.0 and fit[0] > 30.0


@pytest.mark.parametrize("ending", ["mp4", "webm"])
def test_a_video_is_read_back_frame_by_frame(swing: il.Result, ending: str, tmp_path: Path) -> None:
    import subprocess

    path = swing.animate(tmp_path / f"swing.{ending}", size=SIZE, fps=8)
    command = [find_ffmpeg(), "-v", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24"]
    data = subprocess.run([*command, "-"], capture_output=True, check=True).stdout
    found = np.frombuffer(data, np.uint8).reshape(-1, 120, 160, 3).astype(int)
    assert len(found) == 9
    # the bob falls from one side to the other
    assert red(found[0]) < 60 < 100 < red(found[-1])
    assert list(tmp_path.iterdir()) == [path]


def test_a_video_that_cannot_be_written_leaves_nothing(
    swing: il.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(movie_files.ENCODERS, ".mp4", ("-c:v", "no_such_encoder"))
    with pytest.raises(il.InputError, match=r"ffmpeg cannot write the video.*no_such_encoder"):
        swing.animate(tmp_path / "swing.mp4", size=SIZE, fps=4)
    assert not list(tmp_path.iterdir())


def test_what_is_not_installed_is_told(
    swing: il.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(il.InputError, match=r"videos need ffmpeg.*apt-get install ffmpeg.*\.gif"):
        swing.animate(tmp_path / "swing.mp4", size=SIZE, fps=4)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(il.InputError, match=r"need Pillow.*pip install inloop\[animation\]"):
        swing.animate(tmp_path / "swing.gif", size=SIZE)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"file": "a.avi"}, r"cannot animate as '\.avi'"),
        ({"file": "nowhere/a.gif"}, "no directory"),
        ({"speed": 0.0}, "speed is 0"),
        ({"fps": float("nan")}, "the rate of pictures is nan"),
        ({"fps": 1e9}, f"Up to {MOST}"),
        ({"plane": "zz"}, "plane is 'zz'"),
        ({"file": "a.gif", "size": (0, 0)}, "makes no sense"),
        ({"file": "a.gif", "size": "large"}, "makes no sense"),
        ({"file": "a.gif", "theme": "pink"}, "no theme 'pink'"),
    ],
)
def test_wrong_arguments_are_told_before_work(
    swing: il.Result, options: dict[str, object], match: str
) -> None:
    with pytest.raises(il.InputError, match=match):
        swing.animate(**options)  # type: ignore[arg-type]


def test_a_result_without_its_plant_cannot_be_drawn(swing: il.Result, tmp_path: Path) -> None:
    alone = il.read(swing.save(tmp_path / "swing.npz"))
    with pytest.raises(il.InputError, match=r"not what it looks like.*il\.read\(file, plant="):
        alone.animate()
    assert swing.plant is not None
    assert alone.animate(plant=swing.plant).page == swing.animate().page


def test_pictures_show_samples_and_nothing_in_between(swing: il.Result) -> None:
    rows = np.r_[0:400, 700:1001]
    cut = replace(
        swing, t=swing.t[rows], q=swing.q[rows], gaps=(Gap(400, 0.399, 0.7, 300),)
    )  # fmt: skip
    chosen = moments(cut, 20.0, 1.0)
    assert set(chosen.t) <= set(cut.t)
    (jump,) = chosen.jumps
    assert chosen.t[jump - 1] < 0.4 and chosen.t[jump] >= 0.7
    # in the gap the last sample before it stays
    assert np.count_nonzero((chosen.t > 0.39) & (chosen.t < 0.7)) == 6


def test_time_that_goes_back_goes_on_in_pictures(swing: il.Result) -> None:
    twice = replace(swing, t=np.tile(swing.t[:500], 2), q=np.tile(swing.q[:500], (2, 1)))
    chosen = moments(twice, 50.0, 1.0)
    assert len(chosen.t) == 50 and chosen.jumps == [25]
    np.testing.assert_allclose(chosen.t[:25], np.arange(25) / 50, atol=2e-3)
    np.testing.assert_allclose(chosen.t[25:], np.arange(25) / 50, atol=3e-3)


def test_modes_are_drawn_as_one_mechanism(tmp_path: Path) -> None:
    from inloop import gallery

    result = gallery.get("bouncing_ball").build().compile().simulate(t_end=0.6, step=1e-3)
    assert result.modes is not None
    assert len(frames(result.animate(tmp_path / "ball.gif", size=SIZE, fps=5))) == 4
