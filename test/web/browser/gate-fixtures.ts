import type { GateDetail, GateItems, GateUseItem } from '../../../src/contract/fleet-gates.ts'
import { fleetCoverage } from './coverage-fixtures.ts'

/** Feature gates of a made-up fleet: one only by patch, one in both places. */

const GATES = [
  { gate: 'CPUManager', on: 0, off: 0, patched: 1, managers: [{ manager: 'kubectl-edit', places: 1 }] },
  {
    ...{ gate: 'downwardMetrics', on: 12, off: 880, patched: 1 },
    managers: [
      { manager: null, places: 880 },
      { manager: 'argocd-controller', places: 12 },
      { manager: 'kubectl-edit', places: 1 },
    ],
  },
] as const

const HOUR_MS = 3_600_000

function gatesAt(nowMs: number): GateItems['gates'] {
  const at = (hoursAgo: number): string => new Date(nowMs - hoursAgo * HOUR_MS).toISOString()
  return GATES.map((gate) => ({ ...gate, managers: [...gate.managers], firstSet: at(2100), lastSet: at(5) }))
}

const about = (nowMs: number) => ({
  asOf: new Date(nowMs).toISOString(),
  coverage: fleetCoverage(nowMs),
  telling: 900,
})

export function gateItems(nowMs: number): GateItems {
  return { ...about(nowMs), gates: gatesAt(nowMs) }
}

export function gateDetail(name: string, search: URLSearchParams, nowMs: number): GateDetail {
  const gates = gatesAt(nowMs)
  const found = gates.find(({ gate }) => gate === name) ?? gates[0]!
  const use = {
    version: '1.18.1',
    component: null,
    since: null,
    by: null,
    source: 'hyperconverged',
    spelled: name,
  } as const
  const patch: GateUseItem = {
    ...{ cluster: 'ams-stuck-1', version: '1.17.3', on: true, source: 'jsonpatch', spelled: 'CPUManager' },
    ...{ component: 'kubevirt', since: new Date(nowMs - 5 * HOUR_MS).toISOString(), by: 'kubectl-edit' },
  }
  const uses: readonly GateUseItem[] = [
    patch,
    ...Array.from({ length: found.on }, (_, i) => ({ ...use, on: true, cluster: `prod-${i}` })),
    ...Array.from({ length: found.off }, (_, i) => ({ ...use, on: false, cluster: `prod-${100 + i}` })),
  ]
  const fitting = uses.filter(({ source }) => (search.get('source') ?? source) === source)
  const begin = Number(search.get('cursor') ?? 0)
  const end = begin + Number(search.get('limit') ?? 100)
  return {
    ...about(nowMs),
    ...found,
    total: fitting.length,
    versions: [{ version: '1.17.3', clusters: 1 }],
    uses: fitting.slice(begin, end),
    nextCursor: end < fitting.length ? String(end) : null,
  }
}
