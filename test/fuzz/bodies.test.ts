import { uncompressSync } from 'snappy'
import { describe, expect, test } from 'vitest'
import { FARO_LIMITS, receiveFaro } from '../../src/ingest/faro.ts'
import { Intake } from '../../src/ingest/intake.ts'
import { INGEST_DEFAULTS } from '../../src/ingest/options.ts'
import { createOtlpMetricsIngest } from '../../src/ingest/otlp/metrics.ts'
import { OTLP_DEFAULTS } from '../../src/ingest/otlp/options.ts'
import { createRemoteWriteIngest } from '../../src/ingest/remote-write.ts'
import type { Refusal } from '../../src/model/refusal.ts'
import { STORE_DEFAULTS } from '../../src/store/options.ts'
import { openWriter } from '../../src/store/writer.ts'
import { DecodeError } from '../../src/wire/decode-error.ts'
import { hashLabels } from '../../src/wire/label-hash.ts'
import { PlainWriteDecoder } from '../../src/wire/plain-write-decoder.ts'
import { WriteRequestDecoder } from '../../src/wire/remote-write.ts'
import { SnappyDecoder, encodeSnappy } from '../../src/wire/snappy.ts'
import type { WriteBatch } from '../../src/wire/write-batch.ts'
import { tempDir } from '../support/temp-dir.ts'
import { FARO, NOW_MS, OTLP_JSON, OTLP_PROTOBUF, SNAPPY_BLOCKS, V1, V2, numbered } from './bodies.ts'
import { damaged, mutated, mutatedJson, pick, randomOf, type Random } from './mutate.ts'
import { NotingAppender } from './noting-appender.ts'

// Bodies that went wrong, through the whole of ingest into a real store. Whatever comes: nothing is thrown (which would be
// a 5xx, and be repeated for ever), a refused body leaves nothing behind, every sample is taken or counted as refused,
// and what is good beside something bad is taken.

/** A million are for the hand: DAYTWO_FUZZ_BODIES=1000000 npx vitest run test/fuzz */
const BODIES = Number(process.env['DAYTWO_FUZZ_BODIES'] ?? 2000)
/** Another seed draws other bodies. */
const SEED = Number(process.env['DAYTWO_FUZZ_SEED'] ?? 1)
/** A store is left before what it has learned takes long to close. */
const BODIES_PER_STORE = 20_000
const LIMIT_BYTES = 256 * 1024
const TIMEOUT_MS = 120_000 + BODIES * 5

const OPTIONS = { ...INGEST_DEFAULTS, decodedBytesMax: LIMIT_BYTES }

interface Rig {
  readonly appender: NotingAppender
  readonly remote: ReturnType<typeof createRemoteWriteIngest>
  readonly otlp: ReturnType<typeof createOtlpMetricsIngest>
}

/** Runs `each` for every body of this run, in stores of bounded size; a failure says which body it was. */
async function forBodies(each: (rig: Rig, random: Random) => void): Promise<void> {
  for (let first = 0; first < BODIES; first += BODIES_PER_STORE) {
    const dir = tempDir('fuzz')
    const writer = openWriter({ ...STORE_DEFAULTS, dir: dir.path }, NOW_MS)
    const appender = new NotingAppender(writer.appender)
    const intake = new Intake(appender, OPTIONS)
    const rig = {
      appender,
      remote: createRemoteWriteIngest({ intake, drawKey: () => Int32Array.of(1, 2, 3, 4) }),
      otlp: createOtlpMetricsIngest({ intake, otlp: OTLP_DEFAULTS }),
    }
    try {
      for (let number = first; number < Math.min(BODIES, first + BODIES_PER_STORE); number++) {
        try {
          each(rig, randomOf(SEED * 1_000_003 + number))
        } catch (cause) {
          throw new Error(`body ${number} of seed ${SEED}: ${String(cause)}`, { cause })
        }
        if (number % 500 === 499) await appender.commit()
      }
    } finally {
      await writer.close()
      dir.remove()
    }
  }
}

/** Messages mutated inside a sound block, or a mutated block. */
function block(random: Random, { blocks, messages }: typeof V1): Uint8Array {
  return random(4) === 0 ? mutated(random, blocks) : encodeSnappy(mutated(random, messages))
}

interface Counts {
  readonly status: number
  readonly message: string
  readonly refusals: readonly Refusal[]
}

