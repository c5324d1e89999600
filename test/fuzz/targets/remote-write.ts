import { uncompressSync } from 'snappy'
import { createRemoteWriteIngest } from '../../../src/ingest/remote-write.ts'
import { DecodeError } from '../../../src/wire/decode-error.ts'
import { hashLabels } from '../../../src/wire/label-hash.ts'
import { PlainWriteDecoder } from '../../../src/wire/plain-write-decoder.ts'
import { WriteRequestDecoder } from '../../../src/wire/remote-write.ts'
import { SnappyDecoder, encodeSnappy } from '../../../src/wire/snappy.ts'
import type { WriteBatch } from '../../../src/wire/write-batch.ts'
import { NOW_MS, SNAPPY_BLOCKS, V1, V2, numbered } from '../bodies.ts'
import { checkOutcome, isBrokenBody, LIMIT_BYTES, openIngest, SESSION_INPUTS, type IngestRig } from '../ingest-rig.ts'
import { damaged, mutated, type Random } from '../mutate.ts'
import { mutatedProtobuf } from '../mutate-protobuf.ts'
import { BYTES, NOTHING_TO_CLOSE, oneByOne, showBytes, type Target } from '../target.ts'

/** Bodies of remote write that went wrong on their way, through the whole of ingest into a real store. */

/** Labels are hashed with a key that a server draws. */
const KEY = Int32Array.of(1, 2, 3, 4)

/** Messages mutated inside a sound block, or a mutated block. */
function block(random: Random, { blocks, messages }: typeof V1): Uint8Array {
  return random(4) === 0 ? mutated(random, blocks) : encodeSnappy(mutatedProtobuf(random, messages))
}

const snappy: Target<Uint8Array> = {
  name: 'snappy',
  claim: 'A block that opens, opens to what another decoder makes of it; all others are refused.',
  inputs: { suite: 800, long: 1_500_000 },
  shares: { opened: 0.05, refused: 0.2 },
  open: () => {
    const decoder = new SnappyDecoder(LIMIT_BYTES)
    return {
      make: (random) => mutated(random, SNAPPY_BLOCKS),
      check: oneByOne((bytes) => {
        let ours: Uint8Array
        try {
          ours = decoder.decode(bytes)
        } catch (thrown) {
          if (!(thrown instanceof DecodeError)) throw thrown
          return 'refused'
        }
        const theirs = uncompressSync(Buffer.from(bytes)) as Buffer
        if (!theirs.equals(ours)) throw new Error('it opens to something else')
        return 'opened'
      }),
      ...BYTES,
      ...NOTHING_TO_CLOSE,
    }
  },
}

const plainWrites: Target<Uint8Array> = {
  name: 'remote-write-fast-path',
  claim: 'What the fast decoder takes, the other one reads the same.',
  inputs: { suite: 800, long: 800_000 },
  shares: { taken: 0.01, left: 0.2 },
  open: () => {
    const limits = { samplesMax: 5000, seriesMax: 5000 }
    const fast = new PlainWriteDecoder(limits, LIMIT_BYTES)
    const opener = new SnappyDecoder(LIMIT_BYTES)
    const plain = new WriteRequestDecoder(limits)
    return {
      make: (random) => block(random, V1),
      check: oneByOne((body) => {
        const got = fast.decode(body, KEY)
        if (got === undefined) return 'left'
        const want = plain.decode(opener.decode(body), opener.view)
        hashLabels(want, KEY)
        if (columnsOf(got) !== columnsOf(want)) throw new Error('it is read in two ways')
        return 'taken'
      }),
      ...BYTES,
      ...NOTHING_TO_CLOSE,
    }
  },
}

function writesOf(protocol: '1.0' | '2.0', corpus: typeof V1): Target<Uint8Array> {
  return {
    name: `remote-write-${protocol}`,
    claim: 'A refused body leaves nothing behind, and every sample of another one is taken or counted as refused.',
    inputs: { suite: 800, long: 600_000 },
    sessionInputs: SESSION_INPUTS,
    shares: { broken: 0.1, taken: 0.01 },
    open: () => {
      const rig = openIngest()
      const ingest = createRemoteWriteIngest({ intake: rig.intake, drawKey: () => KEY })
      return {
        make: (random) => block(random, corpus),
        check: oneByOne(async (body) => {
          rig.appender.reset()
          const outcome = ingest.write(body, { nowMs: NOW_MS, protocol })
          const { samplesIn, samplesTaken, histogramsIn, histogramsTaken } = outcome
          const kind = checkOutcome(rig, outcome, samplesIn + histogramsIn, samplesTaken + histogramsTaken)
          if (rig.appender.samplesTaken !== samplesTaken + histogramsTaken)
            throw new Error('counts another number than the store took')
          await rig.settle()
          return kind
        }),
        ...BYTES,
        close: rig.close,
      }
    },
  }
}

/** One of several messages damaged, and the values of the others. */
export interface OneDamaged {
  readonly body: Uint8Array
  readonly good: readonly number[]
}

/** Where the payload of a message of one length-delimited field starts. */
function payloadAt(message: Uint8Array): number {
  let at = 1
  while (message[at]! >= 0x80) at++
  return at + 1
}

/** Damaged inside its frame: the others can be found. */
export function withOneDamaged(random: Random, parts: readonly Uint8Array[]): OneDamaged {
  const bad = random(parts.length)
  const body = Buffer.concat(
    parts.map((part, i) => (i === bad ? damaged(part, payloadAt(part), part.length, random) : part)),
  )
  return { body, good: parts.flatMap((_, i) => (i === bad ? [] : [1000 + i])) }
}

export function checkGood(
  { appender }: IngestRig,
  outcome: Parameters<typeof isBrokenBody>[0],
  good: readonly number[],
): string {
  if (isBrokenBody(outcome)) return 'broken'
  const taken = new Set(appender.values)
  const lost = good.filter((value) => !taken.has(value))
  if (lost.length > 0) throw new Error(`good samples were lost: ${lost.join()}`)
  return 'taken'
}

/** How many good and bad parts such a body has. */
export const PARTS = numbered(6)
/** Damage is inside of one part, and has no simpler form. */
export const ONE_DAMAGED = { simpler: () => [], show: ({ body }: OneDamaged): string => showBytes(body) } as const

const oneBadSeries: Target<OneDamaged> = {
  name: 'remote-write-one-bad-series',
  claim: 'Good series beside a bad one are taken.',
  inputs: { suite: 800, long: 400_000 },
  sessionInputs: SESSION_INPUTS,
  shares: { taken: 0.3 },
  open: () => {
    const rig = openIngest()
    const ingest = createRemoteWriteIngest({ intake: rig.intake, drawKey: () => KEY })
    return {
      make: (random) => withOneDamaged(random, PARTS.v1),
      check: oneByOne(async ({ body, good }) => {
        rig.appender.reset()
        const kind = checkGood(rig, ingest.write(encodeSnappy(body), { nowMs: NOW_MS }), good)
        await rig.settle()
        return kind
      }),
      ...ONE_DAMAGED,
      close: rig.close,
    }
  },
}

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

export const REMOTE_WRITE = [snappy, plainWrites, writesOf('1.0', V1), writesOf('2.0', V2), oneBadSeries]
