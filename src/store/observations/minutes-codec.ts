import { ByteReader, ByteWriter, MalformedBytesError } from '../bytes.ts'

/**
 * The minutes of actions at nearly even intervals, as runs of equal steps: a pull every half hour for a year is one
 * run, and each restart of a Collector begins another. The bytes are a function of the set of minutes.
 *
 * ```
 * minutes | 1 | gap | step | more | gap | step | more | ...     gap: from the minute before; step: between the minutes of
 *                                                               the run, 0 when it is one; more: minutes after the first
 * ```
 */
const VERSION = 1

/** @param minutes rising, none twice */
export function packMinutes(minutes: readonly number[]): Uint8Array {
  const writer = new ByteWriter(32)
  writer.byte(VERSION)
  let before = 0
  for (let i = 0; i < minutes.length;) {
    const first = minutes[i]!
    const step = i + 1 < minutes.length ? minutes[i + 1]! - first : 0
    let last = i
    while (step > 0 && last + 1 < minutes.length && minutes[last + 1]! - minutes[last]! === step) last++
    writer.reserve(32)
    writer.unsigned(first - before)
    writer.unsigned(step)
    writer.unsigned(last - i)
    before = minutes[last]!
    i = last + 1
  }
  return writer.take()
}

/** As many as a year of pulls every minute; a larger set was never written. */
const MINUTES_MAX = 2_000_000

export function unpackMinutes(payload: Uint8Array): number[] {
  const reader = new ByteReader(payload)
  const version = reader.byte()
  if (version !== VERSION) throw new MalformedBytesError(`minutes of version ${version}`)
  const minutes: number[] = []
  let before = 0
  while (!reader.isAtEnd) {
    const first = before + reader.unsigned()
    const step = reader.unsigned()
    const more = reader.unsigned()
    if (minutes.length + more > MINUTES_MAX || !Number.isSafeInteger(first + step * more)) {
      throw new MalformedBytesError(`a run of ${more} minutes`)
    }
    for (let i = 0; i <= more; i++) minutes.push(first + step * i)
    before = first + step * more
  }
  return minutes
}
