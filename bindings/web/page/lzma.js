// Decompresses LZMA (`.lzma`): a third less than DEFLATE, which browsers decompress themselves, needs for the module.

/** The bits of the length codes of short, medium and long matches, and the lengths before them. */
const LENGTHS = [[3, 0], [3, 8], [8, 16]];
/** The states, of twelve, after a literal. */
const AFTER_LITERAL = [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5];

/** Bits by their adaptive probabilities. */
class RangeDecoder {
  #bytes;
  #at;
  #range = 0xffffffff;
  #code = 0;

  constructor(bytes, at) {
    [this.#bytes, this.#at] = [bytes, at + 1];
    for (let count = 0; count < 4; count++) this.#code = this.#code * 256 + bytes[this.#at++];
  }

  #normalize() {
    if (this.#range >= 0x1000000) return;
    this.#range *= 256;
    this.#code = this.#code * 256 + this.#bytes[this.#at++];
  }

  bit(chances, index) {
    const chance = chances[index];
    const bound = (this.#range >>> 11) * chance;
    const isOne = this.#code >= bound;
    if (isOne) {
      this.#range -= bound;
      this.#code -= bound;
    } else this.#range = bound;
    chances[index] = isOne ? chance - (chance >> 5) : chance + ((2048 - chance) >> 5);
    this.#normalize();
    return isOne ? 1 : 0;
  }

  /** A number of some bits of equal chance. */
  direct(bits) {
    let value = 0;
    for (let left = bits; left > 0; left--) {
      this.#range = Math.floor(this.#range / 2);
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit) this.#code -= this.#range;
      value = value * 2 + bit;
      this.#normalize();
    }
    return value;
  }

  /** A number of some bits, the highest first; `chances` start at `from`. */
  tree(chances, from, bits) {
    let index = 1;
    for (let left = bits; left > 0; left--) index = (index << 1) | this.bit(chances, from + index);
    return index - (1 << bits);
  }

  /** A number of some bits, the lowest first. */
  reversed(chances, from, bits) {
    let [index, value] = [1, 0];
    for (let place = 0; place < bits; place++) {
      const bit = this.bit(chances, from + index);
      index = (index << 1) | bit;
      value |= bit << place;
    }
    return value;
  }
}

const chances = (count) => new Uint16Array(count).fill(1024);

/** The lengths of matches, by the position. */
class Lengths {
  #choices = chances(2);
  #trees = [chances(16 << 3), chances(16 << 3), chances(1 << 8)];

  read(coder, position) {
    const kind = coder.bit(this.#choices, 0) && 1 + coder.bit(this.#choices, 1);
    const [bits, base] = LENGTHS[kind];
    return 2 + base + coder.tree(this.#trees[kind], kind < 2 ? position << 3 : 0, bits);
  }
}

/** The distances of matches. */
class Distances {
  #slots = chances(4 << 6);
  #middle = chances(128);
  #low = chances(16);

  read(coder, length) {
    const slot = coder.tree(this.#slots, Math.min(length - 2, 3) << 6, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return base + coder.reversed(this.#middle, base - slot, bits);
    return base + coder.direct(bits - 4) * 16 + coder.reversed(this.#low, 0, 4);
  }
}

/** Returns the content of an `.lzma` file whose header states the size. */
export function unlzma(file) {
  const header = new DataView(file.buffer, file.byteOffset, 13);
  const properties = header.getUint8(0);
  const [literalBits, lowBits, positionBits] = [properties % 9, Math.floor(properties / 9) % 5, Math.floor(properties / 45)];
  const out = new Uint8Array(header.getUint32(5, true));
  const coder = new RangeDecoder(file, 13);
  const [isMatch, isLong, isRepeated, isFirst, isSecond, isThird] = [192, 192, 12, 12, 12, 12].map(chances);
  const literals = chances(0x300 << (literalBits + lowBits));
  const [fresh, repeated, distances] = [new Lengths(), new Lengths(), new Distances()];
  let recent = [0, 0, 0, 0];
  let [at, state] = [0, 0];

  const literal = () => {
    const before = at ? out[at - 1] : 0;
    const from = 0x300 * (((at & ((1 << lowBits) - 1)) << literalBits) + (before >> (8 - literalBits)));
    let symbol = 1;
    // After a match, the byte that would have continued it is a hint.
    let hint = state < 7 ? 0 : out[at - recent[0] - 1] | 0x100;
    while (symbol < 0x100) {
      hint <<= 1;
      const expected = hint & 0x100;
      const bit = coder.bit(literals, from + (hint ? 0x100 + expected : 0) + symbol);
      symbol = (symbol << 1) | bit;
      if (Boolean(expected) !== Boolean(bit)) hint = 0;
    }
    out[at++] = symbol;
    state = AFTER_LITERAL[state];
  };

  const match = (position) => {
    const after = state < 7 ? 0 : 3;
    const place = (state << 4) + position;
    if (!coder.bit(isRepeated, state)) {
      const length = fresh.read(coder, position);
      recent = [distances.read(coder, length), ...recent.slice(0, 3)];
      state = 7 + after;
      return length;
    }
    if (!coder.bit(isFirst, state)) {
      if (!coder.bit(isLong, place)) {
        state = 9 + (after ? 2 : 0);
        return 1;
      }
    } else {
      const which = coder.bit(isSecond, state) ? 2 + coder.bit(isThird, state) : 1;
      recent.unshift(...recent.splice(which, 1));
    }
    state = 8 + after;
    return repeated.read(coder, position);
  };

  while (at < out.length) {
    const position = at & ((1 << positionBits) - 1);
    if (!coder.bit(isMatch, (state << 4) + position)) literal();
    else for (let left = match(position), from = at - recent[0] - 1; left > 0; left--) out[at++] = out[from++];
  }
  return out;
}
