/** Remote write 1.0 bodies, made ahead of the measurement: protobuf by hand, then snappy from its reference library. */
import { compressSync } from 'snappy'
import type { FleetSeries } from './fleet.ts'

/** Fits the largest request of the benchmark: 10,000 series of less than 900 bytes. */
const SCRATCH = new Uint8Array(12 * 1024 * 1024)
const VIEW = new DataView(SCRATCH.buffer)

/** Samples `[fromScrape, toScrape)` of one series. */
export interface SeriesSlice {
  readonly series: FleetSeries
  readonly fromScrape: number
  readonly toScrape: number
  /** The samples are stale markers. */
  readonly isStale?: boolean
}

/** Stands for the stale marker, whose bits no number in JavaScript keeps. */
const STALE = Number.NaN
const STALE_BITS = 0x7ff0000000000002n

/** When a scrape was: the end of the first interval, and the step to the next; a cluster's `offsetMs` is before it. */
export interface ScrapeTimes {
  readonly firstMs: number
  readonly stepMs: number
}

/** One request, compressed. A slice becomes one TimeSeries. */
export function writeBody(slices: Iterable<SeriesSlice>, times: ScrapeTimes): Buffer {
  let at = 0
  for (const { series, fromScrape, toScrape, isStale = false } of slices) {
    const lengthAt = at + 1
    SCRATCH[at] = 0x0a // WriteRequest.timeseries
    at = lengthAt + 4
    SCRATCH.set(series.labelFields, at)
    at += series.labelFields.length
    for (let scrape = fromScrape; scrape < toScrape; scrape++) {
      const value = isStale ? STALE : series.valueAt(scrape)
      at = writeSample(at, value, times.firstMs + scrape * times.stepMs - series.offsetMs)
    }
    // A length padded to four bytes would not be what senders write: move back by what the true one leaves over.
    const bytes = at - lengthAt - 4
    const width = bytes < 0x80 ? 1 : bytes < 0x4000 ? 2 : bytes < 0x200000 ? 3 : 4
    SCRATCH.copyWithin(lengthAt + width, lengthAt + 4, at)
    writeVarint(lengthAt, bytes)
    at -= 4 - width
  }
  return compressSync(Buffer.from(SCRATCH.buffer, 0, at))
}

function writeSample(start: number, value: number, timeMs: number): number {
  SCRATCH[start] = 0x12 // TimeSeries.samples
  let at = start + 2
  if (value !== 0) {
    SCRATCH[at] = 0x09 // Sample.value; a zero is left out, as stock senders leave it out
    if (Number.isNaN(value)) VIEW.setBigUint64(at + 1, STALE_BITS, true)
    else VIEW.setFloat64(at + 1, value, true)
    at += 9
  }
  SCRATCH[at] = 0x10 // Sample.timestamp
  at = writeVarint(at + 1, timeMs)
  SCRATCH[start + 1] = at - start - 2
  return at
}

function writeVarint(start: number, value: number): number {
  let at = start
  let rest = value
  while (rest >= 0x80) {
    SCRATCH[at++] = (rest % 128) | 0x80
    rest = Math.floor(rest / 128)
  }
  SCRATCH[at++] = rest
  return at
}
