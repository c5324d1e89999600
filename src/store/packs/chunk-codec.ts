import { byteOf, ByteWriter, floatOf } from '../bytes.ts'
import type { RunList } from '../head/run-list.ts'

/**
 * The payload of a chunk: the runs of one series, oldest first. A run is encoded as the difference from the run before:
 * an expected start takes no bytes, a value with few decimals takes its difference, any other value takes the bytes
 * that differ. The encoder picks the number of decimals per chunk that gives the shorter payload. The head bytes of all
 * runs are stored together, because deflate compresses them best that way. chunk-reader.ts decodes. Drawn in README.md.
 */
export const VALUE_MASK = 3
export const VALUE_SAME = 0
export const VALUE_DECIMAL = 1
const VALUE_BITS = 2
/** The run has more than one sample. */
export const IS_LONG = 4
/** It starts one distance after the last sample before it. */
export const IS_EXPECTED_START = 8
/** Its distance is the one of before. */
export const IS_SAME_DELTA = 16
/** The start is stored in full, because its difference from the expected start is not exact. */
export const IS_ABSOLUTE_START = 32
export const HEAD_MAX = VALUE_MASK | IS_LONG | IS_EXPECTED_START | IS_SAME_DELTA | IS_ABSOLUTE_START
/** Five numbers of at most 8 bytes, or 9 for the bits of a value. */
const RUN_BYTES_MAX = 41

/** Powers that are exact floats, and as many decimals as a person writes. */
export const POWERS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const
const DECIMALS_MAX = POWERS.length - 1

const heads = new ByteWriter()
const rest = new ByteWriter()

/** Encodes a non-empty list. Omits the start of the first run: the directory has it. */
export function encodeChunk(runs: RunList): Uint8Array {
  const decimals = decimalsOf(runs)
  const withDecimals = encodeScaled(runs, decimals)
  if (decimals === 0) return withDecimals
  const plain = encodeScaled(runs, 0)
  return plain.length < withDecimals.length ? plain : withDecimals
}

/** HOT in flush. */
function encodeScaled(runs: RunList, decimals: number): Uint8Array {
  const power = POWERS[decimals]!
  heads.clear()
  heads.reserve(10 + runs.count)
  heads.byte(decimals)
  heads.unsigned(runs.count)
  rest.clear()
  let lastMs = runs.startsMs[0]!
  let deltaMs = 0
  let scaled = 0
  let low = 0
  let high = 0
  for (let run = 0; run < runs.count; run++) {
    rest.reserve(RUN_BYTES_MAX)
    const startMs = runs.startsMs[run]!
    const count = runs.counts[run]!
    const runLow = runs.lows[run]!
    const runHigh = runs.highs[run]!
    // The distance to the sample before: a series that changes with each scrape is all runs of one sample.
    const runDeltaMs = count > 1 ? runs.deltasMs[run]! : startMs - lastMs
    const value = floatOf(runLow, runHigh)
    const runScaled = Math.round(value * power)
    const difference = runScaled - scaled
    let head = VALUE_BITS
    if (runLow === low && runHigh === high) head = VALUE_SAME
    else if (isExact(value, runHigh, runScaled, power) && scaled + difference === runScaled) {
      if (Number.isSafeInteger(difference)) head = VALUE_DECIMAL
    }
    const expectedMs = lastMs + deltaMs
    const lateMs = startMs - expectedMs
    if (expectedMs === startMs) head |= IS_EXPECTED_START
    else if (!Number.isSafeInteger(lateMs) || expectedMs + lateMs !== startMs) head |= IS_ABSOLUTE_START
    if (count > 1) head |= IS_LONG | (runDeltaMs === deltaMs ? IS_SAME_DELTA : 0)
    heads.byte(head)
    if ((head & IS_EXPECTED_START) === 0) rest.signed((head & IS_ABSOLUTE_START) === 0 ? lateMs : startMs)
    if (count > 1) {
      rest.unsigned(count)
      if ((head & IS_SAME_DELTA) === 0) rest.unsigned(runDeltaMs)
    }
    if ((head & VALUE_MASK) === VALUE_DECIMAL) {
      rest.signed(difference)
      scaled = runScaled
    } else if ((head & VALUE_MASK) === VALUE_BITS) writeChangedBytes(runLow ^ low, runHigh ^ high)
    low = runLow
    high = runHigh
    deltaMs = runDeltaMs
    lastMs = runs.lastMsOf(run)
  }
  const payload = new Uint8Array(heads.length + rest.length)
  payload.set(heads.bytes.subarray(0, heads.length))
  payload.set(rest.bytes.subarray(0, rest.length), heads.length)
  return payload
}

/** The decimals that most values need; 0 when they are integers, or when decimals do not help. */
function decimalsOf(runs: RunList): number {
  let most = 0
  let beyond = 0
  for (let run = 0; run < runs.count; run++) {
    const value = floatOf(runs.lows[run]!, runs.highs[run]!)
    let decimals = most
    while (
      decimals <= DECIMALS_MAX &&
      !isExact(value, runs.highs[run]!, Math.round(value * POWERS[decimals]!), POWERS[decimals]!)
    ) {
      decimals++
    }
    if (decimals <= DECIMALS_MAX) most = decimals
    // A series of floats of full length is given up on early.
    else if (++beyond > 8 && beyond * 2 > run) return 0
  }
  return most
}

/** Whether `value` can be restored bit by bit from its scaled form. */
function isExact(value: number, high: number, scaled: number, power: number): boolean {
  return Number.isSafeInteger(scaled) && scaled / power === value && (value !== 0 || high === 0)
}

/** One byte with the number of equal bytes at the high end and at the low end, then the bytes between. */
function writeChangedBytes(low: number, high: number): void {
  let first = 0
  while (first < 7 && byteOf(low, high, first) === 0) first++
  let last = 7
  while (last > first && byteOf(low, high, last) === 0) last--
  rest.byte((first << 4) | last)
  for (let i = first; i <= last; i++) rest.byte(byteOf(low, high, i))
}
