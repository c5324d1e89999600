/** Pages of a sorted list by key: the next one begins after the last item of the one before, whatever changed meanwhile. */

export type SortKey = string | number

/** Where a page ended. */
export interface Place {
  readonly key: SortKey
  readonly id: string
}

export interface PageQuery {
  readonly isDescending: boolean
  readonly after?: Place
  readonly limit: number
}

export interface PageOrder<T> {
  readonly keyOf: (item: T) => SortKey
  /** Unique, by code unit: what decides between equal keys. */
  readonly idOf: (item: T) => string
  readonly compareKeys?: (a: SortKey, b: SortKey) => number
}

/** In the order of keys and then ids, both in the queried direction. */
export function pageOf<T>(
  items: readonly T[],
  order: PageOrder<T>,
  { isDescending, after, limit }: PageQuery,
): readonly T[] {
  const { keyOf, idOf, compareKeys = compareNatural } = order
  const sign = isDescending ? -1 : 1
  const compare = (a: Place, b: Place): number => sign * (compareKeys(a.key, b.key) || compareNatural(a.id, b.id))
  const page: (Place & { readonly item: T })[] = []
  // One page of many items: each item is compared with the last of the page so far, instead of sorting them all.
  for (const item of items) {
    const one = { item, key: keyOf(item), id: idOf(item) }
    if (after !== undefined && compare(one, after) <= 0) continue
    if (page.length >= limit && compare(one, page.at(-1) ?? one) >= 0) continue
    page.splice(
      firstIndexWhere(page, (other) => compare(other, one) > 0),
      0,
      one,
    )
    if (page.length > limit) page.pop()
  }
  return page.map(({ item }) => item)
}

function compareNatural(a: SortKey, b: SortKey): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** All items of a query that is read in portions: `read` gets the place after which a portion begins. */
export async function* eachItem<T, P>(
  portion: number,
  read: (after: { readonly after?: P }) => Promise<readonly T[]>,
  placeOf: (last: T) => P,
): AsyncIterable<T> {
  let after: { readonly after?: P } = {}
  for (;;) {
    const page = await read(after)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < portion) return
    after = { after: placeOf(last) }
  }
}
import { firstIndexWhere } from '../../base/first-index.ts'
