/**
 * The hot part of remote write 1.0, in AssemblyScript (compiled to WebAssembly by `npm run build:wasm`): snappy, the walk
 * over a WriteRequest as every stock sender writes it, and the hash of each label set. It has no state and no opinion
 * about bad bodies: on anything that is not plain it answers a negative number, and the decoders in TypeScript do the
 * whole body again and say what is wrong with it. So what is refused, and with which words, is decided in one place.
 *
 * Addresses are the caller's. It keeps `SLACK_BYTES` readable and writable behind the compressed and the decoded bytes,
 * because both are moved sixteen bytes at a time and past the end.
 */

/** The body is not plain: decode it in TypeScript. */
const NOT_PLAIN: i32 = -1
/** The columns are too short: make them longer and walk again. */
const NO_ROOM: i32 = -2

// Constants of the hash; label-hash.ts has the same, with the reasons.
const SPREAD_A: v128 = i32x4(0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93)
const SPREAD_B: v128 = i32x4(0xab0e9789, 0x38b34ae5, 0xa1e38b93, 0x239b961b)
const SECOND_KEY: v128 = i32x4(0x9e3779b9, 0x7f4a7c15, 0xf39cc060, 0x5cedc834)
const EVEN_LANES: v128 = i32x4(-1, 0, -1, 0)

/**
 * HOT: once per byte of every request. Decodes the elements of a snappy block in `[from, end)` to exactly `length`
 * bytes at `to`. Answers 0, or `NOT_PLAIN` when the block is broken.
 */
export function decodeSnappy(from: usize, end: usize, to: usize, length: usize): i32 {
  const start = to
  const stop = to + length
  while (from < end) {
    const tag: u32 = load<u8>(from++)
    let size: usize = (tag >>> 2) + 1
    if ((tag & 3) == 0) {
      if (size > 60) {
        const width = size - 60
        if (from + width > end) return NOT_PLAIN
        const word: usize = load<u32>(from)
        size = (width == 4 ? word : word & ((1 << (8 * width)) - 1)) + 1
        from += width
      }
      if (size == 0 || size > end - from || size > stop - to) return NOT_PLAIN
      copyForward(from, to, size)
      from += size
      to += size
      continue
    }
    let offset: usize
    if ((tag & 3) == 1) {
      if (from >= end) return NOT_PLAIN
      size = ((tag >>> 2) & 7) + 4
      offset = ((tag >>> 5) << 8) | (<u32>load<u8>(from))
      from += 1
    } else if ((tag & 3) == 2) {
      if (from + 2 > end) return NOT_PLAIN
      offset = load<u16>(from)
      from += 2
    } else {
      if (from + 4 > end) return NOT_PLAIN
      offset = load<u32>(from)
      from += 4
    }
    if (offset == 0 || offset > to - start || size > stop - to) return NOT_PLAIN
    if (offset >= 16) copyForward(to - offset, to, size)
    else repeat(to - offset, to, size)
    to += size
  }
  return to == stop ? 0 : NOT_PLAIN
}

/** HOT. Source and target are at least sixteen bytes apart, or do not overlap. Writes up to fifteen bytes too many. */
function copyForward(from: usize, to: usize, size: usize): void {
  const stop = to + size
  do {
    v128.store(to, v128.load(from))
    from += 16
    to += 16
  } while (to < stop)
}

/** A copy that repeats its own output. */
function repeat(from: usize, to: usize, size: usize): void {
  for (const stop = to + size; to < stop; ++to, ++from) store<u8>(to, load<u8>(from))
}

/**
 * HOT: once per series and sample. Walks a WriteRequest in `[start, start + length)` of which each series is its label
 * fields (of less than 128 bytes) and then its samples, and fills columns of `seriesMax` and `samplesMax` rows. Answers
 * the number of series; that of the samples is the last entry of `sampleEnd`.
 */
