import type { Histogram } from '../../model/histogram.ts'
import { ByteReader, ByteWriter, deflate, inflate, MalformedBytesError } from '../bytes.ts'
import { readHistogram, writeHistogram } from '../head/histogram-codec.ts'

/** Histograms of one series, oldest first, deflated as one. Drawn in README.md. */

const VERSION = 1

export interface TimedHistogram {
  readonly timeMs: number
  readonly histogram: Histogram
}

/** At least one, times rising. */
export function encodeHistogramPack(histograms: readonly TimedHistogram[]): Uint8Array {
  const bytes = new ByteWriter()
  bytes.byte(VERSION)
  bytes.reserve(10)
  bytes.unsigned(histograms.length)
  let beforeMs = 0
  let stepMs = 0
  let before: Histogram | undefined
  for (const { timeMs, histogram } of histograms) {
    bytes.reserve(10)
    // Scrapes are evenly spaced: the deviation from the expected time is stored.
    const isFirst = before === undefined
    bytes.signed(isFirst ? timeMs : timeMs - beforeMs - stepMs)
    if (!isFirst) stepMs = timeMs - beforeMs
    beforeMs = timeMs
    writeHistogram(bytes, histogram, before)
    before = histogram
  }
  return deflate(bytes.take(), {})
}

/** Throws `MalformedBytesError`. */
export function decodeHistogramPack(deflated: Uint8Array): TimedHistogram[] {
  const bytes = new ByteReader(inflate(deflated))
  const version = bytes.byte()
  if (version !== VERSION) throw new MalformedBytesError(`histogram pack version ${version}, want ${VERSION}`)
  const count = bytes.unsigned()
  const histograms: TimedHistogram[] = []
  let timeMs = 0
  let stepMs = 0
  let before: Histogram | undefined
  for (let i = 0; i < count; i++) {
    const lateMs = bytes.signed()
    if (before !== undefined) stepMs += lateMs
    timeMs = before === undefined ? lateMs : timeMs + stepMs
    before = readHistogram(bytes, before)
    histograms.push({ timeMs, histogram: before })
  }
  if (!bytes.isAtEnd) throw new MalformedBytesError('bytes after the last histogram')
  return histograms
}
