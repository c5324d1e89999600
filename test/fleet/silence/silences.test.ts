import { expect, test } from 'vitest'
import { observedCluster, type ObservedCluster } from '../../../src/fleet/clusters/fleet-coverage.ts'
import type { OpenUpgrade } from '../../../src/fleet/clusters/cluster-states.ts'
import type { Gone } from '../../../src/fleet/clusters/gone.ts'
import { GROUP_MIN, TOGETHER_MS } from '../../../src/fleet/silence/silence-groups.ts'
import { PHASE_RECENT_MS } from '../../../src/fleet/silence/upgrade.ts'
import { BEFORE_MS } from '../../../src/fleet/silence/declared.ts'
import { silencesOf } from '../../../src/fleet/silence/silences.ts'
import type { ClusterSilence } from '../../../src/model/cluster-silence.ts'
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { phase, recordOf, MINUTE_MS, T0 } from '../edge-script.ts'

const at = (minute: number): number => T0 + minute * MINUTE_MS
/** Two hours after the silences of these tests. */
const NOW = at(120)
const DAY_MS = 24 * 60 * MINUTE_MS

interface Drawn {
  readonly cluster: string
  /** Minutes of the last reports; `undefined`: it never sent. */
  readonly metrics?: number
  readonly objects?: number
  readonly record?: Partial<ClusterRecord>
}

function seen({ cluster, metrics, objects, record }: Drawn): ObservedCluster {
  const lastSeen = {
    ...(metrics === undefined ? {} : { metricsMs: at(metrics) }),
    ...(objects === undefined ? {} : { objectsMs: at(objects) }),
  }
  return observedCluster(cluster, { ...emptyRecord(cluster), ...record }, lastSeen)
}

/** Clusters that report now. */
function reporting(count: number, region: string): readonly Drawn[] {
  return Array.from({ length: count }, (_, i) => ({
    cluster: `${region}-ok-${i}`,
    metrics: 120,
    objects: 100,
    record: { region },
  }))
}

function silencesIn(
  clusters: readonly Drawn[],
  {
    nowMs = NOW,
    gone = {},
    open = {},
    unusedAfterMs = Infinity,
  }: {
    nowMs?: number
    gone?: Readonly<Record<string, Gone>>
    open?: Readonly<Record<string, readonly OpenUpgrade[]>>
    unusedAfterMs?: number
  } = {},
): ReadonlyMap<string, ClusterSilence> {
  return silencesOf(
    {
      clusters: clusters.map(seen),
      goneOf: ({ cluster }) => gone[cluster],
      openOf: (cluster) => open[cluster] ?? [],
      unusedAfterMs,
    },
    nowMs,
  )
}

const one = (clusters: readonly Drawn[], options?: Parameters<typeof silencesIn>[1]): ClusterSilence | undefined =>
  silencesIn(clusters, options).get('a')

test('a cluster whose sources send is not silent, whichever it has', () => {
  expect(one([{ cluster: 'a', metrics: 119, objects: 90 }])).toBeUndefined()
  expect(one([{ cluster: 'a', metrics: 119 }])).toBeUndefined()
  expect(one([{ cluster: 'a', objects: 90 }])).toBeUndefined()
  expect(one([{ cluster: 'a' }])).toBeUndefined()
})

test('objects stop while metrics arrive: the Collector stopped, from the first minute after its limit', () => {
  const stopped = (objects: number) => one([{ cluster: 'a', metrics: 120, objects }])
  expect(stopped(55)).toBeUndefined()
  expect(stopped(54)).toMatchObject({
    cause: 'collector_stopped',
    sources: ['objects'],
    isTotal: false,
    sinceMs: at(54),
    missing: [],
  })
  expect(stopped(54)!.evidence[0]!.text).toContain('Metrics still came 66 min later')
})

test('metrics stop while objects arrive: remote write is broken', () => {
  const stopped = (metrics: number) => one([{ cluster: 'a', metrics, objects: 121 }], { nowMs: at(121) })
  expect(stopped(111)).toBeUndefined()
  expect(stopped(110)).toMatchObject({ cause: 'remote_write_broken', sources: ['metrics'], isTotal: false })
  expect(stopped(60)!.evidence[0]!.text).toContain('Objects still came 61 min later')
})

test('until the next list of objects is late, a silence of metrics does not show which source stopped', () => {
  const cluster = { cluster: 'a', metrics: 60, objects: 50 }
  const early = one([cluster], { nowMs: at(115) })
  expect(early).toMatchObject({ cause: 'unknown', isTotal: true, sinceMs: at(60) })
  expect(early!.missing[0]).toContain('The next list of objects is due until')
  const late = one([cluster], { nowMs: at(116) })
  expect(late!.missing[0]).not.toContain('due until')
  // The list came.
  expect(one([{ ...cluster, objects: 80 }], { nowMs: at(115) })?.cause).toBe('remote_write_broken')
})

