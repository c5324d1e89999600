import type { Steps } from './thread-slices.ts'

/** Sorts in place, as `Array.sort` does: equal items keep their order. */
export function* sortInSteps<T>(items: T[], compare: (a: T, b: T) => number): Steps<T[]> {
  if (items.length <= SORTED_AT_ONCE) return items.sort(compare)
  for (let from = 0; from < items.length; from += SORTED_AT_ONCE) {
    const sorted = items.slice(from, from + SORTED_AT_ONCE).sort(compare)
    for (let i = 0; i < sorted.length; i++) items[from + i] = sorted[i]!
    yield
  }
  let source = items
  let target = new Array<T>(items.length)
  for (let width = SORTED_AT_ONCE; width < items.length; width *= 2) {
    for (let from = 0; from < items.length; from += width * 2) {
      const middle = Math.min(from + width, items.length)
      const end = Math.min(middle + width, items.length)
      let left = from
      let right = middle
      for (let to = from; to < end; to++) {
        const isLeft = right === end || (left < middle && compare(source[left]!, source[right]!) <= 0)
        target[to] = source[isLeft ? left++ : right++]!
        if (to % SORTED_AT_ONCE === 0) yield
      }
    }
    ;[source, target] = [target, source]
  }
  if (source !== items) for (let i = 0; i < items.length; i++) items[i] = source[i]!
  return items
}

const SORTED_AT_ONCE = 4096
