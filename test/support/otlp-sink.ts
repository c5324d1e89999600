import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A receiver of OTLP/JSON traces that keeps what it gets. */
export interface OtlpSink {
  readonly url: string
  /** In the order in which they ended. */
  readonly spans: readonly SunkSpan[]
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[]
  /** Answers with this status from now on, and keeps nothing unless it is 200. */
  answerWith(status: number): void
  stop(): Promise<void>
}

export interface SunkSpan {
  readonly service: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly status: { readonly code?: number; readonly message?: string }
  readonly attributes: Readonly<Record<string, unknown>>
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<SunkSpan, 'attributes' | 'service'> & { readonly attributes: Attribute[] })[]
    }[]
  }[]
}

export async function startOtlpSink(): Promise<OtlpSink> {
  const spans: SunkSpan[] = []
  const requests: OtlpSink['requests'][number][] = []
  let status = 200
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers })
      if (status === 200) spans.push(...spansOf(JSON.parse(Buffer.concat(parts).toString()) as TraceRequest))
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end('{}')
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    answerWith: (next) => (status = next),
    stop: () =>
      new Promise((stopped) => {
        server.close(() => {
          stopped()
        })
        server.closeAllConnections()
      }),
  }
}

function spansOf({ resourceSpans }: TraceRequest): SunkSpan[] {
  const record = (attributes: readonly Attribute[]): Record<string, unknown> =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        service: String(record(resource.attributes)['service.name']),
        attributes: record(span.attributes),
      })),
    ),
  )
}
