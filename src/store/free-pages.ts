import type Database from 'better-sqlite3'

/**
 * Gives pages that nothing uses back to the disk. The log comes and goes, and a backlog makes it many times as long as
 * it is on other days: without this the file would stay as large as it ever was. Some free pages are kept, because the
 * next hour of the log wants them.
 */

/** Moved in one step: a megabyte, some milliseconds. */
const PAGES_PER_STEP = 256
/** Fewer, a megabyte, are never worth it. */
const FREE_PAGES_MIN = 256
/** Above this part of the file it begins; it goes on down to half of it. */
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
