import { invariant } from '../base/invariant.ts'
import type { Steps } from '../base/thread-slices.ts'
import { APPENDED, APPENDED_BEFORE, type Appender } from '../model/appender.ts'
import { Labels } from '../model/labels.ts'
import { isStaleAt } from '../model/sample.ts'
import type { SeriesRef } from '../model/series.ts'
import { DecodeError } from '../wire/decode-error.ts'
import type { DecodedHistogram } from '../wire/histogram-field.ts'
import { hashLabels } from '../wire/label-hash.ts'
import { PlainWriteDecoder } from '../wire/plain-write-decoder.ts'
import { WriteRequestV2Decoder } from '../wire/remote-write-v2.ts'
import { WriteRequestDecoder } from '../wire/remote-write.ts'
import { SnappyDecoder } from '../wire/snappy.ts'
import type { WriteBatch } from '../wire/write-batch.ts'
import { APPEND_REFUSALS, type RefusedAppend } from './admission.ts'
import type { ClusterActivityTable } from './cluster-activity.ts'
import type { HaTracker } from './ha-tracker.ts'
import type { Intake } from './intake.ts'
import type { IngestOptions } from './options.ts'
import { RefusalTally } from './refusals.ts'
import { SeriesRecogniser, labelLimits, rawLabels } from './series-recogniser.ts'
import { badBody, outcomeOf, type WriteOutcome, type WriteProtocol } from './write-outcome.ts'

export type { WriteOutcome } from './write-outcome.ts'

/**
 * Handles a remote write request, 1.0 or 2.0, from its compressed body to appended samples and a response. Three steps,
 * in this order: decode the whole body, recognise every series, append. The first two detect a malformed body before
 * anything is appended; after them only single samples are refused, and the valid samples of a partly invalid request
 * are stored.
 */

const HOUR_MS = 3_600_000

/** The range of a `Date`, which everything that shows a time needs; inclusive, both ways. */
const TIME_MS_MAX = 8.64e15

export interface WriteContext {
  readonly nowMs: number
  /** The cluster the sender's token is bound to; absent when it is not bound. Not empty. */
  readonly cluster?: string
  /** What the body is written in; 1.0 when absent. */
  readonly protocol?: WriteProtocol
}

export interface RemoteWriteIngest {
  /**
   * Handles one request body, still compressed, without retaining it. Accepted samples are not durable yet: the caller
   * awaits `appender.commit()` before it responds.
   */
  write(body: Uint8Array, context: WriteContext): WriteOutcome
  /** The same for a large body: between steps other requests are handled, and what was appended may be committed. */
  writeInSteps(body: Uint8Array, context: WriteContext): Steps<WriteOutcome>
  /** Forgets series that the store has dropped, so that their next samples are resolved again. */
  forget(refs: ReadonlySet<SeriesRef>): void
}

/**
 * @param parts.intake the checks that all formats share
 * @param parts.drawKey four random words for the identity table; tests pass fixed words to be repeatable
 */