/** What must hold of any outcome. @param accounted taken, refused and duplicate ones together, when the body was read */
function check({ appender }: Rig, outcome: Counts, received: number, accounted: number): void {
  const refused = outcome.refusals.reduce((sum, { count }) => sum + count, 0)
  const isBroken = outcome.refusals.some(({ reason }) => reason === 'bad_encoding' || reason === 'request_too_large')
  if (isBroken) {
    if (outcome.status !== 400 || refused !== 1) throw new Error(`a broken body is a 400: ${JSON.stringify(outcome)}`)
    if (appender.seriesAsked + appender.samplesOffered > 0) throw new Error('a refused body left something behind')
  } else if (accounted + refused !== received) {
    throw new Error(`${received} came, ${accounted} taken and ${refused} refused: ${JSON.stringify(outcome)}`)
  }
  if (Buffer.byteLength(outcome.message) > 1024) throw new Error('the message is longer than senders read')
}

/** Where the payload of a message of one length-delimited field starts. */
function payloadAt(message: Uint8Array): number {
  let at = 1
  while (message[at]! >= 0x80) at++
  return at + 1
}

const PARTS = 6

/** One of several messages damaged inside its frame; answers the numbers of the others, too. */
function withOneDamaged(random: Random, parts: readonly Uint8Array[]): { body: Uint8Array; good: readonly number[] } {
  const bad = random(parts.length)
  const body = Buffer.concat(
    parts.map((part, i) => (i === bad ? damaged(part, payloadAt(part), part.length, random) : part)),
  )
  return { body, good: parts.flatMap((_, i) => (i === bad ? [] : [1000 + i])) }
}

function checkGood({ appender }: Rig, outcome: Counts, good: readonly number[]): void {
  if (outcome.refusals.some(({ reason }) => reason === 'bad_encoding')) return
  const taken = new Set(appender.values)
  const lost = good.filter((value) => !taken.has(value))
  if (lost.length > 0) throw new Error(`good samples were lost: ${lost.join()}: ${outcome.message}`)
}

const PARTS_OF = numbered(PARTS)

test.each([
  ['1.0', V1],
  ['2.0', V2],
] as const)('the seed of remote write %s with histograms is taken whole', async (protocol, { blocks }) => {
  const dir = tempDir('fuzz')
  const writer = openWriter({ ...STORE_DEFAULTS, dir: dir.path }, NOW_MS)
  try {
    const ingest = createRemoteWriteIngest({ intake: new Intake(writer.appender, OPTIONS) })
    const counts = { status: 204, histogramsTaken: 4, exemplarsTaken: 1, exemplarsIgnored: 0, metadataIgnored: 0 }
    expect(ingest.write(blocks.at(-1)!, { nowMs: NOW_MS, protocol })).toMatchObject(counts)
  } finally {
    await writer.close()
    dir.remove()
  }
})

