import type { UnjoinedItems } from '../../../src/contract/fleet-unjoined.ts'
import { clusterDetail, clusterItems, objectChanges } from './fleet-fixtures.ts'
import { modifications } from './modification-fixtures.ts'
import { fleetCoverage, timeOf } from './coverage-fixtures.ts'
import {
  baselineItem,
  baselineReplayAnswer,
  configurationAnswer,
  deprecatedApisAnswer,
  differencesAnswer,
  kvmStackAnswer,
  settingDetail,
} from './configuration-fixtures.ts'
import { gateDetail, gateItems } from './gate-fixtures.ts'
import { acceptanceItems, hazardItems, readinessItems } from './readiness-fixtures.ts'
import { patchDetail, patchItems } from './patch-fixtures.ts'
import { rolloutAnswer, rolloutItems } from './rollout-fixtures.ts'
import { strandedItems } from './stranded-fixtures.ts'
import { edgeComparison, edgeItems, runItems } from './edge-fixtures.ts'
import { updateGraphAnswer } from './update-graph-fixtures.ts'
import { stuckItems, upgradeDetail, upgradeItems } from './upgrade-fixtures.ts'

/** None: a test that is about them answers others. */
export function unjoinedItems(nowMs: number, unjoined: UnjoinedItems['unjoined'] = []): UnjoinedItems {
  const coverage = fleetCoverage(nowMs)
  return { asOf: timeOf(nowMs), coverage, total: unjoined.length, unjoined }
}

const NOT_FOUND = { status: 404, body: { error: 'nothing has that name', code: 'not_found' } }

/** What the API answers about the fleet's facts; `undefined`: no route of it. */
export function fleetAnswer({ pathname, searchParams }: URL, nowMs: number): unknown {
  const [route = '', ...rest] = pathname.replace('/api/fleet/v1/', '').split('/').map(decodeURIComponent)
  const [name = '', part = ''] = rest
  if (route === 'clusters') {
    if (name === '') return clusterItems(searchParams, nowMs)
    return part === 'changes' ? objectChanges(name, nowMs) : (clusterDetail(name, nowMs) ?? NOT_FOUND)
  }
  if (route === 'upgrades') {
    if (name === '') return upgradeItems(searchParams, nowMs)
    const detail = upgradeDetail(name, nowMs)
    return (part === 'detail' ? detail : detail?.upgrade) ?? NOT_FOUND
  }
  if (route === 'stuck') return stuckItems(nowMs)
  if (route === 'edges' && name === 'runs') return runItems(searchParams, nowMs)
  if (route === 'edges')
    return name === 'compare' ? edgeComparison(searchParams, nowMs) : edgeItems(searchParams, nowMs)
  if (route === 'unjoined') return unjoinedItems(nowMs)
  if (route === 'stranded') return strandedItems(nowMs)
  if (route === 'readiness') {
    if (name === 'hazards') return hazardItems(nowMs)
    return name === 'acceptances' ? acceptanceItems(nowMs) : readinessItems(searchParams, nowMs)
  }
  if (route === 'configuration') {
    if (name === 'settings') return settingDetail(part, searchParams, nowMs)
    if (name === 'clusters') return differencesAnswer(part, nowMs)
    if (name === 'baseline' && part === 'replay') return baselineReplayAnswer(searchParams, nowMs)
    return name === 'baseline'
      ? { asOf: new Date(nowMs).toISOString(), baseline: baselineItem(nowMs) }
      : configurationAnswer(searchParams, nowMs)
  }
  if (route === 'kvm-stack') return kvmStackAnswer(searchParams, nowMs)
  if (route === 'deprecated-apis') return deprecatedApisAnswer(searchParams, nowMs)
  if (route === 'update-graph') return updateGraphAnswer(searchParams, nowMs)
  if (route === 'rollouts')
    return name === '' ? rolloutItems(searchParams, nowMs) : (rolloutAnswer(name, searchParams, nowMs) ?? NOT_FOUND)
  if (route === 'gates') return name === '' ? gateItems(nowMs) : gateDetail(name, searchParams, nowMs)
  if (route === 'patches')
    return name === '' ? patchItems(searchParams, nowMs) : (patchDetail(name, nowMs) ?? NOT_FOUND)
  if (route === 'modifications') {
    const kind = searchParams.get('kind')
    return {
      asOf: new Date(nowMs).toISOString(),
      coverage: fleetCoverage(nowMs),
      modifications: modifications(nowMs).filter((one) => kind === null || one.kind === kind),
      goneClusters: [],
      nextCursor: null,
    }
  }
  return undefined
}
