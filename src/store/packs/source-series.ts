import type { SeriesRef } from '../../model/series.ts'
import type { Directory } from './pack-codec.ts'

/** The series of one metric in one block, one after the other by rising ref; one row in memory at a time. */
export class SourceSeries<Row extends { readonly directory: Pick<Directory, 'count' | 'refs'> }> {
  /** The present series; Infinity after the last. */
  ref: SeriesRef = Infinity
  /** Its entry in the row. */
  entry = 0
  readonly #rowAfter: (ref: SeriesRef) => Row | undefined
  #row: Row | undefined

  /** @param rowAfter the first row that begins after a ref */
  constructor(rowAfter: (ref: SeriesRef) => Row | undefined) {
    this.#rowAfter = rowAfter
    this.#load(0)
  }

  /** The row of the present series; call only while there is one. */
  get row(): Row {
    return this.#row!
  }

  next(): void {
    const { refs, count } = this.row.directory
    this.entry++
    if (this.entry < count) this.ref = refs[this.entry]!
    else this.#load(refs[count - 1]!)
  }

  #load(afterRef: SeriesRef): void {
    this.#row = this.#rowAfter(afterRef)
    this.entry = 0
    this.ref = this.#row?.directory.refs[0] ?? Infinity
  }
}
