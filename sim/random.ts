/**
 * Seeded randomness with named streams. A stream depends on the seed and on its own name only, so drawing from one, or
 * adding a cluster, never changes another. sfc32 seeded by FNV-1a; nothing here reads the clock.
 */
export interface Random {
  /** In [0, 1). */
  next(): number
  /** A whole number in [min, max], both inclusive. */
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** One of the items, each as likely as its weight says. Weights are not negative and not all zero. */
  weighted<T>(items: readonly (readonly [item: T, weight: number])[]): T
}

/** The stream of a name: the same parts always give the same numbers. */
export function randomOf(...name: readonly (string | number)[]): Random {
  const text = name.join('\u0000')
  let a = fnv1a(text, 0x811c9dc5)
  let b = fnv1a(text, a ^ 0x9e3779b9)
  let c = fnv1a(text, b ^ 0x85ebca6b)
  let counter = 1
  const next = (): number => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4_294_967_296
  }
  for (let i = 0; i < 12; i++) next() // the first numbers still look like the seed
  return fromNext(next)
}

function fromNext(next: () => number): Random {
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (items) => items[int(0, items.length - 1)]!,
    weighted(items) {
      let left = next() * items.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [item, weight] of items) {
        left -= weight
        if (left < 0) return item
      }
      return items.at(-1)![0]
    },
  }
}

/** A number in [0, 1) for one point of a series of numbers, without a stream to walk along: noise that depends on time only. */
export function noiseAt(stream: number, index: number): number {
  let mixed = Math.imul(stream ^ index, 0x9e3779b1) ^ Math.imul(index, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296
}

/** 32 bits of a text; for `noiseAt`, and for names that must not repeat. */
export function hashOf(...name: readonly (string | number)[]): number {
  return fnv1a(name.join('\u0000'), 0x811c9dc5) >>> 0
}

function fnv1a(text: string, basis: number): number {
  let hash = basis
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash | 0
}
