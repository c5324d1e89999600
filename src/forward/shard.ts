import type { SeriesRef } from '../model/series.ts'
import { SampleBatch } from './sample-batch.ts'

/** The samples of some series: one request after the other, so that each series stays in order. */
export class Shard {
  /** The first one is being sent. */
  readonly queue: SampleBatch[] = []
  isSending = false
  readonly #unused: SampleBatch[] = []
  #open = new SampleBatch()

  /** HOT: once per sample. */
  add(ref: SeriesRef, labelBytes: number, row: number, timeMs: number, low: number, high: number): void {
    if (this.#open.isFull) this.seal()
    this.#open.add(ref, labelBytes, row, timeMs, low, high)
  }

  /** What was added is to be sent; nothing may have been added. */
  seal(): void {
    if (this.#open.sampleCount === 0) return
    this.queue.push(this.#open)
    this.#open = this.#unused.pop() ?? new SampleBatch()
  }

  /** The first batch was sent. */
  sent(): void {
    const batch = this.queue.shift()!
    batch.clear()
    if (this.#unused.length < 2) this.#unused.push(batch)
  }

  /** Log row of the oldest sample that was not sent; undefined: all were. */
  get firstRow(): number | undefined {
    const [batch = this.#open] = this.queue
    return batch.sampleCount === 0 ? undefined : batch.firstRow
  }

  get sampleCount(): number {
    return this.queue.reduce((count, batch) => count + batch.sampleCount, this.#open.sampleCount)
  }

  /** Drops everything: it is read again. Call while nothing is sent. */
  clear(): void {
    this.queue.length = 0
    this.#open.clear()
  }
}
