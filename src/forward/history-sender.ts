/**
 * Sends stored samples to a Prometheus-compatible store once, for a migration: as the forwarder does, in order of each series,
 * with retries without end, what is refused split and counted; in the order and at the pace of the caller.
 */
import type { Clock } from '../base/clock.ts'
import { FleetError } from '../base/errors.ts'
import type { SeriesRef } from '../model/series.ts'
import { BatchDelivery } from './batch-delivery.ts'
import { BatchEncoder } from './batch-encoder.ts'
import { Delivery } from './delivery.ts'
import { ExtraSender } from './extra-sender.ts'
import type { RefusalExample } from './forward-status.ts'
import { LabelBytes } from './label-bytes.ts'
import type { ForwardOptions } from './options.ts'
import { Pace } from './pace.ts'
import { probe, readMetrics, readStatus } from './probe.ts'
import type { RemoteFacts } from './remote-facts.ts'
import type { RemoteHttp } from './remote-http.ts'
import { retentionMsOf } from './remote-retention.ts'
import { RestartWatch } from './restart-watch.ts'
import type { SampleSource, SeriesSource } from './sample-source.ts'
import { Shard } from './shard.ts'

export type HistorySource = SeriesSource &
  Pick<SampleSource, 'histogramHighWord' | 'histogramOf' | 'exemplarsAfter' | 'metadataAfter'>

export interface HistorySenderParts {
  readonly options: Omit<ForwardOptions, 'resendWindowMs'>
  readonly source: HistorySource
  readonly http: RemoteHttp
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  /** In a second; Infinity: no limit. Bytes are those of requests before compression. */
  readonly samplesPerSecondMax: number
  readonly bytesPerSecondMax: number
  /** More refused samples end the migration. */
  readonly refusedMax: number
  /** The store may have samples that are sent. */
  readonly isRepeat: boolean
  readonly started: { readonly exemplar: number; readonly metadata: number; readonly remoteStarts: readonly number[] }
  /** The store does not answer, or not now; called for each request that is sent again. */
  readonly onFailure: (text: string) => void
}

/** Batches that are ready to be sent, for each connection. */
const BATCHES_AHEAD = 2

export class HistorySender {
  /** Samples that were not sent. */
  skippedHistograms = 0
  erasedSamples = 0
  facts: RemoteFacts | undefined
  /** Of samples in the store; undefined: not known. */
  retentionMs: number | undefined
  readonly #parts: HistorySenderParts
  readonly #delivery: Delivery
  readonly #batches: BatchDelivery
  readonly #extras: ExtraSender
  readonly #labels: LabelBytes
  readonly #restarts: RestartWatch
  readonly #pace: Pace
  readonly #shards: readonly Shard[]
  #wake: (() => void) | undefined
  #failure: Error | undefined

