import type Database from 'better-sqlite3'

/**
 * Returns unused pages to the disk. The log grows and shrinks, and a backlog makes it many times its normal size:
 * without this, the file would keep its maximum size. Some free pages stay, because the log needs them within the next
 * hour.
 */

/** Moved in one step: a megabyte, some milliseconds. */
const PAGES_PER_STEP = 256
/** Fewer, a megabyte, are never worth it. */
const FREE_PAGES_MIN = 256
/** Starts above this share of the file; continues down to half of it. */
const FREE_SHARE_MAX = 1 / 8

export class FreePages {
  readonly #db: Database.Database
  #isShrinking = false

  constructor(db: Database.Database) {
    this.#db = db
  }

  /** Gives some back; false when there is no more to do. */
  step(): boolean {
    const free = this.#count('freelist_count')
    const share = free / this.#count('page_count')
    this.#isShrinking =
      free > FREE_PAGES_MIN && share > (this.#isShrinking ? FREE_SHARE_MAX / 2 : FREE_SHARE_MAX) && this.#isIncremental
    if (this.#isShrinking) this.#db.pragma(`incremental_vacuum(${PAGES_PER_STEP})`)
    return this.#isShrinking
  }

  /** Files from before have no record of who uses which page, and stay as large as they are. */
  get #isIncremental(): boolean {
    return this.#count('auto_vacuum') === 2
  }

  #count(pragma: string): number {
    return Number(this.#db.pragma(pragma, { simple: true }))
  }
}
