import { describe, expect, test } from 'vitest'
import { fleetReaderOf } from '../../src/api/fleet/reader.ts'
import { readChanges } from '../../src/fleet/alerts/alert-changes.ts'
import type { FleetReader } from '../../src/fleet/fleet-reader.ts'
import { readSharedTraits, sharedOf } from '../../src/fleet/clusters/shared-traits.ts'
import { Labels } from '../../src/model/labels.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'

const T0_MS = Date.UTC(2026, 7, 20, 10)
const MINUTE_MS = 60_000
const CSV = 'kubevirt-hyperconverged-operator.v'

class Fleet {
  readonly #queryable = new MemoryQueryable()
  readonly reader: FleetReader = fleetReaderOf(
    createLocalEngine({ queryable: this.#queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => T0_MS }),
  )

  /** One sample a minute, both ends inclusive. */
  add(
    labels: Readonly<Record<string, string>>,
    fromMinute: number,
    toMinute: number,
    value: (minute: number) => number,
  ): void {
    for (let minute = fromMinute; minute <= toMinute; minute++) {
      this.#queryable.append(Labels.of(labels), T0_MS + minute * MINUTE_MS, value(minute))
    }
    // It ends there, as when a scrape no longer finds it.
    this.#queryable.append(Labels.of(labels), T0_MS + (toMinute + 1) * MINUTE_MS, NaN)
  }
}

describe('what changed before an alert', () => {
  test('are versions, the channel, and what was done by hand, newest first, on that cluster alone', async () => {
    const fleet = new Fleet()
    const one = () => 1
    const csv = (cluster: string, version: string) => ({
      __name__: 'csv_succeeded',
      cluster,
      name: `${CSV}${version}`,
      version,
    })
    fleet.add(csv('c1', '1.15.0'), -90, 0, (minute) => Number(minute < -20))
    fleet.add(csv('c1', '1.16.0'), -30, 0, (minute) => Number(minute >= -20))
    fleet.add(csv('c2', '1.14.0'), -90, 0, (minute) => Number(minute < -10))
    fleet.add({ __name__: 'kubevirt_info', cluster: 'c1', kubeversion: 'v1.6.0' }, -90, 0, one)
    fleet.add({ __name__: 'cluster_version', type: 'current', cluster: 'c1', version: '4.20.1' }, -90, 0, one)
    const modified = { __name__: 'kubevirt_hco_out_of_band_modifications_total', cluster: 'c1' }
    fleet.add({ ...modified, component_name: 'kubevirt/kv' }, -90, 0, (minute) => (minute < -5 ? 3 : 4))
    // The first change is the birth of the series.
    fleet.add({ ...modified, component_name: 'cdi/cdi' }, -12, 0, one)
    const { changes, unknown } = await readChanges(fleet.reader, 'c1', T0_MS)
    expect(changes.map(({ atMs, kind, text }) => [(atMs - T0_MS) / MINUTE_MS, kind, text])).toEqual([
      [-5, 'modification', 'kubevirt/kv: modified out of band and reverted (3 → 4)'],
      [-12, 'modification', 'cdi/cdi: modified out of band and reverted (0 → 1)'],
      [-20, 'version', 'the HCO operator: 1.15.0 → 1.16.0'],
    ])
    expect(changes.every(({ resolutionMs }) => resolutionMs === MINUTE_MS)).toBe(true)
    expect(unknown).toEqual(['No series reports the running version: the channel of the subscription.'])
  })

  test('are not invented where nothing is known', async () => {
    const fleet = new Fleet()
    const { changes, unknown } = await readChanges(fleet.reader, 'c"1', T0_MS)
    expect([changes, unknown.length]).toEqual([[], 4])
    expect((await readChanges(fleet.reader, '', T0_MS)).unknown).toHaveLength(1)
  })
})

describe('what clusters share', () => {
  const trait = (values: Record<string, readonly string[]>) =>
    new Map(Object.entries(values).map(([cluster, own]) => [cluster, new Set(own)]))

  test('is what they have more often than the fleet', () => {
    const versions = trait({ a: ['1.16'], b: ['1.16'], c: ['1.15'], d: ['1.15'], e: ['1.15'], f: ['1.16'] })
    expect(sharedOf('v', versions, new Set(['a', 'b']))).toEqual([
      { label: 'v', value: '1.16', having: 2, havingOf: 2, restHaving: 1, restOf: 4, lift: 2 },
    ])
  })

  test.each([
    ['one cluster', trait({ a: ['x'], b: ['y'] }), ['a']],
    ['all clusters', trait({ a: ['x'], b: ['x'] }), ['a', 'b']],
    ['what all have', trait({ a: ['x'], b: ['x'], c: ['x'] }), ['a', 'b']],
    ['what the others have', trait({ a: ['x'], b: ['y'], c: ['z'], d: ['z'] }), ['a', 'b']],
    ['nothing known', trait({}), ['a', 'b']],
  ])('is nothing for %s', (_, known, clusters) => {
    expect(sharedOf('v', known, new Set(clusters))).toEqual([])
  })

  test('is read from versions and from the labels of the clusters', async () => {
    const fleet = new Fleet()
    for (const [cluster, region, version] of [
      ['c1', 'eu', '1.16.0'],
      ['c2', 'eu', '1.15.0'],
      ['c3', 'us', '1.15.0'],
      ['c4', 'us', '1.16.0'],
    ] as const) {
      fleet.add(
        { __name__: 'kubevirt_hco_hyperconverged_cr_exists', cluster, region, pod: `p-${cluster}` },
        -5,
        -1,
        () => 1,
      )
      fleet.add({ __name__: 'csv_succeeded', cluster, name: `${CSV}${version}`, version }, -5, -1, () => 1)
    }
    const { clusters, shared } = await readSharedTraits(fleet.reader, new Set(['c1', 'c2']), T0_MS - MINUTE_MS)
    expect(clusters).toBe(4)
    expect(shared).toEqual([
      { label: 'region', value: 'eu', having: 2, havingOf: 2, restHaving: 0, restOf: 2, lift: 2 },
    ])
  })
})
