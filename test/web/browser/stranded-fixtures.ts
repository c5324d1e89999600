import type { StrandedItems } from '../../../src/contract/fleet-stranded.ts'
import { fleetCoverage } from './coverage-fixtures.ts'

/** Versions of a made-up fleet that people are stranded on. */
export function strandedItems(nowMs: number): StrandedItems {
  const names = Array.from({ length: 12 }, (_, i) => `prod-${String(i).padStart(4, '0')}`)
  const item = { names, newest: '1.18.1', endedLately: 0, succeededLately: 0, notOffered: 0, lastLeftAt: null }
  return {
    asOf: new Date(nowMs).toISOString(),
    coverage: fleetCoverage(nowMs),
    total: 41,
    stranded: [
      { ...item, version: '1.13.0', reason: 'never_left', clusters: 38, population: 38 },
      {
        ...item,
        ...{ version: '1.16.0', reason: 'not_offered', clusters: 3, population: 60, names: names.slice(0, 3) },
        ...{ endedLately: 150, succeededLately: 120, notOffered: 3 },
        lastLeftAt: new Date(nowMs - 3_600_000).toISOString(),
      },
    ],
  }
}
