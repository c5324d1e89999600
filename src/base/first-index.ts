/**
 * The index of the first item from which on a condition holds, by halving; the length where it holds for none.
 *
 * @param isThere false for the items before it, true for all others
 */
export function firstIndexWhere<T>(items: ArrayLike<T>, isThere: (item: T) => boolean): number {
  let [from, to] = [0, items.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isThere(items[middle]!)) to = middle
    else from = middle + 1
  }
  return from
}
