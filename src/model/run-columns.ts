import { FleetError } from '../base/errors.ts'

/**
 * Samples of many series as runs: `count` samples of one value, `deltaMs` apart. Columns, reused after `clear`; row r is runs
 * `[ends[r - 1] or 0, ends[r])`, oldest first. Values have exact bits: see `isStaleAt(bits, run)`.
 */
export class RunColumns {
  /** Runs in all rows. */
  count = 0
  rows = 0
  ends = new Uint32Array(64)
  startsMs = new Float64Array(256)
  /** Undefined in a run of one sample. */
  deltasMs = new Int32Array(256)
  counts = new Int32Array(256)
  values = new Float64Array(256)
  words = new Int32Array(this.values.buffer)
  #runsMax = Infinity

  /** Beyond `runsMax` runs a push throws FleetError `query_limit`. */
  clear(runsMax: number): void {
    this.count = 0
    this.rows = 0
    this.#runsMax = runsMax
  }

  /** The bits of `values`, two words a run. */
  get bits(): Uint32Array {
    return new Uint32Array(this.values.buffer)
  }

  /** All runs pushed since the last call are one row. */
  endRow(): void {
    if (this.rows === this.ends.length) {
      const larger = new Uint32Array(this.rows * 2)
      larger.set(this.ends)
      this.ends = larger
    }
    this.ends[this.rows++] = this.count
  }

  /** HOT. The samples of a run with times in `[fromMs, toMs]`, both inclusive. */
  pushCut(
    startMs: number,
    deltaMs: number,
    count: number,
    low: number,
    high: number,
    fromMs: number,
    toMs: number,
  ): void {
    if (startMs > toMs) return
    let cutMs = startMs
    let left = count
    if (count === 1) {
      if (startMs < fromMs) return
    } else {
      const lastMs = startMs + deltaMs * (count - 1)
      if (lastMs < fromMs) return
      if (startMs < fromMs) {
        const first = Math.ceil((fromMs - startMs) / deltaMs)
        cutMs = startMs + deltaMs * first
        left = count - first
        if (cutMs > toMs) return
      }
      if (lastMs > toMs) left = Math.floor((toMs - cutMs) / deltaMs) + 1
    }
    const at = this.count
    if (at === this.startsMs.length) this.reserve(1)
    this.startsMs[at] = cutMs
    this.deltasMs[at] = deltaMs
    this.counts[at] = left
    this.words[at * 2] = low
    this.words[at * 2 + 1] = high
    this.count = at + 1
  }

  /** HOT. The runs `[from, to)` of another, without samples at or before `afterMs`. */
  pushFrom(other: RunColumns, from: number, to: number, afterMs: number): void {
    let run = from
    for (; run < to && !(other.startsMs[run]! > afterMs); run++) {
      const { startsMs, deltasMs, counts, words } = other
      const low = words[run * 2]!
      const high = words[run * 2 + 1]!
      this.pushCut(startsMs[run]!, deltasMs[run]!, counts[run]!, low, high, afterMs + 1, Infinity)
    }
    // Runs are in order: the others are later as a whole.
    this.reserve(to - run)
    const { startsMs, deltasMs, counts, words } = other
    let at = this.count
    for (; run < to; run++) {
      this.startsMs[at] = startsMs[run]!
      this.deltasMs[at] = deltasMs[run]!
      this.counts[at] = counts[run]!
      this.words[at * 2] = words[run * 2]!
      this.words[at * 2 + 1] = words[run * 2 + 1]!
      at++
    }
    this.count = at
  }

  /** Exchanges all rows with another. Limits stay. */
  exchange(other: RunColumns): void {
    const { count, rows, ends, startsMs, deltasMs, counts, values, words } = this
    this.#assign(other)
    other.#assign({ count, rows, ends, startsMs, deltasMs, counts, values, words })
  }

  #assign(columns: Columns): void {
    this.count = columns.count
    this.rows = columns.rows
    this.ends = columns.ends
    this.startsMs = columns.startsMs
    this.deltasMs = columns.deltasMs
    this.counts = columns.counts
    this.values = columns.values
    this.words = columns.words
  }

  /** Makes room for that many more runs. Replaces the columns when they grow. */
  reserve(runs: number): void {
    const needed = this.count + runs
    if (needed <= this.startsMs.length) return
    if (needed > this.#runsMax) this.#refuse()
    const size = Math.max(needed, this.startsMs.length * 2)
    this.startsMs = grown(this.startsMs, new Float64Array(size))
    this.deltasMs = grown(this.deltasMs, new Int32Array(size))
    this.counts = grown(this.counts, new Int32Array(size))
    this.values = new Float64Array(size)
    this.words = grown(this.words, new Int32Array(this.values.buffer))
  }

  #refuse(): never {
    throw new FleetError('query_limit', `the query reads more than ${this.#runsMax} samples`, {
      hint: 'select fewer series or a shorter range',
    })
  }
}

type Columns = Pick<RunColumns, 'count' | 'rows' | 'ends' | 'startsMs' | 'deltasMs' | 'counts' | 'values' | 'words'>

function grown<T extends Float64Array | Int32Array>(column: T, larger: T): T {
  larger.set(column)
  return larger
}
