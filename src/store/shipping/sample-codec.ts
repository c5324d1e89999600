import { deflateRawSync } from 'node:zlib'
import { hash } from 'node:crypto'
import type { MetricSignal } from '../../model/observation.ts'
import type { CollectedSeries, ScrapeRun } from '../../model/signal-samples.ts'
import { ByteReader, ByteWriter, floatOf, highWordOf, inflate, lowWordOf, MalformedBytesError } from '../bytes.ts'

/**
 * Samples of the series of one signal group, as bytes.
 *
 * ```
 * payload | 1 | deflated: series | ...
 * series  | meaning as JSON | runs | run | ...      meaning: signal, labels, combine, hashes of the identity and the series
 * run     | 0 value, 1 the value before, 2 a stale marker | value, 8 bytes | gap from the end of the run before, signed |
 *         | count | step, of more than one |
 * ```
 */
const VERSION = 1
const VALUE = { new: 0, same: 1, stale: 2 } as const
const INFLATED_BYTES_MAX = 64 * 1024 * 1024
const RUN_BYTES_MAX = 40

type Meaning = [
  signal: MetricSignal,
  labels: CollectedSeries['labels'],
  combine: 'max' | 'count',
  identity: string,
  series: string,
]

export function packSamples(all: readonly CollectedSeries[]): Uint8Array {
  const writer = new ByteWriter(1024)
  for (const { signal, labels, combine, identity, series, runs } of all) {
    const meaning: Meaning = [signal, labels, combine, identity, series]
    const text = Buffer.from(JSON.stringify(meaning))
    writer.reserve(text.length + 2 * RUN_BYTES_MAX)
    writer.unsigned(text.length)
    writer.bytes.set(text, writer.length)
    writer.length += text.length
    writer.unsigned(runs.length)
    let endMs = 0
    let before: number | undefined
    for (const { firstMs, stepMs, count, value, isStale } of runs) {
      writer.reserve(RUN_BYTES_MAX)
      const isSame = !isStale && before !== undefined && Object.is(value, before)
      writer.byte(isStale ? VALUE.stale : isSame ? VALUE.same : VALUE.new)
      if (!isStale && !isSame) writer.words(lowWordOf(value), highWordOf(value))
      writer.signed(firstMs - endMs)
      writer.unsigned(count)
      if (count > 1) writer.unsigned(stepMs)
      endMs = count > 1 ? firstMs + stepMs * (count - 1) : firstMs
      if (!isStale) before = value
    }
  }
  return Buffer.concat([Uint8Array.of(VERSION), deflateRawSync(writer.take())])
}

/** Throws `MalformedBytesError`. */
export function unpackSamples(payload: Uint8Array): CollectedSeries[] {
  if (payload[0] !== VERSION) throw new MalformedBytesError(`samples of version ${payload[0] ?? 'none'}`)
  const reader = new ByteReader(inflate(payload.subarray(1), INFLATED_BYTES_MAX))
  const all: CollectedSeries[] = []
  while (!reader.isAtEnd) {
    const [signal, labels, combine, identity, series] = JSON.parse(
      Buffer.from(reader.take(reader.unsigned())).toString(),
    ) as Meaning
    const count = reader.unsigned()
    const runs: ScrapeRun[] = []
    let endMs = 0
    let before = NaN
    for (let i = 0; i < count; i++) {
      const kind = reader.byte()
      if (kind > VALUE.stale) throw new MalformedBytesError(`a run of kind ${kind}`)
      if (kind === VALUE.new) before = floatOf(reader.word(), reader.word())
      const firstMs = endMs + reader.signed()
      const samples = reader.unsigned()
      const stepMs = samples > 1 ? reader.unsigned() : 0
      const isStale = kind === VALUE.stale
      runs.push({ firstMs, stepMs, count: samples, value: isStale ? 0 : before, isStale })
      endMs = samples > 1 ? firstMs + stepMs * (samples - 1) : firstMs
    }
    all.push({ signal, labels, combine, identity, series, runs })
  }
  return all
}

/** In place of a text with all labels of a series, of which only equality matters. */
export function shortKey(text: string): string {
  return hash('sha1', text, 'base64url').slice(0, 14)
}
