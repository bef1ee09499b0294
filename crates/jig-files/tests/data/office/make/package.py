"""An Office package as a dictionary of parts, written with fixed dates so that a rerun gives the same bytes."""
import io
import posixpath
import struct
import zipfile
import zlib
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent
XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NO_DATE = (1980, 1, 1, 0, 0, 0)


class Package:
    """Parts by name, in the order in which they are written."""

    def __init__(self, source=None):
        self.parts = {}
        if source is not None:
            with zipfile.ZipFile(source) as file:
                self.parts = {entry: file.read(entry) for entry in file.namelist()}

    @classmethod
    def empty(cls, main, content_type):
        """Nothing but a main part: what the format allows at the least."""
        package = cls()
        package.parts["[Content_Types].xml"] = (
            f'{XML}<Types xmlns="{TYPES}">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/></Types>'
        ).encode()
        package.override(main, content_type)
        package.relate("", f"{OFFICE}/officeDocument", main)
        return package

    def text(self, name):
        return self.parts[name].decode()

    def replace(self, name, old, new, count=-1):
        """Fails when there is nothing to replace: the libraries' output has changed then."""
        text = self.text(name)
        if old not in text:
            raise ValueError(f"{name} does not contain {old!r}")
        self.parts[name] = text.replace(old, new, count).encode()

    def add(self, name, data, content_type=None):
        if isinstance(data, str):
            data = (XML + data).encode()
        self.parts[name] = data
        if content_type:
            self.override(name, content_type)

    def override(self, name, content_type):
        entry = f'<Override PartName="/{name}" ContentType="{content_type}"/></Types>'
        self.replace("[Content_Types].xml", "</Types>", entry)

    def default(self, extension, content_type):
        if f'Extension="{extension}"' not in self.text("[Content_Types].xml"):
            entry = f'<Default Extension="{extension}" ContentType="{content_type}"/>'
            start = self.text("[Content_Types].xml").index(">", self.text("[Content_Types].xml").index("<Types")) + 1
            text = self.text("[Content_Types].xml")
            self.parts["[Content_Types].xml"] = (text[:start] + entry + text[start:]).encode()

    def relate(self, source, kind, target, rel_id=None, mode=None, absolute=False):
        """Adds a relationship from the part (or, for "", the package) and returns its id."""
        folder, base = posixpath.split(source)
        rels = posixpath.join(folder, "_rels", f"{base}.rels")
        if rels not in self.parts:
            self.parts[rels] = f'{XML}<Relationships xmlns="{RELS}"></Relationships>'.encode()
        count = self.text(rels).count("<Relationship ") + 1
        rel_id = rel_id or f"rIdX{count}"
        if mode is None:
            target = f"/{target}" if absolute else posixpath.relpath(target, folder or ".")
        mode = f' TargetMode="{mode}"' if mode else ""
        entry = f'<Relationship Id="{rel_id}" Type="{kind}" Target="{target}"{mode}/></Relationships>'
        self.replace(rels, "</Relationships>", entry)
        return rel_id

    def bytes(self, stored=()):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as file:
            for name, data in self.parts.items():
                entry = zipfile.ZipInfo(name, NO_DATE)
                entry.compress_type = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
                file.writestr(entry, data, compresslevel=9)
        return buffer.getvalue()

    def save(self, name, stored=()):
        (OUT / name).write_bytes(self.bytes(stored))

    def save_streamed(self, name):
        """As a program writes that cannot go back: sizes and checksum follow each entry's data."""

        class Stream(io.RawIOBase):
            def __init__(self):
                super().__init__()
                self.data = bytearray()

            def writable(self):
                return True

            def write(self, data):
                self.data += bytes(data)
                return len(data)

        stream = Stream()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
            for part, data in self.parts.items():
                file.writestr(zipfile.ZipInfo(part, NO_DATE), data, zipfile.ZIP_DEFLATED)
        (OUT / name).write_bytes(bytes(stream.data))


def png(width=4, height=4, colour=(31, 119, 180)):
    """A picture of one colour."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes(colour) * width for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def compound_file(streams):
    """A compound file (OLE) of small streams in its root: the container of VBA projects."""
    sector = 512
    names = ["Root Entry", *streams]
    mini, mini_fat, starts = b"", [], []
    for data in streams.values():
        starts.append(len(mini_fat))
        blocks = max(1, -(-len(data) // 64))
        mini_fat += [len(mini_fat) + 1 + n for n in range(blocks - 1)] + [0xFFFFFFFE]
        mini += data.ljust(blocks * 64, b"\0")
    mini_sectors = -(-len(mini) // sector)
    entries = b""
    for index, name in enumerate(names):
        text = (name + "\0").encode("utf-16-le")
        root = index == 0
        start, size = (3, len(mini)) if root else (starts[index - 1], len(streams[name]))
        right = 0xFFFFFFFF if root or index == len(names) - 1 else index + 1
        child = 1 if root and streams else 0xFFFFFFFF
        entries += text.ljust(64, b"\0") + struct.pack(
            "<HBBIII16sIQQIQ", len(text), 5 if root else 2, 1, 0xFFFFFFFF, right, child, b"", 0, 0, 0, start, size
        )
    entries = entries.ljust(-(-len(entries) // sector) * sector, b"\0")
    directory = len(entries) // sector
    # Sectors: 0 the table, 1 the mini table, 2 a spare, 3.. the mini stream, then the directory.
    first_directory = 3 + mini_sectors
    table = [0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFE]
    table += [3 + n + 1 for n in range(mini_sectors - 1)] + [0xFFFFFFFE]
    table += [first_directory + n + 1 for n in range(directory - 1)] + [0xFFFFFFFE]
    pad = lambda values: struct.pack(f"<{sector // 4}I", *(values + [0xFFFFFFFF] * (sector // 4 - len(values))))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + struct.pack(
        "<16sHHHHH6xIIIIIIIIII", b"", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, first_directory, 0, 4096, 1, 1, 0xFFFFFFFE, 0, 0
    )
    header = header.ljust(sector, b"\xff")
    return header + pad(table) + pad(mini_fat) + bytes(sector) + mini.ljust(mini_sectors * sector, b"\0") + entries


def vba_project():
    return compound_file({"PROJECT": b'ID="{00000000-0000-0000-0000-000000000000}"\r\nName="VBAProject"\r\n', "PROJECTwm": b"\0\0"})
