/**
 * Implements `base/tracing.ts` with OpenTelemetry's SDK; the only file of the server that imports the SDK (simulated
 * operators use it too). No automatic instrumentation; the SDK's metrics and logs are off. Loaded by `own-traces.ts` on
 * demand.
 */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { NodeSDK, api, core, resources, tracing as trace } from '@opentelemetry/sdk-node'
import { messageOf } from '../base/errors.ts'
import type { OpenSpan, Tracing } from '../base/tracing.ts'

const SERVICE = 'daytwo'
const EXPORT_EVERY_MS = 5000
const EXPORT_MS_MAX = 10_000
const BATCH_SPANS = 512

interface OwnTracesSdk {
  readonly tracing: Tracing
  /** Exports the waiting spans and shuts down. */
  stop(): Promise<void>
}

export function startSdk(target: OwnTracesTarget): OwnTracesSdk {
  const { diag, DiagLogLevel } = api
  const exporter = new OTLPTraceExporter({
    url: target.url,
    headers: { ...target.headers },
    timeoutMillis: EXPORT_MS_MAX,
    // Its certificate is for the name that people use, and not for the address by which the server reaches itself.
    ...(target.isSelf ? { httpAgentOptions: { rejectUnauthorized: false } } : {}),
  })
  const sdk = new NodeSDK({
    autoDetectResources: false,
    resource: resources.resourceFromAttributes({ 'service.name': SERVICE, 'service.version': target.version }),
    sampler: new trace.ParentBasedSampler({ root: new trace.TraceIdRatioBasedSampler(target.ratio) }),
    spanProcessors: [
      new trace.BatchSpanProcessor(exporter, {
        maxQueueSize: target.queueSpansMax,
        maxExportBatchSize: BATCH_SPANS,
        scheduledDelayMillis: EXPORT_EVERY_MS,
        exportTimeoutMillis: EXPORT_MS_MAX,
      }),
    ],
    // Otherwise the SDK starts exporters of both, to the address of its environment variables or to port 4318.
    metricReaders: [],
    logRecordProcessors: [],
    // No context is sent to other services, and no client's header decides about sampling.
    textMapPropagator: null,
  })
  sdk.start()
  const report = (message: string): void => {
    target.onProblem(message)
  }
  const silent = (): void => undefined
  diag.setLogger(
    { error: report, warn: report, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  return {
    tracing: tracingOf(target.version),
    stop: async () => {
      await sdk.shutdown()
      api.trace.disable()
      api.context.disable()
      diag.disable()
    },
  }
}

function tracingOf(version: string): Tracing {
  const { SpanKind, SpanStatusCode, context } = api
  const tracer = api.trace.getTracer(SERVICE, version)
  const open: Tracing['open'] = (name, attributes, kind = 'internal'): OpenSpan => {
    const span = tracer.startSpan(name, {
      kind: kind === 'server' ? SpanKind.SERVER : SpanKind.INTERNAL,
      attributes: { ...attributes },
    })
    const inside = api.trace.setSpan(context.active(), span)
    return {
      set: (key, value) => void span.setAttribute(key, value),
      within: (work) => context.with(inside, work),
      end: (failure) => {
        if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure })
        span.end()
      },
    }
  }
  return {
    isOn: true,
    open,
    span: async (name, attributes, work) => {
      const span = open(name, attributes)
      try {
        const answer = await span.within(() => work(span))
        span.end()
        return answer
      } catch (thrown) {
        span.end(messageOf(thrown))
        throw thrown
      }
    },
    muted: () => {
      const silence = core.suppressTracing(context.active())
      return { set: () => undefined, within: (work) => context.with(silence, work), end: () => undefined }
    },
  }
}

/** The receiver of exported spans. */
interface OwnTracesTarget {
  /** With its path: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string
  /** This process receives them. */
  readonly isSelf: boolean
  readonly headers: Readonly<Record<string, string>>
  /** The share of traces that is sampled, 0 to 1. */
  readonly ratio: number
  readonly queueSpansMax: number
  readonly version: string
  readonly onProblem: (message: string) => void
}
