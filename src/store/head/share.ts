import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { FleetError } from '../../base/errors.ts'
import type { SeriesRef } from '../../model/series.ts'
import type { Damage } from '../integrity/damage.ts'
import { READERS_MAX, type HeadBuffers } from './head-memory.ts'
import type { PairRow, SeriesRow } from '../index/series-table.ts'

/**
 * What the writer passes to a reader on another thread: the head's memory, the slots of all series, and a port for
 * later changes. The reader receives the port's messages before each read, so that it finds every acknowledged sample.
 */

/** Structured-cloneable; list `port` in the transfer list of `postMessage`. */
export interface ReaderShare {
  /** The reader's word in the control block. */
  readonly reader: number
  readonly head: HeadBuffers
  /** Ref and slot, alternating, by rising ref. Their labels are in the database. */
  readonly series: Uint32Array
  /** Refs of series that have native histograms. */
  readonly histograms: Uint32Array
  readonly port: MessagePort
}

/** What travels on the port, in the order in which it happened. */
export type StoreMessage =
  | { readonly kind: 'slots'; readonly buffer: SharedArrayBuffer }
  | { readonly kind: 'pages'; readonly buffer: SharedArrayBuffer }
  | { readonly kind: 'series'; readonly pairs: readonly PairRow[]; readonly series: Uint32Array }
  /** This series will have a native histogram. */
  | { readonly kind: 'histograms'; readonly ref: SeriesRef }
  /** `coldUntilMs`: time of the newest sample of a cold series; these are some. -Infinity: none is. */
  | { readonly kind: 'removed'; readonly refs: readonly SeriesRef[]; readonly coldUntilMs: number }
  | { readonly kind: 'damaged'; readonly damage: Damage }

/** Series as they travel: for each its ref, its slot, how many pairs it has, and their numbers. */
export function flatSeries(series: readonly SeriesRow[]): Uint32Array {
  const flat = new Uint32Array(series.reduce((sum, { pairIds }) => sum + 3 + pairIds.length, 0))
  let at = 0
  for (const { ref, slot, pairIds } of series) {
    flat[at++] = ref
    flat[at++] = slot
    flat[at++] = pairIds.length
    flat.set(pairIds, at)
    at += pairIds.length
  }
  return flat
}

/** Visits what `flatSeries` made; `pairIds` is a view. */
export function eachFlatSeries(flat: Uint32Array, visit: (series: SeriesRow) => void): void {
  for (let at = 0; at < flat.length;) {
    const [ref, slot, length] = [flat[at]!, flat[at + 1]!, flat[at + 2]!]
    at += 3 + length
    visit({ ref, slot, pairIds: flat.subarray(at - length, at) })
  }
}

/** The writer's end of all readers. */
export class Readers {
  readonly #ports = new Map<number, MessagePort>()

  post(message: StoreMessage): void {
    for (const port of this.#ports.values()) port.postMessage(message)
  }

  add(head: HeadBuffers, series: Uint32Array, histograms: Uint32Array): ReaderShare {
    let reader = 0
    while (this.#ports.has(reader)) reader++
    if (reader >= READERS_MAX) {
      throw new FleetError('overloaded', `the store has ${READERS_MAX} readers already, and no room for more`)
    }
    const { port1, port2 } = new MessageChannel()
    port1.unref() // a reader does not keep the writer's thread alive
    this.#ports.set(reader, port1)
    return { reader, head, series, histograms, port: port2 }
  }

  /** For a closed reader: its pages may be reused. The caller clears its pin. */
  remove(reader: number): void {
    this.#ports.get(reader)?.close()
    this.#ports.delete(reader)
  }

  close(): void {
    for (const reader of [...this.#ports.keys()]) this.remove(reader)
  }
}
