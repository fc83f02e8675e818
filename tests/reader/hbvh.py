"""Reads a baked tree (.hbvh), checks every invariant, and prints the contents as JSON. It is
written from the specification in src/file/mod.rs alone, to prove that the page is sufficient.

    python3 hbvh.py FILE [--rays N]

Plain Python 3 without packages. With --rays it also casts N rays through the tree, slowly, and
prints their hits, to be compared with another reader's.
"""

import json
import math
import os
import struct
import sys
from fractions import Fraction

VERSION = 7
NODE, BLOCK, MESH, PIECE = 448, 320, 40, 286720
UNUSED, BLANK = 0xFFFFFFFF, 0x7FC00000


class Bad(Exception):
    def __init__(self, invariant, message):
        super().__init__(f"{invariant}: {message}")


def need(condition, invariant, message):
    if not condition:
        raise Bad(invariant, message)


# --- XXH3, 64 bits, seed 0, default secret ---

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
MASK = (1 << 64) - 1
P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
Q1, Q2, Q3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D


def u32(b, at):
    return int.from_bytes(b[at : at + 4], "little")


def u64(b, at):
    return int.from_bytes(b[at : at + 8], "little")


def fold(a, b):
    product = a * b
    return (product & MASK) ^ (product >> 64)


def avalanche(h):
    h ^= h >> 37
    h = h * 0x165667919E3779F9 & MASK
    return h ^ h >> 32


def avalanche_64(h):
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


def rotate(h, by):
    return (h << by | h >> 64 - by) & MASK


