import { groupBy } from '../../base/group-by.ts'
import type { Steps } from '../../base/thread-slices.ts'
import { textAttribute } from '../../model/attribute.ts'
import type { RefusalReason } from '../../model/refusal.ts'
import type { Span, SpanResource, SpanScope, SpanSink } from '../../model/span.ts'
import { upgradeSpanFault } from '../../model/validate-upgrade-span.ts'
import type { OtlpEncoding } from '../../wire/otlp/answer.ts'
import type { OtlpScope } from '../../wire/otlp/resource.ts'
import { decodeTracesJson } from '../../wire/otlp/traces-json.ts'
import { decodeTracesProtobuf } from '../../wire/otlp/traces-protobuf.ts'
import type { OtlpSpan, ResourceSpans, TracesRequest } from '../../wire/otlp/traces.ts'
import { clipText } from '../clip-text.ts'
import type { IdentifiedResource, Intake } from '../intake.ts'
import { otlpOutcomeOf, type OtlpContext, type OtlpOutcome } from './outcome.ts'
import type { OtlpOptions } from './options.ts'
import { resourceSize, scopeSize, sizeFault, type SharedSize } from './span-size.ts'
import type { Privacy } from '../privacy.ts'
import { RefusalTally } from '../refusals.ts'

/**
 * Handles an OTLP traces request, from its decompressed body to spans in the store and a response. The whole body is
 * decoded before the first span is used; after that only single spans are refused: for their ids, their times, a
 * foreign cluster, their size, a trace at its limit, or as invalid upgrade spans (model/upgrade-convention.ts).
 */
interface OtlpTracesIngest {
  /** Accepted spans are not durable yet: the caller awaits the commit, in pauses and before it responds. */
  write(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): Steps<OtlpOutcome>
}

interface OtlpTracesParts {
  /** The checks that all formats share. */
  readonly intake: Intake
  readonly otlp: Pick<OtlpOptions, 'attributesMax'>
  readonly spans: Pick<SpanSink, 'putSpans'>
  readonly limits: {
    /** Retention of traces; spans that ended before are refused. */
    readonly retentionMs: number
    /** Limits per trace. The store enforces them; here they appear in messages to senders. */
    readonly spansPerTraceMax: number
    readonly bytesPerTraceMax: number
  }
}

export function createOtlpTracesIngest(parts: OtlpTracesParts): OtlpTracesIngest {
  const { intake, otlp } = parts
  const limits = { spansMax: intake.options.spansPerRequestMax, attributesMax: otlp.attributesMax }
  return {
    write: (body, encoding, context) =>
      otlpOutcomeOf<OtlpOutcome>('traces', intake, context, {}, function* () {
        const request = yield* encoding === 'json' ? decodeTracesJson(body, limits) : decodeTracesProtobuf(body, limits)
        return yield* new RequestWriter(parts, context).write(request)
      }),
  }
}

/** One request on its way into the store. */
class RequestWriter {
  readonly #parts: OtlpTracesParts
  readonly #context: OtlpContext
  readonly #tally = new RefusalTally()
  readonly #taken: Span[] = []

  constructor(parts: OtlpTracesParts, context: OtlpContext) {
    this.#parts = parts
    this.#context = context
  }

