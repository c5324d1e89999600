import { ByteReader, ByteWriter, floatOf, highWordOf, lowWordOf, MalformedBytesError } from './bytes.ts'
import type { RunList } from './run-list.ts'

/**
 * The payload of a chunk: the runs of one series, oldest first. A run is written against the one before it: a start
 * where it was expected costs nothing, an integer costs its difference. Drawn in README.md.
 */
const CHUNK_VERSION = 1

const VALUE_MASK = 3
const VALUE_SAME = 0
const VALUE_INTEGER = 1
const VALUE_BITS = 2
/** The run has more than one sample. */
const IS_LONG = 4
/** It starts one distance after the last sample before it. */
const IS_EXPECTED_START = 8
/** Its distance is the one of before. */
const IS_SAME_DELTA = 16
/** Its start is written whole, because the difference to where it was expected is not exact. */
const IS_ABSOLUTE_START = 32
const HEAD_MAX = VALUE_MASK | IS_LONG | IS_EXPECTED_START | IS_SAME_DELTA | IS_ABSOLUTE_START
/** A head byte and five numbers of at most 8 bytes. */
const RUN_BYTES_MAX = 41

const bytes = new ByteWriter()

/** Encodes a whole list; not for an empty one. */
export function encodeChunk(runs: RunList): Uint8Array {
  bytes.clear()
  bytes.reserve(16)
  bytes.byte(CHUNK_VERSION)
  let lastMs = 0
  let deltaMs = 0
  let integer = 0
  let low = 0
  let high = 0
  for (let run = 0; run < runs.count; run++) {
    bytes.reserve(RUN_BYTES_MAX)
    const startMs = runs.startsMs[run]!
    const count = runs.counts[run]!
    const runLow = runs.lows[run]!
    const runHigh = runs.highs[run]!
    // The distance to the sample before: a series that changes with each scrape is all runs of one sample.
    const gapMs = startMs - lastMs
    const runDeltaMs = count > 1 ? runs.deltasMs[run]! : gapMs
    const value = floatOf(runLow, runHigh)
    const difference = value - integer
    let head = VALUE_BITS
    if (runLow === low && runHigh === high) head = VALUE_SAME
    else if (isExactDifference(value, runHigh, integer, difference)) head = VALUE_INTEGER
    const expectedMs = lastMs + deltaMs
    const lateMs = startMs - expectedMs
    if (expectedMs === startMs) head |= IS_EXPECTED_START
    else if (!Number.isSafeInteger(lateMs) || expectedMs + lateMs !== startMs) head |= IS_ABSOLUTE_START
    if (count > 1) head |= IS_LONG | (runDeltaMs === deltaMs ? IS_SAME_DELTA : 0)
    bytes.byte(head)
    if ((head & IS_EXPECTED_START) === 0) bytes.signed((head & IS_ABSOLUTE_START) === 0 ? lateMs : startMs)
    if (count > 1) {
      bytes.unsigned(count)
      if ((head & IS_SAME_DELTA) === 0) bytes.unsigned(runDeltaMs)
    }
    if ((head & VALUE_MASK) === VALUE_INTEGER) {
      bytes.signed(difference)
      integer = value
    } else if ((head & VALUE_MASK) === VALUE_BITS) bytes.words(runLow, runHigh)
    low = runLow
    high = runHigh
    deltaMs = runDeltaMs
    lastMs = runs.lastMsOf(run)
  }
  return bytes.take()
}

/** Adds the runs of a chunk to `into`. Throws `MalformedBytesError`. */
export function decodeChunk(payload: Uint8Array, into: RunList): void {
  const reader = new ByteReader(payload)
  const version = reader.byte()
  if (version !== CHUNK_VERSION) throw new MalformedBytesError(`chunk version ${version}, want ${CHUNK_VERSION}`)
  let lastMs = 0
  let deltaMs = 0
  let integer = 0
  let low = 0
  let high = 0
  while (!reader.isAtEnd) {
    const head = reader.byte()
    if (head > HEAD_MAX) throw new MalformedBytesError(`unknown head byte ${head}`)
    let startMs = (head & IS_ABSOLUTE_START) === 0 ? lastMs + deltaMs : 0
    if ((head & IS_EXPECTED_START) === 0) startMs += reader.signed()
    let count = 1
    if ((head & IS_LONG) === 0) deltaMs = startMs - lastMs
    else {
      count = reader.unsigned()
      if ((head & IS_SAME_DELTA) === 0) deltaMs = reader.unsigned()
      if (count < 2 || deltaMs < 1) throw new MalformedBytesError(`run of ${count} samples, ${deltaMs} ms apart`)
    }
    switch (head & VALUE_MASK) {
      case VALUE_SAME:
        break
      case VALUE_INTEGER:
        integer += reader.signed()
        low = lowWordOf(integer)
        high = highWordOf(integer)
        break
      case VALUE_BITS:
        low = reader.word()
        high = reader.word()
        break
      default:
        throw new MalformedBytesError(`unknown kind of value in head byte ${head}`)
    }
    into.pushRun(startMs, count > 1 ? deltaMs : 0, count, low, high)
    lastMs = startMs + (count > 1 ? deltaMs * (count - 1) : 0)
  }
}

/** Whether `value` is an integer that comes back exactly from the last integer and the difference. */
function isExactDifference(value: number, high: number, integer: number, difference: number): boolean {
  return (
    Number.isSafeInteger(value) &&
    Number.isSafeInteger(difference) &&
    integer + difference === value &&
    (value !== 0 || high === 0)
  )
}
