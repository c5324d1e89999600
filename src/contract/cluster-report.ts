import { Type } from 'typebox'
import { STORED_KINDS } from '../model/cluster-report.ts'
import { orNull, Time, wordOf, type Shape } from './common.ts'

const StoredItem = Type.Object({
  what: wordOf(STORED_KINDS),
  /** Of objects: the plural of their kind. */
  kind: orNull(Type.String()),
  count: Type.Integer(),
  /** In the file, approximately; `null`: not measured. */
  bytes: orNull(Type.Integer()),
  oldestAt: orNull(Time),
  newestAt: orNull(Time),
  /** The option that says how long it is stored, with its value; `null`: until it is removed. */
  retention: orNull(Type.Object({ option: Type.String(), value: Type.String() })),
  /** Of series the metrics, of objects the stored fields; at most 1,000. */
  names: Type.Array(Type.String()),
  /** Of series. */
  labels: Type.Array(Type.String()),
  /** Only the newest part of the file was looked at. */
  partial: Type.Boolean(),
})

/** `GET /api/fleet/v1/clusters/{cluster}/stored`: what is stored about a cluster. It takes a while on a large fleet. */
export const StoredItems = Type.Object({
  asOf: Time,
  /** The cluster and the other names it goes by. */
  names: Type.Array(Type.String()),
  stored: Type.Array(StoredItem),
})
export type StoredItems = Shape<typeof StoredItems>
