"""Animations as files: .gif by Pillow, .mp4 and .webm by ffmpeg."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from inloop.errors import InputError
from inloop.pictures.canvas import Bytes

COLORS = 128  # of a .gif
ENCODERS = {
    ".mp4": ("-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-movflags", "+faststart"),
    ".webm": ("-c:v", "libvpx-vp9", "-crf", "32", "-b:v", "0", "-deadline", "realtime",
              "-cpu-used", "6", "-row-mt", "1"),
}  # fmt: skip
ENDINGS = (".gif", *ENCODERS)


def need_pillow() -> Any:
    """Pillow, which writes images and text.

    Raises:
        InputError: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise InputError(
            "moving pictures need Pillow", fix="Install it with: pip install inloop[animation]"
        ) from error
    return Image, ImageDraw, ImageFont


def find_ffmpeg() -> str:
    """The ffmpeg program of the system, or of the package imageio-ffmpeg.

    Raises:
        InputError: ffmpeg is not installed.
    """
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise InputError(
            "videos need ffmpeg",
            fix="Install it with: apt-get install ffmpeg, or pip install inloop[animation]; "
            "a .gif or .html file needs neither.",
        ) from error


def write_movie(
    pictures: Iterable[Bytes], target: Path, rate: float, size: tuple[int, int]
) -> None:
    """Write frames to a movie; an incomplete file is removed.

    Args:
        pictures: frames of shape (height, width, 3).
        target: path with one of ENDINGS.
        rate: frames per second.
        size: width and height, both even.
    """
    write: Callable[..., None] = _write_gif if target.suffix == ".gif" else _write_video
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".inloop_") as directory:
        unfinished = Path(directory) / target.name
        write(pictures, unfinished, rate, size)
        unfinished.replace(target)


def _write_gif(pictures: Iterable[Bytes], target: Path, rate: float, size: tuple[int, int]) -> None:
    Image, _, _ = need_pillow()
    frames = _quantized(pictures, Image)
    first = next(frames)
    # the format has a resolution of 10 ms
    duration = 10 * max(2, round(100.0 / rate))
    first.save(target, save_all=True, append_images=frames, duration=duration, loop=0)


def _quantized(pictures: Iterable[Bytes], image: Any) -> Iterator[Any]:
    """All with the palette of the first frame, so that static parts stay identical."""
    colors = None
    for picture in pictures:
        frame = image.fromarray(picture)
        if colors is None:
            colors = frame.quantize(COLORS)
        yield frame.quantize(palette=colors, dither=image.Dither.NONE)


def _write_video(
    pictures: Iterable[Bytes], target: Path, rate: float, size: tuple[int, int]
) -> None:
    width, height = size
    command = [
        find_ffmpeg(), "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
        "-s", f"{width}x{height}", "-r", f"{rate:g}", "-i", "-", "-an",
        *ENCODERS[target.suffix], "-pix_fmt", "yuv420p", str(target),
    ]  # fmt: skip
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said
        )
        assert process.stdin is not None
        try:
            for picture in pictures:
                process.stdin.write(picture.tobytes())
            process.stdin.close()
        except BrokenPipeError:
            pass  # the reason is in its messages
        except BaseException:
            process.kill()
            raise
        finally:
            code = process.wait()
        if code != 0:
            said.seek(0)
            why = said.read(500).decode(errors="replace").strip() or f"exit code {code}"
            raise InputError(f"ffmpeg cannot write the video: {why!a}", fix="Use a .gif file.")
