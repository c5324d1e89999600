import fc from 'fast-check'
import type { OtlpResourceSpans, OtlpSpan } from '../../../src/web/lib/otlp-json.ts'
import { traceOfOtlp, type Trace } from '../../../src/web/lib/trace.ts'

/** Traces in short: what a test says of a span, and no more. */
export interface SampleSpan {
  readonly id: string
  readonly parent?: string
  readonly name?: string
  /** Milliseconds since the start. */
  readonly from: number
  readonly to: number
  readonly error?: string
  readonly says?: Readonly<Record<string, string>>
  readonly events?: readonly { readonly at: number; readonly name: string }[]
}

export const START_MS = Date.UTC(2026, 10, 22, 3, 0, 0)

function nsOf(ms: number): string {
  return String(BigInt(START_MS + ms) * 1_000_000n)
}

export function otlpSpan(traceId: string, span: SampleSpan): OtlpSpan {
  const { id, parent, name = id, from, to, error, says = {}, events = [] } = span
  return {
    traceId,
    spanId: id,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name,
    kind: 1,
    startTimeUnixNano: nsOf(from),
    endTimeUnixNano: nsOf(to),
    attributes: Object.entries(says).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    events: events.map(({ at, name: event }) => ({ timeUnixNano: nsOf(at), name: event })),
    status: error === undefined ? {} : { code: 2, message: error },
  }
}

export function otlpOf(
  spans: readonly SampleSpan[],
  traceId: string,
  resource: Readonly<Record<string, string>> = { 'service.name': 'operator' },
): readonly OtlpResourceSpans[] {
  return [
    {
      resource: {
        attributes: Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } })),
      },
      scopeSpans: [{ scope: { name: 'sample' }, spans: spans.map((span) => otlpSpan(traceId, span)) }],
    },
  ]
}

export function traceOf(spans: readonly SampleSpan[], resource?: Readonly<Record<string, string>>): Trace {
  const trace = traceOfOtlp(otlpOf(spans, 'a'.repeat(32), resource))
  if (trace === undefined) throw new Error('a sample has spans')
  return trace
}

/** Some spans whose parents may be missing, later, or themselves. */
export const anySpans = fc
  .array(fc.record({ parent: fc.option(fc.nat(30)), from: fc.nat(300), takes: fc.nat(200) }), {
    minLength: 1,
    maxLength: 30,
  })
  .map((rows) =>
    rows.map(({ parent, from, takes }, i): SampleSpan => {
      return { id: `s${i}`, ...(parent === null ? {} : { parent: `s${parent}` }), from, to: from + takes }
    }),
  )
