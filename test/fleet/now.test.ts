import { describe, expect, test } from 'vitest'
import { deriveNow } from '../../src/fleet/now.ts'
import type { FleetNow } from '../../src/fleet/now.ts'
import { DEFAULT_FLEET_OPTIONS } from '../../src/fleet/options.ts'
import type { Alert } from '../../src/model/alert.ts'
import { Labels } from '../../src/model/labels.ts'
import { MINUTE_MS, NOW_MS, csvAbnormal, csvSucceeded, fleetOf, nodes, twice, up } from './fleet-script.ts'
import type { Sent } from './fleet-script.ts'

const nowOf = (sent: readonly Sent[], alerts: readonly Alert[] = []): Promise<FleetNow> =>
  deriveNow(fleetOf(sent).reader, alerts, NOW_MS, DEFAULT_FLEET_OPTIONS)

/** A cluster at rest for two hours. */
const atRest = (cluster: string, version = '1.16.0') => [
  up(cluster, [120]),
  csvSucceeded(cluster, version, 1, [120]),
  ...nodes(cluster, 'v1.6.0', 3, [120]),
]

test('nobody has sent anything', async () => {
  expect(await nowOf([])).toMatchObject({
    asOfMs: NOW_MS,
    clusters: { total: 0, reporting: 0, unknown: 0 },
    upgrades: [],
    silent: [],
    versions: [],
  })
})

describe('clusters', () => {
  test('are counted once, whatever their replicas and nodes', async () => {
    const now = await nowOf(twice([...atRest('a'), ...atRest('b', '1.17.0')]))
    expect(now.clusters).toMatchObject({ total: 2, reporting: 2, unknown: 0 })
    expect(now.versions).toEqual([
      { version: '1.17.0', clusters: 1 },
      { version: '1.16.0', clusters: 1 },
    ])
    expect(now.upgrades).toEqual([])
  })

  test('that report nothing upgrades are read from are unknown, not good', async () => {
    const now = await nowOf([...atRest('a'), up('b', [30])])
    expect(now.clusters).toMatchObject({ total: 2, reporting: 2, unknown: 1 })
  })

  test('that fell silent are named with the time they were last heard of and what they ran', async () => {
    const sent = [
      ...atRest('a'),
      up('gone', [120, 45]),
      csvSucceeded('gone', '1.15.0', 1, [120, 45]),
      up('just-now', [120, 9]),
      up('quiet', [300, 200]),
    ]
    const now = await nowOf(sent)
    expect(now.clusters).toMatchObject({ total: 4, reporting: 2 })
    expect(now.silent).toEqual([
      { cluster: 'quiet', lastSeenMs: NOW_MS - 200 * MINUTE_MS, version: undefined },
      { cluster: 'gone', lastSeenMs: NOW_MS - 45 * MINUTE_MS, version: '1.15.0' },
    ])
  })

  test('without `up` are looked for in all they send', async () => {
    const now = await nowOf([{ name: 'node_load1', labels: { cluster: 'bare' }, fromMin: 60, toMin: 20 }])
    expect(now.silent).toEqual([{ cluster: 'bare', lastSeenMs: NOW_MS - 20 * MINUTE_MS, version: undefined }])
  })

  test('do not live on in what we derive about them', async () => {
    const derived = ['ALERTS', 'ALERTS_FOR_STATE', 'cluster:vmi:count', 'daytwo_upgrade_state']
    const now = await nowOf([
      up('gone', [120, 45]),
      ...derived.map((name) => ({ name, labels: { cluster: 'gone' }, fromMin: 120 })),
    ])
    expect(now.silent.map(({ cluster }) => cluster)).toEqual(['gone'])
  })

  test('whose names are patterns and quotes are still themselves', async () => {
    const odd = 'a.*|"b"\\c'
    const now = await nowOf([up(odd, [120, 45]), ...atRest('ab')])
    expect(now.silent).toEqual([{ cluster: odd, lastSeenMs: NOW_MS - 45 * MINUTE_MS, version: undefined }])
  })
})

