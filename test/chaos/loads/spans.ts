import { encodeTracesJson, otlpSpan, tracesOf } from '../../support/otlp-traces.ts'
import { spanIdOf, traceIdOf } from '../../support/spans.ts'
import { Ledger } from '../ledger.ts'
import { get, send, type Target } from '../target.ts'
import { inWindows, type Load } from './load.ts'

/** Spans in traces that grow request by request. */

const SPANS = 4
const STEPS_PER_TRACE = 8
const SERVICE = 'chaos'
/** Of one answer, which is of at most 1,500 traces. */
const STEPS_PER_PAGE = 1000 * STEPS_PER_TRACE

interface LegacyTraces {
  readonly data: readonly { readonly spans: readonly { readonly spanID: string; readonly operationName: string }[] }[]
}

export class SpanLoad implements Load {
  readonly name = 'spans'
  readonly ledger = new Ledger()
  readonly pauseMs = 0
  readonly #baseMs: number
  #step = 1

  /** @param baseMs each step is a millisecond later */
  constructor(baseMs: number) {
    this.#baseMs = baseMs
  }

  async step(target: Target): Promise<void> {
    const step = this.#step
    const startNs = BigInt(this.#baseMs + step) * 1_000_000n
    const traceId = traceIdOf(1 + Math.floor(step / STEPS_PER_TRACE))
    const spans = Array.from({ length: SPANS }, (_, i) =>
      otlpSpan({
        ...{ traceId, spanId: spanIdOf(step * SPANS + i), name: `step ${step}` },
        ...{ startNs: startNs + BigInt(i), endNs: startNs + 1000n },
      }),
    )
    this.ledger.sent(`step ${step}`, target.position())
    const body = Buffer.from(encodeTracesJson(tracesOf({ 'service.name': SERVICE, cluster: 'chaos-spans' }, ...spans)))
    const text = await send(target, '/v1/traces', { body, headers: { 'content-type': 'application/json' } })
    if (text !== '{}') throw new Error(`spans: got ${text}, want {}`)
    this.ledger.acked(`step ${step}`, target.position())
    this.#step++
  }

  async stored(target: Target): Promise<Iterable<string>> {
    const data = await inWindows(this.#step, STEPS_PER_PAGE, async (first) => {
      const [start, end] = [first, first + STEPS_PER_PAGE - 0.5].map((step) => String((this.#baseMs + step) * 1000))
      const form = new URLSearchParams({ service: SERVICE, start: start!, end: end!, limit: '1500' })
      return (await get<LegacyTraces>(target, `/api/traces?${form.toString()}`)).data
    })
    const counts = new Map<string, number>()
    const ids = new Map<string, number>()
    for (const { spans } of data) {
      for (const { spanID, operationName } of spans) {
        counts.set(operationName, (counts.get(operationName) ?? 0) + 1)
        ids.set(spanID, (ids.get(spanID) ?? 0) + 1)
      }
    }
    const repeated = [...ids].filter(([, count]) => count > 1).map(([id, count]) => `span ${id}: ${count} times`)
    const steps = [...counts].map(([step, count]) => (count === SPANS ? step : `${step}: ${count} spans`))
    return [...steps, ...repeated]
  }
}
