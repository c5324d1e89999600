import { createHash } from 'node:crypto'

/** A hash of what identifies a fact: deriving the fact again gives the same id. 32 hex digits. */
export function idOf(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(parts.join('|')).digest('hex').slice(0, 32)
}
