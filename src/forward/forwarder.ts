/**
 * Forwards samples from the buffer's log to a Prometheus-compatible store, in order of each series, at least once. Runs on a
 * thread of its own.
 *
 * ```
 * log row ---> shard by series ---> batch ---> request ---> acknowledged ---> position (stored by main once a second)
 *                                     ^           |
 *                                     |           +--> refused: split, counted; failed: sent again, without end
 *   restart of the remote side: back to the released row
 * ```
 *
 * Bounded: some batches per connection are read ahead. The rest waits in the buffer.
 */
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { FaultThrottle } from '../base/fault-throttle.ts'
import { NOTHING_FORWARDED, type ForwardProgress } from '../model/forward-progress.ts'
import { BatchDelivery } from './batch-delivery.ts'
import { BatchEncoder } from './batch-encoder.ts'
import { Delivery, Stopped } from './delivery.ts'
import { ExtraSender } from './extra-sender.ts'
import { ForwardLag } from './forward-lag.ts'
import type { ForwardEvent, ForwardStatus } from './forward-status.ts'
import { LabelBytes } from './label-bytes.ts'
import type { ForwardOptions } from './options.ts'
import { ReleasedRows } from './released-rows.ts'
import type { RemoteFacts } from './remote-facts.ts'
import type { RemoteHttp } from './remote-http.ts'
import { RestartWatch } from './restart-watch.ts'
import type { SampleRow, SampleSource } from './sample-source.ts'
import { Shard } from './shard.ts'

export interface ForwarderParts {
  readonly options: ForwardOptions
  readonly source: SampleSource
  readonly http: RemoteHttp
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
}

/** How often the log is read for new rows: a request for each time, in which samples of all senders are together. */
export const POLL_MS = 500
/** How often the start time of the remote process is compared. */
export const CHECK_MS = 5_000
const DRAIN_POLL_MS = 50
/** Batches that are ready to be sent, for each connection. */
const BATCHES_AHEAD = 2
const EVENTS_MAX = 100
/** Of samples that are being sent at the same time, to stores that want them in the order of time. */
const SPAN_MS_MAX = 30 * 60_000

export class Forwarder {
  readonly #parts: ForwarderParts
  readonly #delivery: Delivery
  readonly #batches: BatchDelivery
  readonly #extras: ExtraSender
  readonly #labels: LabelBytes
  readonly #shards: readonly Shard[]
  readonly #released: ReleasedRows
  readonly #restarts: RestartWatch
  readonly #lag: ForwardLag
  readonly #throttle = new FaultThrottle()
  #events: ForwardEvent[] = []
  /** The last row that was read, and the last one through which everything is acknowledged. */
  #lastRead: number
  #position: number
  /** Rows up to this one may have been sent before. */
  #repeatedThrough: number
  /** The same, because the remote side restarted. */
  #resentThrough = 0
  #resentSamples = 0
  #skippedHistograms = 0
  #erasedSamples = 0
  #lastAcknowledgedMs: number | undefined
  /** Everything after this row is to be sent again, once nothing is being sent. */
  #rewindTo: number | undefined
  /** The newest sample of the oldest row that is being sent. */
  #spanFromMs = -Infinity
  #isChecking = false
  #isStopped = false
  #cancels: (() => void)[] = []

