/** Cursors of lists of fleet facts: opaque, and only good for the filter and order they were given for. */
import { createHash } from 'node:crypto'
import { FleetError } from '../../base/errors.ts'
import type { Place } from '../../fleet/past/keyset.ts'

/** A question without its page: what a cursor belongs to. */
export type Question = Readonly<Record<string, unknown>>

export function writeCursor(route: string, question: Question, { key, id }: Place): string {
  return Buffer.from(JSON.stringify([markOf(route, question), key, id])).toString('base64url')
}

/** Throws `bad_request` for a cursor of another route, filter or order, and for what is none. */
export function readCursor(route: string, question: Question, text: string): Place {
  const [mark, key, id] = partsOf(text)
  const isKey = typeof key === 'string' || (typeof key === 'number' && Number.isFinite(key))
  if (typeof mark !== 'string' || !isKey || typeof id !== 'string') {
    throw new FleetError('bad_request', `got cursor ${JSON.stringify(text)}, want \`nextCursor\` of a page before`)
  }
  if (mark !== markOf(route, question)) {
    throw new FleetError('bad_request', 'got a cursor of another question, want one of the same filter and order', {
      hint: 'leave the cursor out to begin with the first page',
    })
  }
  return { key, id }
}

function partsOf(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(parts) && parts.length === 3 ? parts : []
  } catch {
    return []
  }
}

/** Without `limit` and `cursor`: pages of one list may be of different lengths. */
function markOf(route: string, question: Question): string {
  const asked = Object.entries(question)
    .filter(([name, value]) => name !== 'limit' && name !== 'cursor' && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, Array.isArray(value) ? [...(value as readonly string[])].sort() : value])
  return createHash('sha256')
    .update(JSON.stringify([route, asked]))
    .digest('base64url')
    .slice(0, 12)
}
