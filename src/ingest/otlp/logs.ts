import type { Steps } from '../../base/thread-slices.ts'
import { valueText } from '../../model/attribute-text.ts'
import { textAttribute, type Attributes, type AttributeValue } from '../../model/attribute.ts'
import { isUuid } from '../../model/cluster-identity.ts'
import type { ObjectListing, ObservationSink } from '../../model/fleet-facts.ts'
import type { LogRecord, LogSink } from '../../model/log-record.ts'
import type { ObjectObservation } from '../../model/observation.ts'
import type { RefusalReason } from '../../model/refusal.ts'
import { SKIPPED_KEYS } from '../../wire/k8s/kinds.ts'
import { isWatchedRecord, readObjectRecord, type LeftOut } from '../../wire/k8s/object-record.ts'
import type { OtlpEncoding } from '../../wire/otlp/answer.ts'
import { decodeLogsJson } from '../../wire/otlp/logs-json.ts'
import { decodeLogsProtobuf } from '../../wire/otlp/logs-protobuf.ts'
import type { LogsRequest, OtlpLogRecord, ResourceLogs } from '../../wire/otlp/logs.ts'
import type { ClaimingSender } from '../cluster-registry.ts'
import type { Intake } from '../intake.ts'
import { otlpOutcomeOf, type OtlpContext, type OtlpOutcome } from './outcome.ts'
import type { OtlpOptions } from './options.ts'
import { RefusalTally, type RefusedSeries } from '../refusals.ts'

/**
 * Handles an OTLP logs request, from its decompressed body to stored records and a response. Records of the Collector's
 * `k8sobjects` receiver become observations of objects, and a pull also becomes a listing; all others are stored as log
 * records. The whole body is decoded before the first record is used; after that only single records are refused.
 */
interface OtlpLogsIngest {
  /** Accepted records are not durable yet: the caller awaits the commit, in pauses and before it responds. */
  write(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): Steps<OtlpLogsOutcome>
}

export interface OtlpLogsOutcome extends OtlpOutcome {
  /** Accepted and understood, but not stored. */
  readonly leftOut: Readonly<Record<LeftOut, number>>
}

interface OtlpLogsParts {
  /** The checks that all formats share. */
  readonly intake: Intake
  readonly otlp: Pick<OtlpOptions, 'attributesMax'>
  readonly observations: Pick<ObservationSink, 'admits' | 'putObjects' | 'putListings'>
  readonly logs: LogSink
  readonly limits: {
    /** Retention of states of objects; older observations are refused. */
    readonly objectRetentionMs: number
    /** The same of log records, by their own time. */
    readonly logRetentionMs: number
  }
}

/** Of the body and the attributes of one log record, in characters of their texts. */
const RECORD_CHARS_MAX = 64 * 1024

/** Given to the store at once. */
const RECORDS_PER_STEP = 50
const OBJECTS_PER_PAUSE = 200

export function createOtlpLogsIngest(parts: OtlpLogsParts): OtlpLogsIngest {
  const { intake, otlp } = parts
  const limits = {
    recordsMax: intake.options.logRecordsPerRequestMax,
    attributesMax: otlp.attributesMax,
    skippedKeys: (attributes: Attributes) => (isWatchedRecord(attributes) ? SKIPPED_KEYS : undefined),
  }
  const none = { leftOut: { marker: 0, object: 0 } }
  return {
    write: (body, encoding, context) =>
      otlpOutcomeOf<OtlpLogsOutcome>('logs', intake, context, none, function* () {
        const request = yield* encoding === 'json' ? decodeLogsJson(body, limits) : decodeLogsProtobuf(body, limits)
        return yield* new RequestWriter(parts, context).write(request)
      }),
  }
}

/** The sender of one resource's records. */
interface Sender {
  readonly cluster: string
  readonly service: string
  /** As which it sent, before its names were joined. */
  readonly claimed: ClaimingSender
}