export function walkRequest(
  start: usize,
  length: usize,
  seriesMax: u32,
  samplesMax: u32,
  sampleEnd: usize,
  labelStart: usize,
  labelBytes: usize,
  hashes: usize,
  timesMs: usize,
  values: usize,
  key: usize,
): i32 {
  const keyed = v128.load(key)
  const end = start + length
  let at = start
  let series: u32 = 0
  let samples: u32 = 0
  // A backlog repeats its label sets in one order: comparing with the series behind the last match is cheaper than a hash.
  let likely: u32 = 0
  while (at < end) {
    if (load<u8>(at) != 0x0a) return NOT_PLAIN // WriteRequest.timeseries
    // A length of up to three bytes; a series of more than 2 MiB is not plain.
    let size: usize = load<u8>(++at)
    if (size >= 0x80) {
      const second: usize = load<u8>(++at)
      size = (size & 0x7f) | ((second & 0x7f) << 7)
      if (second >= 0x80) {
        const third: usize = load<u8>(++at)
        if (third >= 0x80) return NOT_PLAIN
        size |= third << 14
      }
    }
    at++
    if (at > end || size > end - at) return NOT_PLAIN
    const seriesEnd = at + size
    const labelsAt = at
    while (at < seriesEnd && load<u8>(at) == 0x0a) {
      const bytes: usize = load<u8>(at + 1)
      if (bytes >= 0x80) return NOT_PLAIN
      at += 2 + bytes
    }
    if (at > seriesEnd) return NOT_PLAIN
    if (series == seriesMax) return NO_ROOM
    const row = (<usize>series) << 2
    const bytes = at - labelsAt
    store<u32>(labelStart + row, <u32>(labelsAt - start))
    store<u32>(labelBytes + row, <u32>bytes)
    const known = (<usize>likely) << 2
    if (
      likely < series &&
      load<u32>(labelBytes + known) == <u32>bytes &&
      isSame(start + load<u32>(labelStart + known), labelsAt, bytes)
    ) {
      v128.store(hashes + (row << 2), v128.load(hashes + (known << 2)))
      likely++
    } else {
      v128.store(hashes + (row << 2), hashBytes(keyed, labelsAt, bytes))
      likely = 0
    }
    while (at < seriesEnd) {
      if (load<u8>(at) != 0x12) return NOT_PLAIN // TimeSeries.samples
      const bytes: usize = load<u8>(at + 1)
      at += 2
      const sampleEndAt = at + bytes
      if (bytes >= 0x80 || sampleEndAt > seriesEnd) return NOT_PLAIN
      if (samples == samplesMax) return NO_ROOM
      let bits: u64 = 0
      if (at + 9 <= sampleEndAt && load<u8>(at) == 0x09) {
        bits = load<u64>(at + 1)
        at += 9
      }
      let time: u64 = 0
      if (at < sampleEndAt) {
        if (load<u8>(at++) != 0x10) return NOT_PLAIN
        let shift: u64 = 0
        for (;;) {
          if (at == sampleEndAt || shift > 49) return NOT_PLAIN // far beyond any time
          const byte: u64 = load<u8>(at++)
          time |= (byte & 0x7f) << shift
          if (byte < 0x80) break
          shift += 7
        }
        if (at != sampleEndAt) return NOT_PLAIN
      }
      const column = (<usize>samples) << 3
      store<f64>(timesMs + column, <f64>time)
      store<u64>(values + column, bits)
      samples++
    }
    store<u32>(sampleEnd + row, samples)
    series++
  }
  return <i32>series
}

/** HOT. Whether `length` bytes are the same; the last ones are compared twice. */
function isSame(a: usize, b: usize, length: usize): bool {
  if (length < 16) {
    for (let i: usize = 0; i < length; ++i) if (load<u8>(a + i) != load<u8>(b + i)) return false
    return true
  }
  const last = length - 16
  for (let i: usize = 0; i < last; i += 16) {
    if (v128.any_true(v128.xor(v128.load(a + i), v128.load(b + i)))) return false
  }
  return !v128.any_true(v128.xor(v128.load(a + last), v128.load(b + last)))
}

/** The hash of `length` bytes under the key at `key`, 16 bytes at `target`: what `walkRequest` notes for a series. */
export function hashTo(target: usize, key: usize, start: usize, length: usize): void {
  v128.store(target, hashBytes(v128.load(key), start, length))
}

/** HOT: once per series, over some 500 bytes. label-hash.ts defines it. */
function hashBytes(key: v128, at: usize, length: usize): v128 {
  let even = key
  let odd = v128.xor(key, SECOND_KEY)
  let left = length
  while (left >= 32) {
    even = round(even, v128.load(at))
    odd = round(odd, v128.load(at, 16))
    at += 32
    left -= 32
  }
  if (left >= 16) {
    even = round(even, v128.load(at))
    at += 16
    left -= 16
  }
  if (left > 0) odd = round(odd, lastBytes(at, left))
  let state = v128.xor(even, i32x4.splat(<i32>length))
  for (let pass = 0; pass < 3; ++pass) {
    state = mixLanes(scramble(state))
    odd = mixLanes(scramble(odd))
    state = i32x4.add(state, odd)
  }
  return scramble(state)
}

/** 1 to 15 bytes, zeros behind them. The bytes behind `at` may be anything. */
function lastBytes(at: usize, count: usize): v128 {
  const low = load<u64>(at)
  const high = load<u64>(at, 8)
  if (count >= 8) {
    const kept: u64 = count == 8 ? 0 : high & (((<u64>1) << (8 * (count - 8))) - 1)
    return i64x2.replace_lane(i64x2.splat(low), 1, kept)
  }
  return i64x2.replace_lane(i64x2.splat(0), 0, low & (((<u64>1) << (8 * count)) - 1))
}

function round(state: v128, block: v128): v128 {
  const spread = i32x4.mul(rotate(i32x4.mul(block, SPREAD_A), 15), SPREAD_B)
  return mixLanes(rotate(v128.xor(state, spread), 13))
}

/** Adds the odd lanes to the even ones, then moves each lane one down. */
function mixLanes(state: v128): v128 {
  const odds = v128.and(v128.shuffle<i32>(state, state, 1, 1, 3, 3), EVEN_LANES)
  const mixed = i32x4.add(state, odds)
  return v128.shuffle<i32>(mixed, mixed, 1, 2, 3, 0)
}

function rotate(lanes: v128, bits: i32): v128 {
  return v128.or(i32x4.shl(lanes, bits), i32x4.shr_u(lanes, 32 - bits))
}

function scramble(lanes: v128): v128 {
  let x = v128.xor(lanes, i32x4.shr_u(lanes, 16))
  x = i32x4.mul(x, i32x4.splat(0x85ebca6b))
  x = v128.xor(x, i32x4.shr_u(x, 13))
  x = i32x4.mul(x, i32x4.splat(0xc2b2ae35))
  return v128.xor(x, i32x4.shr_u(x, 16))
}
