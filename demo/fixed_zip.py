"""Writes a zip again with one fixed date for every entry, so that the same content is the same bytes."""

import zipfile
from pathlib import Path

DATE = (2026, 4, 8, 9, 0, 0)


def fix(path: Path) -> None:
    with zipfile.ZipFile(path) as source:
        entries = [(info.filename, source.read(info)) for info in source.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        for name, data in entries:
            info = zipfile.ZipInfo(name, DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            target.writestr(info, data)
