/** Cursors of fleet lists: opaque, and valid only for the filter and order of their list. */
import { createHash } from 'node:crypto'
import { FleetError } from '../../base/errors.ts'
import type { Place } from '../../fleet/past/keyset.ts'

/** The parameters of a list, to which its cursors belong. */
export type ListParams = Readonly<Record<string, unknown>>

/** The first `limit` of the found items, and the last of them when there are more: there the next page starts. */
export function cutPage<T>(
  found: readonly T[],
  limit: number,
): { readonly shown: readonly T[]; readonly last: T | undefined } {
  const shown = found.slice(0, limit)
  return { shown, last: found.length > limit ? shown.at(-1) : undefined }
}

/** The shown items of a page, and the cursor of the next page; `null` on the last page. `placeOf` is the place in the order. */
export function pageAnswer<T>(
  route: string,
  list: ListParams,
  found: readonly T[],
  limit: number,
  placeOf: (item: T) => Place,
): { readonly shown: readonly T[]; readonly nextCursor: string | null } {
  const { shown, last } = cutPage(found, limit)
  return { shown, nextCursor: last === undefined ? null : writeCursor(route, list, placeOf(last)) }
}

export function writeCursor(route: string, list: ListParams, { key, id }: Place): string {
  return opaque([markOf(route, list), key, id])
}

/** Throws `bad_request` for an invalid cursor and for one of another route, filter or order. */
export function readCursor(route: string, list: ListParams, text: string): Place {
  const [mark, key, id] = partsOf(text)
  const isKey = typeof key === 'string' || (typeof key === 'number' && Number.isFinite(key))
  if (typeof mark !== 'string' || !isKey || typeof id !== 'string') {
    throw new FleetError('bad_request', `got cursor ${JSON.stringify(text)}, want \`nextCursor\` of the previous page`)
  }
  if (mark !== markOf(route, list)) {
    throw new FleetError('bad_request', 'got a cursor of a different query, want one with the same filter and order', {
      hint: 'omit the cursor to start with the first page',
    })
  }
  return { key, id }
}

/** Three parts as a text for clients, and back; no parts when the text is none of ours. */
export function opaque(parts: readonly [unknown, unknown, unknown]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

export function partsOf(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(parts) && parts.length === 3 ? parts : []
  } catch {
    return []
  }
}

/** Without `limit` and `cursor`, so that the pages of one list may differ in length. */
function markOf(route: string, list: ListParams): string {
  const params = Object.entries(list)
    .filter(([name, value]) => name !== 'limit' && name !== 'cursor' && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, Array.isArray(value) ? [...(value as readonly string[])].sort() : value])
  return createHash('sha256')
    .update(JSON.stringify([route, params]))
    .digest('base64url')
    .slice(0, 12)
}