test('a source that was removed long ago is not a silence while the other sends', () => {
  const cluster = { cluster: 'a', metrics: 120, objects: -60 * 24 * 15 }
  expect(one([cluster])?.cause).toBe('collector_stopped')
  expect(one([cluster], { unusedAfterMs: 14 * DAY_MS })).toBeUndefined()
  expect(one([{ ...cluster, objects: 120 - 60 * 24 * 14 }], { unusedAfterMs: 14 * DAY_MS })?.cause).toBe(
    'collector_stopped',
  )
})

/** Clusters of eu-west that fell silent, one each `everyMinutes`. */
function outage(count: number, everyMinutes = 0.1): readonly Drawn[] {
  return Array.from({ length: count }, (_, i) => ({
    cluster: i === 0 ? 'a' : `out-${i}`,
    metrics: i * everyMinutes,
    objects: i * everyMinutes - 11,
    record: { region: 'eu-west' },
  }))
}

test('the clusters of a region fall silent together: the network, with the numbers of the region and elsewhere', () => {
  const elsewhere = [
    ...reporting(117, 'us-east'),
    ...[1, 2, 3].map((i) => ({ cluster: `us-${i}`, metrics: i, objects: i, record: { region: 'us-east' } })),
  ]
  const silences = silencesIn([...outage(28, 4 / 27), ...reporting(3, 'eu-west'), ...elsewhere])
  const found = silences.get('a')!
  expect(found.cause).toBe('network')
  expect(found.evidence[0]!.text).toBe('28 of 31 clusters of eu-west fell silent within 4 min; 3 of 120 elsewhere.')
  expect(found.evidence[0]!.share).toEqual({ silent: 28, of: 31, elsewhere: { silent: 3, of: 120 } })
  expect(found.nextStep).toContain('eu-west')
  expect(silences.get('us-1')?.cause).toBe('unknown')
})

test.each([
  ['too few', GROUP_MIN - 1, 0, 'unknown'],
  ['enough', GROUP_MIN, 0, 'network'],
  ['half of the region', GROUP_MIN, GROUP_MIN, 'network'],
  ['less than half', GROUP_MIN, GROUP_MIN + 1, 'unknown'],
] as const)('a group: %s', (_, silent, others, cause) => {
  expect(one([...outage(silent), ...reporting(others, 'eu-west'), ...reporting(20, 'us-east')])?.cause).toBe(cause)
})

test('silences further apart than the window are not together', () => {
  const apart = (ms: number) => one([...outage(3, ms / 2 / MINUTE_MS), ...reporting(20, 'us-east')])?.cause
  expect(apart(TOGETHER_MS)).toBe('network')
  expect(apart(TOGETHER_MS + 2 * MINUTE_MS)).toBe('unknown')
})

test('most of the whole fleet: the network in front of Daytwo, in no region', () => {
  const other = outage(10).map((one, i) => ({ ...one, cluster: `us-${i}`, record: { region: 'us-east' } }))
  const found = one([...outage(10), ...other, ...reporting(2, 'us-east')])!
  expect(found.evidence[0]!.text).toBe('20 of 22 clusters of the whole fleet fell silent within 1 min.')
  expect(found.nextStep).toContain('all clusters share')
})

test('clusters of one provider of a region are a place of their own', () => {
  const out = outage(5).map((one) => ({ ...one, record: { region: 'eu-west', provider: 'aws' } }))
  const others = reporting(15, 'eu-west').map((one) => ({ ...one, record: { region: 'eu-west', provider: 'gcp' } }))
  expect(one([...out, ...others])!.evidence[0]!.text).toContain('5 of 5 clusters of eu-west (aws)')
})

test('clusters that send objects alone join the outage of others', () => {
  const blunt = { cluster: 'a', objects: -20, record: { region: 'eu-west' } }
  const sharp = outage(3).map((one, i) => ({ ...one, cluster: `out-${i}` }))
  expect(one([blunt, ...sharp, ...reporting(9, 'us-east')])?.cause).toBe('network')
  // Its next list was late before the outage.
  expect(one([{ ...blunt, objects: -36 }, ...sharp, ...reporting(9, 'us-east')])?.cause).toBe('unknown')
  const alone = [0, 1, 2].map((i) => ({
    cluster: i === 0 ? 'a' : `o-${i}`,
    objects: i * 10,
    record: { region: 'eu-west' },
  }))
  expect(one([...alone, ...reporting(9, 'us-east')])?.cause).toBe('network')
})

test('a cluster whose next report is not due yet is in no denominator', () => {
  const pending = Array.from({ length: 5 }, (_, i) => ({
    cluster: `p-${i}`,
    objects: -3,
    record: { region: 'eu-west' },
  }))
  const found = one([...outage(4), ...pending, ...reporting(9, 'us-east')], { nowMs: at(30) })!
  expect(found.evidence[0]!.share).toMatchObject({ silent: 4, of: 4 })
})

function upgrading(phaseMinute: number, name: 'olm' | 'workloads' = 'olm'): OpenUpgrade {
  const record = recordOf({ cluster: 'a', id: 'a/1', startMinute: phaseMinute, phases: [phase('olm', phaseMinute)] })
  return {
    record,
    verdict: { upgradeId: 'a/1', isStuck: false, phase: name, phaseSinceMs: at(phaseMinute), causes: [] },
  }
}

