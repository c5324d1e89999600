/**
 * Remote write requests from main to the ingest worker and their outcomes back: a faster alternative to rpc.ts for tens
 * of thousands of requests a minute. Bodies go through shared memory (body-ring.ts). All requests of one round of the
 * event loop share one message, and so do their outcomes, so a busy server wakes the other thread once for all of them.
 *
 * A body for which the ring has no room is sent by the caller as a call of rpc.ts.
 */
import { BodyRing, type BodyPlace } from './body-ring.ts'
import type { WriteContext } from '../ingest/remote-write.ts'
import { NOTHING_TAKEN, type WriteOutcome, type WriteProtocol } from '../ingest/write-outcome.ts'
import { carry, revive, type CarriedFailure, type Channel } from './rpc.ts'
import type { TakingStore } from './taking.ts'

/**
 * Room for the bodies of about forty backlogs or a thousand scrapes at once. Not more: the whole ring is used in turn,
 * and memory outside the processor's cache is slow to copy.
 */
export const LANE_BYTES = 4 * 1024 * 1024

/** Requests as columns, because names of properties would cost more than all else to send. */
interface LaneBatch {
  readonly id: number
  readonly nowMs: number
  /** In the ring. */
  readonly starts: readonly number[]
  readonly lengths: readonly number[]
  readonly clusters: readonly (string | undefined)[]
  readonly protocols: readonly WriteProtocol[]
}

/** A number is the sample count of a request whose samples were all accepted. */
type LaneOutcome = number | WriteOutcome | { readonly failure: CarriedFailure }

interface LaneAnswer {
  readonly id: number
  /** In the order of the requests. */
  readonly outcomes: readonly LaneOutcome[]
}

interface Waiter {
  readonly place: BodyPlace
  readonly cluster: string | undefined
  readonly protocol: WriteProtocol
  readonly resolve: (outcome: WriteOutcome) => void
  readonly reject: (cause: Error) => void
}

/** Main's end. */
export interface WriteLane {
  /**
   * Sends a body in pieces. Resolves when the accepted samples are durable; rejects with the worker's FleetError.
   * `undefined`: the ring has no room for the body.
   */
  write(
    body: readonly Uint8Array[],
    cluster: string | undefined,
    protocol: WriteProtocol,
  ): Promise<WriteOutcome> | undefined
  /** Rejects every waiting and every later write. */
  fail(cause: Error): void
}

/** @param nowMs the clock, read once for the requests of one round */
export function createWriteLane(channel: Channel, memory: SharedArrayBuffer, nowMs: () => number): WriteLane {
  const ring = new BodyRing(memory)
  const underWay = new Map<number, readonly Waiter[]>()
  let collected: Waiter[] = []
  let lastId = 0
  let failure: Error | undefined
  const post = (): void => {
    if (failure !== undefined) return
    const id = ++lastId
    const batch: LaneBatch = {
      id,
      nowMs: nowMs(),
      starts: collected.map(({ place }) => place.start),
      lengths: collected.map(({ place }) => place.length),
      clusters: collected.map(({ cluster }) => cluster),
      protocols: collected.map(({ protocol }) => protocol),
    }
    underWay.set(id, collected)
    collected = []
    channel.postMessage(batch)
  }
  channel.on('message', (message) => {
    const { id, outcomes } = message as LaneAnswer
    const waiters = underWay.get(id)
    if (waiters === undefined) return
    underWay.delete(id)
    for (const [i, { place, resolve, reject }] of waiters.entries()) {
      ring.giveBack(place)
      const outcome = outcomes[i]!
      if (typeof outcome === 'number') resolve(allTaken(outcome))
      else if ('failure' in outcome) reject(revive(outcome.failure))
      else resolve(outcome)
    }
  })
  return {
    write(body, cluster, protocol) {
      if (failure !== undefined) return Promise.reject(failure)
      const place = ring.take(body)
      if (place === undefined) return undefined
      if (collected.length === 0) setImmediate(post)
      return new Promise((resolve, reject) => {
        collected.push({ place, cluster, protocol, resolve, reject })
      })
    },
    fail(cause) {
      failure ??= cause
      for (const waiters of [...underWay.values(), collected]) for (const { reject } of waiters) reject(failure)
      underWay.clear()
      collected = []
    },
  }
}

export interface LaneIngest {
  write(body: Uint8Array, context: WriteContext): WriteOutcome
}

/** The worker's end: answers the requests that arrive on `channel`. */
export function serveWriteLane(
  channel: Channel,
  memory: SharedArrayBuffer,
  ingest: LaneIngest,
  store: TakingStore,
): void {
  const bytes = new Uint8Array(memory)
  channel.on('message', (message) => {
    const { id, nowMs, starts, lengths, clusters, protocols } = message as LaneBatch
    const outcomes = starts.map((start, i): LaneOutcome => {
      const cluster = clusters[i]
      const protocol = protocols[i]!
      try {
        store.admit()
        const context = cluster === undefined ? { nowMs, protocol } : { nowMs, protocol, cluster }
        const outcome = ingest.write(bytes.subarray(start, start + lengths[i]!), context)
        return isAllTaken(outcome) ? outcome.samplesTaken : outcome
      } catch (thrown) {
        return { failure: carry(thrown) }
      }
    })
    store.commit().then(
      () => {
        channel.postMessage({ id, outcomes } satisfies LaneAnswer)
      },
      (thrown: unknown) => {
        const failure = carry(thrown)
        channel.postMessage({ id, outcomes: outcomes.map(() => ({ failure })) } satisfies LaneAnswer)
      },
    )
  })
}

function isAllTaken(outcome: WriteOutcome): boolean {
  return (
    outcome.status === 204 &&
    outcome.samplesTaken === outcome.samplesIn &&
    outcome.refusals.length === 0 &&
    outcome.histogramsIn + outcome.exemplarsTaken + outcome.exemplarsIgnored === 0 &&
    outcome.metadataIgnored + outcome.newUnidentifiedSeries === 0
  )
}

/** The outcome that a number represents. */
function allTaken(samples: number): WriteOutcome {
  return { status: 204, message: '', ...NOTHING_TAKEN, samplesIn: samples, samplesTaken: samples }
}