describe(`${BODIES} bodies`, () => {
  test('of snappy: what opens, opens to what another decoder makes of it', { timeout: TIMEOUT_MS }, () => {
    const decoder = new SnappyDecoder(LIMIT_BYTES)
    for (let number = 0; number < BODIES; number++) {
      const random = randomOf(SEED * 1_000_003 + number)
      const bytes = mutated(random, SNAPPY_BLOCKS)
      let ours: Uint8Array | undefined
      try {
        ours = decoder.decode(bytes)
      } catch (thrown) {
        if (!(thrown instanceof DecodeError)) throw new Error(`body ${number} of seed ${SEED}`, { cause: thrown })
      }
      if (ours === undefined) continue
      const theirs = uncompressSync(Buffer.from(bytes)) as Buffer
      if (!theirs.equals(ours)) throw new Error(`body ${number} of seed ${SEED} opens to something else`)
    }
  })

  test(
    'of remote write 1.0: what the fast decoder takes, the other one reads the same',
    { timeout: TIMEOUT_MS },
    () => {
      const limits = { samplesMax: 5000, seriesMax: 5000 }
      const fast = new PlainWriteDecoder(limits, LIMIT_BYTES)
      const key = Int32Array.of(1, 2, 3, 4)
      const snappy = new SnappyDecoder(LIMIT_BYTES)
      const plain = new WriteRequestDecoder(limits)
      let taken = 0
      for (let number = 0; number < BODIES; number++) {
        const body = block(randomOf(SEED * 1_000_003 + number), V1)
        const got = fast.decode(body, key)
        if (got === undefined) continue
        taken++
        const want = plain.decode(snappy.decode(body), snappy.view)
        hashLabels(want, key)
        if (columnsOf(got) !== columnsOf(want)) throw new Error(`body ${number} of seed ${SEED} is read in two ways`)
      }
      expect(taken).toBeGreaterThan(BODIES / 100)
    },
  )

  test.each([
    ['1.0', V1],
    ['2.0', V2],
  ] as const)('of remote write %s', { timeout: TIMEOUT_MS }, async (protocol, corpus) => {
    await forBodies((rig, random) => {
      rig.appender.reset()
      const outcome = rig.remote.write(block(random, corpus), { nowMs: NOW_MS, protocol })
      const { samplesIn, samplesTaken, histogramsIn, histogramsTaken } = outcome
      check(rig, outcome, samplesIn + histogramsIn, samplesTaken + histogramsTaken)
      if (rig.appender.samplesTaken !== samplesTaken + histogramsTaken)
        throw new Error('counts another number than the store took')
    })
  })

  test('of remote write 1.0 with one bad series among good ones', { timeout: TIMEOUT_MS }, async () => {
    await forBodies((rig, random) => {
      const { body, good } = withOneDamaged(random, PARTS_OF.v1)
      rig.appender.reset()
      checkGood(rig, rig.remote.write(encodeSnappy(body), { nowMs: NOW_MS }), good)
    })
  })

  test('of OTLP metrics in protobuf', { timeout: TIMEOUT_MS }, async () => {
    await forBodies((rig, random) => {
      rig.appender.reset()
      const outcome = rig.otlp.write(mutated(random, OTLP_PROTOBUF), 'protobuf', { nowMs: NOW_MS })
      check(rig, outcome, outcome.itemsIn, outcome.itemsTaken)
    })
  })

  test('of OTLP metrics in protobuf with one bad resource among good ones', { timeout: TIMEOUT_MS }, async () => {
    await forBodies((rig, random) => {
      const { body, good } = withOneDamaged(random, PARTS_OF.otlp)
      rig.appender.reset()
      checkGood(rig, rig.otlp.write(body, 'protobuf', { nowMs: NOW_MS }), good)
    })
  })

  test('of OTLP metrics in JSON', { timeout: TIMEOUT_MS }, async () => {
    const trees = OTLP_JSON.flatMap(parsed)
    await forBodies((rig, random) => {
      rig.appender.reset()
      const outcome = rig.otlp.write(jsonBody(random, OTLP_JSON, trees), 'json', { nowMs: NOW_MS })
      check(rig, outcome, outcome.itemsIn, outcome.itemsTaken)
    })
  })

  test('of Faro', { timeout: TIMEOUT_MS }, () => {
    const trees = FARO.flatMap(parsed)
    for (let number = 0; number < BODIES; number++) {
      const random = randomOf(SEED * 1_000_003 + number)
      try {
        const outcome = receiveFaro(jsonBody(random, FARO, trees), NOW_MS)
        if (outcome.kind === 'accepted') expect(outcome.items.records.length).toBeLessThanOrEqual(FARO_LIMITS.itemsMax)
      } catch (thrown) {
        if (!(thrown instanceof DecodeError)) throw new Error(`body ${number} of seed ${SEED}`, { cause: thrown })
      }
    }
  })
})

/** All that a batch says, as one text. */
function columnsOf(batch: WriteBatch): string {
  const { seriesCount, sampleCount } = batch
  const labels = Array.from({ length: seriesCount }, (_, series) => {
    const view = batch.labelView(series)
    const bytes = new Uint8Array(view.buffer, view.byteOffset + batch.labelOffset(series), batch.labelBytes[series])
    return Buffer.from(bytes).toString('base64')
  })
  return JSON.stringify([
    labels,
    [...batch.sampleEnd.subarray(0, seriesCount)],
    [...batch.timesMs.subarray(0, sampleCount)],
    [...batch.valueBits.subarray(0, sampleCount * 2)],
    [...batch.hashes.subarray(0, seriesCount * 4)],
  ])
}

function parsed(body: Uint8Array): unknown[] {
  try {
    return [JSON.parse(Buffer.from(body).toString())]
  } catch {
    return []
  }
}

/** Half of them broken as bytes, half as values. */
function jsonBody(random: Random, corpus: readonly Uint8Array[], trees: readonly unknown[]): Uint8Array {
  if (random(2) === 0) return mutated(random, corpus)
  let tree = pick(random, trees)
  for (let i = random(3); i >= 0; i--) tree = mutatedJson(random, tree)
  return Buffer.from(JSON.stringify(tree))
}
