/**
 * The hash chain of the audit: each entry has the hash of its own content and of the entry before it, so that a changed,
 * added or removed entry is found. Retention removes the oldest entries; the anchor is the last of those. Anyone who can write
 * the file can compute a new chain: a head that was noted elsewhere (`daytwo audit verify`) finds that too. The erasure of a
 * cluster blanks the entries that mention it. A blank entry still has its hash, from which the next entry continues; that its
 * content was another one cannot be checked any more, so blank entries are counted. The salt of an entry is part of its hash and
 * is blanked with the content: without it, a guess of the content cannot be confirmed.
 */
import { createHash } from 'node:crypto'
import type { AuditEntry } from './audit.ts'

/** The place of an entry in the chain. */
export type AuditLink = Pick<AuditEntry, 'id' | 'hash'>

/** An entry as stored: the action may be one that this program does not know. */
export interface AuditRow extends Omit<AuditEntry, 'action'> {
  readonly action: string
  /** Random; empty for an entry from before salts, and for one that was erased. Never leaves the store. */
  readonly salt: string
}

/** The action of an entry whose content was erased: it has its id, time and hash, and no other text. */
export const BLANK_ACTION = 'erased'

/** Lower-case hex. @param before the hash of the entry before; empty for the first one of the chain */
export function auditHash(
  before: string,
  { id, atMs, by, action, subject, detail, salt }: Omit<AuditRow, 'hash'>,
): string {
  const content = JSON.stringify([before, id, atMs, by, action, subject, detail, ...(salt === '' ? [] : [salt])])
  return createHash('sha256').update(content, 'utf8').digest('hex')
}

/** The result of following the chain. */
export interface AuditVerdict {
  /** The newest entry that was followed. */
  readonly last: AuditLink
  /** Number of followed entries. */
  readonly entries: number
  /** Number of entries from before the chain: they have no hash. */
  readonly unchained: number
  /** Number of followed entries whose content was erased. */
  readonly erased: number
  /** Why the first broken entry does not continue the chain; absent: all do. */
  readonly fault?: string
}

/** Follows the chain, entry by entry. */
export class AuditChain {
  readonly #anchor: AuditLink
  readonly #noted: AuditLink | undefined
  #last: AuditLink
  #unchained = 0
  #erased = 0

  /**
   * @param anchor the last removed entry, or the last from before the chain
   * @param noted an earlier end of the chain, of which the entries must be a continuation
   */
  constructor(anchor: AuditLink, noted?: AuditLink) {
    this.#anchor = anchor
    this.#noted = noted
    this.#last = anchor
  }

  /** Why the next entry does not continue the chain; `undefined`: it does. @param row by rising id */
  follow(row: AuditRow): string | undefined {
    if (row.id <= this.#anchor.id) {
      this.#unchained++
      return undefined
    }
    const wanted = this.#last.id + 1
    if (row.id === wanted + 1) return `entry ${wanted} is missing`
    if (row.id !== wanted) return `entries ${wanted} to ${row.id - 1} are missing`
    if (row.action === BLANK_ACTION) {
      if (row.by + row.subject + row.detail + row.salt !== '')
        return `entry ${row.id} is marked as erased and has content`
      this.#erased++
    } else if (row.hash !== auditHash(this.#last.hash, row)) {
      return `entry ${row.id} (${row.action} by ${row.by}): its hash does not match its content and the entry before it`
    }
    this.#last = row
    return this.#rewritten(row)
  }

  /** After the last entry. */
  verdict(): AuditVerdict {
    const { id, hash } = this.#last
    const entries = id - this.#anchor.id
    const fault = this.#noted === undefined ? undefined : this.#notedFault(this.#noted)
    const counts = { entries, unchained: this.#unchained, erased: this.#erased }
    return { last: { id, hash }, ...counts, ...(fault === undefined ? {} : { fault }) }
  }

  #notedFault({ id }: AuditLink): string | undefined {
    if (id > this.#last.id) return `entries ${this.#last.id + 1} to ${id} are missing at the end`
    if (id < this.#anchor.id) return `entry ${id} is older than the oldest stored entry and cannot be compared`
    return this.#rewritten(this.#anchor)
  }

  /** The chain is sound, and not the one that was noted. */
  #rewritten({ id, hash }: AuditLink): string | undefined {
    const noted = this.#noted
    if (noted?.id !== id || noted.hash === hash) return undefined
    return `entry ${id}, or one before it, was changed with all hashes after it: got ${hash}, want ${noted.hash}`
  }
}