export function createRemoteWriteIngest(parts: {
  readonly intake: Intake
  readonly drawKey?: () => Int32Array
}): RemoteWriteIngest {
  const { intake } = parts
  const { options } = intake
  const limits = { samplesMax: options.samplesPerRequestMax, seriesMax: options.seriesPerRequestMax }
  const plain = new PlainWriteDecoder(limits, options.decodedBytesMax)
  const snappy = new SnappyDecoder(options.decodedBytesMax)
  const newDecoder = {
    '1.0': () => new WriteRequestDecoder(limits),
    // Expanded labels have the size of the same request in 1.0: one limit for both.
    '2.0': () => new WriteRequestV2Decoder({ ...limits, labelBytesMax: options.decodedBytesMax }),
  }
  const decoders = { '1.0': newDecoder['1.0'](), '2.0': newDecoder['2.0']() }
  const recogniser = new SeriesRecogniser(intake, parts.drawKey)
  const writer = new BatchWriter(intake, recogniser)
  /** Repeated metadata is processed once an hour, so that the latest metadata is stored even when it alternates. */
  let metadataHour = NaN
  const forgetMetadata = (): void => {
    for (const decoder of Object.values(decoders)) decoder.forgetMetadata()
  }
  const decode = (body: Uint8Array, protocol: WriteProtocol, key: Int32Array): WriteBatch => {
    const fast = protocol === '1.0' ? plain.decode(body, key) : undefined
    if (fast !== undefined) return fast
    const batch = decoders[protocol].decode(snappy.decode(body), snappy.view)
    hashLabels(batch, key)
    return batch
  }
  /** With decoders of its own: the others decode other requests between steps, and so much memory is not kept. */
  function* decodeInSteps(body: Uint8Array, protocol: WriteProtocol, key: Int32Array): Steps<WriteBatch> {
    const isPlain = protocol === '1.0'
    const fast = isPlain ? new PlainWriteDecoder(limits, options.decodedBytesMax).decode(body, key) : undefined
    yield false
    if (fast !== undefined) return fast
    const ofBlock = new SnappyDecoder(options.decodedBytesMax)
    const bytes = yield* ofBlock.decodeInSteps(body)
    const batch = yield* newDecoder[protocol]().decodeInSteps(bytes, ofBlock.view)
    yield* eachStep(batch.seriesCount, (from, to) => {
      hashLabels(batch, key, from, to)
    })
    return batch
  }
  function* writeInSteps(body: Uint8Array, { nowMs, cluster, protocol = '1.0' }: WriteContext): Steps<WriteOutcome> {
    try {
      const batch = yield* decodeInSteps(body, protocol, recogniser.scope(cluster))
      return outcomeOf(yield* writer.writeInSteps(batch, nowMs, cluster))
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      return badBody(error)
    }
  }
  const write = (body: Uint8Array, { nowMs, cluster, protocol = '1.0' }: WriteContext): WriteOutcome => {
    try {
      const hour = Math.floor(nowMs / HOUR_MS)
      if (hour !== metadataHour) forgetMetadata()
      metadataHour = hour
      const batch = decode(body, protocol, recogniser.scope(cluster))
      intake.begin(nowMs)
      const newUnidentifiedSeries = recogniser.recognise(batch, cluster, nowMs)
      return outcomeOf(writer.write(batch, nowMs, cluster, newUnidentifiedSeries))
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      // Metadata read from a malformed body is not stored.
      forgetMetadata()
      return badBody(error)
    }
  }
  return {
    write(body, context) {
      invariant(context.cluster !== '', 'a bound cluster has a name')
      const outcome = write(body, context)
      intake.note(outcome.refusals, context.cluster, context.nowMs)
      return outcome
    },
    *writeInSteps(body, context) {
      invariant(context.cluster !== '', 'a bound cluster has a name')
      const outcome = yield* writeInSteps(body, context)
      intake.note(outcome.refusals, context.cluster, context.nowMs)
      return outcome
    },
    forget(refs) {
      recogniser.forget(refs)
    },
  }
}

type Appended = Pick<WriteOutcome, `${'samples' | 'histograms'}${'Taken' | 'Duplicate'}`>
type Counts = Omit<WriteOutcome, 'status' | 'message'>

const APPENDED_COUNTS = ['samplesTaken', 'samplesDuplicate', 'histogramsTaken', 'histogramsDuplicate'] as const

/** Series, exemplars or metadata of one step: some ms, when all of them are new. */
const ITEMS_PER_STEP = 1024

function* eachStep(count: number, work: (from: number, to: number) => void): Steps<void> {
  for (let from = 0; from < count; from += ITEMS_PER_STEP) {
    work(from, Math.min(from + ITEMS_PER_STEP, count))
    yield false
  }
}

