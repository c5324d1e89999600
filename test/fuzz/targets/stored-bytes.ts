import Database from 'better-sqlite3'
import fc from 'fast-check'
import { deflateRawSync } from 'node:zlib'
import { Labels } from '../../../src/model/labels.ts'
import { highWordOf, inflate, lowWordOf, MalformedBytesError } from '../../../src/store/bytes.ts'
import { Head } from '../../../src/store/head/head.ts'
import { loadCheckpoint } from '../../../src/store/head/head-checkpoint.ts'
import { RunList } from '../../../src/store/head/run-list.ts'
import { decodeSegment, encodeSegment } from '../../../src/store/index/cold-segment.ts'
import { SeriesTable } from '../../../src/store/index/series-table.ts'
import { LogBuffer, readLogPayload } from '../../../src/store/log/log-codec.ts'
import { packFacts, unpackFacts } from '../../../src/store/observations/object-codec.ts'
import { packLogRecord, unpackLogRecord } from '../../../src/store/observations/log-record-codec.ts'
import { packMinutes, unpackMinutes } from '../../../src/store/observations/minutes-codec.ts'
import { encodeChunk } from '../../../src/store/packs/chunk-codec.ts'
import { decodeChunk } from '../../../src/store/packs/chunk-reader.ts'
import { decodeHistogramPack, encodeHistogramPack } from '../../../src/store/packs/histogram-pack.ts'
import { chunkAt, decodeDirectory, encodePack, inflatePayload } from '../../../src/store/packs/pack-codec.ts'
import { BucketList } from '../../../src/store/rollups/bucket-list.ts'
import { decodeBuckets } from '../../../src/store/rollups/rollup-codec.ts'
import { decodeEdges, decodeParts, partAt, RollupFiller } from '../../../src/store/rollups/rollup-pack.ts'
import { decodeSpans, encodeSpans } from '../../../src/store/spans/span-codec.ts'
import { anyHistogram } from '../../support/histograms.ts'
import { arbitrarySpan, traceIdOf } from '../../support/spans.ts'
import { OBJECTS } from '../../wire/k8s/objects.ts'
import { mutated, seedOf, type Random } from '../mutate.ts'
import { BYTES, NOTHING_TO_CLOSE, oneByOne, type Target } from '../target.ts'

/** Rows of the database that are damaged: they are read as something, or refused as malformed, within bounded memory. */

const SAMPLES = { seed: 1, numRuns: 30 }
const BASE_MS = 1_760_000_000_000
const WIDTH_MS = 300_000

/** Columns of constants, counters and floats, evenly spaced or not. */
const RUNS = [
  () => 1,
  (i: number) => 1000 + i * 7,
  (i: number) => 20 + (i % 17) / 100,
  (i: number) => Math.sin(i) * 1e30,
  (i: number) => (i % 9 === 0 ? NaN : -i),
].flatMap((valueAt, shape) =>
  [1, 30, 240].map((count) => {
    const runs = new RunList()
    for (let i = 0; i < count; i++) {
      const value = valueAt(i)
      runs.pushSample(BASE_MS + i * 30_000 + (shape % 2) * (i % 5), lowWordOf(value), highWordOf(value))
    }
    return runs
  }),
)
const CHUNKS = RUNS.map(encodeChunk)

function packOf(first: number) {
  return encodePack(
    RUNS.slice(first).map((runs, i) => ({
      ref: first + 1 + i * 3,
      fromMs: BASE_MS,
      toMs: runs.lastMsOf(runs.count - 1),
      runs: runs.count,
      payload: CHUNKS[first + i]!,
    })),
  )
}
const PACKS = [0, 5, RUNS.length - 1].map(packOf)

const ROLLUPS = [0, 7].map((first) => {
  const filler = new RollupFiller()
  RUNS.slice(first).forEach((runs, i) => {
    const list = new BucketList(WIDTH_MS)
    list.pushRuns(runs)
    filler.push(i + 1, list)
  })
  return filler.take()
})

