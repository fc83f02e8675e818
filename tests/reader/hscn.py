"""Reads a scene (.hscn) and the trees in it or beside it, checks every invariant, and prints the
contents as JSON. It is written from the specifications in src/scene/file/mod.rs and src/file/mod.rs
alone, to prove that the pages are sufficient.

    python3 hscn.py FILE [--rays N]

Plain Python 3 without packages. With --rays it also casts N rays through the scene, slowly, and
prints their hits. The numbers of transforms must be such that rays in the coordinates of trees are
exact.
"""

import math
import os
import struct
from fractions import Fraction

import hbvh
from hbvh import Bad, need, padded, single, u32, u64, xxh3

VERSION = 2
TREE, INSTANCE, VOLUME = 32, 72, 80
HEADER = 200


def header(data):
    need(data[:8] == b"\x89HSCN\r\n\x1a", "magic", "this is no scene")
    need(data[8:12] == b"\1\2\3\4", "endianness", "written on another kind of machine")
    need(u32(data, 12) == VERSION, "version", f"format version {u32(data, 12)}, rebake")
    need(len(data) >= HEADER, "length", "cut off")
    need(u64(data, 16) == xxh3(data[24:HEADER]), "I4", "the header's checksum is wrong")
    need((u32(data, 24), u32(data, 28)) == (HEADER, 4), "I1", "header fields")

    sections, end = [], HEADER
    for index, size in enumerate([TREE, INSTANCE, VOLUME, 1]):
        kind, element, at, length, count, checksum = struct.unpack_from(
            "<IIQQQQ", data, 40 + 40 * index
        )
        need((kind, element) == (index + 1, size), "I2", f"section {index}: kind or size")
        need(at == padded(end) and length == count * size, "I2", f"section {index}: place")
        need(count <= (1 << 47 if index == 3 else 1 << 30), "I3", f"section {index}: {count}")
        sections.append((at, length, checksum))
        end = at + length
    most = sections[1][1] // INSTANCE
    need(sections[0][1] // TREE <= most, "I3", "more trees than instances")
    need(sections[2][1] // VOLUME <= most, "I3", "more volumes than instances")
    need(u64(data, 32) >= padded(end), "I2", "total length")
    need(u64(data, 32) == len(data), "I4", "the file's length")
    end = HEADER
    for index, (at, length, checksum) in enumerate(sections):
        need(not any(data[end:at]), "I5", f"padding before section {index}")
        end = at + length
        need(hbvh.checksum_of(data[at:end]) == checksum, "I4", f"section {index}: checksum")
    need(not any(data[end : padded(end)]), "I5", "padding behind the names")
    return [data[at : at + length] for at, length, _ in sections], padded(end)


class Names:
    def __init__(self, data):
        self.data, self.at = data, 0

    def next(self, length):
        raw = self.data[self.at : self.at + length]
        need(len(raw) == length, "I6", "names are cut off")
        self.at += length
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Bad("I6", str(error)) from error


def trees(records, names, at, data, folder):
    """For each tree its file's bytes, and the file's name if it is not embedded."""
    out, known = [], set()
    for index in range(len(records) // TREE):
        kind, name_length, offset, length, checksum = struct.unpack_from(
            "<IIQQQ", records, index * TREE
        )
        name = names.next(name_length)
        if kind == 1:
            need(name == "" and offset == at, "I7", f"tree {index}: name or place")
            at += length
            need(at <= len(data), "I7", f"tree {index}: it passes the file's end")
            whole = data[offset:at]
        else:
            need(kind == 2 and offset == 0, "I7", f"tree {index}: kind or place")
            control = any(ord(c) < 32 or 127 <= ord(c) <= 159 for c in name)
            plain = 1 <= name_length <= 255 and not set(name) & set("/\\:") and not control
            need(plain and name not in (".", ".."), "I8", f"tree {index}: {name!r}")
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    whole = file.read()
            except OSError as error:
                raise Bad("I10", f"tree {index}: {error}") from error
        need((length, checksum) not in known, "I9", f"tree {index}: there is the same")
        known.add((length, checksum))
        fits = len(whole) == length and length >= 24 and u64(whole, 16) == checksum
        need(fits, "I10", f"tree {index}: another one")
        out.append((whole, name or None))
    need(at == len(data), "I7", "the embedded trees do not end with the file")
    return out


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def inverse(columns):
    """The inverse of the linear part, row by row; in floats, which are f64 here."""
    a, b, c = columns
    x, y, z = cross(b, c), cross(c, a), cross(a, b)
    d = a[0] * x[0] + a[1] * x[1] + a[2] * x[2]
    if d == 0:
        return None
    return [[n / d for n in row] for row in (x, y, z)]


def can_be_inverted(numbers):
    if not all(map(math.isfinite, numbers)):
        return False
    columns = [numbers[0:3], numbers[3:6], numbers[6:9]]
    rows = inverse(columns)
    if rows is None:
        return False
    for i in range(3):
        total = 0.0
        for k in range(3):
            total += abs(columns[k][i]) * (abs(rows[k][0]) + abs(rows[k][1]) + abs(rows[k][2]))
        # A NaN must fail.
        if not total <= 2.0**20:
            return False
    return 2.0**-60 <= max(map(abs, numbers[:9])) <= 2.0**60


def is_map(numbers):
    """Whether an oriented box's map is finite and can be inverted."""
    if not all(map(math.isfinite, numbers)):
        return False
    a, b, c = numbers[0:3], numbers[3:6], numbers[6:9]
    x = cross(b, c)
    return a[0] * x[0] + a[1] * x[1] + a[2] * x[2] != 0


KINDS = {1: ("box", 6), 2: ("obb", 18), 3: ("sphere", 4), 4: ("capsule", 7)}


def volumes(records):
    """For each volume the name of its kind and its numbers."""
    out = []
    for index in range(len(records) // VOLUME):
        kind, zero, *numbers = struct.unpack_from("<II18f", records, index * VOLUME)
        need(kind in KINDS and zero == 0, "I14", f"volume {index}: kind")
        name, count = KINDS[kind]
        rest = records[index * VOLUME + 8 + 4 * count : (index + 1) * VOLUME]
        need(not any(rest), "I14", f"volume {index}: numbers to spare")
        numbers = numbers[:count]
        need(all(map(math.isfinite, numbers)), "I14", f"volume {index}: not finite")
        need(not is_empty(name, numbers), "I14", f"volume {index}: it holds no point")
        need(name != "obb" or is_map(numbers[:12]), "I14", f"volume {index}: its map")
        out.append((name, numbers))
    return out


def is_empty(name, numbers):
    if name in ("box", "obb"):
        return any(x > y for x, y in zip(numbers[-6:-3], numbers[-3:]))
    return numbers[-1] < 0


def can_stand(name, numbers, to_world):
    """Whether a volume's numbers are finite in the world."""
    if name == "obb":
        # The product of both maps, each number rounded once.
        linear = [[to_world[3 * k + i] for k in range(3)] for i in range(3)]
        places = [numbers[3 * k : 3 * k + 3] for k in range(4)]
        moved = [[sum(m * x for m, x in zip(row, place)) for row in linear] for place in places]
        moved[3] = [x + t for x, t in zip(moved[3], to_world[9:12])]
        if not can_be_inverted([single(Fraction(x)) for column in moved for x in column]):
            return False
    largest = max(map(abs, to_world)) * (max(map(abs, numbers)) + 1)
    # What comes near the end of the range is left to the crate.
    return largest < 1e30 or None


def instances(records, names, count, bodies):
    out, used, volumes_used = [], 0, 0
    for index in range(len(records) // INSTANCE):
        *numbers, body, mask, user, flags, name_length = struct.unpack_from(
            "<12fIIQII", records, index * INSTANCE
        )
        need(name_length <= 65535, "I6", f"instance {index}: its name is too long")
        name = names.next(name_length)
        need(flags < 4, "I12", f"instance {index}: flags")
        tree = volume = None
        if flags & 2:
            fine = body == volumes_used and body < len(bodies)
            need(fine, "I15", f"instance {index}: volume {body}")
            volumes_used += 1
            volume = bodies[body][0]
            fine = can_stand(*bodies[body], numbers)
            need(fine is not False, "I16", f"instance {index}: {bodies[body]}")
        else:
            tree = body
            need(tree < count and tree <= used, "I11", f"instance {index}: tree {tree}")
            used = max(used, tree + 1)
        need(can_be_inverted(numbers), "I13", f"instance {index}: transform")
        out.append(
            {
                "instance": index,
                "name": name,
                "tree": tree,
                "volume": volume,
                "enabled": flags & 1 == 0,
                "mask": mask,
                "user_id": user,
                "transform": numbers,
            }
        )
    need(used == count, "I11", f"tree {used} is not used")
    need(volumes_used == len(bodies), "I15", f"volume {volumes_used} is not used")
    return out


def read(data, folder):
    (tree_records, records, volume_records, text), start = header(data)
    names = Names(text)
    files = trees(tree_records, names, start, data, folder)
    placed = instances(records, names, len(files), volumes(volume_records))
    need(names.at == len(text), "I6", "bytes of names belong to nothing")
    found = [hbvh.read(whole) for whole, _ in files]
    rows = [
        {
            "tree": number,
            "instances": sum(row["tree"] == number for row in placed),
            "meshes": len(about["meshes"]),
            "triangles": about["triangles_kept"],
            "tree_bytes": about["tree_bytes"],
            "content_hash": about["content_hash"],
        }
        for number, (about, _, _) in enumerate(found)
    ]
    out = {
        "file_bytes": len(data),
        "sound": True,
        "format_version": VERSION,
        "triangles_stored": sum(row["triangles"] for row in rows),
        "triangles_placed": sum(row["triangles"] * row["instances"] for row in rows),
        "trees": rows,
        "instances": placed,
    }
    return out, found


def closest(out, found, origin, dir_):
    """The nearest hit's t, instance and triangle id."""
    best = None
    for row in out["instances"]:
        if row["tree"] is None:
            continue
        _, nodes, blocks = found[row["tree"]]
        numbers = row["transform"]
        if not row["enabled"]:
            continue
        rows = inverse([numbers[0:3], numbers[3:6], numbers[6:9]])
        at = [x - Fraction(t) for x, t in zip(origin, numbers[9:])]

        def local(v):
            exact = [sum(Fraction(n) * x for n, x in zip(row, v)) for row in rows]
            assert all(Fraction(single(x)) == x for x in exact), "the ray is not exact"
            return exact

        hit = hbvh.closest(nodes, blocks, local(at), local(dir_))
        if hit is not None:
            hit = (hit[0], row["instance"], hit[1])
            best = hit if best is None else min(best, hit)
    return best


def load(data, folder):
    out, found = read(data, folder)

    def cast(origin, dir_):
        t, instance, triangle = closest(out, found, origin, dir_) or (None, None, None)
        return {"t": t, "instance": instance, "triangle": triangle}

    return out, {"min": [-6.0, -6.0, -6.0], "max": [6.0, 6.0, 6.0]}, cast


if __name__ == "__main__":
    hbvh.command(load)