  constructor(parts: HistorySenderParts) {
    const { options, source, http, clock, random, started } = parts
    this.#parts = parts
    this.#labels = new LabelBytes(source)
    this.#delivery = new Delivery({
      options,
      http,
      clock,
      random,
      onKnown: () => undefined,
      onFailure: parts.onFailure,
    })
    this.#batches = new BatchDelivery({
      ...{ encoder: new BatchEncoder(source, this.#labels), delivery: this.#delivery, labels: this.#labels, clock },
      onRefused: () => undefined,
    })
    this.#extras = new ExtraSender(source, this.#delivery, this.#labels, started)
    this.#restarts = new RestartWatch(started.remoteStarts)
    this.#pace = new Pace(clock, { samples: parts.samplesPerSecondMax, bytes: parts.bytesPerSecondMax })
    this.#shards = Array.from({ length: options.connections }, () => new Shard())
  }

  get counts() {
    const { acceptedSamples, repeatedSamples, refused } = this.#batches
    const { requests, bytes, isFailing } = this.#delivery
    const refusedSamples = Object.values(refused).reduce((sum, count) => sum + count, 0)
    const { sentExemplars, sentMetadata } = this.#extras
    return { acceptedSamples, repeatedSamples, refusedSamples, requests, bytes, isFailing, sentExemplars, sentMetadata }
  }

  /** The last refused series of each reason. */
  get refusals(): readonly RefusalExample[] {
    return [...this.#batches.examples.values()]
  }

  get progress() {
    const { exemplar, metadata } = this.#extras
    return { exemplar, metadata, remoteStarts: this.#restarts.starts }
  }

  /** Finds out what the store is. Throws FleetError `remote_unavailable` when it cannot be written or queried. */
  async open(): Promise<RemoteFacts> {
    const { options, http } = this.#parts
    const probed = await probe(http, options)
    if ('failure' in probed) throw unavailable(`writing to ${options.writeUrl}: ${probed.failure}`)
    const queried = await http.get(`${options.queryUrl}/api/v1/query?query=1`, QUERY_BYTES_MAX)
    if ('failure' in queried) throw unavailable(`querying ${options.queryUrl}: ${queried.failure}`)
    if (queried.status !== 200 || !queried.text.includes('"success"')) {
      throw unavailable(
        `querying ${options.queryUrl}: HTTP ${queried.status}, want the answer of a Prometheus-compatible store`,
      )
    }
    this.facts = await this.#delivery.ready()
    const metrics = await readMetrics(http, options.writeUrl)
    this.retentionMs = retentionMsOf(this.facts.engine, metrics, await readStatus(http, options.queryUrl, 'flags'))
    return this.facts
  }

  /** HOT: once per sample. Samples of one series in order of time. Call `room` now and then. */
  add(ref: SeriesRef, timeMs: number, low: number, high: number): void {
    if (high === this.#parts.source.histogramHighWord && this.facts?.acceptsHistograms !== true) {
      this.skippedHistograms++
      return
    }
    const labelBytes = this.#labels.byteLength(ref)
    if (labelBytes === 0) this.erasedSamples++
    else this.#shards[ref % this.#shards.length]!.add(ref, labelBytes, 0, timeMs, low, high)
  }

  /** Waits until few batches are left to be sent. Throws FleetError when too many samples are refused. */
  async room(): Promise<void> {
    await this.#until((shard) => shard.queue.length <= BATCHES_AHEAD)
  }

  /** Waits until all samples are acknowledged. Throws FleetError when too many samples are refused. */
  async flush(): Promise<void> {
    for (const shard of this.#shards) shard.seal()
    await this.#until((shard) => shard.queue.length === 0)
  }

  /** Exemplars and metadata, where the store takes them. */
  sendExtras(): Promise<void> {
    return this.#extras.sendAll()
  }

  /** Whether the store may have lost what it acknowledged since the last call. `undefined`: not known now. */
  async hasRestarted(): Promise<boolean | undefined> {
    if (this.facts?.needsResend !== true) return false
    const seen = await this.#restarts.compare(this.#delivery)
    return seen === 'unknown' ? undefined : seen === 'restarted'
  }

  stop(): void {
    this.#delivery.stop()
  }

  async #until(isDone: (shard: Shard) => boolean): Promise<void> {
    for (;;) {
      for (const shard of this.#shards) if (!shard.isSending && shard.queue.length > 0) void this.#drain(shard)
      if (this.#failure !== undefined) throw this.#failure
      this.#checkRefused()
      if (this.#shards.every(isDone)) return
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  async #drain(shard: Shard): Promise<void> {
    shard.isSending = true
    try {
      for (let batch = shard.queue[0]; batch !== undefined; batch = shard.queue[0]) {
        await this.#pace.take(batch.sampleCount, batch.bytes)
        await this.#batches.deliver(batch, this.#parts.isRepeat)
        shard.sent()
        this.#wake?.()
      }
    } catch (thrown) {
      this.#failure = thrown instanceof Error ? thrown : new Error(String(thrown))
    } finally {
      shard.isSending = false
      this.#wake?.()
    }
  }

  #checkRefused(): void {
    const { refusedSamples } = this.counts
    if (refusedSamples <= this.#parts.refusedMax) return
    const [example] = this.refusals
    throw new FleetError(
      'remote_unavailable',
      `the metrics store refused ${refusedSamples} samples, last ${example?.series ?? ''}: ${example?.text ?? ''}`,
      {
        hint: 'Prometheus, Mimir and Thanos take samples of the past only into an empty store; --refused-max N allows more refused samples',
      },
    )
  }
}

const QUERY_BYTES_MAX = 4096

function unavailable(message: string): FleetError {
  return new FleetError('remote_unavailable', message, {
    hint: 'check store.metrics and store.metrics-kind, and the headers in the file of store.metrics-headers-file',
  })
}