  *write(request: TracesRequest): Steps<Pick<OtlpOutcome, 'itemsIn' | 'itemsTaken' | 'refusals'>> {
    for (const resource of request.resources) yield* this.#resource(resource)
    let itemsTaken = 0
    // Trace by trace, so that as few traces as possible are written in several parts.
    let batch: Span[] = []
    for (const ofTrace of groupBy(this.#taken, ({ traceId }) => traceId).values()) {
      for (const span of ofTrace) {
        batch.push(span)
        if (batch.length < SPANS_PER_PAUSE) continue
        itemsTaken += this.#put(batch)
        batch = []
        yield true
      }
    }
    itemsTaken += this.#put(batch)
    return { itemsIn: request.spanCount, itemsTaken, refusals: this.#tally.refusals() }
  }

  /** Returns how many are taken. */
  #put(spans: readonly Span[]): number {
    const full = this.#parts.spans.putSpans(spans, this.#context.nowMs)
    const { spansPerTraceMax, bytesPerTraceMax } = this.#parts.limits
    for (const { span, reason } of full) {
      const limit =
        reason === 'trace_span_limit'
          ? `spans than store.trace-spans-max, ${spansPerTraceMax}`
          : `bytes than store.trace-bytes-max, ${bytesPerTraceMax}`
      this.#refuse(reason, span.resource.cluster, () => `got a trace of more ${limit}: ${nameOf(span)}`)
    }
    const refused = new Set(full.map(({ span }) => span))
    for (const span of spans) if (!refused.has(span)) this.#count(span.resource.cluster, 1, 0)
    return spans.length - full.length
  }

  *#resource({ resource: sent, scopes }: ResourceSpans): Steps<void> {
    const claim = this.#parts.intake.clusterOfResource(sent.attributes, this.#context)
    const { droppedAttributes, schemaUrl } = sent
    const { privacy } = this.#parts.intake
    const attributes = privacy.attributes(sent.attributes)
    const resource: SpanResource = {
      service: textAttribute(sent.attributes, 'service.name') ?? UNKNOWN_SERVICE,
      cluster: 'reason' in claim ? '' : claim.cluster,
      attributes,
      ...(droppedAttributes > 0 && { droppedAttributes }),
      ...(schemaUrl !== '' && { schemaUrl }),
    }
    const limits = this.#parts.intake.options
    const ofResource = resourceSize(resource, limits)
    for (const { scope: sentScope, spans } of scopes) {
      const scope = scopeOf({ ...sentScope, attributes: privacy.attributes(sentScope.attributes) })
      const shared = [ofResource, scopeSize(scope, limits)]
      for (const span of spans) {
        const stored = privacy.hasAttributeRules ? withoutAttributes(span, privacy) : span
        this.#span(spanOf(stored, resource, scope), span, claim, shared)
        yield false
      }
    }
  }

  #span(span: Span, sent: OtlpSpan, claim: IdentifiedResource, shared: readonly SharedSize[]): void {
    const size = sizeFault(span, shared, this.#parts.intake.options)
    const fault =
      idFault(sent) ??
      this.#timeFault(span) ??
      (size === undefined ? undefined : { reason: 'span_too_large' as const, text: size })
    // A name above the limit is not remembered as that of a cluster.
    const cluster = shared.some((part) => part.fault !== undefined) ? '' : span.resource.cluster
    if ('reason' in claim) this.#refuse(claim.reason, this.#context.cluster ?? '', () => claim.example)
    else if (fault !== undefined) this.#refuse(fault.reason, cluster, () => `${fault.text}: ${nameOf(span)}`)
    else {
      const broken = upgradeSpanFault(span)
      if (broken === undefined) this.#taken.push(span)
      else this.#refuse('bad_upgrade_span', cluster, () => broken)
    }
  }

  #timeFault({ startNs, endNs }: Span): Fault | undefined {
    const { intake, limits } = this.#parts
    if (startNs === 0n) return { reason: 'bad_timestamp', text: 'got a span without a start' }
    const aheadMs = msOf(startNs) - this.#context.nowMs
    if (aheadMs > intake.options.aheadMsMax) {
      const text = `got ${aheadMs} ms ahead of the clock, want at most ${intake.options.aheadMsMax}`
      return { reason: 'too_far_ahead', text }
    }
    const lastNs = endNs > startNs ? endNs : startNs
    if (this.#context.nowMs - msOf(lastNs) > limits.retentionMs) {
      return { reason: 'too_old', text: `got an end before retention.traces, ${limits.retentionMs} ms ago` }
    }
    return undefined
  }

  #refuse(reason: RefusalReason, cluster: string, example: () => string): void {
    this.#count(cluster, 0, 1)
    if (this.#tally.count(reason, 1)) this.#tally.explain(reason, example())
  }

  #count(cluster: string, taken: number, refused: number): void {
    const { activity } = this.#parts.intake
    activity.count(activity.numberOf(cluster), taken, refused, 0, this.#context.nowMs)
  }
}

