/** The character sets that RE2 has names for, and what matching without case adds to a set. */

/** Code points from the first to the second, both inclusive. */
export type CodeRange = readonly [number, number]

/** `[[:name:]]` */
export const NAMED_SETS: Readonly<Record<string, readonly CodeRange[]>> = {
  alnum: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x61, 0x7a],
  ],
  alpha: [
    [0x41, 0x5a],
    [0x61, 0x7a],
  ],
  ascii: [[0, 0x7f]],
  blank: [
    [0x09, 0x09],
    [0x20, 0x20],
  ],
  cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f],
  ],
  digit: [[0x30, 0x39]],
  graph: [[0x21, 0x7e]],
  lower: [[0x61, 0x7a]],
  print: [[0x20, 0x7e]],
  punct: [
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ],
  space: [
    [0x09, 0x0d],
    [0x20, 0x20],
  ],
  upper: [[0x41, 0x5a]],
  word: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ],
  xdigit: [
    [0x30, 0x39],
    [0x41, 0x46],
    [0x61, 0x66],
  ],
}

/** `\d` and its like: ASCII only, unlike in JavaScript; `\s` has no vertical tab. */
export const PERL_SETS: Readonly<Record<string, readonly CodeRange[]>> = {
  '\\d': [[0x30, 0x39]],
  '\\D': [
    [0, 0x2f],
    [0x3a, 0x10ffff],
  ],
  '\\s': [
    [0x09, 0x0a],
    [0x0c, 0x0d],
    [0x20, 0x20],
  ],
  '\\S': [
    [0, 0x08],
    [0x0b, 0x0b],
    [0x0e, 0x1f],
    [0x21, 0x10ffff],
  ],
  '\\w': [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ],
  '\\W': [
    [0, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x5e],
    [0x60, 0x60],
    [0x7b, 0x10ffff],
  ],
}

/** Sets beyond this many code points get only the other case of ASCII letters. */
const FOLDED_POINTS_MAX = 5000

/** The letters outside ASCII that are the other case of an ASCII letter: the Kelvin sign and the long s. */
const FAR_CASES: Readonly<Record<number, number>> = { 0x6b: 0x212a, 0x4b: 0x212a, 0x73: 0x17f, 0x53: 0x17f }

/** The set with the other cases of its letters. */
export function caseFolded(ranges: readonly CodeRange[]): CodeRange[] {
  const folded = new Set<number>()
  const size = ranges.reduce((sum, [low, high]) => sum + high - low + 1, 0)
  for (const [low, high] of ranges) {
    const last = size > FOLDED_POINTS_MAX ? Math.min(high, 0x7f) : high
    for (let point = low; point <= last; point++) {
      const char = String.fromCodePoint(point)
      for (const other of [char.toLowerCase(), char.toUpperCase()]) {
        const otherPoint = other.codePointAt(0)!
        if (otherPoint !== point && String.fromCodePoint(otherPoint) === other) folded.add(otherPoint)
      }
      const far = FAR_CASES[point]
      if (far !== undefined) folded.add(far)
    }
  }
  return [...ranges, ...Array.from(folded, (point): CodeRange => [point, point])]
}
