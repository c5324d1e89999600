import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { api, resources, tracing } from '@opentelemetry/sdk-node'
import { afterEach, expect, test } from 'vitest'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { eventually } from '../support/until.ts'

// The stock JavaScript SDK of OpenTelemetry sends spans to the server as it ships, over real HTTP; Jaeger's APIs find them.

const folder = tempDir('traces')
let server: RunningServer | undefined
let provider: tracing.BasicTracerProvider | undefined

afterEach(async () => {
  await provider?.shutdown()
  await server?.kill()
  folder.remove()
})

async function start(): Promise<RunningServer> {
  server = await startServer([
    ...['serve', '--listen', '127.0.0.1:0', '--data', folder.path],
    ...['--own-metrics', 'false', ...withoutContent()],
  ])
  return server
}

interface LegacySpan {
  readonly spanID: string
  readonly operationName: string
  readonly references: readonly { readonly refType: string; readonly spanID: string }[]
  readonly tags: readonly { readonly key: string; readonly value: unknown }[]
  readonly logs: readonly { readonly fields: readonly { readonly key: string; readonly value: unknown }[] }[]
}

async function get<T>(url: string): Promise<T> {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

test('what the SDK was told is durable is found, also by the next life after kill -9', async () => {
  const first = await start()
  const exporter = new OTLPTraceExporter({ url: `${first.url}/v1/traces` })
  provider = new tracing.BasicTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': 'hco', 'k8s.cluster.name': 'prague' }),
    spanProcessors: [new tracing.BatchSpanProcessor(exporter)],
  })
  const tracer = provider.getTracer('hco/controller', '0.3.1')
  const parent = tracer.startSpan('reconcile', { kind: api.SpanKind.SERVER, attributes: { attempt: 2, slow: true } })
  const inside = api.trace.setSpan(api.ROOT_CONTEXT, parent)
  const child = tracer.startSpan('patch', { links: [{ context: parent.spanContext() }] }, inside)
  child.recordException(new Error('object was modified'))
  child.setStatus({ code: api.SpanStatusCode.ERROR, message: 'conflict' })
  child.end()
  parent.end()
  await provider.forceFlush()

  const { traceId, spanId } = parent.spanContext()
  const check = async (url: string): Promise<void> => {
    expect((await get<{ data: string[] }>(`${url}/api/services`)).data).toEqual(['hco'])
    const tags = encodeURIComponent('{"error":"true","k8s.cluster.name":"prague"}')
    const found = await get<{ data: { traceID: string; spans: LegacySpan[] }[] }>(
      `${url}/api/traces?service=hco&operation=patch&tags=${tags}`,
    )
    expect(found.data.map((trace) => trace.traceID)).toEqual([traceId])
    const spans = found.data[0]!.spans
    expect(spans.map((span) => span.operationName).sort()).toEqual(['patch', 'reconcile'])
    const patch = spans.find((span) => span.operationName === 'patch')!
    expect(patch.references).toMatchObject([
      { refType: 'CHILD_OF', spanID: spanId },
      { refType: 'FOLLOWS_FROM', spanID: spanId },
    ])
    expect(patch.tags).toContainEqual({ key: 'otel.status_description', type: 'string', value: 'conflict' })
    expect(patch.logs[0]!.fields).toContainEqual({
      key: 'exception.message',
      type: 'string',
      value: 'object was modified',
    })
    const shown = JSON.stringify(await get(`${url}/api/v3/traces/${traceId}`))
    expect(shown).toContain('{"key":"attempt","value":{"intValue":"2"}}')
    expect(shown).toContain('"scope":{"name":"hco/controller","version":"0.3.1"}')
  }
  await eventually(() => check(first.url))
  await first.kill()
  const { url } = await start()
  await eventually(() => check(url))
}, 180_000)
