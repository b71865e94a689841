"""PNG files made small: a palette of the 256 most frequent colours, the others take the nearest of them."""
import struct
import zlib


def with_palette(png):
    width, height, pixels = rgb_of(png)
    counts = {}
    for i in range(0, len(pixels), 3):
        colour = pixels[i:i + 3]
        counts[colour] = counts.get(colour, 0) + 1
    palette = sorted(counts, key=counts.get, reverse=True)[:256]
    index = {colour: i for i, colour in enumerate(palette)}
    for colour in counts:
        if colour not in index:
            index[colour] = min(range(len(palette)), key=lambda i: sum((a - b) ** 2 for a, b in zip(colour, palette[i])))
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        line = pixels[y * width * 3:(y + 1) * width * 3]
        rows += bytes(index[line[i:i + 3]] for i in range(0, len(line), 3))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)) +
            chunk(b"PLTE", b"".join(palette)) + chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b""))


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def rgb_of(png):
    """Width, height and RGB bytes of a PNG of 8 bits a channel, RGB or RGBA, as Chromium writes them."""
    place, data = 8, b""
    while place < len(png):
        size, name = struct.unpack(">I4s", png[place:place + 8])
        body = png[place + 8:place + 8 + size]
        if name == b"IHDR":
            width, height, depth, kind = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and kind in (2, 6), "a PNG of 8-bit RGB or RGBA"
            step = 3 if kind == 2 else 4
        if name == b"IDAT":
            data += body
        place += 12 + size
    raw, stride = zlib.decompress(data), width * step
    pixels, before = bytearray(), bytearray(stride)
    for y in range(height):
        method, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        unfilter(method, line, before, step)
        pixels += line if step == 3 else b"".join(line[i:i + 3] for i in range(0, stride, 4))
        before = line
    return width, height, bytes(pixels)


def unfilter(method, line, before, step):
    for i in range(len(line)):
        left, up = line[i - step] if i >= step else 0, before[i]
        corner = before[i - step] if i >= step else 0
        if method == 1:
            add = left
        elif method == 2:
            add = up
        elif method == 3:
            add = (left + up) // 2
        elif method == 4:
            guess = left + up - corner
            distances = abs(guess - left), abs(guess - up), abs(guess - corner)
            add = (left, up, corner)[distances.index(min(distances))]
        else:
            return
        line[i] = (line[i] + add) & 255