/** Passes the samples of a recognised batch to the appender, and counts refusals. */
class BatchWriter {
  readonly #intake: Intake
  readonly #appender: Appender
  readonly #options: IngestOptions
  readonly #recogniser: SeriesRecogniser
  readonly #replicas: HaTracker
  readonly #activity: ClusterActivityTable

  constructor(intake: Intake, recogniser: SeriesRecogniser) {
    this.#intake = intake
    this.#appender = intake.appender
    this.#options = intake.options
    this.#recogniser = recogniser
    this.#replicas = intake.replicas
    this.#activity = intake.activity
  }

  write(batch: WriteBatch, nowMs: number, boundCluster: string | undefined, newUnidentifiedSeries: number): Counts {
    const tally = new RefusalTally()
    const appended = this.#append(batch, nowMs, boundCluster, tally)
    const exemplarsTaken =
      batch.exemplarCount > 0 ? this.#appendExemplars(batch.exemplars, batch, nowMs, boundCluster) : 0
    return {
      samplesIn: batch.sampleCount,
      histogramsIn: batch.histogramCount,
      ...appended,
      refusals: tally.refusals(),
      exemplarsTaken,
      exemplarsIgnored: batch.exemplarCount - exemplarsTaken,
      metadataIgnored: batch.metadataCount > 0 ? this.#describe(batch.metadata) : 0,
      newUnidentifiedSeries,
    }
  }

  /** Recognises and appends, some series at a time, once all labels can be read. @throws DecodeError when they cannot */
  *writeInSteps(batch: WriteBatch, nowMs: number, boundCluster: string | undefined): Steps<Counts> {
    const recogniser = this.#recogniser
    yield* eachStep(batch.seriesCount, (from, to) => {
      recogniser.check(batch, from, to)
    })
    const tally = new RefusalTally()
    const total = { samplesTaken: 0, samplesDuplicate: 0, histogramsTaken: 0, histogramsDuplicate: 0 }
    let [newUnidentifiedSeries, exemplarsTaken, metadataIgnored] = [0, 0, 0]
    let histograms = 0
    yield* eachStep(batch.seriesCount, (from, to) => {
      this.#intake.begin(nowMs)
      newUnidentifiedSeries += recogniser.recognise(batch, boundCluster, nowMs, from, to)
      const appended = this.#append(batch, nowMs, boundCluster, tally, from, to, histograms)
      for (const count of APPENDED_COUNTS) total[count] += appended[count]
      if (batch.histogramCount > 0) for (let i = from; i < to; i++) histograms += batch.histograms[i]!
    })
    const { exemplars, metadata } = batch
    yield* eachStep(exemplars.length, (from, to) => {
      this.#intake.begin(nowMs)
      exemplarsTaken += this.#appendExemplars(exemplars.slice(from, to), batch, nowMs, boundCluster)
    })
    yield* eachStep(metadata.length, (from, to) => {
      metadataIgnored += this.#describe(metadata.slice(from, to))
    })
    return {
      samplesIn: batch.sampleCount,
      histogramsIn: batch.histogramCount,
      ...total,
      refusals: tally.refusals(),
      exemplarsTaken,
      exemplarsIgnored: batch.exemplarCount - exemplarsTaken,
      metadataIgnored,
      newUnidentifiedSeries,
    }
  }

