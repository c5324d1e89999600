import type { Explained, ExplainedNode } from '../../../src/contract/explain.ts'
import type { DebugSeries } from '../../../src/contract/debug.ts'
import type { LogItem, LogItems } from '../../../src/contract/fleet-logs.ts'
import type { KnownMetricItem, KnownMetricItems } from '../../../src/contract/metric-catalog.ts'

/** Metrics of a small fleet: two that everybody knows, one that is gone, and enough others that not all are drawn. */

const OTHERS = 400
const otherNames = Array.from({ length: OTHERS }, (_, i) => `storage_pool_${String(i).padStart(3, '0')}_bytes`)
const SENT = ['kubevirt_info', 'kubevirt_vmi_migrations_total', ...otherNames]

function known(name: string, more: Partial<KnownMetricItem>): KnownMetricItem {
  const nothing = { unit: null, since: null, isGone: false, replacedBy: null, rules: [], panels: [], labels: [] }
  return { name, type: 'gauge', ...nothing, ...more }
}

const KNOWN: KnownMetricItems = {
  metrics: [
    known('kubevirt_info', {
      labels: ['kubeversion'],
      since: 'KubeVirt 1.1',
      rules: [{ name: 'VirtVersionSkew', kind: 'alerting' }],
      panels: [
        {
          dashboard: 'version-adoption',
          dashboardTitle: 'Version adoption',
          panel: 'versions',
          panelTitle: 'Clusters per version',
        },
      ],
    }),
    known('kubevirt_virt_api_up_total', { isGone: true, replacedBy: 'kubevirt_info' }),
    known('kubevirt_vmi_migrations_total', { type: 'counter' }),
  ],
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  cluster: ['ams-1', 'ams-2', 'prg-1', 'prg-2'],
  kubeversion: ['1.7.0', '1.8.1'],
}

const success = (data: unknown): object => ({ status: 'success', data })

/** What the API answers about metrics; `undefined`: no route of it. */
export function exploreAnswer({ pathname, searchParams }: URL, nowMs: number): unknown {
  if (pathname === '/api/v1/metadata') {
    const help = 'Versions of the KubeVirt that runs.'
    return success({ kubevirt_info: [{ type: 'gauge', help, unit: '' }] })
  }
  if (pathname === '/api/fleet/v1/metrics') return KNOWN
  if (pathname === '/api/fleet/v1/logs') return logItems(nowMs)
  if (pathname === '/debug/series') return seriesCounts(nowMs)
  if (pathname === '/debug/forward') return { asOfMs: nowMs, processes: [], unheardMs: 0 }
  // Nothing is wrong with any query, and none has a series that would answer.
  if (pathname === '/api/v1/parse_query') return success({})
  if (pathname === '/api/v1/series') return success([])
  if (pathname === '/api/v1/explain') return success(explained(searchParams.get('query') ?? '', nowMs))
  if (pathname === '/api/v1/labels') return success(['__name__', ...Object.keys(VALUES)])
  return undefined
}

/** What the API answers of a label. */
export function labelValues(label: string): readonly string[] {
  return label === '__name__' ? SENT : (VALUES[label] ?? [])
}

/** A query of two parts: the whole, and what its brackets hold. */
function explained(query: string, nowMs: number): Explained {
  const from = query.lastIndexOf('(') + 1
  const to = query.indexOf(')', from)
  const node = (text: string, more: Partial<ExplainedNode>): ExplainedNode => ({
    ...{ kind: 'vector', text, from: 0, to: query.length, totalMs: 10, ownMs: 4, isStepInvariant: false },
    ...{ repeats: 0, groupsKnown: 0, groupsMade: 0, reads: [], children: [] },
    result: { type: 'vector', series: 3, samples: 543, steps: 181 },
    ...more,
  })
  const selector = node(query.slice(from, to), { from, to, totalMs: 6, ownMs: 6 })
  return {
    ...{ query, startMs: nowMs - 3_600_000, endMs: nowMs, stepMs: 15_000, steps: 241, busyMs: 11, waitedMs: 0 },
    ...{ samplesRead: 40_000_000, samplesMax: 50_000_000, resultBytes: 1000, resultBytesMax: 1_000_000 },
    ...{ warnings: [], infos: [] },
    root: node(query, { children: [selector] }),
  }
}

function seriesCounts(asOfMs: number): DebugSeries {
  const top = SENT.map((value, i) => ({ value, series: 1000 - i, added: 0 }))
  return {
    asOfMs,
    series: 1000 * SENT.length,
    added: 0,
    sinceMs: asOfMs - 3_600_000,
    metrics: { count: top.length, top, growing: [] },
    labels: { count: 0, top: [] },
    by: { label: 'cluster', values: { count: 0, top: [], growing: [] } },
  }
}

function logItems(nowMs: number): LogItems {
  const record = (minutes: number, severity: number, body: unknown, more: Partial<LogItem> = {}): LogItem => ({
    time: new Date(nowMs - minutes * 60_000).toISOString(),
    cluster: 'ams-1',
    service: 'virt-operator',
    severity,
    severityText: '',
    eventName: '',
    body,
    attributes: {},
    traceId: '',
    spanId: '',
    ...more,
  })
  return {
    asOf: new Date(nowMs).toISOString(),
    logs: [
      record(1, 17, 'cannot create the daemon set', { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }),
      record(2, 9, { step: 'install' }, { cluster: '', service: '' }),
    ],
    hasMore: false,
  }
}