describe('upgrades', () => {
  test('OLM installs the new CSV beside the old one', async () => {
    const sent = [
      up('a', [120]),
      csvSucceeded('a', '1.16.0', 1, [120, 10]),
      csvSucceeded('a', '1.16.0', 0, [9.5]),
      csvAbnormal('a', '1.16.0', 'Replacing', 'BeingReplaced', [9.5]),
      csvSucceeded('a', '1.17.0', 0, [9.5]),
      csvAbnormal('a', '1.17.0', 'Pending', 'RequirementsNotMet', [9.5, 8]),
      csvAbnormal('a', '1.17.0', 'Installing', 'InstallSucceeded', [7.5]),
    ]
    const now = await nowOf(twice(sent))
    expect(now.upgrades).toEqual([
      {
        cluster: 'a',
        from: '1.16.0',
        to: '1.17.0',
        phase: 'olm',
        detail: 'CSV 1.17.0 is Installing, InstallSucceeded',
        startedAtMs: NOW_MS - 9 * MINUTE_MS,
        lastChangeMs: NOW_MS - 7 * MINUTE_MS,
        isStuck: false,
        cause: undefined,
        resolutionSeconds: 60,
      },
    ])
    // It runs the old one until the new one has succeeded.
    expect(now.versions).toEqual([{ version: '1.16.0', clusters: 1 }])
  })

  test('is seen without csv_abnormal, which an allow-list may drop', async () => {
    const now = await nowOf([
      up('a', [120]),
      csvSucceeded('a', '1.16.0', 1, [120, 5]),
      csvSucceeded('a', '1.16.0', 0, [4.5]),
      csvSucceeded('a', '1.17.0', 0, [4.5]),
    ])
    expect(now.upgrades).toMatchObject([{ from: '1.16.0', to: '1.17.0', detail: 'CSV 1.17.0 is not Succeeded' }])
  })

  test('CSV Succeeded is not the end: nodes still roll', async () => {
    const now = await nowOf([
      up('a', [120]),
      csvSucceeded('a', '1.16.0', 1, [120, 30]),
      csvSucceeded('a', '1.17.0', 0, [29.5, 20]),
      csvSucceeded('a', '1.17.0', 1, [19.5]),
      ...nodes('a', 'v1.6.0', 2, [120]),
      ...nodes('a', 'v1.7.0', 1, [8]),
    ])
    expect(now.upgrades).toMatchObject([
      {
        from: '1.16.0',
        to: '1.17.0',
        phase: 'operands',
        detail: '1 of 3 nodes on KubeVirt v1.7.0',
        startedAtMs: NOW_MS - 29 * MINUTE_MS,
        lastChangeMs: NOW_MS - 8 * MINUTE_MS,
        isStuck: false,
      },
    ])
    expect(now.versions).toEqual([{ version: '1.17.0', clusters: 1 }])
  })

  test('a KubeVirt without HCO is called by its own version', async () => {
    const now = await nowOf([...nodes('k', 'v1.6.0', 2, [120]), ...nodes('k', 'v1.7.0', 1, [4])])
    expect(now.upgrades).toMatchObject([
      { cluster: 'k', to: 'KubeVirt v1.7.0', phase: 'operands', startedAtMs: NOW_MS - 4 * MINUTE_MS },
    ])
    expect(now.upgrades[0]!.from).toBeUndefined()
  })

  test('HCO that has not settled since its CSV changed is still upgrading, although no node has moved', async () => {
    const now = await nowOf([
      up('a', [180]),
      csvSucceeded('a', '1.16.0', 1, [180, 90]),
      csvSucceeded('a', '1.17.0', 1, [85]),
      ...nodes('a', 'v1.6.0', 3, [180]),
      { name: 'kubevirt_hco_system_health_status', labels: { cluster: 'a' }, fromMin: 84, value: 1 },
    ])
    expect(now.upgrades).toMatchObject([
      {
        from: '1.16.0',
        to: '1.17.0',
        phase: 'operands',
        detail: 'HCO 1.17.0 reports a warning since the upgrade, all nodes are still on KubeVirt v1.6.0',
        isStuck: true,
        startedAtMs: NOW_MS - 85 * MINUTE_MS,
      },
    ])
  })

  test.each([
    [10, 'v1.6.0', ['CSV 1.17.0 has succeeded, its operands may still follow']],
    [20, 'v1.6.0', []],
    [10, 'v1.7.0', []],
  ])('a CSV that succeeded %i minutes ago, all nodes now on %s: %j', async (minutes, kubeversion, details) => {
    const now = await nowOf([
      up('a', [180]),
      csvSucceeded('a', '1.16.0', 1, [180, minutes + 4]),
      csvSucceeded('a', '1.16.0', 0, [minutes + 3.5, minutes - 1]),
      csvSucceeded('a', '1.17.0', 0, [minutes + 3.5, minutes + 0.5]),
      csvSucceeded('a', '1.17.0', 1, [minutes]),
      ...nodes('a', 'v1.6.0', 3, [180, 3]),
      ...nodes('a', kubeversion, 3, [2]),
    ])
    expect(now.upgrades.map(({ detail }) => detail)).toEqual(details)
  })

  test.each([
    [
      'nothing changed and HCO warns',
      [...atRest('a'), { name: 'kubevirt_hco_system_health_status', labels: { cluster: 'a' }, fromMin: 100, value: 1 }],
    ],
    [
      'it ended: another KubeVirt on all nodes, whatever HCO says',
      [
        csvSucceeded('a', '1.16.0', 1, [120, 90]),
        csvSucceeded('a', '1.17.0', 1, [85]),
        ...nodes('a', 'v1.6.0', 3, [120, 60]),
        ...nodes('a', 'v1.7.0', 3, [59]),
        { name: 'kubevirt_hco_system_health_status', labels: { cluster: 'a' }, fromMin: 84, value: 1 },
      ],
    ],
    [
      'a first installation is not done yet',
      [csvSucceeded('a', '1.16.0', 0, [10]), csvAbnormal('a', '1.16.0', 'Installing', 'X', [10])],
    ],
    ['the one CSV fails for a while', [csvSucceeded('a', '1.16.0', 1, [90, 10]), csvSucceeded('a', '1.16.0', 0, [9])]],
    [
      'another operator upgrades',
      [
        ...atRest('a'),
        { name: 'csv_succeeded', labels: { cluster: 'a', name: 'other.v1.0.0', version: '1.0.0' }, fromMin: 60 },
        {
          name: 'csv_succeeded',
          labels: { cluster: 'a', name: 'other.v2.0.0', version: '2.0.0' },
          fromMin: 60,
          value: 0,
        },
      ],
    ],
    [
      'the old CSV is about to be deleted',
      [
        csvSucceeded('a', '1.16.0', 0, [90]),
        csvAbnormal('a', '1.16.0', 'Deleting', 'Replaced', [1]),
        csvSucceeded('a', '1.17.0', 1, [25]),
      ],
    ],
    ['the series name no cluster', [csvSucceeded('', '1.16.0', 0, [9]), csvSucceeded('', '1.17.0', 0, [9])]],
  ] as [string, Sent[]][])('no upgrade: %s', async (_why, sent) => {
    expect((await nowOf(sent)).upgrades).toEqual([])
  })

  test('of a cluster that fell silent is not shown: it may have ended', async () => {
    // The last sample is two minutes old: an instant selector still sees it, the option says it is too old.
    const sent = [csvSucceeded('a', '1.16.0', 0, [92]), csvSucceeded('a', '1.17.0', 0, [92])]
    const { reader } = fleetOf(sent.map((one) => ({ ...one, everySeconds: 150 })))
    const nowWith = (silentAfterMs: number) =>
      deriveNow(reader, [], NOW_MS, { ...DEFAULT_FLEET_OPTIONS, silentAfterMs })
    const [strict, usual] = [await nowWith(MINUTE_MS), await nowWith(10 * MINUTE_MS)]
    expect([strict.upgrades.length, strict.silent.map(({ cluster }) => cluster)]).toEqual([0, ['a']])
    expect([usual.upgrades.length, usual.silent]).toEqual([1, []])
  })
})

