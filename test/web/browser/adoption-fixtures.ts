import {
  behindCsv,
  digestOf,
  shareCsv,
  spreadCsv,
  usageCsv,
  workloadsCsv,
} from '../../../src/api/fleet/adoption-csv.ts'
import {
  behindAnswer,
  foundOf,
  shareAnswer,
  forecastItem,
  spreadItem,
  usageAnswer,
  workloadsAnswer,
} from '../../../src/api/fleet/adoption-answers.ts'
import { adoptionRequestOf } from '../../../src/api/fleet/adoption-request.ts'
import type { OperatorsAnswer } from '../../../src/contract/adoption.ts'
import type { ClusterItem, ClusterItems } from '../../../src/contract/fleet-clusters.ts'
import { AdoptionCube, DIMENSIONS } from '../../../src/fleet/adoption/cube.ts'
import { addDays, dayOf, daysBetween } from '../../../src/fleet/adoption/day.ts'
import { compareReleases } from '../../../src/fleet/version-order.ts'
import { spreadsOf } from '../../../src/fleet/adoption/spread.ts'
import type { AdoptionRow, UsageRow } from '../../../src/model/adoption.ts'

/**
 * A fleet of 240 clusters over a year, as the server would have counted it: its own functions answer, over rows made up here.
 * Releases spread in waves: who follows `candidate` goes first, who follows `stable` later, and a few never go. One cluster
 * in twenty tells no version, one day was not counted, and half of the machines take four weeks to follow.
 */
export interface AdoptionFixture {
  readonly operators: OperatorsAnswer
  /** As the API answers `/api/adoption/v1/<question>?<search>`. */
  readonly answer: (question: string, search: URLSearchParams) => unknown
}

const OPERATOR = 'kubevirt-hyperconverged'
const CLUSTERS = 240
const MINUTE_MS = 60_000

/** Version, and how many days before now it came out; the oldest was there already. */
const RELEASES: readonly (readonly [version: string, daysAgo: number])[] = [
  ['1.15.2', 700],
  ['1.16.0', 420],
  ['1.16.3', 340],
  ['1.17.0', 285],
  ['1.17.2', 240],
  ['1.18.0', 190],
  ['1.18.1', 160],
  ['1.19.0', 100],
  ['1.19.1', 70],
  ['1.20.0', 24],
]

const COHORTS = {
  channel: ['stable', 'stable', 'stable', 'candidate', 'stable-v1'],
  platform: ['openshift 4.20', 'openshift 4.19', 'kubernetes 1.34'],
  region: ['eu-central', 'us-east', 'ap-south'],
  environment: ['production', 'production', 'staging'],
} as const

/** @param days how many were counted, up to the present one */
export function adoptionFixture(nowMs: number, days = 365): AdoptionFixture {
  const today = dayOf(nowMs)
  const firstDay = addDays(today, 1 - days)
  const missing = addDays(today, -40)
  const counted = daysBetween(firstDay, today).filter((day) => day !== missing)
  const fleet = madeUpFleet()
  const all = daysBetween(firstDay, today)
  const cube = new AdoptionCube(counted.flatMap((day) => rowsOf(fleet, day, all.length - 1 - all.indexOf(day))))
  const answer = (question: string, search: URLSearchParams): unknown => {
    const one = (name: string): string | undefined => search.get(name) ?? undefined
    const lists = Object.fromEntries(
      DIMENSIONS.flatMap((name) => (search.has(name) ? [[name, search.getAll(name)]] : [])),
    )
    const given = Object.fromEntries(
      (['operator', 'from', 'to', 'at'] as const).flatMap((name) =>
        one(name) === undefined ? [] : [[name, one(name)]],
      ),
    )
    const by = DIMENSIONS.find((name) => name === one('by')) ?? 'version'
    const asked = adoptionRequestOf({ ...lists, ...given }, by, nowMs)
    const wanted = daysBetween(asked.fromDay, asked.toDay)
    const known = new Set(counted)
    const sums = cube.sums(asked.by, asked.fromDay, asked.toDay, asked.filter)
    const updatedMs = nowMs - 3 * MINUTE_MS
    const found = foundOf(asked, { sums, missing: wanted.filter((day) => !known.has(day)), updatedMs })
    const withBasis = (csv: string, body: object): object => ({
      basis: { ...found.basis, digest: digestOf(csv) },
      ...body,
    })
    switch (question) {
      case 'share': {
        const body = shareAnswer(found, found.shares.series)
        return withBasis(shareCsv(body), body)
      }
      case 'spread': {
        const spreads = spreadsOf(found.shares, compareReleases)
        const versions = spreads.map(spreadItem)
        return withBasis(spreadCsv(versions), { versions, forecast: forecastItem(spreads) })
      }
      case 'behind': {
        const body = behindAnswer(found)
        return withBasis(behindCsv(body), body)
      }
      case 'workloads': {
        const body = workloadsAnswer(found)
        return withBasis(workloadsCsv(body), body)
      }
      default: {
        const body = usageAnswer(wanted.flatMap(usageOf), [{ day: today, updatedMs }], [...sums.known], asked)
        return { ...body, digest: digestOf(usageCsv(body)) }
      }
    }
  }
  return { operators: { operators: ['kubevirt', OPERATOR, 'openshift'], firstDay, lastDay: today }, answer }
}