  constructor(parts: ForwarderParts) {
    const { options, source, http, clock, random } = parts
    this.#parts = parts
    const stored = source.progress()
    const { row, releasedRow, exemplar, metadata, remoteStarts } = stored ?? NOTHING_FORWARDED
    this.#lastRead = row
    this.#position = row
    // What an earlier run sent after the last position that it stored is not known.
    this.#repeatedThrough = source.newestRow()
    this.#labels = new LabelBytes(source)
    this.#delivery = new Delivery({
      ...{ options, http, clock, random },
      onKnown: (facts) => {
        this.#known(facts)
      },
      onFailure: (text) => {
        this.#report('warn', 'samples cannot be forwarded; the server retries', { error: text })
      },
    })
    this.#batches = new BatchDelivery({
      encoder: new BatchEncoder(source, this.#labels),
      delivery: this.#delivery,
      labels: this.#labels,
      clock,
      onRefused: ({ reason, series, text }) => {
        this.#report('warn', 'the metrics store refused samples', { reason, series, answer: text }, reason)
      },
    })
    this.#extras = new ExtraSender(source, this.#delivery, this.#labels, { exemplar, metadata })
    this.#shards = Array.from({ length: options.connections }, () => new Shard())
    this.#released = new ReleasedRows(options.resendWindowMs, releasedRow)
    this.#restarts = new RestartWatch(remoteStarts)
    this.#lag = new ForwardLag(source)
    // The remote side may have restarted since.
    this.#delivery.isSuspect = stored !== undefined
  }

  start(): void {
    void this.#begin().catch((thrown: unknown) => {
      if (!(thrown instanceof Stopped)) throw thrown
    })
  }

  async #begin(): Promise<void> {
    await this.#delivery.ready()
    // With nothing acknowledged, there is nothing that a restart could have lost.
    if (this.#position === 0) this.#delivery.isSuspect = false
    // Before anything is sent: which process acknowledges it.
    await this.#check()
    this.#every(POLL_MS, () => {
      this.#pump()
    })
    this.#every(CHECK_MS, () => {
      void this.#check()
    })
    this.#pump()
  }

  /** Requests under way end without an answer; the next run sends them again. */
  stop(): void {
    this.#isStopped = true
    for (const cancel of this.#cancels) cancel()
    this.#delivery.stop()
  }

  get progress(): ForwardProgress {
    const { exemplar, metadata } = this.#extras
    const remoteStarts = this.#restarts.starts
    // What is to be sent again is not acknowledged, also when this thread ends before it goes back.
    return { row: this.#rewindTo ?? this.#position, releasedRow: this.#released.row, exemplar, metadata, remoteStarts }
  }

  status(): ForwardStatus {
    const { requests, bytes, retries, lastError, isFailing, facts } = this.#delivery
    const { acceptedSamples, refused, repeatedSamples, examples } = this.#batches
    const isSame = facts !== undefined && !this.#delivery.isSuspect && this.#rewindTo === undefined
    const pending = this.#shards.reduce((count, shard) => count + shard.sampleCount, 0)
    const lag = this.#lag.measure(this.#position, this.#lastRead, pending, this.#parts.clock.nowMs())
    return {
      ...{ writeUrl: this.#parts.options.writeUrl, remote: facts, progress: this.progress, ...lag },
      ...{ lastAcknowledgedMs: this.#lastAcknowledgedMs, lastError, isFailing },
      isComplete: isSame && !isFailing && this.#position >= this.#resentThrough,
      totals: {
        ...{ requests, bytes, retries: { ...retries }, refused: { ...refused }, repeatedSamples },
        samples: acceptedSamples,
        exemplars: this.#extras.sentExemplars,
        metadata: this.#extras.sentMetadata,
        resentSamples: this.#resentSamples,
        restarts: this.#restarts.count,
        skippedHistograms: this.#skippedHistograms,
        erasedSamples: this.#erasedSamples,
      },
      refusals: [...examples.values()],
    }
  }

  /** Resolves when everything is acknowledged, or requests fail, or after this time. */
  async drained(withinMs: number): Promise<void> {
    const { clock } = this.#parts
    const untilMs = clock.nowMs() + withinMs
    for (;;) {
      this.#pump()
      const { lagSamples, isFailing } = this.status()
      if (lagSamples === 0 || isFailing || this.#isStopped || clock.nowMs() >= untilMs) return
      await new Promise<void>((resolve) => clock.after(DRAIN_POLL_MS, resolve))
    }
  }

  /** What happened since the last call, for the log. */
  takeEvents(): readonly ForwardEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  #every(ms: number, run: () => void): void {
    const index = this.#cancels.length
    const plan = (): void => {
      if (this.#isStopped) return
      this.#cancels[index] = this.#parts.clock.after(ms, () => {
        run()
        plan()
      })
    }
    plan()
  }

  /** Reads what there is, and sends it. */
  #pump(): void {
    if (this.#isStopped) return
    try {
      this.#fill()
    } catch (thrown) {
      this.#report('warn', 'samples to forward cannot be read; the server retries', { error: messageOf(thrown) })
    }
    // A shard that is sending pumps when it has ended.
    if (this.#rewindTo !== undefined) return
    for (const shard of this.#shards) if (!shard.isSending) void this.#drain(shard)
    this.#extras.sendSome(this.#position === this.#lastRead, this.#parts.clock.nowMs())
  }

  /** Reads rows until enough is ready, or none is left. */
  #fill(): void {
    const facts = this.#delivery.facts
    if (!this.#rewound() || facts === undefined) return
    while (this.#batchesReady < this.#shards.length * BATCHES_AHEAD) {
      const row = this.#parts.source.next(this.#lastRead)
      if (row === undefined || this.#isAhead(row, facts)) break
      this.#read(row, facts)
    }
    this.#advance()
  }

  /**
   * Whether a row waits until all before it is acknowledged: Prometheus, Mimir and Thanos refuse samples that are an hour older than
   * the newest one, also of another series, and one connection may be ahead of the others.
   */
  #isAhead({ maxMs }: SampleRow, { needsResend }: RemoteFacts): boolean {
    if (needsResend) return false
    if (this.#shards.every(({ firstRow }) => firstRow === undefined)) this.#spanFromMs = maxMs
    return maxMs > this.#spanFromMs + SPAN_MS_MAX
  }

  /** HOT: reads each sample of a row into the shard of its series. */
  #read(row: SampleRow, { acceptsHistograms }: RemoteFacts): void {
    const { source } = this.#parts
    const { histogramHighWord } = source
    const shards = this.#shards
    const labels = this.#labels
    const { id } = row
    let samples = 0
    source.eachSample(row, (ref, timeMs, low, high) => {
      samples++
      if (high === histogramHighWord && !acceptsHistograms) {
        this.#skippedHistograms++
        return
      }
      const labelBytes = labels.byteLength(ref)
      if (labelBytes === 0) this.#erasedSamples++
      else shards[ref % shards.length]!.add(ref, labelBytes, id, timeMs, low, high)
    })
    this.#lastRead = id
    this.#lag.read(id, row.maxMs, samples)
    if (id <= this.#resentThrough) this.#resentSamples += samples
  }

  get #batchesReady(): number {
    return this.#shards.reduce((count, { queue }) => count + queue.length, 0)
  }

  /** Sends the batches of a shard one after the other, until there is nothing to send. */
  async #drain(shard: Shard): Promise<void> {
    shard.isSending = true
    try {
      for (;;) {
        if (this.#rewindTo !== undefined) break
        if (shard.queue.length === 0) this.#fill()
        if (shard.queue.length === 0) shard.seal()
        const [batch] = shard.queue
        if (batch === undefined) break
        await this.#batches.deliver(batch, batch.firstRow <= this.#repeatedThrough)
        this.#lastAcknowledgedMs = this.#parts.clock.nowMs()
        shard.sent()
        this.#advance()
        if (this.#delivery.isSuspect) void this.#check()
      }
    } catch (thrown) {
      if (!(thrown instanceof Stopped)) {
        this.#report('warn', 'samples cannot be forwarded; the server retries', { error: messageOf(thrown) })
      }
    } finally {
      shard.isSending = false
    }
    if (this.#rewindTo !== undefined) this.#pump()
  }

  /** The position is before the oldest sample that is not acknowledged. */
  #advance(): void {
    const firsts = this.#shards.flatMap(({ firstRow }) => firstRow ?? [])
    const position = firsts.length === 0 ? this.#lastRead : Math.min(...firsts) - 1
    if (position <= this.#position) return
    this.#position = position
    if (this.#delivery.facts?.needsResend === false) this.#released.releaseTo(position)
    else this.#released.acknowledged(position, this.#parts.clock.nowMs())
  }

  /** Whether the remote side is the process that has acknowledged; otherwise what it may have lost is sent again. */
  async #check(): Promise<void> {
    if (this.#isChecking || this.#isStopped) return
    this.#isChecking = true
    try {
      const facts = await this.#delivery.ready()
      const atMs = this.#parts.clock.nowMs()
      const seen = await this.#restarts.compare(this.#delivery)
      if (!facts.needsResend) this.#released.releaseTo(this.#position)
      else if (seen === 'restarted') this.#rewind()
      else if (seen === 'same') this.#released.confirmed(atMs)
    } catch (thrown) {
      if (!(thrown instanceof Stopped)) throw thrown
    } finally {
      this.#isChecking = false
    }
  }

  #rewind(): void {
    this.#rewindTo = this.#released.row
    const fields = { afterRow: this.#rewindTo, position: this.#position }
    this.#report('warn', 'the metrics store restarted: what it acknowledged lately is sent again', fields)
    this.#delivery.forget()
    void this.#delivery.ready().then(
      () => {
        this.#pump()
      },
      () => undefined,
    )
  }

  /** Goes back when that is due, and possible. False: not yet. */
  #rewound(): boolean {
    if (this.#rewindTo === undefined) return true
    if (this.#shards.some(({ isSending }) => isSending)) return false
    for (const shard of this.#shards) shard.clear()
    this.#resentThrough = this.#lastRead
    this.#repeatedThrough = Math.max(this.#repeatedThrough, this.#lastRead)
    this.#lastRead = this.#rewindTo
    this.#position = this.#rewindTo
    this.#released.forget()
    this.#lag.forget()
    this.#rewindTo = undefined
    return true
  }

  #known({ engine, version, protocol, notAccepted }: RemoteFacts): void {
    const { writeUrl } = this.#parts.options
    this.#report('info', 'samples are forwarded', { writeUrl, engine, version, protocol }, 'known')
    for (const { what, why } of notAccepted) {
      this.#report('warn', 'the metrics store does not accept everything', { what, why }, what)
    }
  }

  /** @param fault those with the same one are logged once a minute */
  #report(level: ForwardEvent['level'], message: string, fields: ForwardEvent['fields'], fault = message): void {
    if (this.#events.length >= EVENTS_MAX || !this.#throttle.admits(fault, this.#parts.clock.nowMs())) return
    this.#events.push({ level, message, fields })
  }
}
