"""Makes the pictures here with Pillow: `python make.py`."""

import os

from PIL import Image, ImageDraw, PngImagePlugin

HERE = os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(HERE, name)


def marked(mode, size, colors):
    """The left half in one colour, the right half in another, so that turning shows."""
    picture = Image.new(mode, size, colors[0])
    ImageDraw.Draw(picture).rectangle([size[0] // 2, 0, size[0], size[1]], fill=colors[1])
    return picture


def photo():
    exif = Image.Exif()
    exif[0x010F], exif[0x0110], exif[0x0112], exif[0x0131] = "Acme", "Acme One", 6, "Darkroom 2"
    exif.get_ifd(0x8769)[0x9003] = "2024:05:01 10:30:00"
    exif.get_ifd(0x8769)[0x9011] = "+02:00"
    exif.get_ifd(0x8769)[0xA434] = "Glass 50mm"
    gps = exif.get_ifd(0x8825)
    gps[1], gps[2], gps[3], gps[4] = "N", (52.0, 31.0, 12.0), "E", (13.0, 24.0, 36.0)
    picture = marked("RGB", (60, 40), ["red", "blue"])
    picture.save(path("photo.jpg"), exif=exif, dpi=(300, 300), quality=90)
    marked("RGB", (2600, 1300), ["red", "blue"]).save(path("wide.jpg"), exif=exif, quality=30)


def main():
    photo()
    marked("CMYK", (8, 6), [(0, 0, 0, 0), (255, 0, 0, 0)]).save(path("cmyk.jpg"))
    marked("L", (8, 6), [0, 255]).save(path("gray.jpg"))
    marked("RGBA", (8, 6), [(255, 0, 0, 128), (0, 0, 255, 255)]).save(path("alpha.png"), dpi=(144, 144))
    marked("RGB", (8, 6), ["red", "blue"]).quantize(4).save(path("palette.png"), transparency=0, bits=2)
    Image.new("I;16", (8, 6), 40_000).save(path("gray16.png"))
    marked("RGBA", (2600, 100), [(255, 0, 0, 128), (0, 0, 255, 255)]).save(path("wide.png"))
    frames = [Image.new("RGB", (8, 6), color) for color in ["red", "green", "blue"]]
    frames[0].save(path("moving.gif"), save_all=True, append_images=frames[1:], duration=100)
    frames[0].save(path("moving.webp"), save_all=True, append_images=frames[1:], duration=100)
    frames[0].save(path("moving.png"), save_all=True, append_images=frames[1:], duration=100)
    marked("RGBA", (8, 6), [(255, 0, 0, 128), (0, 0, 255, 255)]).save(path("lossless.webp"), lossless=True)
    marked("RGB", (8, 6), ["red", "blue"]).save(path("lossy.webp"), lossless=False)
    # As large as the format can say, with next to nothing in it.
    bomb = PngImagePlugin.PngInfo()
    Image.new("1", (30_000, 30_000)).save(path("bomb.png"), pnginfo=bomb, optimize=True)


main()
