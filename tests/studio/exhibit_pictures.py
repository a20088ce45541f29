"""Pictures of all exhibits in the studio, light and dark, on a desk and on a phone.

python tests/studio/exhibit_pictures.py DIRECTORY [--names car,piano] [--style full]

Writes `exhibits/<name>.webp` (the mechanism, light, on a desk) and one sheet of all exhibits for
each theme and size: `exhibits_<size>_<theme>.webp`. `make pictures` writes those of the docs.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
from exhibit_pages import SIZES, THEMES, exhibit_pages

CHROMIUM = "/usr/bin/chromium"
WIDE = {"desk": 480, "phone": 220, "landscape": 440}  # of a picture on a sheet [pixels]
COLUMNS = {"desk": 4, "phone": 7, "landscape": 4}
SINGLE, QUALITY = 720, 82
# [s] until an exhibit shows something, where it is not half a second
MOMENTS = {
    "bouncing_ball": 0.3, "double_pendulum": 0.7, "heavy_top": 0.25, "car": 0.6,
}  # fmt: skip


def main() -> None:
    """Walk through the gallery and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--names", default="", help="of exhibits, with commas; all by default")
    parser.add_argument("--style", default="simple", choices=("full", "simple"))
    parser.add_argument("--themes", default=",".join(THEMES))
    parser.add_argument("--sizes", default=",".join(SIZES))
    options = parser.parse_args()
    found = taken(options)
    (options.directory / "exhibits").mkdir(parents=True, exist_ok=True)
    for (size, theme), pictures in found.items():
        sheet = contact_sheet(list(pictures.values()), WIDE[size], COLUMNS[size])
        save(sheet, options.directory / f"exhibits_{size}_{theme}.webp")
        if (size, theme) == ("desk", "light"):
            for name, picture in pictures.items():
                save(scaled(picture, SINGLE), options.directory / "exhibits" / f"{name}.webp")


def taken(options: argparse.Namespace) -> dict[tuple[str, str], dict[str, Image.Image]]:
    """Pictures of the mechanism with its words, by size and theme, then by exhibit."""
    found: dict[tuple[str, str], dict[str, Image.Image]] = {}
    errors: list[str] = []
    words = ["--enable-unsafe-swiftshader", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=words)
        walk = exhibit_pages(
            browser,
            errors,
            names=[name for name in options.names.split(",") if name],
            themes=options.themes.split(","),
            sizes=options.sizes.split(","),
            style=options.style,
            moments=MOMENTS,
        )
        for shown in walk:
            content = shown.page.locator(".stage").screenshot()
            pictures = found.setdefault((shown.size, shown.theme), {})
            pictures[shown.exhibit] = Image.open(io.BytesIO(content)).convert("RGB")
            print(shown, flush=True)
        browser.close()
    if errors:
        sys.exit("\n".join(errors))
    return found


def contact_sheet(pictures: list[Image.Image], width: int, columns: int) -> Image.Image:
    """All pictures side by side, with thin lines between them."""
    small = [scaled(picture, width) for picture in pictures]
    height = max(picture.height for picture in small)
    columns = min(columns, len(small))
    rows = -(-len(small) // columns)
    sheet = Image.new("RGB", (columns * width, rows * height), small[0].getpixel((2, 2)))
    pen = ImageDraw.Draw(sheet)
    for k, picture in enumerate(small):
        x, y = k % columns * width, k // columns * height
        sheet.paste(picture, (x, y))
        pen.rectangle((x, y, x + width - 1, y + height - 1), outline="#80808055")
    return sheet


def scaled(picture: Image.Image, width: int) -> Image.Image:
    """The picture at another width."""
    return picture.resize((width, round(width * picture.height / picture.width)), Image.LANCZOS)


def save(picture: Image.Image, path: Path) -> None:
    """Write a WebP file; its bytes are the same for the same picture."""
    picture.save(path, quality=QUALITY, method=6)


if __name__ == "__main__":
    main()
