/** Sets of refs as rising `Uint32Array`s. Results may share memory with the arguments; treat both as read-only. */

export const NO_REFS = new Uint32Array(0)

/** Refs in both. The shorter one leads, the longer one is searched by doubling steps. */
export function intersect(a: Uint32Array, b: Uint32Array): Uint32Array {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  const out = new Uint32Array(short.length)
  let count = 0
  let at = 0
  for (const ref of short) {
    at = seek(long, at, ref)
    if (at === long.length) break
    if (long[at] === ref) out[count++] = ref
  }
  return out.subarray(0, count)
}

/** Refs in `a` but not in `b`. */
export function subtract(a: Uint32Array, b: Uint32Array): Uint32Array {
  if (b.length === 0) return a
  const out = new Uint32Array(a.length)
  let count = 0
  let at = 0
  for (const ref of a) {
    at = seek(b, at, ref)
    if (b[at] !== ref) out[count++] = ref
  }
  return out.subarray(0, count)
}

/** Refs in any. */
export function unite(lists: readonly Uint32Array[]): Uint32Array {
  if (lists.length === 0) return NO_REFS
  if (lists.length === 1) return lists[0]!
  const all = new Uint32Array(lists.reduce((sum, list) => sum + list.length, 0))
  let length = 0
  for (const list of lists) {
    all.set(list, length)
    length += list.length
  }
  all.sort()
  let count = 0
  for (let i = 0; i < all.length; i++) if (i === 0 || all[i] !== all[i - 1]) all[count++] = all[i]!
  return all.subarray(0, count)
}

/** The first place with a ref of at least `ref`. */
export function firstAtLeast(refs: ArrayLike<number>, ref: number): number {
  let low = 0
  let high = refs.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (refs[middle]! < ref) low = middle + 1
    else high = middle
  }
  return low
}

/** How many refs are larger than `ref`. */
export function countAbove(refs: Uint32Array, ref: number): number {
  return refs.length - seek(refs, 0, ref + 1)
}

/** The first place from `from` on with a ref of at least `ref`. */
function seek(refs: Uint32Array, from: number, ref: number): number {
  let low = from
  let step = 1
  while (low + step < refs.length && refs[low + step]! < ref) {
    low += step
    step *= 2
  }
  let high = Math.min(low + step, refs.length)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (refs[middle]! < ref) low = middle + 1
    else high = middle
  }
  return low
}
