import { readDashboard } from '../../../src/catalog/dashboard.ts'
import type { DashboardAnswer, DashboardList } from '../../../src/contract/dashboards.ts'
import type { QueryAnswer } from '../../../src/contract/prometheus.ts'
import { EVERY_KIND } from '../../catalog/dashboards/every-kind.ts'

/** The dashboard with every kind of panel, and what is answered to its queries. */

const { dashboard } = readDashboard('dashboards/every-kind.yaml', EVERY_KIND)

export const DASHBOARD_LIST: DashboardList = {
  dashboards: [
    {
      name: 'daytwo',
      title: 'Daytwo itself',
      description: 'About this server.',
      tags: ['daytwo'],
      panels: 19,
      faults: 0,
      alerts: 4,
    },
    {
      name: 'every-kind',
      title: 'Every kind',
      description: 'One panel of each kind.',
      tags: [],
      panels: 29,
      faults: 3,
      alerts: 2,
    },
  ],
}

export const EVERY_KIND_ANSWER: DashboardAnswer = {
  dashboard: dashboard.model,
  file: 'dashboards/every-kind.yaml',
  source: EVERY_KIND,
  faults: dashboard.faults.map(({ severity, message }) => ({ severity, message, line: 1, column: 1 })),
  alerts: {
    lines: [
      { name: 'NodeBusy', hasRunbook: true, firing: 0 },
      { name: 'NodeVeryBusy', hasRunbook: false, firing: 3 },
    ],
  },
}

type Series = readonly [labels: Readonly<Record<string, string>>, valueAt: (share: number) => number]

const constant = (value: number) => (): number => value

/** By a part of the query; the first that fits. */
const RANGES: readonly (readonly [part: string, series: readonly Series[]])[] = [
  [
    'node_cpu',
    [
      [{ node: 'node-1' }, (share) => 0.5 + 0.4 * share],
      [{ node: 'node-2' }, constant(0.25)],
    ],
  ],
  ['node_memory_bytes', [[{ node: 'node-1' }, constant(3 * 1024 ** 3)]]],
  [
    'upgrades_total',
    [
      [{ phase: 'olm' }, constant(3)],
      [{ phase: 'operands' }, constant(1)],
    ],
  ],
  [
    'health',
    [
      [{ cluster: 'a' }, (share) => (share < 0.5 ? 0 : 2)],
      [{ cluster: 'b' }, constant(0)],
    ],
  ],
  ['disk_used_ratio', [[{}, constant(0.75)]]],
  [
    'kubevirt_info',
    [
      [{ version: '1.3' }, constant(50)],
      [{ version: '1.4' }, constant(150)],
    ],
  ],
  [
    'latency_seconds',
    [
      [{ le: '+Inf' }, constant(10)],
      [{ le: '0.1' }, constant(6)],
      [{ le: '1' }, constant(9)],
    ],
  ],
  [
    'vm_up',
    [
      [{ name: 'db-1' }, (share) => (share < 0.5 ? 1 : 0)],
      [{ name: 'web-1' }, constant(1)],
    ],
  ],
]

export function everyKindRange(expr: string, start: number, end: number, step: number): QueryAnswer {
  const literal = /^vector\(([\d.]+)\)$/.exec(expr)?.[1]
  const series: readonly Series[] =
    literal === undefined
      ? (RANGES.find(([part]) => expr.includes(part))?.[1] ?? [])
      : [[{}, constant(Number(literal))]]
  const steps = Math.round((end - start) / step) + 1
  return {
    status: 'success',
    data: {
      resultType: 'matrix',
      result: series.map(([metric, valueAt]) => ({
        metric: { ...metric },
        values: Array.from({ length: steps }, (_, i): [number, string] => [
          start + i * step,
          String(valueAt(i / (steps - 1))),
        ]),
      })),
    },
  }
}

const INSTANTS: readonly (readonly [
  part: string,
  rows: readonly (readonly [Readonly<Record<string, string>>, string])[],
])[] = [
  [
    'group by (node)',
    [
      [{ node: 'node-1.example' }, '1'],
      [{ node: 'node-2.example' }, '1'],
    ],
  ],
  [
    'health',
    [
      [{ cluster: 'b' }, '0'],
      [{ cluster: 'a' }, '2'],
    ],
  ],
  ['node_memory_bytes', [[{ cluster: 'b' }, String(8 * 1024 ** 3)]]],
  [
    'vm_up',
    [
      [{ name: 'db-1', kind: 'vm' }, '1'],
      [{ name: 'test-2', kind: 'vm' }, '2'],
    ],
  ],
  [
    'kubevirt_info',
    [
      [{ version: '1.3' }, '40'],
      [{ version: '1.4' }, '160'],
    ],
  ],
  ['vm_age_seconds', [[{ name: 'db-1', kind: 'vm' }, '60']]],
]

export function everyKindInstant(expr: string, timeSeconds = 0): QueryAnswer {
  const rows = INSTANTS.find(([part]) => expr.includes(part))?.[1] ?? []
  return {
    status: 'success',
    data: {
      resultType: 'vector',
      result: rows.map(([metric, value]) => ({ metric: { ...metric }, value: [timeSeconds, value] })),
    },
  }
}
