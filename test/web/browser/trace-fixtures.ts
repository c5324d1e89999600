import type { OtlpResourceSpans } from '../../../src/web/lib/otlp-json.ts'
import { otlpOf, type SampleSpan } from '../lib/trace-samples.ts'

/** Traces as `/api/v3` answers them: an upgrade, a slower one of the same edge that failed, and five thousand spans. */
export const UPGRADE_TRACE = '1'.repeat(32)
export const FAILED_TRACE = '2'.repeat(32)
export const LONG_TRACE = '3'.repeat(32)
const MINUTE_MS = 60_000
const LONG_SPANS = 5000

/** @param slow how many times as long KubeVirt takes */
function upgradeSpans(slow: number, failure?: string): readonly SampleSpan[] {
  const kubevirtMs = 4 * slow * MINUTE_MS
  const doneMs = 3 * MINUTE_MS + kubevirtMs
  const failed = failure === undefined ? {} : { error: failure }
  const says = { 'upgrade.from.version': '1.17.3', 'upgrade.to.version': '1.18.1', 'deployment.id': 'csv-uid' }
  const installed = { 'olm.csv.name': 'kubevirt-hyperconverged-operator.v1.18.1' }
  return [
    {
      ...{ id: 'a0', name: 'upgrade kubevirt-hyperconverged', from: 0, to: doneMs + MINUTE_MS, says, ...failed },
      events: [{ at: 2 * MINUTE_MS, name: 'alert.firing' }],
    },
    { id: 'a1', parent: 'a0', name: 'olm.csv.pending', from: 0, to: MINUTE_MS, says: installed },
    { id: 'a2', parent: 'a0', name: 'olm.csv.installing', from: MINUTE_MS, to: 3 * MINUTE_MS, says: installed },
    { id: 'a3', parent: 'a0', name: 'hco.reconcile', from: 2 * MINUTE_MS, to: doneMs },
    {
      ...{ id: 'a4', parent: 'a3', name: 'component.upgrade', from: 3 * MINUTE_MS, to: doneMs, ...failed },
      says: { 'component.name': 'kubevirt' },
    },
    {
      ...{ id: 'a5', parent: 'a3', name: 'component.upgrade', from: 3 * MINUTE_MS, to: 4 * MINUTE_MS },
      says: { 'component.name': 'cdi' },
    },
    ...(failure === undefined
      ? [{ id: 'a6', parent: 'a0', name: 'kubevirt.workload_update', from: doneMs, to: doneMs + MINUTE_MS }]
      : []),
  ]
}

function longSpans(): readonly SampleSpan[] {
  return Array.from({ length: LONG_SPANS }, (_one, i): SampleSpan => {
    const id = String(i).padStart(16, '0')
    if (i === 0) return { id, name: 'reconcile everything', from: 0, to: 60_000 }
    const parent = String(i < 50 ? 0 : Math.floor(i / 8)).padStart(16, '0')
    const failed = i === 2500 || i === 4000 ? { error: 'conflict: the object has been modified' } : {}
    return {
      id,
      parent,
      name: `call ${i}`,
      from: i * 10,
      to: i * 10 + 40,
      ...failed,
      says: { 'k8s.pod.name': `p-${i}` },
    }
  })
}

function resourceSpansOf(traceId: string): readonly OtlpResourceSpans[] | undefined {
  const cluster = (name: string) => ({ 'service.name': 'hyperconverged-cluster-operator', 'k8s.cluster.name': name })
  if (traceId === UPGRADE_TRACE) return otlpOf(upgradeSpans(1), traceId, cluster('ams-1'))
  if (traceId === FAILED_TRACE) {
    return otlpOf(upgradeSpans(3, 'virt-handler is not ready on worker-7'), traceId, cluster('ams-2'))
  }
  if (traceId === LONG_TRACE) return otlpOf(longSpans(), traceId, { 'service.name': 'virt-operator' })
  return undefined
}

const NO_TRACE = { status: 404, body: { error: { httpCode: 404, message: 'No traces found' } } }

/** `undefined`: no route of it. */
export function traceAnswer({ pathname, searchParams }: URL): unknown {
  if (pathname === '/api/v3/services') return { services: ['hyperconverged-cluster-operator', 'virt-operator'] }
  if (pathname === '/api/v3/traces') {
    const hasError = (searchParams.get('query.attributes') ?? '').includes('"error":"true"')
    const isNowhere = searchParams.get('query.operationName') === 'nowhere'
    const found = isNowhere ? [] : hasError ? [FAILED_TRACE] : [FAILED_TRACE, UPGRADE_TRACE]
    const resourceSpans = found.flatMap((traceId) => resourceSpansOf(traceId) ?? [])
    return found.length === 0 ? NO_TRACE : { result: { resourceSpans } }
  }
  const one = /^\/api\/v3\/traces\/([^/]+)$/.exec(pathname)?.[1]
  if (one === undefined) return undefined
  const resourceSpans = resourceSpansOf(one)
  return resourceSpans === undefined ? NO_TRACE : { result: { resourceSpans } }
}