  #appendHistogram(
    batch: WriteBatch,
    series: number,
    ref: SeriesRef,
    decoded: DecodedHistogram,
    nowMs: number,
    tally: RefusalTally,
  ): boolean {
    const { timeMs } = decoded
    if (timeMs > nowMs + this.#options.aheadMsMax || Math.abs(timeMs) > TIME_MS_MAX) {
      this.#refuseTime(batch, series, timeMs, nowMs, tally)
      return false
    }
    if (decoded.kind === 'fault') {
      const { reason, text } = decoded.fault
      if (tally.count(reason, 1)) tally.explain(reason, `${text}: ${this.#textOf(batch, series)} at ${timeMs}`)
      return false
    }
    const outcome =
      decoded.kind === 'stale'
        ? this.#appender.appendStale(ref, timeMs)
        : this.#appender.appendHistogram(ref, timeMs, decoded.histogram)
    if (outcome === APPENDED || outcome === APPENDED_BEFORE) return true
    this.#refuseSample(batch, series, timeMs, outcome, tally)
    return false
  }

  /**
   * Exemplars that cannot be stored are not refusals. Returns how many were accepted, or come from a standby replica.
   */
  #appendExemplars(
    exemplars: WriteBatch['exemplars'],
    batch: WriteBatch,
    nowMs: number,
    boundCluster: string | undefined,
  ): number {
    let taken = 0
    for (const { series, exemplar } of exemplars) {
      if (exemplar.timeMs > nowMs + this.#options.aheadMsMax || Math.abs(exemplar.timeMs) > TIME_MS_MAX) continue
      const found = this.#recogniser.resolveBeside(batch, series, boundCluster)
      if (found === undefined) continue
      const isElsewhere = found.sender > 0 && this.#replicas.isDuplicate(found.sender)
      if (isElsewhere || this.#appender.appendExemplar(found.ref, exemplar)) taken++
    }
    return taken
  }

  /** Returns how many were not stored. */
  #describe(metadata: WriteBatch['metadata']): number {
    const { privacy } = this.#intake
    return metadata.filter(
      (one) => privacy.isMetricDropped(one.family) || !this.#appender.describe(one.family, one.metadata),
    ).length
  }

  /**
   * HOT: once per series. Counts accepted samples and histograms of the series `[fromSeries, toSeries)`, and those of a
   * standby replica. @param histogramsBefore histograms of the series before
   */
  #append(
    batch: WriteBatch,
    nowMs: number,
    boundCluster: string | undefined,
    tally: RefusalTally,
    fromSeries = 0,
    toSeries = batch.seriesCount,
    histogramsBefore = 0,
  ): Appended {
    const { refs, senders } = this.#recogniser
    const replicas = this.#replicas
    const activity = this.#activity
    const hasHistograms = batch.histogramCount > 0
    let samplesTaken = 0
    let samplesDuplicate = 0
    let histogramsTaken = 0
    let histogramsDuplicate = 0
    let histogramEnd = histogramsBefore
    // A request usually has one sender: it is looked up only when it changes.
    let lastSender = 0
    let cluster = 0
    let isStandby = false
    let isDeliveryRecorded = true
    // Of the series since the sender changed.
    let taken = 0
    let refused = 0
    for (let series = fromSeries; series < toSeries; series++) {
      const start = batch.sampleStart(series)
      const end = batch.sampleEnd[series]!
      const histogramStart = histogramEnd
      if (hasHistograms) histogramEnd += batch.histograms[series]!
      const count = end - start + histogramEnd - histogramStart
      if (count === 0) continue
      const ref = refs[series]!
      if (ref === 0) {
        const refused = this.#recogniser.refusalOf(series)
        if (tally.count(refused.reason, count)) tally.explain(refused.reason, refused.example)
        if (refused.reason === 'privacy_dropped') {
          samplesDuplicate += end - start
          histogramsDuplicate += histogramEnd - histogramStart
        }
        const whose = activity.numberOf(refused.cluster ?? boundCluster ?? '')
        activity.count(whose, 0, count, 0, nowMs)
        continue
      }
      const sender = senders[series]!
      if (sender !== lastSender) {
        if (taken + refused > 0) activity.count(cluster, taken, refused, 0, nowMs)
        taken = 0
        refused = 0
        lastSender = sender
        cluster = this.#intake.clusterNumberOf(sender)
        isStandby = sender > 0 && replicas.isDuplicate(sender)
        isDeliveryRecorded = sender <= 0
      }
      if (isStandby) {
        samplesDuplicate += end - start
        histogramsDuplicate += histogramEnd - histogramStart
        replicas.dropped(sender, count)
        if (tally.count('ha_duplicate', count)) tally.explain('ha_duplicate', replicas.explain(sender))
        activity.count(cluster, 0, 0, count, nowMs)
        continue
      }
      let samples = 0
      let histograms = 0
      let from = start
      // In the order of time: after samples of more than the window for late ones, a histogram would be refused.
      for (let number = histogramStart; number < histogramEnd; number++) {
        const histogram = batch.histogramAt(number, this.#options.histogramBucketsMax)
        let to = from
        while (to < end && batch.timesMs[to]! <= histogram.timeMs) to++
        samples += this.#appendSamples(batch, series, ref, from, to, nowMs, tally)
        from = to
        if (this.#appendHistogram(batch, series, ref, histogram, nowMs, tally)) histograms++
      }
      samples += this.#appendSamples(batch, series, ref, from, end, nowMs, tally)
      samplesTaken += samples
      histogramsTaken += histograms
      taken += samples + histograms
      refused += count - samples - histograms
      if (!isDeliveryRecorded && taken > 0) {
        replicas.taken(sender)
        isDeliveryRecorded = true
      }
    }
    if (taken + refused > 0) activity.count(cluster, taken, refused, 0, nowMs)
    return { samplesTaken, samplesDuplicate, histogramsTaken, histogramsDuplicate }
  }

  /** HOT: once per sample. Returns how many of the samples [from, to) were accepted. */
  #appendSamples(
    batch: WriteBatch,
    series: number,
    ref: SeriesRef,
    from: number,
    to: number,
    nowMs: number,
    tally: RefusalTally,
  ): number {
    const appender = this.#appender
    const { timesMs, values, valueBits } = batch
    const newestMs = nowMs + this.#options.aheadMsMax
    let taken = 0
    for (let sample = from; sample < to; sample++) {
      const timeMs = timesMs[sample]!
      if (timeMs > newestMs || timeMs > TIME_MS_MAX || timeMs < -TIME_MS_MAX) {
        this.#refuseTime(batch, series, timeMs, nowMs, tally)
        continue
      }
      const outcome = isStaleAt(valueBits, sample)
        ? appender.appendStale(ref, timeMs)
        : appender.append(ref, timeMs, values[sample]!)
      if (outcome === APPENDED || outcome === APPENDED_BEFORE) taken++
      else this.#refuseSample(batch, series, timeMs, outcome, tally)
    }
    return taken
  }

  #refuseTime(batch: WriteBatch, series: number, timeMs: number, nowMs: number, tally: RefusalTally): void {
    const isTime = Math.abs(timeMs) <= TIME_MS_MAX
    const reason = isTime ? 'too_far_ahead' : 'bad_timestamp'
    if (!tally.count(reason, 1)) return
    const what = isTime
      ? `${timeMs - nowMs} ms ahead of the clock, want at most ${this.#options.aheadMsMax}`
      : `a time of ${timeMs} ms, want ${-TIME_MS_MAX} to ${TIME_MS_MAX}`
    tally.explain(reason, `got ${what}: ${this.#textOf(batch, series)} at ${timeMs}`)
  }

  #refuseSample(batch: WriteBatch, series: number, timeMs: number, outcome: RefusedAppend, tally: RefusalTally): void {
    const { reason, text } = APPEND_REFUSALS[outcome]
    if (tally.count(reason, 1)) tally.explain(reason, `${text}: ${this.#textOf(batch, series)} at ${timeMs}`)
  }

  /** A series in PromQL notation, as sent. Cold: once per reason and request. */
  #textOf(batch: WriteBatch, series: number): string {
    try {
      const raw = rawLabels(batch, series, labelLimits(this.#options))
      return Labels.fromPairs(raw.map(({ name, value }) => [name ?? '?', value ?? '?'] as const)).toString()
    } catch (error) {
      // Labels of a series without samples were not validated before.
      if (error instanceof DecodeError) return 'a series whose labels cannot be read'
      throw error
    }
  }
}
