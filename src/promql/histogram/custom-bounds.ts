/**
 * Custom bounds, chosen by senders. Histograms with different bounds are compared and added over their common bounds.
 */

export function areSameBounds(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((bound, i) => bound === b[i])
}

/** The common bounds. */
export function sharedBounds(a: Float64Array, b: Float64Array): Float64Array {
  const known = new Set(b)
  return a.filter((bound) => known.has(bound))
}

/** The bucket of `to` that contains each bucket of `from`; the last entry is for the bucket up to infinity. */
export function bucketsIn(from: Float64Array, to: Float64Array): Int32Array {
  const places = new Int32Array(from.length + 1)
  let place = 0
  from.forEach((bound, i) => {
    while (place < to.length && to[place]! < bound) place++
    places[i] = place
  })
  places[from.length] = to.length
  return places
}
