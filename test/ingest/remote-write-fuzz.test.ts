import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseFaro } from '../../src/wire/faro.ts'
import { INGEST_DEFAULTS } from '../../src/ingest/options.ts'
import { FARO_LIMITS, acceptFaro } from '../../src/ingest/faro.ts'
import { Intake } from '../../src/ingest/intake.ts'
import { createRemoteWriteIngest } from '../../src/ingest/remote-write.ts'
import { Labels } from '../../src/model/labels.ts'
import { DecodeError } from '../../src/wire/decode-error.ts'
import { encodeWriteRequest } from '../../src/wire/remote-write-encode.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import { MemoryAppender } from '../support/memory-appender.ts'

const NOW_MS = 1_787_220_000_000
const OPTIONS = { ...INGEST_DEFAULTS, decodedBytesMax: 64 * 1024 }

/** A small fleet's request: several series, values of all sorts, labels short and long. */
const REQUEST = encodeWriteRequest(
  ['a', 'b', 'c'].flatMap((cluster, i) => [
    { labels: Labels.of({ __name__: 'up', cluster }), samples: [{ timeMs: NOW_MS + i, value: i }] },
    {
      labels: Labels.of({ __name__: 'kubevirt_vmi_info', cluster_id: cluster, long: 'x'.repeat(150), 'ž.': '😀' }),
      samples: [
        { timeMs: NOW_MS - 5000, value: -0.5 },
        { timeMs: NOW_MS, value: 0, isStale: true },
      ],
    },
  ]),
)

const GOOD_BODY = encodeSnappy(REQUEST)

/** Bytes changed, put in, taken out, or cut off at the end. */
function mutated(whole: Uint8Array): fc.Arbitrary<Uint8Array> {
  const edit = fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.constantFrom('set', 'insert', 'remove', 'cut') })
  return fc.array(edit, { minLength: 1, maxLength: 6 }).map((edits) => {
    const bytes = [...whole]
    for (const { at, byte, kind } of edits) {
      const place = at % (bytes.length + 1)
      if (kind === 'set') bytes[place] = byte
      else if (kind === 'insert') bytes.splice(place, 0, byte)
      else if (kind === 'remove') bytes.splice(place, 1)
      else if (at % 4 === 0) bytes.length = place
    }
    return Uint8Array.from(bytes)
  })
}

/** Writes a body and checks what must hold for any. */
function check(body: Uint8Array): void {
  const appender = new MemoryAppender()
  const ingest = createRemoteWriteIngest({
    intake: new Intake(appender, OPTIONS),
    drawKey: () => Int32Array.of(1, 2, 3, 4),
  })
  const outcome = ingest.write(body, { nowMs: NOW_MS })
  const isBroken = outcome.refusals.some(({ reason }) => reason === 'bad_encoding' || reason === 'request_too_large')
  if (isBroken) expect([appender.seriesCount, appender.sampleCount]).toEqual([0, 0])
  const refused = outcome.refusals.reduce((sum, { count }) => sum + count, 0)
  const { samplesIn, samplesTaken, histogramsIn, histogramsTaken } = outcome
  if (!isBroken) expect(samplesTaken + histogramsTaken + refused).toBe(samplesIn + histogramsIn)
  expect(appender.sampleCount).toBeLessThanOrEqual(samplesTaken + histogramsTaken)
  expect(outcome.status === 204).toBe(refused === 0)
  expect(Buffer.byteLength(outcome.message)).toBeLessThanOrEqual(1024)
  // Whatever came before, a good request is taken whole.
  expect(ingest.write(GOOD_BODY, { nowMs: NOW_MS }).samplesIn).toBe(9)
}

describe('whatever is sent', () => {
  test('broken compression never throws and appends nothing', () => {
    fc.assert(fc.property(mutated(GOOD_BODY), check), { seed: 1, numRuns: 100 })
  })

  test('broken messages never throw and append nothing', () => {
    fc.assert(
      fc.property(mutated(REQUEST), (bytes) => {
        check(encodeSnappy(bytes))
      }),
      { seed: 2, numRuns: 250 },
    )
  })

  test('neither do bytes that were never a request', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        check(bytes)
        check(encodeSnappy(bytes))
      }),
      { seed: 3, numRuns: 80 },
    )
  })

  test('any JSON is a faro payload or a DecodeError, and its items are bounded', () => {
    const item = fc.oneof(
      fc.jsonValue(),
      fc.record({ timestamp: fc.string(), context: fc.jsonValue(), values: fc.jsonValue() }),
    )
    const payload = fc.oneof(
      fc.jsonValue(),
      fc.record({
        meta: fc.jsonValue(),
        logs: fc.array(item),
        measurements: fc.array(item),
        exceptions: fc.array(item),
        traces: fc.jsonValue(),
      }),
    )
    fc.assert(
      fc.property(payload, (value) => {
        try {
          const items = acceptFaro(parseFaro(Buffer.from(JSON.stringify(value)), FARO_LIMITS), NOW_MS)
          expect(items.records.length).toBeLessThanOrEqual(FARO_LIMITS.itemsMax)
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError)
        }
      }),
      { seed: 4, numRuns: 80 },
    )
  })

  test('mutated faro bodies too', () => {
    const body = Buffer.from(
      JSON.stringify({ meta: { page: { url: 'u' } }, logs: [{ message: 'm' }], events: [{ name: 'é' }] }),
    )
    fc.assert(
      fc.property(mutated(body), (bytes) => {
        try {
          acceptFaro(parseFaro(bytes, FARO_LIMITS), NOW_MS)
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError)
        }
      }),
      { seed: 5, numRuns: 80 },
    )
  })
})
