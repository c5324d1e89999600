import { RunColumns } from '../../model/run-columns.ts'
import { MalformedBytesError } from '../bytes.ts'
import type { RunList } from '../head/run-list.ts'
import {
  POWERS,
  HEAD_MAX,
  IS_ABSOLUTE_START,
  IS_EXPECTED_START,
  IS_LONG,
  IS_SAME_DELTA,
  VALUE_DECIMAL,
  VALUE_MASK,
  VALUE_SAME,
} from './chunk-codec.ts'

/**
 * The chunk decoder. It writes directly into the columns of a query, without a call per number: a fleet's counters have
 * one run per sample, and this loop dominates a range query over them.
 */

/** A run of one sample with the expected start whose value is a difference. */
const NEXT_DECIMAL = IS_EXPECTED_START | VALUE_DECIMAL

const float = new Float64Array(1)
const floatWords = new Int32Array(float.buffer)

/** The reader's position and the number read: two results without allocating an object per number. */
let at = 0

/** HOT. An unsigned number at `at`, of more than one byte or not; at most 9 bytes. */
function unsigned(bytes: Uint8Array): number {
  let byte = bytes[at++]!
  if (byte < 0x80) return byte
  let value = byte & 0x7f
  let scale = 0x80
  do {
    byte = bytes[at++]!
    value += (byte & 0x7f) * scale
    scale *= 0x80
  } while (byte >= 0x80 && scale < 2 ** 63)
  return value
}

/** HOT. */
function signed(bytes: Uint8Array): number {
  const first = bytes[at++]!
  const size = first < 0x80 ? first & 0x3f : (first & 0x3f) + unsigned(bytes) * 0x40
  return (first & 0x40) === 0 ? size : -size
}

/**
 * HOT: once per run. Adds the samples of a chunk with times in `[fromMs, toMs]` to the row that `into` is at. Throws
 * `MalformedBytesError`; it never reads outside of `[offset, end)` to any effect, because a chunk that was read past
 * its end is refused.
 */
export function readRuns(
  bytes: Uint8Array,
  offset: number,
  end: number,
  chunkFromMs: number,
  fromMs: number,
  toMs: number,
  into: RunColumns,
): void {
  const power = POWERS[bytes[offset]!]
  if (power === undefined || end <= offset) throw new MalformedBytesError('chunk of an unknown kind')
  at = offset + 1
  const runCount = unsigned(bytes)
  let headAt = at
  at += runCount
  if (!(at <= end)) throw new MalformedBytesError(`chunk of ${runCount} runs in ${end - offset} bytes`)
  into.reserve(runCount)
  const { startsMs, deltasMs, counts, values, words } = into
  let row = into.count
  let lastMs = chunkFromMs
  let deltaMs = 0
  let scaled = 0
  let value = 0
  let low = 0
  let high = 0
  // A value of decimals is a number, any other its words: bits of a NaN do not survive being a number.
  let isWords = false
  for (let run = 0; run < runCount; run++) {
    const head = bytes[headAt++]!
    // What a counter has, sample by sample: on time, and a small integer more than before.
    if (head === NEXT_DECIMAL) {
      const first = bytes[at]!
      const second = bytes[at + 1]!
      let difference
      if (first < 0x80) {
        difference = first & 0x3f
        at++
      } else if (second < 0x80) {
        difference = (first & 0x3f) + second * 0x40
        at += 2
      } else {
        at++
        difference = (first & 0x3f) + unsigned(bytes) * 0x40
      }
      scaled += (first & 0x40) === 0 ? difference : -difference
      value = power === 1 ? scaled : scaled / power
      isWords = false
      lastMs += deltaMs
      if (lastMs < fromMs) continue
      if (lastMs > toMs) break
      startsMs[row] = lastMs
      counts[row] = 1
      values[row++] = value
      continue
    }
    if (head > HEAD_MAX) throw new MalformedBytesError(`unknown head byte ${head}`)
    let startMs = (head & IS_ABSOLUTE_START) === 0 ? lastMs + deltaMs : 0
    if ((head & IS_EXPECTED_START) === 0) startMs += signed(bytes)
    let count = 1
    if ((head & IS_LONG) === 0) deltaMs = startMs - lastMs
    else {
      count = unsigned(bytes)
      if ((head & IS_SAME_DELTA) === 0) deltaMs = unsigned(bytes)
      if (count < 2 || deltaMs < 1) throw new MalformedBytesError(`run of ${count} samples, ${deltaMs} ms apart`)
    }
    const kind = head & VALUE_MASK
    if (kind === VALUE_DECIMAL) {
      scaled += signed(bytes)
      value = scaled / power
      isWords = false
    } else if (kind !== VALUE_SAME) {
      if (kind === VALUE_MASK) throw new MalformedBytesError(`unknown kind of value in head byte ${head}`)
      if (!isWords) {
        float[0] = value
        low = floatWords[0]!
        high = floatWords[1]!
        isWords = true
      }
      const place = bytes[at++]!
      const last = place & 15
      if (last > 7 || place >> 4 > last) throw new MalformedBytesError(`changed bytes ${place >> 4} to ${last}`)
      for (let i = place >> 4; i <= last; i++) {
        if (i < 4) low ^= bytes[at++]! << (i * 8)
        else high ^= bytes[at++]! << ((i - 4) * 8)
      }
    }
    lastMs = count === 1 ? startMs : startMs + deltaMs * (count - 1)
    if (lastMs < fromMs) continue
    // Samples after the range stay undecoded.
    if (startMs > toMs) {
      lastMs = startMs
      break
    }
    let cutMs = startMs
    let left = count
    if (count > 1) {
      if (startMs < fromMs) {
        const first = Math.ceil((fromMs - startMs) / deltaMs)
        cutMs = startMs + deltaMs * first
        left = count - first
        if (cutMs > toMs) continue
      }
      if (lastMs > toMs) left = Math.floor((toMs - cutMs) / deltaMs) + 1
    }
    startsMs[row] = cutMs
    deltasMs[row] = deltaMs
    counts[row] = left
    if (isWords) {
      words[row * 2] = low
      words[row * 2 + 1] = high
    } else values[row] = value
    row++
  }
  if (at > end || (at < end && !(lastMs > toMs))) {
    throw new MalformedBytesError(`chunk that ends ${at < end ? 'before' : 'after'} its place`)
  }
  into.count = row
}

const decoded = new RunColumns()

/** Adds the runs of a chunk that starts at `fromMs` to `into`. Throws `MalformedBytesError`. */
export function decodeChunk(payload: Uint8Array, fromMs: number, into: RunList): void {
  decoded.clear(Infinity)
  readRuns(payload, 0, payload.length, fromMs, -Infinity, Infinity, decoded)
  const { startsMs, deltasMs, counts, words } = decoded
  for (let run = 0; run < decoded.count; run++) {
    const startMs = startsMs[run]!
    if (!Number.isSafeInteger(startMs)) throw new MalformedBytesError(`run at ${startMs}`)
    const count = counts[run]!
    into.pushRun(startMs, count === 1 ? 0 : deltasMs[run]!, count, words[run * 2]!, words[run * 2 + 1]!)
  }
}
