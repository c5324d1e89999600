import { FleetError } from '../../base/errors.ts'

/**
 * Samples of many series one after the other, as two growing columns: a read collects samples here before it cuts them
 * into `SeriesColumns`. Values are written as words, which preserves the bits of a stale marker.
 */
export class SampleColumns {
  count = 0
  timesMs = new Float64Array(1024)
  values = new Float64Array(1024)
  #words = new Int32Array(this.values.buffer)
  readonly #samplesMax: number

  /** Beyond `samplesMax` a push throws FleetError `query_limit`. */
  constructor(samplesMax: number) {
    this.#samplesMax = samplesMax
  }

  /** HOT: once per run. The samples of a run with times in `[fromMs, toMs]`. */
  pushRun(
    startMs: number,
    deltaMs: number,
    count: number,
    low: number,
    high: number,
    fromMs: number,
    toMs: number,
  ): void {
    if (startMs > toMs) return
    let first = 0
    let end = 1
    if (count === 1) {
      if (startMs < fromMs) return
    } else {
      if (startMs < fromMs) first = Math.ceil((fromMs - startMs) / deltaMs)
      end = Math.min(count, Math.floor((toMs - startMs) / deltaMs) + 1)
      if (first >= end) return
    }
    const from = this.count
    this.#reserve(end - first)
    const { timesMs } = this
    const words = this.#words
    for (let i = first, at = from; i < end; i++, at++) {
      timesMs[at] = startMs + deltaMs * i
      words[at * 2] = low
      words[at * 2 + 1] = high
    }
    this.count = from + end - first
  }

  /** Of the samples from `from` on only the last one stays. */
  keepNewest(from: number): void {
    if (this.count - from < 2) return
    this.timesMs[from] = this.timesMs[this.count - 1]!
    this.#words.copyWithin(from * 2, this.count * 2 - 2, this.count * 2)
    this.count = from + 1
  }

  /** Adds the samples `[from, to)` of another list, without those at or before `afterMs`. */
  pushFrom(other: SampleColumns, from: number, to: number, afterMs: number): void {
    let first = from
    while (first < to && other.timesMs[first]! <= afterMs) first++
    this.#reserve(to - first)
    this.timesMs.set(other.timesMs.subarray(first, to), this.count)
    this.values.set(other.values.subarray(first, to), this.count)
    this.count += to - first
  }

  #reserve(samples: number): void {
    const needed = this.count + samples
    if (needed > this.#samplesMax) {
      throw new FleetError('query_limit', `the query reads more than ${this.#samplesMax} samples`, {
        hint: 'select fewer series or a shorter range',
      })
    }
    if (needed <= this.timesMs.length) return
    const size = Math.max(needed, this.timesMs.length * 2)
    const timesMs = new Float64Array(size)
    timesMs.set(this.timesMs.subarray(0, this.count))
    this.timesMs = timesMs
    const values = new Float64Array(size)
    values.set(this.values.subarray(0, this.count))
    this.values = values
    this.#words = new Int32Array(values.buffer)
  }
}