function logRow(order: (i: number) => readonly [ref: number, timeMs: number, value: number]): Uint8Array {
  const buffer = new LogBuffer()
  for (let i = 0; i < 200; i++) {
    const [ref, timeMs, value] = order(i)
    buffer.append(ref, timeMs, value, lowWordOf(value), highWordOf(value))
  }
  return Uint8Array.from(buffer.payload)
}
const LOG_ROWS = [
  logRow((i) => [1 + (i % 20), BASE_MS + Math.floor(i / 20) * 30_000, i]),
  logRow((i) => [1 + i * 7, BASE_MS + (i % 3), Math.sin(i)]),
  logRow((i) => [2 ** 31 + (i % 2), i % 2 === 0 ? -8e15 : 8e15, 1]),
]

/** Parts of a checkpoint, of the series 1 to 15. */
const PARTS = [1, 5, RUNS.length].map((count) => {
  const runs = Buffer.concat(
    CHUNKS.slice(0, count).map((chunk) => {
      // The distance to the ref before, the time of the first sample, the size of the chunk.
      return Buffer.concat([Uint8Array.of(1), signedBytes(BASE_MS), unsignedBytes(chunk.length), chunk])
    }),
  )
  return Uint8Array.from(runs)
})

function unsignedBytes(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Uint8Array.from([...bytes, rest])
}

function signedBytes(value: number): Uint8Array {
  return Buffer.concat([Uint8Array.of((value % 0x40) | 0x80), unsignedBytes(Math.floor(value / 0x40))])
}

/** Decodes parts of a checkpoint as a start does. Answers whether it counts. */
function checkpointReader(): (bytes: Uint8Array) => boolean {
  const db = new Database(':memory:')
  db.exec(`CREATE TABLE head_part (generation INTEGER, part INTEGER, payload BLOB, checksum INTEGER);
    CREATE TABLE head_checkpoint (generation INTEGER, log_id INTEGER);
    INSERT INTO head_checkpoint VALUES (1, 7); INSERT INTO head_part VALUES (1, 0, NULL, NULL)`)
  const put = db.prepare('UPDATE head_part SET payload = ?')
  return (bytes) => {
    put.run(bytes)
    const head = new Head({ slotsAdded: () => undefined, pagesAdded: () => undefined })
    const table = new SeriesTable(1, 1)
    for (let i = 0; i < RUNS.length; i++) table.create(Labels.of({ __name__: `m${i}` }), head.takeSlot())
    return loadCheckpoint(db, head, table) === 7
  }
}

/** @param open reads a row; throws `MalformedBytesError` for a damaged one */
function rows(
  name: string,
  corpus: readonly Uint8Array[],
  long: number,
  open: () => (bytes: Uint8Array) => unknown,
): Target<Uint8Array> {
  return {
    name: `stored-${name}`,
    claim: 'A damaged row is read or refused as malformed.',
    inputs: { suite: 250, long },
    shares: { refused: 0.05 },
    open: () => {
      const read = open()
      return {
        make: (random) => damagedRow(random, corpus),
        check: oneByOne((bytes) => {
          try {
            return read(bytes) === false ? 'refused' : 'read'
          } catch (thrown) {
            if (thrown instanceof MalformedBytesError) return 'refused'
            throw thrown
          }
        }),
        ...BYTES,
        ...NOTHING_TO_CLOSE,
      }
    },
  }
}

/** Damaged as it is stored, or, where it is deflated, what was deflated. */
function damagedRow(random: Random, corpus: readonly Uint8Array[]): Uint8Array {
  const row = seedOf(random, corpus)
  if (random(4) > 0) {
    try {
      return deflateRawSync(mutated(random, [inflate(row)]), { level: 1 })
    } catch (thrown) {
      if (!(thrown instanceof MalformedBytesError)) throw thrown
    }
  }
  return mutated(random, [row])
}

const RECORDS = fc
  .sample(arbitrarySpan, SAMPLES)
  .map(({ attributes, name }) =>
    packLogRecord({ severityText: 'INFO', eventName: name, spanId: '', body: { entries: attributes }, attributes }),
  )
const MINUTES = [[1], [1, 2, 3, 4], [5, 10, 15, 16, 100, 10_000], Array.from({ length: 5000 }, (_, i) => i * 60)]