describe('stuck', () => {
  const pending = (sinceMin: number): Sent[] => [
    up('a', [sinceMin + 60]),
    csvSucceeded('a', '1.16.0', 1, [sinceMin + 60, sinceMin]),
    csvSucceeded('a', '1.16.0', 0, [sinceMin - 0.5]),
    csvSucceeded('a', '1.17.0', 0, [sinceMin - 0.5]),
    csvAbnormal('a', '1.17.0', 'Pending', 'OperatorConditionNotUpgradeable', [sinceMin - 0.5]),
  ]

  test.each([
    [59, false],
    [60, false],
    [61, true],
    [600, true],
    [3 * 1440, true],
  ])('nothing new for %i minutes: %s', async (minutes, isStuck) => {
    const [upgrade] = (await nowOf(pending(minutes))).upgrades
    expect(upgrade).toMatchObject({ isStuck, from: '1.16.0' })
    // Beyond a day the past is looked at in steps of ten minutes, and the answer says so.
    expect(upgrade!.resolutionSeconds).toBe(minutes > 1440 ? 600 : 60)
    expect(Math.abs(NOW_MS - minutes * MINUTE_MS - upgrade!.startedAtMs)).toBeLessThanOrEqual(
      upgrade!.resolutionSeconds * 1000,
    )
  })

  test('says why, and by which rule', async () => {
    const now = await nowOf(pending(120))
    expect(now.upgrades[0]!.cause).toBe(
      'CSV 1.17.0 is Pending, OperatorConditionNotUpgradeable: the operator says it is not upgradeable: ' +
        'the upgrade before this one is unfinished, or an operand is in the way.',
    )
    expect(now.stuckSentence).toBe(
      'Stuck means: upgrading, and for 60 minutes no new CSV phase was reached and no further node came to the new KubeVirt.',
    )
  })

  test('a CSV that goes round and round moves and gets nowhere', async () => {
    const rounds = Array.from({ length: 12 }, (_, i) => {
      const at = 120 - i * 10
      return [
        csvAbnormal('a', '1.17.0', 'InstallReady', 'AllRequirementsMet', [at, at - 2]),
        csvAbnormal('a', '1.17.0', 'Installing', 'InstallSucceeded', [at - 2.5, at - 6]),
        csvAbnormal('a', '1.17.0', 'Failed', 'InstallCheckFailed', [at - 6.5, i === 11 ? 0 : at - 9.5]),
      ]
    }).flat()
    const now = await nowOf([
      up('a', [180]),
      csvSucceeded('a', '1.16.0', 1, [180, 121]),
      csvSucceeded('a', '1.16.0', 0, [120.5]),
      csvSucceeded('a', '1.17.0', 0, [120.5]),
      ...rounds,
    ])
    expect(now.upgrades).toMatchObject([{ isStuck: true, lastChangeMs: NOW_MS - 113 * MINUTE_MS }])
    expect(now.upgrades[0]!.cause).toContain('a deployment of the operator does not become ready')
  })

  test('a canary that comes and goes is no progress; one node more is', async () => {
    const canary = Array.from({ length: 8 }, (_, i) => nodes('a', 'v1.7.0', 1, [110 - i * 14, 104 - i * 14])).flat()
    const base = [
      up('a', [180]),
      csvSucceeded('a', '1.16.0', 1, [180, 130]),
      csvSucceeded('a', '1.17.0', 1, [129]),
      ...nodes('a', 'v1.6.0', 4, [180]),
    ]
    const crashing = await nowOf([
      ...base,
      ...canary.filter(({ toMin = 0 }) => toMin > 0),
      ...nodes('a', 'v1.7.0', 1, [1]),
    ])
    expect(crashing.upgrades).toMatchObject([{ isStuck: true, lastChangeMs: NOW_MS - 110 * MINUTE_MS }])
    const rolling = await nowOf([...base, ...nodes('a', 'v1.7.0', 1, [110]), ...nodes('a', 'v1.7.0', 2, [20])])
    expect(rolling.upgrades).toMatchObject([{ isStuck: false, lastChangeMs: NOW_MS - 20 * MINUTE_MS }])
  })

  test('with too little history nobody is called stuck', async () => {
    const now = await nowOf([csvSucceeded('a', '1.16.0', 0, [50]), csvSucceeded('a', '1.17.0', 0, [50])])
    expect(now.upgrades).toMatchObject([{ isStuck: false }])
  })

  test('times are no more exact than the samples', async () => {
    const slow = pending(90).map((one) => ({ ...one, everySeconds: 270 }))
    expect((await nowOf(slow)).upgrades[0]!.resolutionSeconds).toBeGreaterThanOrEqual(257)
  })
})

