import { deflateRawSync } from 'node:zlib'
import type { MetricRun, MetricSignal } from '../../model/observation.ts'
import { inflate, MalformedBytesError } from '../bytes.ts'

/**
 * Runs of the signals of one group, in place of the samples that they were read from: of times before a directory was migrated.
 * Deflated JSON after a version, which differs from that of samples.
 */
const VERSION = 2
const INFLATED_BYTES_MAX = 64 * 1024 * 1024

export type RunWithoutCluster = Omit<MetricRun, 'cluster'>

/** JSON has no NaN: null. */
type RunRow = [
  signal: MetricSignal,
  labels: MetricRun['labels'],
  value: number | null,
  firstMs: number,
  lastMs: number,
  beforeMs: number | null,
  afterMs: number | null,
]

export function packRuns(runs: readonly RunWithoutCluster[]): Buffer {
  const rows = runs.map(({ signal, labels, value, firstMs, lastMs, beforeMs, afterMs }): RunRow => {
    return [signal, labels, value, firstMs, lastMs, beforeMs ?? null, afterMs ?? null]
  })
  return Buffer.concat([Uint8Array.of(VERSION), deflateRawSync(JSON.stringify(rows))])
}

export function areRuns(payload: Uint8Array): boolean {
  return payload[0] === VERSION
}

/** Throws `MalformedBytesError`. */
export function unpackRuns(payload: Uint8Array): readonly RunWithoutCluster[] {
  if (!areRuns(payload)) throw new MalformedBytesError(`runs of version ${payload[0] ?? 'none'}`)
  const rows = JSON.parse(Buffer.from(inflate(payload.subarray(1), INFLATED_BYTES_MAX)).toString()) as RunRow[]
  return rows.map(([signal, labels, value, firstMs, lastMs, beforeMs, afterMs]) => ({
    ...{ signal, labels, value: value ?? NaN, firstMs, lastMs },
    ...(beforeMs === null ? {} : { beforeMs }),
    ...(afterMs === null ? {} : { afterMs }),
  }))
}
