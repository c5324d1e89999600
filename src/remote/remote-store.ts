/**
 * The metrics store that answers PromQL: its client, what it can do, its counters. One for all engines of a thread.
 */
import type { Clock } from '../base/clock.ts'
import { FleetError } from '../base/errors.ts'
import type { SeriesColumns } from '../model/series.ts'
import { RemoteClient } from './client.ts'
import { RemoteCounters, type RemoteTotals } from './counters.ts'
import { fetchExport } from './fetch-export.ts'
import { fetchRanges } from './fetch-ranges.ts'
import { fetchRead } from './fetch-read.ts'
import type { FetchRequest } from './fetched-series.ts'
import { createHttpClient } from './http.ts'
import type { LagOf } from './lag.ts'
import type { RemoteStoreOptions } from './options.ts'
import { probeStore } from './probe.ts'
import { nameOf, type StoreTraits } from './traits.ts'

export interface RemoteStoreParts {
  readonly options: RemoteStoreOptions
  /** Monotonic. */
  readonly nowMs: () => number
  readonly after: Clock['after']
  readonly lagOf: LagOf
}

/** The state of the store, for readiness, pages and metrics. Plain data. */
export interface RemoteStatus {
  /** Product and version; absent until the store answered. */
  readonly store?: string
  /** Why queries fail at once; absent: they do not. */
  readonly fault?: string
  /** Features of Prometheus 3 that it does not have. */
  readonly lacks: readonly string[]
  readonly running: number
  readonly waiting: number
  readonly totals: RemoteTotals
}

/** Queries that arrive while the store is probed wait for the probe, not longer. */
const PROBE_AGAIN_MS = 1000
/** A store that was probed within this time is not probed again: a slow query is also a failure. */
const PROBED_MS = 60_000

export class RemoteStore {
  readonly options: RemoteStoreOptions
  readonly counters = new RemoteCounters()
  readonly client: RemoteClient
  readonly lagOf: LagOf
  readonly #nowMs: () => number
  #traits: Promise<StoreTraits> | undefined
  #known: StoreTraits | undefined
  #failedMs = -Infinity
  #probedMs = -Infinity
  #failure: unknown

  constructor({ options, nowMs, after, lagOf }: RemoteStoreParts) {
    this.options = options
    this.lagOf = lagOf
    this.#nowMs = nowMs
    this.client = new RemoteClient({
      ...{ http: createHttpClient(options), options, nowMs, after, counters: this.counters },
      // It may have been updated.
      onReturn: () => {
        if (this.#known !== undefined && nowMs() - this.#probedMs >= PROBED_MS) this.#traits = undefined
      },
    })
  }

  /** What the store is, as of its last start. Rejects with FleetError while it does not answer. */
  traits(): Promise<StoreTraits> {
    if (this.#traits === undefined) {
      // The failure of a moment ago is that of this call: no queue of probes.
      if (this.#nowMs() - this.#failedMs < PROBE_AGAIN_MS) return Promise.reject(this.#unknown())
      const probing = probeStore(this.client)
      this.#traits = probing
      probing.then(
        (traits) => {
          this.#known = traits
          this.#probedMs = this.#nowMs()
          this.client.name = `${nameOf(traits)} at ${new URL(this.options.url).host}`
        },
        (cause: unknown) => {
          this.#failedMs = this.#nowMs()
          this.#failure = cause
          this.#traits = undefined
        },
      )
    }
    return this.#traits
  }

  #unknown(): FleetError {
    if (this.#failure instanceof FleetError) return this.#failure
    return new FleetError('remote_unavailable', `${this.client.name} could not be probed`)
  }

  async fetch(request: FetchRequest): Promise<readonly SeriesColumns[]> {
    const traits = await this.traits()
    const series = await this.#fetchFrom(traits, request)
    for (const { count } of series) this.counters.samplesFetched += count
    return series
  }

  #fetchFrom(traits: StoreTraits, request: FetchRequest): Promise<readonly SeriesColumns[]> {
    switch (traits.samplesFrom) {
      case 'read':
        // Prometheus 2 ends a series at its first native histogram.
        if (request.hasHistograms && !traits.isLeftOpen) return fetchRanges(this.client, request, traits)
        return fetchRead(this.client, request, this.options.answerBytesMax)
      case 'export':
        return fetchExport(this.client, request)
      case 'ranges':
        return fetchRanges(this.client, request, traits)
    }
  }

  status(): RemoteStatus {
    const { fault } = this.client
    return {
      ...(this.#known === undefined ? {} : { store: nameOf(this.#known) }),
      ...(fault === undefined ? {} : { fault: `${this.client.name}: ${fault}` }),
      lacks: [...(this.#known?.lacks ?? [])],
      running: this.client.running,
      waiting: this.client.waiting,
      totals: this.counters.totals(),
    }
  }

  close(): void {
    this.client.close()
  }
}
