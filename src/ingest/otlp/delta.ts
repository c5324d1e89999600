/**
 * Cumulative sums of delta points, because the store has only cumulative values. Per stream: the running totals and the
 * end of the last point. Sums are in memory only; after a restart a stream counts from 0, which `rate` treats as the
 * counter reset that it is.
 */
export interface DeltaPoint {
  /** 0: not sent; the point then begins at the end of the last one. */
  readonly startMs: number
  readonly timeMs: number
  /** The increments, one number per series of the stream. A stream whose bounds or quantiles change starts over. */
  readonly values: readonly number[]
  readonly shape: string
}

type DeltaStep =
  /** `totals` are the values to store; call `keep` afterwards. */
  | { readonly kind: 'sum'; readonly totals: readonly number[] }
  /** The very point was added before: a sender that missed our answer. */
  | { readonly kind: 'repeated' }
  /** An earlier point already covers part of its time. */
  | { readonly kind: 'overlap'; readonly endMs: number }
  /** No room for one more stream. */
  | { readonly kind: 'full' }

interface Stream {
  endMs: number
  totals: readonly number[]
  shape: string
  usedMs: number
  /** Start and end of the last points, newest last: what a repeated request is recognised by. */
  windows: (readonly [startMs: number, timeMs: number])[]
}

const WINDOWS_MAX = 8

export class DeltaSums {
  readonly #streams = new Map<string, Stream>()
  readonly #streamsMax: number
  readonly #idleMs: number
  #sweptMs = -Infinity

  constructor(streamsMax: number, idleMs: number) {
    this.#streamsMax = streamsMax
    this.#idleMs = idleMs
  }

  get size(): number {
    return this.#streams.size
  }

  /** The result for a point. Changes nothing: a point whose sum the store refuses is not added. */
  step(key: string, point: DeltaPoint, nowMs: number): DeltaStep {
    const stream = this.#streams.get(key)
    if (stream === undefined) {
      return this.#hasRoom(nowMs) ? { kind: 'sum', totals: point.values } : { kind: 'full' }
    }
    const { startMs, timeMs, values, shape } = point
    if (stream.windows.some(([start, end]) => start === startMs && end === timeMs)) return { kind: 'repeated' }
    const begins = startMs === 0 ? stream.endMs : startMs
    if (begins < stream.endMs || timeMs <= stream.endMs) return { kind: 'overlap', endMs: stream.endMs }
    if (shape !== stream.shape) return { kind: 'sum', totals: values }
    return { kind: 'sum', totals: values.map((value, i) => value + stream.totals[i]!) }
  }

  /** Records a point whose totals were stored. */
  keep(key: string, point: DeltaPoint, totals: readonly number[], nowMs: number): void {
    const { startMs, timeMs, shape } = point
    const windows = [...(this.#streams.get(key)?.windows ?? []).slice(1 - WINDOWS_MAX), [startMs, timeMs] as const]
    this.#streams.set(key, { endMs: timeMs, totals, shape, usedMs: nowMs, windows })
  }

  /** Searches for idle streams at most once a minute: a full table must not be scanned for each point. */
  #hasRoom(nowMs: number): boolean {
    if (this.#streams.size < this.#streamsMax) return true
    if (nowMs < this.#sweptMs + 60_000) return false
    this.#sweptMs = nowMs
    for (const [key, { usedMs }] of this.#streams) if (usedMs < nowMs - this.#idleMs) this.#streams.delete(key)
    return this.#streams.size < this.#streamsMax
  }
}
