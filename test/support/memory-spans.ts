import Database from 'better-sqlite3'
import type { RefusedSpan, Span } from '../../src/model/span.ts'
import { migrate } from '../../src/store/migrations.ts'
import { STORE_DEFAULTS } from '../../src/store/options.ts'
import { SqlSpanReader } from '../../src/store/spans/span-reader.ts'
import { Spans } from '../../src/store/spans/spans.ts'

const EMPTY = (() => {
  const db = new Database(':memory:')
  migrate(db, 'memory')
  return db.serialize()
})()

/** The real span store without a disk and without a thread, for what is done many times. */
export function memorySpans(options: Partial<typeof STORE_DEFAULTS> = {}) {
  const db = new Database(EMPTY)
  const spans = new Spans(db, { ...STORE_DEFAULTS, ...options })
  const write = db.transaction(() => {
    spans.write()
  })
  const commit = (): void => {
    write()
    spans.written()
  }
  return {
    db,
    spans,
    reader: new SqlSpanReader(db),
    commit,
    /** Puts and commits. */
    put: (put: readonly Span[], nowMs: number): readonly RefusedSpan[] => {
      const refused = spans.putSpans(put, nowMs)
      commit()
      return refused
    },
  }
}