/** One request on its way into the store. */
class RequestWriter {
  readonly #parts: OtlpLogsParts
  readonly #context: OtlpContext
  readonly #tally = new RefusalTally()
  #objects: ObjectObservation[] = []
  readonly #listings = new Map<string, ObjectListing & { readonly uids: string[] }>()
  #records: LogRecord[] = []
  readonly #leftOut = { marker: 0, object: 0 }
  #taken = 0

  constructor(parts: OtlpLogsParts, context: OtlpContext) {
    this.#parts = parts
    this.#context = context
  }

  *write(request: LogsRequest): Steps<Pick<OtlpLogsOutcome, 'itemsIn' | 'itemsTaken' | 'refusals' | 'leftOut'>> {
    for (const resource of request.resources) yield* this.#resource(resource)
    this.#put()
    // Last of all: an object that is not in a listing counts as gone.
    this.#parts.observations.putListings([...this.#listings.values()])
    const [itemsIn, itemsTaken] = [request.recordCount, this.#taken]
    return { itemsIn, itemsTaken, refusals: this.#tally.refusals(), leftOut: this.#leftOut }
  }

  #put(): void {
    const { observations, logs } = this.#parts
    observations.putObjects(this.#objects)
    logs.putLogs(this.#records)
    this.#objects = []
    this.#records = []
  }

  *#resource({ resource, scopes }: ResourceLogs): Steps<void> {
    const claim = this.#parts.intake.clusterOfResource(resource.attributes, this.#context)
    const records = scopes.flatMap((scope) => scope.records)
    if ('reason' in claim) {
      this.#refuse(claim.reason, this.#context.cluster ?? '', () => claim.example, records.length)
      return
    }
    const sender = {
      cluster: claim.cluster,
      service: textAttribute(resource.attributes, 'service.name') ?? UNKNOWN_SERVICE,
      claimed: claim.sender,
    }
    for (const record of records) {
      this.#record(record, sender)
      // Objects are written in the pause, each with some queries.
      const isPause = this.#objects.length >= OBJECTS_PER_PAUSE
      if (isPause || this.#records.length >= RECORDS_PER_STEP) this.#put()
      yield isPause
    }
  }

  #record(record: OtlpLogRecord, sender: Sender): void {
    const { attributes, body } = record
    const observedMs = msOf(record.observedNs) || msOf(record.timeNs) || this.#context.nowMs
    const { privacy } = this.#parts.intake
    const kind = textAttribute(attributes, 'k8s.resource.name')
    const stored = kind === undefined ? body : privacy.body(kind, body)
    const reading = readObjectRecord({ attributes, body: stored, observedMs })
    if (reading.kind === 'plain') this.#logRecord(record, sender)
    else if (reading.kind === 'refused') this.#refuse(reading.reason, sender.cluster, () => reading.example)
    else if (reading.kind === 'left_out') {
      this.#leftOut[reading.why]++
      this.#take(sender.cluster)
    } else if (sender.cluster === '') this.#refuse('no_cluster', '', () => NO_CLUSTER)
    else if (reading.kind === 'cluster_uid') {
      const refused = this.#identify(sender, 'uid', reading.uid)
      if (refused === undefined) this.#take(sender.cluster)
      else this.#refuse(refused.reason, sender.cluster, () => refused.example)
    } else this.#object({ cluster: sender.cluster, ...reading.observation }, attributes, sender)
  }

  #object(observation: ObjectObservation, attributes: Attributes, sender: Sender): void {
    const { cluster, observedMs, facts, change, namespace, uid, name } = observation
    const refuse = (reason: RefusalReason, text: string): void => {
      this.#refuse(reason, cluster, () => `${text}: ${name} of ${facts.kind}`)
    }
    const { nowMs } = this.#context
    const { aheadMsMax } = this.#parts.intake.options
    const aheadMs = observedMs - nowMs
    if (aheadMs > aheadMsMax) {
      refuse('too_far_ahead', `got ${aheadMs} ms ahead of the clock, want at most ${aheadMsMax}`)
      return
    }
    const retentionMs = this.#parts.limits.objectRetentionMs
    if (-aheadMs > retentionMs) {
      refuse('too_old', `got an object observed before retention.objects, ${retentionMs} ms ago`)
      return
    }
    if (facts.kind === 'clusterversions') {
      const refused = this.#identify(sender, 'id', facts.clusterId)
      if (refused !== undefined) {
        this.#refuse(refused.reason, cluster, () => refused.example)
        return
      }
    }
    if (!this.#parts.observations.admits(observation)) {
      const room = 'got one more object than store.cluster-object-states-max has room for'
      refuse('cluster_object_limit', `cluster ${JSON.stringify(cluster)}: ${room}`)
      return
    }
    this.#objects.push(observation)
    this.#take(cluster)
    if (change !== 'listed') return
    const resource = textAttribute(attributes, 'k8s.resource.name') ?? facts.kind
    const key = `${cluster}\0${resource}\0${namespace}\0${observedMs}`
    const listing = this.#listings.get(key)
    if (listing === undefined) this.#listings.set(key, { cluster, resource, namespace, observedMs, uids: [uid] })
    else listing.uids.push(uid)
  }

  #logRecord(record: OtlpLogRecord, { cluster, service }: Sender): void {
    const { nowMs } = this.#context
    const timeNs = record.timeNs || record.observedNs || BigInt(nowMs) * 1_000_000n
    const refuse = (reason: RefusalReason, text: string): void => {
      this.#refuse(reason, cluster, () => `${text}: a log record of ${service}`)
    }
    const aheadMs = msOf(timeNs) - nowMs
    const { aheadMsMax } = this.#parts.intake.options
    const retentionMs = this.#parts.limits.logRetentionMs
    const chars = charsOf(record.body) + charsOf({ entries: record.attributes })
    if (aheadMs > aheadMsMax)
      refuse('too_far_ahead', `got ${aheadMs} ms ahead of the clock, want at most ${aheadMsMax}`)
    else if (-aheadMs > retentionMs) refuse('too_old', `got a time before retention.logs, ${retentionMs} ms ago`)
    else if (chars > RECORD_CHARS_MAX)
      refuse('log_record_too_large', `got ${chars} characters, want at most ${RECORD_CHARS_MAX}`)
    else {
      const { severity, severityText, eventName, body, attributes, traceId, spanId } = record
      const hasIds = TRACE_ID.test(traceId)
      this.#records.push({
        ...{ timeNs, cluster, service, severityText, eventName, body },
        attributes: this.#parts.intake.privacy.attributes(attributes),
        severity: severity >= 1 && severity <= SEVERITY_MAX ? severity : 0,
        traceId: hasIds ? traceId : '',
        spanId: hasIds && SPAN_ID.test(spanId) ? spanId : '',
      })
      this.#take(cluster)
    }
  }

  /** An object of the cluster itself proves its uid or id. */
  #identify({ claimed }: Sender, kind: 'uid' | 'id', name: string): RefusedSeries | undefined {
    if (name === '' || name === claimed.cluster) return undefined
    const names = [{ name, kind: isUuid(name) ? kind : ('name' as const) }]
    const admitted = this.#parts.intake.registry.admit({ ...claimed, names }, this.#context.nowMs)
    return 'reason' in admitted ? admitted : undefined
  }

  #take(cluster: string): void {
    this.#taken++
    this.#count(cluster, 1, 0)
  }

  #refuse(reason: RefusalReason, cluster: string, example: () => string, count = 1): void {
    if (count === 0) return
    this.#count(cluster, 0, count)
    if (this.#tally.count(reason, count)) this.#tally.explain(reason, example())
  }

  #count(cluster: string, taken: number, refused: number): void {
    const { activity } = this.#parts.intake
    activity.count(activity.numberOf(cluster), taken, refused, 0, this.#context.nowMs)
  }
}

const UNKNOWN_SERVICE = 'unknown_service'
const SEVERITY_MAX = 24
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/
const NO_CLUSTER =
  'got a Kubernetes object of no cluster, want k8s.cluster.uid or k8s.cluster.name on its resource, or a token that is bound to a cluster'

function msOf(timeNs: bigint): number {
  return Number(timeNs / 1_000_000n)
}

/** About how long a value is as text. */
function charsOf(value: AttributeValue): number {
  return valueText(value).length
}