/** Most often the first, to which the other half of the row belongs. */
function ofFirst([first, ...others]: readonly Uint8Array[]): readonly Uint8Array[] {
  return [first!, first!, first!, first!, ...others]
}
const SEGMENTS = [1, 9, 200].map((count) =>
  encodeSegment(
    Array.from({ length: count }, (_, i) => ({
      ref: 1 + i * 3,
      labels: Labels.of({ __name__: 'up', cluster: `c${i % 7}`, ...(i % 3 === 0 ? {} : { pod: `päd-${i}` }) }),
      lastMs: BASE_MS + (i % 5) * 60_000,
      hasHistograms: i % 4 === 0,
    })),
  ),
)

export const STORED_BYTES = [
  rows('chunk', CHUNKS, 500_000, () => (bytes) => {
    decodeChunk(bytes, BASE_MS, new RunList())
  }),
  rows('pack-directory', ofFirst(PACKS.map(({ directory }) => directory)), 150_000, () => {
    const { payload, fromMs, toMs } = PACKS[0]!
    return (bytes) => {
      const directory = decodeDirectory(bytes, fromMs, toMs)
      const inflated = inflatePayload(payload, directory)
      const runs = new RunList()
      for (let i = 0; i < directory.count; i++) {
        decodeChunk(chunkAt(inflated, directory, i), directory.fromsMs[i]!, runs)
      }
    }
  }),
  rows('pack-payload', ofFirst(PACKS.map(({ payload }) => payload)), 100_000, () => {
    const directory = decodeDirectory(PACKS[0]!.directory, PACKS[0]!.fromMs, PACKS[0]!.toMs)
    return (bytes) => {
      const inflated = inflatePayload(bytes, directory)
      for (let i = 0; i < directory.count; i++) decodeChunk(chunkAt(inflated, directory, i), BASE_MS, new RunList())
    }
  }),
  rows(
    'rollup-edges',
    ROLLUPS.map(({ edges }) => edges),
    150_000,
    () => (bytes) => {
      const { count, base, chunks } = decodeEdges(bytes)
      const list = new BucketList(WIDTH_MS)
      for (let i = 0; i < count; i++) {
        const chunk = { edges: partAt(chunks, i), extremes: new Uint8Array(0), sums: new Uint8Array(0) }
        list.clear()
        decodeBuckets(chunk, base, { extremes: false, sums: false }, list)
      }
    },
  ),
  rows(
    'rollup-values',
    ROLLUPS.flatMap(({ extremes, sums }, i) => (i === 0 ? [extremes, sums, extremes, sums] : [extremes, sums])),
    150_000,
    () => {
      const { count, base, chunks } = decodeEdges(ROLLUPS[0]!.edges)
      return (bytes) => {
        const values = decodeParts(bytes, count)
        for (const parts of [
          { extremes: true, sums: false },
          { extremes: false, sums: true },
        ]) {
          for (let i = 0; i < count; i++) {
            const value = partAt(values, i)
            const chunk = { edges: partAt(chunks, i), extremes: value, sums: value }
            decodeBuckets(chunk, base, parts, new BucketList(WIDTH_MS))
          }
        }
      }
    },
  ),
  rows('log', LOG_ROWS, 500_000, () => (bytes) => {
    readLogPayload(bytes, () => undefined)
  }),
  rows('checkpoint', PARTS, 50_000, checkpointReader),
  rows('cold-segment', SEGMENTS, 150_000, () => (bytes) => decodeSegment(bytes).all()),
  rows(
    'histograms',
    fc
      .sample(fc.array(anyHistogram, { minLength: 1, maxLength: 6 }), SAMPLES)
      .map((list) => encodeHistogramPack(list.map((histogram, i) => ({ timeMs: BASE_MS + i * 30_000, histogram })))),
    300_000,
    () => decodeHistogramPack,
  ),
  rows(
    'spans',
    fc.sample(fc.array(arbitrarySpan, { minLength: 1, maxLength: 6 }), SAMPLES).map(encodeSpans),
    150_000,
    () => (bytes) => decodeSpans(traceIdOf(1), bytes),
  ),
  rows('log-record', RECORDS, 400_000, () => unpackLogRecord),
  rows(
    'object-facts',
    OBJECTS.map(({ facts }) => packFacts(JSON.stringify(facts))),
    200_000,
    () => unpackFacts,
  ),
  rows('minutes', MINUTES.map(packMinutes), 500_000, () => unpackMinutes),
]
