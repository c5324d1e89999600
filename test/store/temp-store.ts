import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import type { SeriesColumns } from '../../src/model/series.ts'
import { STORE_DEFAULTS, type StoreOptions } from '../../src/store/options.ts'
import { openReader, type StoreReader } from '../../src/store/reader.ts'
import { openWriter, type StoreWriter } from '../../src/store/writer.ts'

/** A store in a directory of its own, closed and removed after the test. */

const cleanups: (() => void | Promise<void>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-store-'))
  cleanups.push(() => {
    rmSync(dir, { recursive: true, force: true })
  })
  return dir
}

/** A moment to count from; all tests own their time. */
export const NOW_MS = 1_760_000_000_000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000

export type TestOptions = Partial<StoreOptions>

export class TempStore {
  readonly options: { -readonly [K in keyof StoreOptions]: StoreOptions[K] }
  writer: StoreWriter
  reader: StoreReader
  #isOpen = true

  constructor(options: TestOptions = {}, nowMs = NOW_MS) {
    this.options = { ...STORE_DEFAULTS, dir: options.dir ?? tempDir(), ...options }
    this.writer = openWriter(this.options, nowMs)
    this.reader = openReader(this.options, this.writer.share())
    cleanups.push(() => this.close())
  }

  async reopen(nowMs = NOW_MS): Promise<void> {
    await this.close()
    this.writer = openWriter(this.options, nowMs)
    this.reader = openReader(this.options, this.writer.share())
    this.#isOpen = true
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.reader.close()
    await this.writer.close()
  }

  resolve(labels: Readonly<Record<string, string>>): number {
    const ref = this.writer.appender.resolve(Labels.of(labels))
    if (ref === undefined) throw new Error('the series limit is reached')
    return ref
  }

  /** All samples of all series, by the text of their labels. */
  all(fromMs = -Infinity, toMs = Infinity): Record<string, readonly (readonly [number, string])[]> {
    const series = this.reader.select({ matchers: [], fromMs, toMs, maxSamples: 10_000_000 })
    return Object.fromEntries(series.map((one) => [one.labels.toString(), samplesOf(one)]))
  }

  /** The newest sample of each series, as an instant selector reads it. */
  newest(fromMs: number, toMs: number): Record<string, readonly (readonly [number, string])[]> {
    const hint = { rangeMs: 0, isNewestOnly: true }
    const series = this.reader.select({ matchers: [], fromMs, toMs, maxSamples: 10_000_000, hint })
    return Object.fromEntries(series.map((one) => [one.labels.toString(), samplesOf(one)]))
  }
}

/** Times with the bits of their values in hexadecimal. */
export function samplesOf(series: SeriesColumns): readonly (readonly [number, string])[] {
  const view = new DataView(series.values.buffer, series.values.byteOffset)
  return Array.from({ length: series.count }, (_, i) => [
    series.timesMs[i]!,
    view
      .getBigUint64(i * 8, true)
      .toString(16)
      .padStart(16, '0'),
  ])
}

/** A value's bits as `samplesOf` shows them. */
export function bitsOfValue(value: number): string {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  return view.getBigUint64(0).toString(16).padStart(16, '0')
}

/** A float of these bits; a NaN's payload survives as long as nobody computes with it. */
export function valueOfBits(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, bits)
  return view.getFloat64(0)
}

export const STALE_BITS = '7ff0000000000002'