describe('firing', () => {
  const alert = (alertname: string, cluster: string, severity: string, state: Alert['state'], agoMin = 10): Alert => ({
    fingerprint: `${alertname}-${cluster}`,
    labels: Labels.of({ alertname, cluster, severity, operator_health_impact: 'warning' }),
    annotations: {},
    state,
    activeAtMs: NOW_MS - agoMin * MINUTE_MS,
    ...(state === 'firing' ? { firedAtMs: NOW_MS - agoMin * MINUTE_MS } : {}),
    lastHeldAtMs: NOW_MS,
    value: 1,
  })

  test('alerts are counted by severity and grouped by name, the worst and newest first', async () => {
    const { firing } = await nowOf(
      [],
      [
        alert('A', 'x', 'warning', 'firing', 30),
        alert('A', 'y', 'warning', 'firing', 5),
        alert('A', 'y', 'critical', 'firing', 50),
        alert('B', 'x', 'warning', 'firing', 2),
        alert('C', 'x', 'info', 'pending'),
        alert('D', 'x', 'critical', 'resolved'),
        alert('E', '', 'page-me', 'firing'),
      ],
    )
    expect(firing.counts).toEqual({ critical: 1, warning: 3, info: 0, none: 1 })
    expect(firing.pending).toBe(1)
    expect(
      firing.groups.map(({ alertname, severity, clusters, alerts, fingerprint }) => [
        alertname,
        severity,
        clusters,
        alerts,
        fingerprint,
      ]),
    ).toEqual([
      ['A', 'critical', 1, 1, 'A-y'],
      ['B', 'warning', 1, 1, 'B-x'],
      ['A', 'warning', 2, 2, 'A-y'],
      ['E', 'none', 0, 1, 'E-'],
    ])
  })
})