/** A number between 0 and 1 that is always the same for the same words. */
function lot(...words: readonly (string | number)[]): number {
  let hash = 2_166_136_261
  for (const char of words.join(' ')) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619) >>> 0
  // Words that end alike would be near each other without this.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

interface MadeUpCluster {
  readonly row: Omit<AdoptionRow, 'day' | 'version' | 'clusters' | 'outdatedVms'>
  readonly isUntold: boolean
  /** Days before now. */
  readonly joinedDaysAgo: number
  /** What it ran, newest first, and since when. */
  readonly ran: readonly { readonly version: string; readonly daysAgo: number }[]
}

function madeUpFleet(): readonly MadeUpCluster[] {
  return Array.from({ length: CLUSTERS }, (_, cluster) => {
    const of = (name: keyof typeof COHORTS): string => {
      const values = COHORTS[name]
      return values[Math.floor(lot(name, cluster) * values.length)]!
    }
    const [channel, platform] = [of('channel'), of('platform')]
    const hasteDays = channel === 'candidate' ? 14 : 75
    const isStraggler = lot('straggles', cluster) < 0.06
    const ran = RELEASES.toReversed().flatMap(([version, outDaysAgo]) =>
      isStraggler && outDaysAgo < 340
        ? []
        : [{ version, daysAgo: outDaysAgo - hasteDays * lot('waits', version, cluster) ** 1.5 }],
    )
    return {
      row: {
        ...{ operator: OPERATOR, channel, platform, region: of('region'), environment: of('environment') },
        flavour: 'community',
        vms: Math.floor(30 * lot('vms', cluster)),
      },
      isUntold: lot('untold', cluster) < 0.05,
      // A third of the fleet came in during the year.
      joinedDaysAgo: lot('joined', cluster) < 1 / 3 ? 365 * lot('since', cluster) : Infinity,
      ran,
    }
  })
}

function rowsOf(fleet: readonly MadeUpCluster[], day: string, daysAgo: number): readonly AdoptionRow[] {
  return fleet.flatMap(({ row, isUntold, joinedDaysAgo, ran }): AdoptionRow[] => {
    if (daysAgo > joinedDaysAgo) return []
    if (isUntold) return [{ ...row, day, version: '', clusters: 1, vms: 0, outdatedVms: 0 }]
    const { version, daysAgo: since } = ran.find((one) => one.daysAgo >= daysAgo) ?? ran.at(-1)!
    const outdatedVms = Math.round(row.vms * Math.max(0, 0.9 - (since - daysAgo) / 28))
    return [{ ...row, day, version, clusters: 1, outdatedVms }]
  })
}

function usageOf(day: string): readonly UsageRow[] {
  const row = (subject: UsageRow['subject'], name: string, clusters: number, count: number): UsageRow => {
    return { day, subject, name, clusters, count }
  }
  return [
    row('deprecated_api', 'kubevirt.io/v1alpha3 virtualmachines', 14, 3120),
    row('deprecated_api', 'snapshot.kubevirt.io/v1alpha1 virtualmachinesnapshots', 5, 88),
    row('instance_type', 'u1.medium', 150, 1240),
    row('instance_type', 'u1.small', 96, 402),
    row('instance_type', 'cx1.large', 21, 60),
    row('preference', 'rhel.9', 133, 980),
    row('preference', 'windows.11', 48, 210),
  ]
}

/** As `/api/fleet/v1/clusters` answers: some clusters of those versions or states. */
export function someClusters(search: URLSearchParams, nowMs: number): ClusterItems {
  const versions = search.getAll('version')
  const asOf = new Date(nowMs).toISOString()
  const clusters = Array.from({ length: 5 }, (_, i): ClusterItem => {
    const lastSeenAt = new Date(nowMs - (i === 0 ? 3 * 86_400_000 : 40_000 + i * 7000)).toISOString()
    return {
      ...{
        cluster: `zlin-edge-${i + 1}`,
        aliases: [],
        states: i === 0 ? ['silent'] : ['unknown'],
        flavour: null,
        gone: null,
        silence: null,
      },
      ...{ platform: null, version: versions[i % Math.max(1, versions.length)] ?? null, versions: {} },
      ...{ channel: i % 2 === 0 ? 'stable' : null, approval: null, systemHealth: null, tainted: null },
      ...{ outdatedWorkloads: null, openUpgrades: [], region: null, provider: null, environment: null },
      ...{ firstSeenAt: lastSeenAt, lastSeenAt },
      coverage: {
        ...{ objects: i % 2 === 1, metrics: true, spans: false, objectsLastAt: null, metricsLastAt: lastSeenAt },
        kinds: [],
      },
    }
  })
  const coverage = {
    ...{ clusters: 240, withObjects: 31, withMetrics: 228, withSpans: 4, silent: 2, unknown: 12, gone: 0 },
    ...{ newestAt: asOf, oldestAt: asOf },
  }
  return { asOf, coverage, total: 14, clusters, facets: null, nextCursor: null }
}
