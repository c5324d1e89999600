/** Bodies that went wrong on their way, the same ones in every run. */

/** Numbers from 0 up to, and without, `below`. */
export type Random = (below: number) => number

/** Mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed | 0
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below)
  }
}

export function pick<T>(random: Random, items: readonly T[]): T {
  if (items.length === 0) throw new Error('nothing to pick from')
  return items[random(items.length)]!
}

type Mutation = (bytes: Buffer, random: Random, corpus: readonly Uint8Array[]) => Buffer

/** Ends and turning points of varints, lengths and tags. */
const ODD_BYTES = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xff, 0x08, 0x0a, 0x0b, 0x12, 0x1a, 0x22]
const LONG_VARINTS = [
  [0x80, 0x00],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0x7f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
].map((varint) => Buffer.from(varint))

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  bitFlip: (bytes, random) => {
    if (bytes.length > 0) bytes[random(bytes.length)]! ^= 1 << random(8)
    return bytes
  },
  oddByte: (bytes, random) => {
    if (bytes.length > 0) bytes[random(bytes.length)] = pick(random, ODD_BYTES)
    return bytes
  },
  /** A length, as often as not: one byte a little larger or smaller. */
  lengthLie: (bytes, random) => {
    const at = random(bytes.length)
    if (bytes.length > 0) bytes[at] = bytes[at]! + random(9) - 4
    return bytes
  },
  varintLie: (bytes, random) => {
    const at = random(bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, at), pick(random, LONG_VARINTS), bytes.subarray(at + random(2))])
  },
  truncation: (bytes, random) => bytes.subarray(0, random(bytes.length + 1)),
  removal: (bytes, random) => {
    const at = random(bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(16))])
  },
  repetition: (bytes, random) => {
    const at = random(bytes.length + 1)
    const end = Math.min(bytes.length, at + 1 + random(64))
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at, end), bytes.subarray(end)])
  },
  splice: (bytes, random, corpus) => {
    const other = pick(random, corpus)
    return Buffer.concat([bytes.subarray(0, random(bytes.length + 1)), other.subarray(random(other.length + 1))])
  },
}

const MUTATORS = Object.values(MUTATIONS)

/** Of a body of which a mutation changes little, and which takes long. */
const LARGE_BYTES = 4096

/** A body of the corpus, seldom a large one. */
export function seedOf(random: Random, corpus: readonly Uint8Array[]): Uint8Array {
  for (let i = 0; i < 4; i++) {
    const seed = pick(random, corpus)
    if (seed.length <= LARGE_BYTES) return seed
  }
  return pick(random, corpus)
}

/** One mutation of a body of the corpus, or as often up to four. */
export function mutated(random: Random, corpus: readonly Uint8Array[]): Uint8Array {
  let bytes = Buffer.from(seedOf(random, corpus))
  const count = random(2) === 0 ? 1 : 1 + random(4)
  for (let i = 0; i < count; i++) bytes = Buffer.from(pick(random, MUTATORS)(bytes, random, corpus))
  return Uint8Array.from(bytes)
}

const ODD_CHARACTERS = ['', 'A', '_', '%', '=', ';', ' ', '%00', '&', '+', 'é']

/** A text in which one character is another, or that ends early or twice. @param seed absent: the text as it is */
export function mutatedText(text: string, seed: number | undefined): string {
  if (seed === undefined) return text
  const random = randomOf(seed)
  const at = random(text.length)
  switch (random(5)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return `${text}; ${text}`
    default:
      return text.slice(0, at) + pick(random, ODD_CHARACTERS) + text.slice(at + 1)
  }
}

/** Bytes changed between two places, the length kept. */
export function damaged(bytes: Uint8Array, from: number, end: number, random: Random): Uint8Array {
  const copy = Uint8Array.from(bytes)
  const count = 1 + random(3)
  for (let i = 0; i < count; i++) {
    const at = from + random(end - from)
    copy[at] = random(2) === 0 ? copy[at]! ^ (1 << random(8)) : pick(random, ODD_BYTES)
  }
  return copy
}

const ODD_VALUES: readonly unknown[] = [
  ...[null, true, '', 'NaN', '-1', '18446744073709551616', '\ud800', -1, 1e308, 2 ** 63, 0.5, [], {}, [[]], { a: {} }],
  ...['9'.repeat(40), 'x'.repeat(5000), '__proto__', 'constructor', '2026-08-20T10:00:00Z', '9999-12-31T23:59:59Z'],
  JSON.parse('{"__proto__":{"toString":1}}'),
]

/** Names that plain objects have without having them, and names of other formats. */
const ODD_NAMES = ['__proto__', 'constructor', 'toString', '', 'cluster', 'é', 'a.b', 'x'.repeat(300)]

/** A value inside of itself, as deep as a stack may not be. */
function deep(random: Random, value: unknown): unknown {
  let inner = value
  for (let i = random(random(20) === 0 ? 3000 : 30); i > 0; i--) inner = random(2) === 0 ? [inner] : { a: inner }
  return inner
}

/** A JSON value in which one part has become something else. */
export function mutatedJson(random: Random, value: unknown): unknown {
  if (random(40) === 0) return deep(random, value)
  if (typeof value !== 'object' || value === null || random(5) === 0) {
    // As often as not of the same type, which gets further.
    const alike = random(2) === 0 ? ODD_VALUES.filter((odd) => typeof odd === typeof value) : []
    return pick(random, alike.length > 0 ? alike : ODD_VALUES)
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return [pick(random, ODD_VALUES)]
    const at = random(value.length)
    return value.map((item: unknown, i) => (i === at ? mutatedJson(random, item) : item))
  }
  const names = Object.keys(value)
  if (names.length === 0) return { value: pick(random, ODD_VALUES) }
  const name = pick(random, names)
  if (random(20) === 0) return Object.fromEntries([...Object.entries(value), [pick(random, ODD_NAMES), value]])
  return { ...value, [name]: mutatedJson(random, (value as Readonly<Record<string, unknown>>)[name]) }
}
