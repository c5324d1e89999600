import type { SampleSource } from './sample-source.ts'

interface ReadRow {
  readonly id: number
  readonly maxMs: number
}

/** How far the remote side is behind the buffer. */
export class ForwardLag {
  readonly #source: Pick<SampleSource, 'newestRow' | 'next'>
  /** Rows that were read and are not acknowledged, oldest first. */
  #rows: ReadRow[] = []
  #rowsRead = 0
  #samplesRead = 0

  constructor(source: Pick<SampleSource, 'newestRow' | 'next'>) {
    this.#source = source
  }

  /** A row was read. */
  read(id: number, maxMs: number, samples: number): void {
    this.#rows.push({ id, maxMs })
    this.#rowsRead++
    this.#samplesRead += samples
  }

  /** All is read again. */
  forget(): void {
    this.#rows = []
  }

  /**
   * @param position all rows up to this one are acknowledged
   * @param lastRead the last row that was read
   * @param pendingSamples of rows that were read
   */
  measure(
    position: number,
    lastRead: number,
    pendingSamples: number,
    nowMs: number,
  ): { readonly newestRow: number; readonly lagSamples: number; readonly lagSeconds: number } {
    const newestRow = Math.max(this.#source.newestRow(), lastRead)
    const done = this.#rows.findIndex(({ id }) => id > position)
    this.#rows.splice(0, done === -1 ? this.#rows.length : done)
    const perRow = this.#rowsRead === 0 ? 1 : this.#samplesRead / this.#rowsRead
    const oldest = this.#rows[0] ?? (newestRow > lastRead ? this.#source.next(lastRead) : undefined)
    return {
      newestRow,
      lagSamples: pendingSamples + Math.round((newestRow - lastRead) * perRow),
      lagSeconds: oldest === undefined ? 0 : Math.max(0, nowMs - oldest.maxMs) / 1000,
    }
  }
}
