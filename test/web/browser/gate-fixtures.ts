import type { GateDetail, GateItems, GateUseItem } from '../../../src/contract/fleet-gates.ts'
import { fleetCoverage } from './coverage-fixtures.ts'

/** Feature gates of a made-up fleet: one only by patch, one in both places. */

const GATES = [
  { gate: 'CPUManager', on: 0, off: 0, patched: 1 },
  { gate: 'downwardMetrics', on: 12, off: 880, patched: 1 },
] as const

const about = (nowMs: number) => ({
  asOf: new Date(nowMs).toISOString(),
  coverage: fleetCoverage(nowMs),
  telling: 900,
})

export function gateItems(nowMs: number): GateItems {
  return { ...about(nowMs), gates: [...GATES] }
}

export function gateDetail(name: string, search: URLSearchParams, nowMs: number): GateDetail {
  const found = GATES.find(({ gate }) => gate === name) ?? GATES[0]
  const use = { version: '1.18.1', component: null, since: null, source: 'hyperconverged', spelled: name } as const
  const patch: GateUseItem = {
    ...{ cluster: 'ams-stuck-1', version: '1.17.3', on: true, source: 'jsonpatch', spelled: 'CPUManager' },
    ...{ component: 'kubevirt', since: new Date(nowMs - 300 * 60_000).toISOString() },
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
