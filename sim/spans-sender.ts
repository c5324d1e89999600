/**
 * Spans of instrumented operators, by OpenTelemetry's own SDK and its OTLP/HTTP exporter, which repeats what cannot be
 * taken now. Whoever needs it loads this file when there are spans: the SDK is large.
 */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { api, core, resources, tracing } from '@opentelemetry/sdk-node'
import type { ClusterProfile } from './cluster-profile.ts'
import type { OperatorSpan } from './history/spans.ts'

export interface SpansSender {
  /** Resolves when the exporter is done with them, whether they were taken or not. */
  send(profile: SpanSource, spans: readonly OperatorSpan[]): Promise<void>
  readonly counts: Readonly<SpanCounts>
  close(): Promise<void>
}

export type SpanSource = Pick<ClusterProfile, 'id' | 'name' | 'installNamespace'>

export interface SpanCounts {
  /** In requests that were answered with success; what of them was refused, the server's ingest report says. */
  acked: number
  failed: number
  lastFailure: string
}

export interface SpansSenderOptions {
  /** The server's root; `/v1/traces` is added when the path is empty. */
  readonly url: string
  readonly token?: string | undefined
}

const SERVICE = 'hyperconverged-cluster-operator'

export function createSpansSender({ url: root, token }: SpansSenderOptions): SpansSender {
  const url = new URL(root)
  if (url.pathname === '/') url.pathname = '/v1/traces'
  const exporter = new OTLPTraceExporter({
    url: url.href,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
  })
  const counts: SpanCounts = { acked: 0, failed: 0, lastFailure: '' }
  return {
    counts,
    send: (profile, spans) =>
      new Promise((resolve) => {
        exporter.export(endedSpans(profile, spans), ({ code, error }) => {
          if (code === core.ExportResultCode.SUCCESS) counts.acked += spans.length
          else {
            counts.failed += spans.length
            counts.lastFailure = error?.message ?? 'no reason given'
          }
          resolve()
        })
      }),
    close: () => exporter.shutdown(),
  }
}

/** As the SDK's own tracer ends them, with the ids and the times that the operator had. */
function endedSpans(profile: SpanSource, spans: readonly OperatorSpan[]): tracing.ReadableSpan[] {
  const ended: tracing.ReadableSpan[] = []
  const done = (): Promise<void> => Promise.resolve()
  const collect = { onStart: done, onEnd: (span: tracing.ReadableSpan) => void ended.push(span) }
  for (const span of spans) {
    const { traceId, spanId, attributes, startMs, endMs, isError, errorMessage } = span
    const provider = new tracing.BasicTracerProvider({
      idGenerator: { generateTraceId: () => traceId, generateSpanId: () => spanId },
      resource: resources.resourceFromAttributes({
        'service.name': SERVICE,
        'service.version': attributes['upgrade.to.version'] ?? '',
        cluster: profile.name,
        'k8s.cluster.uid': profile.id,
        'k8s.cluster.name': profile.name,
        'k8s.namespace.name': profile.installNamespace,
      }),
      sampler: new tracing.AlwaysOnSampler(),
      spanProcessors: [{ ...collect, forceFlush: done, shutdown: done }],
    })
    const wish = { startTime: startMs, attributes: { ...attributes } }
    const open = provider.getTracer(SERVICE).startSpan(span.name, wish, parentOf(span))
    if (isError) open.setStatus({ code: api.SpanStatusCode.ERROR, message: errorMessage })
    open.end(endMs)
  }
  return ended
}

function parentOf({ traceId, parentSpanId }: OperatorSpan): api.Context {
  if (parentSpanId === undefined) return api.ROOT_CONTEXT
  return api.trace.setSpanContext(api.ROOT_CONTEXT, {
    ...{ traceId, spanId: parentSpanId, isRemote: true },
    traceFlags: api.TraceFlags.SAMPLED,
  })
}
