import type {
  AcceptanceItems,
  ClusterReadinessItem,
  FoundHazardItem,
  HazardItems,
  ReadinessItems,
  ReadyClusterItem,
} from '../../../src/contract/readiness.ts'
import { HAZARDS, hazardOf } from '../../../src/fleet/readiness/hazards/hazards.ts'
import type { HazardId } from '../../../src/model/readiness.ts'
import { fleetCoverage } from './coverage-fixtures.ts'

/** Readiness of a made-up fleet for 1.20.0: 412 ready, 200 with a JSON patch, 60 that do not report everything. */

const TARGET = { operator: 'kubevirt-hyperconverged', version: '1.20.0', to: '1.20.0' } as const
const PLATFORM = { operator: 'openshift', version: '4.24.1', to: 'openshift 4.24.1' } as const
const HOUR_MS = 3_600_000

const timeOf = (ms: number): string => new Date(ms).toISOString()

export function foundHazard(id: HazardId, nowMs: number, more: Partial<FoundHazardItem> = {}): FoundHazardItem {
  const { title, consequence, runbook } = hazardOf(id)
  return {
    ...{ id, title, consequence, runbook },
    verdict: 'at_risk',
    text: 'An annotation patches kubevirt.',
    since: timeOf(nowMs - 50 * HOUR_MS),
    fix: {
      text: 'Remove the annotation before the upgrade, and verify the cluster without it.',
      command:
        'kubectl annotate hyperconverged kubevirt-hyperconverged -n kubevirt-hyperconverged kubevirt.kubevirt.io/jsonpatch-',
    },
    evidence: [
      {
        source: 'objects',
        at: timeOf(nowMs - 50 * HOUR_MS),
        text: 'kubevirt: add /spec/configuration/developerConfiguration/featureGates/-',
        ref: 'hyperconvergeds, annotation kubevirt.kubevirt.io/jsonpatch',
        phase: null,
      },
    ],
    accepted: null,
    ...more,
  }
}

export function clusterReadiness(nowMs: number): ClusterReadinessItem {
  return {
    target: TARGET,
    verdict: 'not_recommended',
    silent: false,
    hazards: [
      foundHazard('operator_unhealthy', nowMs, {
        verdict: 'not_recommended',
        text: 'HyperConverged reports Degraded=True (HCODegraded).',
      }),
      foundHazard('json_patch', nowMs),
      foundHazard('paused_pool', nowMs, {
        text: 'Paused: worker (4 of 12 nodes updated).',
        accepted: {
          id: 'risk-1',
          hazard: 'paused_pool',
          reason: 'EUS upgrade of this week, CHG-4711',
          by: 'ada',
          acceptedAt: timeOf(nowMs - HOUR_MS),
          expiresAt: timeOf(nowMs + 60 * HOUR_MS),
        },
      }),
    ],
    unknown: [
      {
        id: 'machine_types',
        title: hazardOf('machine_types').title,
        text: 'Not reported: kubevirt_node_deprecated_machine_types (HCO 1.16 and later).',
        signals: hazardOf('machine_types').signals,
      },
    ],
  }
}

const COUNTS = { ready: 412, at_risk: 190, not_recommended: 10, unknown: 60 } as const

function clusterOf(verdict: keyof typeof COUNTS, index: number, nowMs: number): ReadyClusterItem {
  const hazards = verdict === 'ready' || verdict === 'unknown' ? [] : [foundHazard('json_patch', nowMs)]
  return {
    cluster: `${verdict.replaceAll('_', '-')}-${index + 1}`,
    version: index % 3 === 0 ? '1.18.1' : '1.19.0',
    platformVersion: verdict === 'unknown' ? null : '4.23.4',
    verdict,
    silent: false,
    hazards,
    unknown: [],
  }
}

/** `GET /api/fleet/v1/readiness`. */
export function readinessItems(search: URLSearchParams, nowMs: number): ReadinessItems {
  const wanted = search.getAll('verdict')
  const verdicts = (Object.keys(COUNTS) as (keyof typeof COUNTS)[]).filter(
    (verdict) => wanted.length === 0 || wanted.includes(verdict),
  )
  const all = verdicts.flatMap((verdict) =>
    Array.from({ length: COUNTS[verdict] }, (_, i) => clusterOf(verdict, i, nowMs)),
  )
  const fitting = all.filter(
    ({ hazards }) => search.get('hazard') === null || hazards.some(({ id }) => id === search.get('hazard')),
  )
  const from = Number(search.get('cursor') ?? '0')
  const limit = Number(search.get('limit') ?? '100')
  const counted = (id: HazardId, present: number, accepted: number, unknown: number) => {
    const { title, consequence, runbook } = hazardOf(id)
    return { id, title, consequence, runbook, present, accepted, unknown }
  }
  return {
    asOf: timeOf(nowMs),
    coverage: fleetCoverage(nowMs),
    target: search.get('to') === PLATFORM.to ? PLATFORM : TARGET,
    targets: [TARGET, { ...TARGET, version: '1.19.0', to: '1.19.0' }, PLATFORM],
    total: fitting.length,
    reached: 31,
    others: 4,
    clusters: fitting.slice(from, from + limit),
    facets:
      search.get('facets') === 'true'
        ? {
            verdicts: COUNTS,
            hazards: [
              counted('json_patch', 200, 0, 12),
              counted('paused_pool', 9, 9, 0),
              counted('machine_types', 3, 0, 60),
            ],
            versions: [
              { value: '1.19.0', count: 448 },
              { value: '1.18.1', count: 224 },
            ],
          }
        : null,
    nextCursor: from + limit < fitting.length ? String(from + limit) : null,
  }
}

/** `GET /api/fleet/v1/readiness/hazards`. */
export function hazardItems(nowMs: number): HazardItems {
  return {
    asOf: timeOf(nowMs),
    hazards: HAZARDS.map(({ id, title, signals, consequence, runbook, sources }) => {
      const isCounted = id === 'json_patch'
      return {
        ...{ id, title, signals, consequence, runbook },
        sources: [...sources],
        calibration: {
          withHazard: isCounted
            ? { upgrades: 80, failed: 14, low: 0.107, high: 0.273 }
            : { upgrades: 0, failed: 0, low: null, high: null },
          withoutHazard: isCounted
            ? { upgrades: 610, failed: 12, low: 0.011, high: 0.034 }
            : { upgrades: 0, failed: 0, low: null, high: null },
          difference: isCounted ? { difference: 0.155, low: 0.085, high: 0.254 } : null,
          result: isCounted ? 'more_failures' : 'too_few',
        },
      }
    }),
  }
}

/** `GET /api/fleet/v1/readiness/acceptances`, and what a POST answers. */
export function acceptanceItems(nowMs: number, reason = 'EUS upgrade of this week, CHG-4711'): AcceptanceItems {
  return {
    asOf: timeOf(nowMs),
    acceptances: [
      {
        id: 'risk-1',
        hazard: 'paused_pool',
        reason,
        by: 'ada',
        acceptedAt: timeOf(nowMs - HOUR_MS),
        expiresAt: timeOf(nowMs + 60 * HOUR_MS),
        state: 'in_effect',
        withdrawnAt: null,
        withdrawnBy: null,
        clusters: Array.from({ length: 9 }, (_, i) => `at-risk-${i + 1}`),
      },
    ],
  }
}
