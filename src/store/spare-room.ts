import { randomBytes } from 'node:crypto'
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A file that only takes space. SQLite needs a few pages beside the database to open it, which a full disk does not have:
 * the start then removes this file, and it is written again when there is room.
 */

const SPARE_FILE = 'daytwo.spare'
const SPARE_BYTES = 1024 * 1024
/** It is not written when the disk has less room than this many of it. */
const FREE_MIN = 16

export class SpareRoom {
  readonly #dir: string
  readonly #path: string
  #isThere: boolean

  constructor(dir: string) {
    this.#dir = dir
    this.#path = join(dir, SPARE_FILE)
    this.#isThere = (statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0) === SPARE_BYTES
  }

  /** False: there was none. */
  giveUp(): boolean {
    const wasThere = this.#isThere
    rmSync(this.#path, { force: true })
    this.#isThere = false
    return wasThere
  }

  /** Writes the file unless it is there. Does nothing on a disk without much room, or that cannot be written. */
  restore(): void {
    if (this.#isThere) return
    try {
      const { bavail, bsize } = statfsSync(this.#dir)
      if (bavail * bsize < FREE_MIN * SPARE_BYTES) return
      // Random: zeros take no space on some file systems.
      writeFileSync(this.#path, randomBytes(SPARE_BYTES), { mode: 0o600 })
      this.#isThere = true
    } catch {
      this.giveUp()
    }
  }
}