def xxh3(data):
    n, s = len(data), SECRET

    def mix(at, secret):
        return fold(u64(data, at) ^ u64(s, secret), u64(data, at + 8) ^ u64(s, secret + 8))

    if n == 0:
        return avalanche_64(u64(s, 56) ^ u64(s, 64))
    if n <= 3:
        both = data[0] << 16 | data[n >> 1] << 24 | data[-1] | n << 8
        return avalanche_64(both ^ u32(s, 0) ^ u32(s, 4))
    if n <= 8:
        h = u32(data, n - 4) + (u32(data, 0) << 32) ^ u64(s, 8) ^ u64(s, 16)
        h ^= rotate(h, 49) ^ rotate(h, 24)
        h = h * 0x9FB21C651E98DF25 & MASK
        h ^= (h >> 35) + n
        h = h * 0x9FB21C651E98DF25 & MASK
        return h ^ h >> 28
    if n <= 16:
        low = u64(data, 0) ^ u64(s, 24) ^ u64(s, 32)
        high = u64(data, n - 8) ^ u64(s, 40) ^ u64(s, 48)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return avalanche(n + swapped + high + fold(low, high) & MASK)
    if n <= 240:
        h = n * P1
        if n <= 128:
            for i in range((n - 1) // 32, -1, -1):
                h += mix(16 * i, 32 * i) + mix(n - 16 * (i + 1), 32 * i + 16)
            return avalanche(h & MASK)
        for i in range(8):
            h += mix(16 * i, 16 * i)
        h = avalanche(h & MASK)
        for i in range(8, n // 16):
            h += mix(16 * i, 16 * (i - 8) + 3)
        return avalanche(h + mix(n - 16, 136 - 17) & MASK)

    lanes = [Q3, P1, P2, P3, P4, Q2, P5, Q1]

    def stripe(at, secret):
        for i, v in enumerate(struct.unpack_from("<8Q", data, at)):
            k = v ^ u64(s, secret + 8 * i)
            lanes[i ^ 1] = lanes[i ^ 1] + v & MASK
            lanes[i] = lanes[i] + (k & 0xFFFFFFFF) * (k >> 32) & MASK

    blocks = (n - 1) // 1024
    for block in range(blocks):
        for i in range(16):
            stripe(1024 * block + 64 * i, 8 * i)
        for i in range(8):
            v = lanes[i]
            lanes[i] = (v ^ v >> 47 ^ u64(s, 128 + 8 * i)) * Q1 & MASK
    for i in range((n - 1 - 1024 * blocks) // 64):
        stripe(1024 * blocks + 64 * i, 8 * i)
    stripe(n - 64, 192 - 64 - 7)
    h = n * P1
    for i in range(4):
        a = lanes[2 * i] ^ u64(s, 11 + 16 * i)
        h += fold(a, lanes[2 * i + 1] ^ u64(s, 11 + 16 * i + 8))
    return avalanche(h & MASK)


# --- the file ---


def padded(length):
    return -(-length // 64) * 64


def checksum_of(section):
    pieces = [section[at : at + PIECE] for at in range(0, len(section), PIECE)]
    return xxh3(b"".join(xxh3(piece).to_bytes(8, "little") for piece in pieces))


def header(data):
    need(data[:8] == b"\x89HBVH\r\n\x1a", "magic", "this is no baked tree")
    need(data[8:12] == b"\1\2\3\4", "endianness", "written on another kind of machine")
    version = u32(data, 12)
    need(version == VERSION, "version", f"format version {version}, rebake")
    need(len(data) >= 304, "length", "cut off")
    need(u64(data, 16) == xxh3(data[24:304]), "I4", "the header's checksum is wrong")
    need((u32(data, 24), u32(data, 28)) == (1, 1), "version", "another codec or layout, rebake")
    need((u32(data, 32), u32(data, 36)) == (304, 6), "I1", "header fields")

    sections, end = [], 304
    for index, size in enumerate([1, NODE, BLOCK, MESH, 4, 1]):
        kind, element, at, length, count, checksum = struct.unpack_from(
            "<IIQQQQ", data, 64 + 40 * index
        )
        need((kind, element) == (index + 1, size), "I2", f"section {index}: kind or size")
        need(at == padded(end) and length == count * size, "I2", f"section {index}: place")
        most = [1 << 28, (1 << 28) - 1, (1 << 29) - 1, (1 << 32) - 1, (1 << 32) - 1, 1 << 40][index]
        need(count <= most, "I3", f"section {index}: {count} elements")
        sections.append((at, length, checksum))
        end = at + length
    need(u64(data, 40) == padded(end), "I2", "total length")
    need(u64(data, 40) == len(data), "I4", "the file's length")
    end = 304
    for index, (at, length, checksum) in enumerate(sections):
        need(not any(data[end:at]), "I5", f"padding before section {index}")
        end = at + length
        need(checksum_of(data[at:end]) == checksum, "I4", f"section {index}: checksum")
    need(not any(data[end:]), "I5", "padding at the end")
    return [data[at : at + length] for at, length, _ in sections]


class Record:
    """The metadata's numbers and texts, in sequence."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        size = struct.calcsize(form)
        need(self.at + size <= len(self.data), "I6", "the metadata is cut off")
        (value,) = struct.unpack_from(form, self.data, self.at)
        self.at += size
        return value

    def text(self):
        length = self.take("<Q")
        raw = self.data[self.at : self.at + length]
        need(len(raw) == length, "I6", "the metadata is cut off")
        self.at += length
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Bad("I6", str(error)) from error


QUALITIES = ["Fast", "Balanced", "Best"]
SUMMARY = [
    ("triangles_in", "<Q"),
    ("triangles_kept", "<Q"),
    ("references", "<Q"),
    ("skipped_degenerate", "<Q"),
    ("skipped_non_finite", "<Q"),
    ("skipped_out_of_range", "<Q"),
    ("nodes", "<Q"),
    ("leaves", "<Q"),
    ("depth", "<I"),
    ("sah_cost", "<d"),
    ("tree_bytes", "<Q"),
]


def metadata(data):
    record = Record(data)
    out = {"builder": record.text()}
    quality = record.take("<I")
    need(quality < len(QUALITIES), "I6", f"quality is {quality}")
    out["quality"] = QUALITIES[quality]
    out["spatial_budget"] = record.take("<d")
    start = record.at
    out["sources"] = [
        {"name": record.text(), "hash": f"{record.take('<Q'):016x}"}
        for _ in range(record.take("<Q"))
    ]
    out["source_hash"] = xxh3(data[start : record.at])
    for names in ("mesh_names", "material_names"):
        out[names] = [record.text() for _ in range(record.take("<Q"))]
    out["summary"] = {name: record.take(form) for name, form in SUMMARY}
    need(record.at == len(data), "I6", "the record does not fill its section")
    return out


def meshes(data, materials):
    out, total, any_materials = [], 0, False
    for at in range(0, len(data), MESH):
        first, count, vertices, mask, user, hash_, flags, zero = struct.unpack_from(
            "<IIIIQQII", data, at
        )
        need(first == total, "I8", f"mesh {len(out)}: first triangle")
        need(flags < 4 and zero == 0, "I9", f"mesh {len(out)}: flags")
        total += count
        any_materials |= flags & 2 != 0
        out.append({"triangles": count, "user_id": user, "mask": mask})
    need(total < UNUSED, "I8", "too many triangles")
    need(len(materials) // 4 == (total if any_materials else 0), "I10", "number of materials")
    return out, total


def boxes(data, index):
    """The used lanes of a node: box and child."""
    planes = struct.unpack_from("<96f", data, index * NODE)
    child = struct.unpack_from("<16I", data, index * NODE + 384)
    lanes = [
        (
            [planes[16 * k + i] for k in range(3)],
            [planes[48 + 16 * k + i] for k in range(3)],
            child[i],
        )
        for i in range(16)
    ]
    used = next((i for i, lane in enumerate(lanes) if lane[0][0] == math.inf), 16)
    for low, high, child in lanes[used:]:
        blank = low == [math.inf] * 3 and high == [-math.inf] * 3 and child == 0
        need(blank, "I11", f"node {index}: an unused lane")
    need(used > 0, "I11", f"node {index}: no children")
    return lanes[:used]


def block(data, index):
    """The used lanes of a leaf block: id and three corners."""
    numbers = struct.unpack_from("<72f", data, index * BLOCK)
    bits = struct.unpack_from("<72I", data, index * BLOCK)
    ids = struct.unpack_from("<8I", data, index * BLOCK + 288)
    used = next((i for i, id_ in enumerate(ids) if id_ == UNUSED), 8)
    need(used > 0, "I15", f"leaf block {index}: no triangles")
    for i in range(used, 8):
        blank = ids[i] == UNUSED and all(bits[8 * k + i] == BLANK for k in range(9))
        need(blank, "I15", f"leaf block {index}: an unused lane")
    need(list(ids[:used]) == sorted(set(ids[:used])), "I17", f"leaf block {index}: ids")
    return [
        (ids[i], [[numbers[24 * v + 8 * k + i] for k in range(3)] for v in range(3)])
        for i in range(used)
    ]


def within(low, high, box):
    return all(box[0][k] <= low[k] and high[k] <= box[1][k] for k in range(3))


def tree(nodes, blocks, total):
    count, leaves = len(nodes) // NODE, len(blocks) // BLOCK
    need(count or not leaves, "I18", "leaf blocks without nodes")
    parents = {0: (([-sys.float_info.max] * 3, [sys.float_info.max] * 3), 1)} if count else {}
    whole, depth, met, cut, places, shapes = None, 0, {}, [], set(), {}
    for index in range(count):
        need(index in parents, "I13", f"node {index}: no node's child")
        parent, level = parents[index]
        depth = max(depth, level)
        lanes = boxes(nodes, index)
        if whole is None:
            whole = (
                [min(lane[0][k] for lane in lanes) for k in range(3)],
                [max(lane[1][k] for lane in lanes) for k in range(3)],
            )
        for low, high, child in lanes:
            finite = all(map(math.isfinite, low + high)) and all(a <= b for a, b in zip(low, high))
            need(finite and within(low, high, parent), "I12", f"node {index}: a box")
            if child >> 31 == 0:
                fresh = index < child < count and child not in parents
                need(fresh, "I13", f"node {index}: child {child}")
                need(level < 64, "I14", f"node {child}: too deep")
                parents[child] = ((low, high), level + 1)
                continue
            leaf = child & 0x7FFFFFFF
            need(leaf < leaves and leaf not in places, "I13", f"node {index}: leaf {leaf}")
            places.add(leaf)
            for id_, corners in block(blocks, leaf):
                need(id_ < total, "I17", f"leaf block {leaf}: triangle {id_}")
                met[id_] = met.get(id_, 0) + 1
                shape = [struct.pack("<3f", *corner) for corner in corners]
                same = shapes.setdefault(id_, shape) == shape
                need(same, "I17", f"leaf block {leaf}: triangle {id_} has other vertices")
                # Not min and max: a NaN must fail.
                inside = all(within(c, c, whole) for c in corners)
                need(inside, "I16", f"leaf block {leaf}: triangle {id_}")
                if not all(within(c, c, (low, high)) for c in corners):
                    cut.append(id_)
    need(len(places) == leaves, "I13", "a leaf block is no node's child")
    need(all(met[id_] > 1 for id_ in cut), "I16", "a triangle sticks out of its only leaf")
    return whole, depth, met


def read(data):
    names, nodes, blocks, table, materials, user = header(data)
    about = metadata(names)
    rows, total = meshes(table, materials)
    whole, depth, met = tree(nodes, blocks, total)
    need(len(about["mesh_names"]) == len(rows), "I6", "number of mesh names")
    need(about["source_hash"] == u64(data, 48), "I6", "source hash")
    found = {
        "triangles_in": total,
        "triangles_kept": len(met),
        "references": sum(met.values()),
        "nodes": len(nodes) // NODE,
        "leaves": len(blocks) // BLOCK,
        "depth": depth,
        "tree_bytes": len(nodes) + len(blocks) + len(table) + len(materials),
    }
    for name, value in found.items():
        need(about["summary"][name] == value, "I7", f"{name} is {value}")
    out = {
        "file_bytes": len(data),
        "sound": True,
        "format_version": VERSION,
        "builder": about["builder"],
        "quality": about["quality"],
        "spatial_budget": about["spatial_budget"],
        "content_hash": f"{u64(data, 56):016x}" if u64(data, 56) else None,
        "sources": about["sources"],
        "bounds": {"min": whole[0], "max": whole[1]} if whole else None,
        **about["summary"],
        "user_bytes": len(user),
        "materials": about["material_names"],
        "meshes": [
            {"mesh": i, "name": name, **row}
            for i, (name, row) in enumerate(zip(about["mesh_names"], rows))
        ],
    }
    return out, nodes, blocks


# --- rays ---


def single(x):
    """A fraction as the nearest f32."""
    if x == 0:
        return 0.0
    size = abs(x)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    step = Fraction(2) ** (max(exponent, -126) - 23)
    # Python rounds halves to even, as IEEE 754 does.
    return math.copysign(float(round(size / step) * step), x)


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def meet(origin, dir_, corners):
    """Where the exact ray meets the exact triangle, at t >= 0."""
    a, b, c = ([Fraction(x) for x in corner] for corner in corners)
    e1, e2, s = ([x - y for x, y in zip(p, a)] for p in (b, c, origin))
    normal, q = cross(e1, e2), cross(s, dir_)
    det = -dot(dir_, normal)
    if det == 0:
        return None
    t, u, v = dot(s, normal) / det, dot(e2, q) / det, -dot(e1, q) / det
    return t if t >= 0 and u >= 0 and v >= 0 and u + v <= 1 else None


def closest(nodes, blocks, origin, dir_):
    """The nearest hit's t and id, all boxes tested exactly."""
    best, stack = None, [0] if nodes else []
    while stack:
        for low, high, child in boxes(nodes, stack.pop()):
            enter, leave = Fraction(0), None
            for k in range(3):
                low_k, high_k = Fraction(low[k]) - origin[k], Fraction(high[k]) - origin[k]
                if dir_[k] == 0:
                    if low_k > 0 or high_k < 0:
                        leave = Fraction(-1)
                    continue
                near, far = sorted((low_k / dir_[k], high_k / dir_[k]))
                enter = max(enter, near)
                leave = far if leave is None else min(leave, far)
            if leave is not None and enter > leave:
                continue
            if child >> 31 == 0:
                stack.append(child)
                continue
            for id_, corners in block(blocks, child & 0x7FFFFFFF):
                t = meet(origin, dir_, corners)
                if t is not None:
                    hit = (single(t), id_)
                    best = hit if best is None else min(best, hit)
    return best


def rays(bounds, count):
    """Rays whose numbers are exact in any reader: eighths."""
    state, out = 12345, []

    def number():
        nonlocal state
        state = state * 1103515245 + 12345 & 0x7FFFFFFF
        return Fraction(state >> 16 & 255, 256)

    for _ in range(count):
        low, high = bounds["min"], bounds["max"]
        place = [Fraction(a) + (Fraction(b) - Fraction(a)) * number() for a, b in zip(low, high)]
        origin = [Fraction(round(x * 8), 8) for x in place]
        dir_ = [Fraction(round((number() * 2 - 1) * 8), 8) for _ in range(3)]
        if any(dir_):
            out.append((origin, dir_))
    return out


def command(load):
    """Prints what `load` makes of the file that the command line names: from its bytes and its
    folder, what is in it, a box to cast rays in, and what a ray hits."""
    args = sys.argv[1:]
    count = int(args[args.index("--rays") + 1]) if "--rays" in args else 0
    with open(args[0], "rb") as file:
        data = file.read()
    try:
        out, bounds, cast = load(data, os.path.dirname(args[0]))
    except Bad as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    if count:
        out["rays"] = []
        for origin, dir_ in rays(bounds, count):
            row = {"from": [float(x) for x in origin], "dir": [float(x) for x in dir_]}
            out["rays"].append({**row, **cast(origin, dir_)})
    json.dump(out, sys.stdout)


def load(data, _folder):
    out, nodes, blocks = read(data)

    def cast(origin, dir_):
        hit = closest(nodes, blocks, origin, dir_)
        return {"t": hit and hit[0], "triangle": hit and hit[1]}

    return out, out["bounds"], cast


if __name__ == "__main__":
    command(load)
