import { readLogPayload } from '../log/log-codec.ts'
import { BucketList } from '../rollups/bucket-list.ts'
import { decodeBuckets } from '../rollups/rollup-codec.ts'
import { decodeEdges, decodeParts, partAt } from '../rollups/rollup-pack.ts'
import { decodeChunk } from '../packs/chunk-reader.ts'
import { decodeHistogramPack } from '../packs/histogram-pack.ts'
import { chunkAt, decodeDirectory, inflatePayload } from '../packs/pack-codec.ts'
import { RunList } from '../head/run-list.ts'
import { ByteReader, MalformedBytesError, verifyChecksum } from '../bytes.ts'
import { readHistogram } from '../head/histogram-codec.ts'
import { decodeSegment } from '../index/cold-segment.ts'
import { readSeriesBatch } from '../index/series-batch.ts'
import { unpackLogRecord } from '../observations/log-record-codec.ts'
import { unpackMinutes } from '../observations/minutes-codec.ts'
import { factsHash, unpackFactsText } from '../observations/object-codec.ts'
import { decodeSpans } from '../spans/span-codec.ts'
import { spanIdsOf } from '../spans/span-links.ts'

/**
 * How the rows with encoded bytes are verified: their checksums, and that they decode. The other tables have only values
 * of SQLite, whose pages SQLite checks.
 */
export interface RowCheck {
  readonly table: string
  /** The columns of the primary key. */
  readonly keys: readonly string[]
  /** What `verify` reads, besides the keys. */
  readonly columns: readonly string[]
  /** Throws `MalformedBytesError`. */
  verify(row: StoredRow): void
}

/** A row by column name. Integers beyond the safe ones occur in no verified column but a key. */
export type StoredRow = Readonly<Record<string, unknown>>

interface PackRow {
  readonly first_ref: number
  readonly last_ref: number
  readonly from_ms: number
  readonly to_ms: number
  readonly directory: Uint8Array
  readonly payload: Uint8Array
}

interface RollupRow {
  readonly first_ref: number
  readonly last_ref: number
  readonly edges: Uint8Array
  readonly extremes: Uint8Array
  readonly sums: Uint8Array
}

interface PayloadRow {
  readonly payload: Uint8Array
}

interface HashedRow {
  /** Of 48 bits. */
  readonly hash: number | bigint
}

interface SummedRow {
  readonly bytes: Uint8Array
  readonly checksum: number | null
}

const NOTHING = (): void => undefined
const runs = new RunList()
const buckets = new BucketList(1)

/** Throws `MalformedBytesError`. */
export function verifyPack(row: PackRow): void {
  const directory = decodeDirectory(row.directory, row.from_ms, row.to_ms)
  const payload = inflatePayload(row.payload, directory)
  verifyRefs(directory.refs, row)
  for (let i = 0; i < directory.count; i++) {
    runs.clear()
    decodeChunk(chunkAt(payload, directory, i), directory.fromsMs[i]!, runs)
  }
}

/** Throws `MalformedBytesError`. */
export function verifyRollup(row: RollupRow): void {
  const edges = decodeEdges(row.edges)
  const extremes = decodeParts(row.extremes, edges.count)
  const sums = decodeParts(row.sums, edges.count)
  verifyRefs(edges.refs, row)
  for (let i = 0; i < edges.count; i++) {
    const chunk = { edges: partAt(edges.chunks, i), extremes: partAt(extremes, i), sums: partAt(sums, i) }
    buckets.clear()
    decodeBuckets(chunk, edges.base, { extremes: true, sums: true }, buckets)
  }
}

function verifyRefs(refs: Uint32Array, row: { readonly first_ref: number; readonly last_ref: number }): void {
  if (refs[0] === row.first_ref && refs.at(-1) === row.last_ref) return
  throw new MalformedBytesError(`series ${refs[0]} to ${refs.at(-1)}, want ${row.first_ref} to ${row.last_ref}`)
}

/** @param column with the bytes; `read` throws when they do not decode */
function summed(table: string, keys: readonly string[], column: string, read: (bytes: Uint8Array) => void): RowCheck {
  return rowCheck(table, keys, [`${column} AS bytes`, 'checksum'], ({ bytes, checksum }: SummedRow) => {
    verifyChecksum(bytes, checksum)
    read(bytes)
  })
}

/** @param verify takes the row that `columns` selects */
function rowCheck(
  table: string,
  keys: readonly string[],
  columns: readonly string[],
  verify: (row: never) => void,
): RowCheck {
  return { table, keys, columns, verify }
}

export const ROW_CHECKS: readonly RowCheck[] = [
  rowCheck('pack', ['id'], ['first_ref', 'last_ref', 'from_ms', 'to_ms', 'directory', 'payload'], verifyPack),
  rowCheck('rollup', ['id'], ['first_ref', 'last_ref', 'edges', 'extremes', 'sums'], verifyRollup),
  rowCheck('histogram', ['ref', 'time_ms'], ['payload'], ({ payload }: PayloadRow) => {
    readHistogram(new ByteReader(payload))
  }),
  rowCheck('histogram_pack', ['ref', 'from_ms'], ['payload'], ({ payload }: PayloadRow) => {
    decodeHistogramPack(payload)
  }),
  summed('series_batch', ['last_ref'], 'series', (bytes) => {
    readSeriesBatch(bytes, NOTHING)
  }),
  rowCheck(
    'cold_segment',
    ['id'],
    ['count', 'series'],
    (row: { readonly count: number; readonly series: Uint8Array }) => {
      const { count } = decodeSegment(row.series)
      if (count !== row.count) throw new MalformedBytesError(`${count} series, want ${row.count}`)
    },
  ),
  summed('series_state', ['page'], 'states', NOTHING),
  summed('log', ['id'], 'payload', (bytes) => {
    readLogPayload(bytes, NOTHING)
  }),
  summed('head_part', ['generation', 'part'], 'payload', NOTHING),
  rowCheck('trace_part', ['id'], ['links', 'payload'], (row: PayloadRow & { readonly links: Uint8Array }) => {
    const links = [...spanIdsOf(row.links)]
    const spans = decodeSpans('', row.payload)
    if (spans.length !== links.length) throw new MalformedBytesError(`${spans.length} spans, want ${links.length}`)
  }),
  rowCheck(
    'object_state',
    ['object', 'is_deleted', 'hash'],
    ['facts'],
    (row: HashedRow & { readonly facts: Uint8Array }) => {
      const hash = factsHash(unpackFactsText(row.facts))
      if (hash !== Number(row.hash)) throw new MalformedBytesError('a state of an object that differs from its hash')
    },
  ),
  rowCheck('object_listing', ['cluster', 'kind', 'namespace'], ['minutes'], (row: { readonly minutes: Uint8Array }) => {
    unpackMinutes(row.minutes)
  }),
  rowCheck('log_record', ['time_ns', 'source', 'hash'], ['payload'], (row: HashedRow & PayloadRow) => {
    unpackLogRecord(row.payload, Number(row.hash))
  }),
]