test('the silence starts in a phase of an upgrade: broken by its upgrade', () => {
  const clusters = [{ cluster: 'a', metrics: 0, objects: -5 }, ...reporting(9, 'us-east')]
  const cause = (open: OpenUpgrade) => one(clusters, { open: { a: [open] } })?.cause
  expect(cause(upgrading(-3))).toBe('upgrade')
  // The phase started after the last report, within a scrape.
  expect(cause(upgrading(4))).toBe('upgrade')
  expect(cause(upgrading(6))).toBe('unknown')
  expect(cause(upgrading(-PHASE_RECENT_MS / MINUTE_MS))).toBe('upgrade')
  expect(cause(upgrading(-PHASE_RECENT_MS / MINUTE_MS - 1))).toBe('unknown')
  expect(cause(upgrading(-3, 'workloads'))).toBe('unknown')
  const found = one(clusters, { open: { a: [upgrading(-3)], 'us-east-ok-1': [upgrading(-3)] } })!
  expect(found.evidence[0]!.text).toContain('Silent since 3 min after the start of the phase olm')
  expect(found.evidence[0]!.share).toEqual({ silent: 1, of: 2, elsewhere: { silent: 0, of: 8 } })
})

test('an outage explains the silence of an upgrading cluster, unless nearly all of its members upgrade', () => {
  const clusters = [...outage(5), ...reporting(9, 'us-east')]
  const open = (count: number) =>
    Object.fromEntries(
      outage(5)
        .slice(0, count)
        .map(({ cluster }) => [cluster, [upgrading(-3)]]),
    )
  expect(one(clusters, { open: open(4) })?.cause).toBe('network')
  expect(one(clusters, { open: open(5) })?.cause).toBe('upgrade')
})

const declared = (kind?: 'opted_out'): Gone => {
  const decommission = {
    id: 'd',
    cluster: 'a',
    sinceMs: at(10),
    by: 'ada',
    reason: 'ticket 7',
    saidMs: at(10),
    ...(kind && { kind }),
  }
  return { sinceMs: at(10), why: { kind: 'declared', decommission } }
}

test('a declaration is decisive', () => {
  const clusters = outage(5)
  expect(one(clusters, { gone: { a: declared() } })).toMatchObject({ cause: 'decommissioned' })
  expect(one(clusters, { gone: { a: declared('opted_out') } })).toMatchObject({ cause: 'opted_out' })
  expect(one(clusters, { gone: { a: declared() } })!.evidence[0]!.text).toBe('Declared decommissioned by ada: ticket 7')
  expect(one(clusters, { gone: { a: { sinceMs: at(10), why: { kind: 'unheard', afterMs: 1 } } } })?.cause).toBe(
    'unknown',
  )
})

test('a deleted HyperConverged shortly before the last report: decommissioned; long before: not', () => {
  const cause = (hyperConvergedRemovedMs: number) =>
    one([{ cluster: 'a', metrics: 0, objects: 0, record: { hyperConvergedRemovedMs } }])?.cause
  expect(cause(at(-30))).toBe('decommissioned')
  expect(cause(T0 - BEFORE_MS)).toBe('decommissioned')
  expect(cause(T0 - BEFORE_MS - 1)).toBe('unknown')
  expect(cause(at(35))).toBe('decommissioned')
  expect(cause(at(36))).toBe('unknown')
})

test('a HyperConverged that allows no metrics: opted out, also when the Collector still sends', () => {
  const off = (metrics: number, objects: number, telemetryOff: ClusterRecord['telemetryOff']) =>
    one([{ cluster: 'a', metrics, objects, record: telemetryOff === undefined ? {} : { telemetryOff } }])
  expect(off(0, 0, { sinceMs: at(-5), by: 'kubectl-edit' })).toMatchObject({ cause: 'opted_out' })
  expect(off(0, 0, { sinceMs: at(-5), by: 'kubectl-edit' })!.evidence[0]!.text).toContain('written by kubectl-edit')
  expect(off(0, 110, { sinceMs: at(-5) })).toMatchObject({ cause: 'opted_out', isTotal: false })
  // It is about metrics.
  expect(off(120, 0, { sinceMs: at(-5) })).toMatchObject({ cause: 'collector_stopped' })
  // Since when is not known.
  expect(off(0, 0, {})).toMatchObject({ cause: 'unknown' })
})

test('unknown: what is missing is listed', () => {
  const missing = (record: Partial<ClusterRecord>, others: readonly Drawn[] = []) =>
    one([{ cluster: 'a', metrics: 0, record }, ...others])!.missing.join(' ')
  expect(missing({})).toContain('Only metrics were ever reported')
  expect(missing({})).toContain('No region is reported')
  expect(missing({ region: 'eu-west' })).toContain('eu-west has no other cluster')
  expect(missing({ region: 'eu-west' }, reporting(1, 'eu-west'))).toContain('eu-west has 1 other cluster:')
  expect(missing({ region: 'eu-west' }, reporting(2, 'eu-west'))).toContain('Most of the 2 other clusters of eu-west')
  expect(missing({})).toContain('No upgrade was in progress')
})