function withoutAttributes(span: OtlpSpan, privacy: Privacy): OtlpSpan {
  const { attributes, events, links } = span
  return {
    ...span,
    attributes: privacy.attributes(attributes),
    events: events.map((event) => ({ ...event, attributes: privacy.attributes(event.attributes) })),
    links: links.map((link) => ({ ...link, attributes: privacy.attributes(link.attributes) })),
  }
}

interface Fault {
  readonly reason: RefusalReason
  readonly text: string
}

/** Written in one pause; half a second of work for a whole request would be too much. */
const SPANS_PER_PAUSE = 500

/** OpenTelemetry's name for a missing service name. */
const UNKNOWN_SERVICE = 'unknown_service'

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/
const NO_ID = /^0*$/

function idFault({ traceId, spanId, parentSpanId }: OtlpSpan): Fault | undefined {
  if (!TRACE_ID.test(traceId))
    return { reason: 'bad_span_id', text: `got trace id ${describeId(traceId)}, want 16 bytes` }
  if (!SPAN_ID.test(spanId)) return { reason: 'bad_span_id', text: `got span id ${describeId(spanId)}, want 8 bytes` }
  if (NO_ID.test(parentSpanId) || SPAN_ID.test(parentSpanId)) return undefined
  return { reason: 'bad_span_id', text: `got parent span id ${describeId(parentSpanId)}, want 8 bytes or none` }
}

function describeId(id: string): string {
  return NO_ID.test(id) ? (id === '' ? 'none' : 'all zero') : `${id} of ${id.length / 2} bytes`
}

const SHOWN_CHARS_MAX = 80

function nameOf({ name, resource }: Span): string {
  return `span ${JSON.stringify(clipText(name, SHOWN_CHARS_MAX))} of ${clipText(resource.service, SHOWN_CHARS_MAX)}`
}

function scopeOf({ name, version, attributes, droppedAttributes, schemaUrl }: OtlpScope): SpanScope {
  return {
    ...{ name, version, attributes },
    ...(droppedAttributes > 0 && { droppedAttributes }),
    ...(schemaUrl !== '' && { schemaUrl }),
  }
}

/** Links with invalid ids are omitted, and counted as dropped by the sender. */
function spanOf(sent: OtlpSpan, resource: SpanResource, scope: SpanScope): Span {
  const { droppedAttributes, droppedEvents, droppedLinks, parentSpanId, links: sentLinks, events: sentEvents } = sent
  const links = sentLinks.filter((link) => TRACE_ID.test(link.traceId) && SPAN_ID.test(link.spanId))
  const left = droppedLinks + sentLinks.length - links.length
  const { traceId, spanId, traceState, name, kind, startNs, endNs, attributes, status, flags } = sent
  return {
    ...{ traceId, spanId, ...(!NO_ID.test(parentSpanId) && { parentSpanId }), traceState, name, kind },
    ...{ startNs, endNs, attributes, status, flags, resource, scope },
    events: sentEvents.map(({ droppedAttributes: count, ...event }) => {
      return count > 0 ? { ...event, droppedAttributes: count } : event
    }),
    links: links.map(({ droppedAttributes: count, flags: linkFlags, ...link }) => ({
      ...link,
      ...(linkFlags > 0 && { flags: linkFlags }),
      ...(count > 0 && { droppedAttributes: count }),
    })),
    ...(droppedAttributes + droppedEvents + left > 0 && {
      dropped: { attributes: droppedAttributes, events: droppedEvents, links: left },
    }),
  }
}

function msOf(timeNs: bigint): number {
  return Number(timeNs / 1_000_000n)
}
