import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ObjectObservation } from '../../../src/model/observation.ts'
import { migrate } from '../../../src/store/migrations.ts'
import { SqlObservations } from '../../../src/store/observations/observation-reader.ts'
import { Observations } from '../../../src/store/observations/observations.ts'

const DAY_MS = 86_400_000
const NOW_MS = 1_787_220_000_000
const STATES_MAX = 20

/** A catalog source; another version of it is another state. */
function source(name: string, version: number, afterMs = version, cluster = 'brno'): ObjectObservation {
  const [resourceVersion, uid] = [String(version), `uid ${name}`]
  const facts = { kind: 'catalogsources', connectionState: `state ${version}` } as const
  return {
    ...{ cluster, uid, name, namespace: 'olm', resourceVersion, change: 'modified', observedMs: NOW_MS + afterMs },
    facts,
  }
}

const sources = (count: number, afterMs?: number): ObjectObservation[] =>
  Array.from({ length: count }, (_, i) => source(`object ${i}`, 1, afterMs))
const states = (count: number, from = 1): ObjectObservation[] =>
  Array.from({ length: count }, (_, i) => source('a', from + i))

class Stored {
  readonly #db = new Database(':memory:')
  readonly observations: Observations
  readonly reader: SqlObservations

  constructor(statesMax = STATES_MAX) {
    migrate(this.#db, ':memory:')
    this.observations = new Observations(this.#db, statesMax)
    this.reader = new SqlObservations(this.#db)
  }

  /** What ingest does with them. */
  put(objects: readonly ObjectObservation[], isRolledBack = false): number {
    const admitted = objects.filter((object) => this.observations.admits(object))
    this.observations.putObjects(admitted)
    this.commit(isRolledBack)
    return admitted.length
  }

  commit(isRolledBack = false): void {
    this.#db.exec('BEGIN')
    this.observations.write()
    this.#db.exec(isRolledBack ? 'ROLLBACK' : 'COMMIT')
    if (isRolledBack) this.observations.failed()
    this.observations.written()
  }

  async versions(name: string): Promise<readonly number[]> {
    const { objects } = await this.reader.read('brno')
    return objects.filter((object) => object.name === name).map(({ resourceVersion }) => Number(resourceVersion))
  }

  count(cluster = 'brno'): number {
    return this.#db
      .prepare<[string], number>(
        `SELECT count(*) FROM observed_cluster AS of JOIN observed_object ON cluster = of.id LEFT JOIN object_state ON object = observed_object.id
           WHERE of.name = ?`,
      )
      .pluck()
      .get(cluster)!
  }
}

describe('a cluster with too many states', () => {
  test('keeps as many as it may have', async () => {
    const stored = new Stored()
    stored.put(states(20))
    expect(await stored.versions('a')).toHaveLength(20)
    expect(await stored.reader.oldestMs('brno')).toBe(NOW_MS + 1)
    expect(stored.observations.statesEvicted).toBe(0)
  })

  test('loses the oldest that ended, so that a tenth is free, and says until when its past is incomplete', async () => {
    const stored = new Stored()
    stored.put(states(20))
    const { position } = await stored.reader.changedSince(0)
    stored.put(states(1, 21))
    expect(await stored.versions('a')).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21])
    expect(stored.observations.statesEvicted).toBe(3)
    expect(await stored.reader.oldestMs('brno')).toBe(NOW_MS + 3)
    expect((await stored.reader.changedSince(position)).clusters).toEqual(['brno'])
    stored.put(states(2, 22))
    expect(await stored.versions('a')).toHaveLength(20)
    stored.put(states(1, 24))
    expect(await stored.versions('a')).toHaveLength(18)
    expect(await stored.reader.oldestMs('brno')).toBe(NOW_MS + 6)
    expect(stored.observations.fullestCluster()).toEqual({ cluster: 'brno', states: 18 })
  })

  test('loses no object that is still there, and nothing of other clusters', async () => {
    const stored = new Stored()
    stored.put([source('hco', 1, 0), ...states(19).map((one) => ({ ...one, cluster: 'other' }))])
    stored.put([source('other', 1, 0, 'other'), ...states(40)])
    expect(await stored.versions('hco')).toEqual([1])
    expect(stored.count()).toBe(18)
    expect(stored.count('other')).toBe(20)
  })

  test('loses objects that nothing has reported for a day', async () => {
    const stored = new Stored()
    stored.put([source('gone', 1, 0), source('there', 1, 1)])
    stored.put(sources(16, DAY_MS))
    expect(await stored.versions('gone')).toEqual([1])
    stored.put([1, 2, 3, 4, 5].map((version) => source('new', version, DAY_MS + 600_000)))
    expect(await stored.versions('gone')).toEqual([])
    expect(await stored.versions('there')).toEqual([])
    expect(await stored.versions('new')).toEqual([4, 5])
    expect(await stored.versions('object 15')).toEqual([1])
    // One that went may come again.
    stored.put([source('gone', 4, DAY_MS + 600_003)])
    expect(await stored.versions('gone')).toEqual([4])
  })

  test('takes no new objects when all are there, and still states of known ones', async () => {
    const stored = new Stored()
    expect(stored.put(sources(20))).toBe(20)
    // Known only when they were written.
    expect(stored.put([source('one more', 1)])).toBe(1)
    expect(stored.put([source('too many', 1), source('object 3', 2)])).toBe(1)
    expect(stored.put([source('other', 1, 1, 'other')])).toBe(1)
    expect(await stored.versions('too many')).toEqual([])
    expect(await stored.versions('object 3')).toEqual([1, 2])
    for (let version = 3; version < 40; version++) stored.put([source('object 3', version)])
    expect(stored.count()).toBeLessThanOrEqual(23)
    expect((await stored.versions('object 3')).at(-1)).toBe(39)
  })

  test('takes new ones again when others have gone', () => {
    const stored = new Stored()
    stored.put(sources(21))
    expect(stored.put([source('too many', 1)])).toBe(0)
    stored.put([2, 3, 4].map((version) => source('object 0', version, 2 * DAY_MS)))
    expect(stored.count()).toBe(18)
    expect(stored.put([source('one more', 1, 2 * DAY_MS)])).toBe(1)
  })

  test('has objects that only a listing names among them', () => {
    const stored = new Stored()
    const uids = Array.from({ length: 30 }, (_, i) => `uid listed ${i}`)
    stored.put(states(1))
    stored.observations.putListings([
      { cluster: 'brno', resource: 'catalogsources', namespace: 'olm', observedMs: NOW_MS, uids },
    ])
    stored.commit()
    expect(stored.count()).toBe(1)
  })

  test('keeps the state that an object is in, also one that began before another', async () => {
    const stored = new Stored()
    const again = { ...source('a', 1), resourceVersion: '10', observedMs: NOW_MS + 10 }
    stored.put([source('a', 1), source('a', 5), again])
    expect(await stored.versions('a')).toEqual([1, 5, 10])
    stored.put(sources(19, 100))
    expect(await stored.versions('a')).toEqual([1])
    expect(stored.observations.statesEvicted).toBe(1)
  })

  test('loses nothing for states that replaced each other', async () => {
    const stored = new Stored()
    const event = (count: number): ObjectObservation => {
      const of = { objectKind: 'HyperConverged', objectName: 'hco', objectNamespace: 'cnv' }
      const facts = { kind: 'events', reason: 'Overwritten', type: 'Warning', message: '', count, ...of } as const
      return { ...source('event', count), facts }
    }
    stored.put([...states(19), event(1)])
    for (let count = 2; count < 10; count++) stored.put([event(count)])
    expect(await stored.versions('a')).toHaveLength(19)
    expect(await stored.versions('event')).toEqual([9])
    expect(stored.observations.statesEvicted).toBe(0)
  })

  test('does not say that its past is complete when retention removes what is older', async () => {
    const stored = new Stored()
    stored.put(states(21))
    const [labels, firstMs] = [{}, NOW_MS - 500 * DAY_MS]
    const old = { cluster: 'brno', signal: 'hco_health', labels, value: 0, firstMs, lastMs: firstMs } as const
    stored.observations.putRuns('brno', 0, [old])
    stored.commit()
    expect(await stored.reader.oldestMs('brno')).toBe(NOW_MS + 3)
    stored.observations.removeSome(NOW_MS - 400 * DAY_MS)
    expect(await stored.reader.runs('brno')).toEqual([])
    expect(await stored.reader.oldestMs('brno')).toBe(NOW_MS + 3)
  })

  test('is counted again after a commit that failed', async () => {
    const stored = new Stored()
    stored.put(states(19))
    stored.put(states(30, 20), true)
    expect(stored.observations.statesEvicted).toBe(0)
    expect(await stored.versions('a')).toHaveLength(19)
    stored.put(states(1, 20))
    expect(await stored.versions('a')).toHaveLength(20)
  })
})

test('an object with very many states reports each change without reading them', async () => {
  const stored = new Stored(1000)
  const position = async (): Promise<number> => (await stored.reader.changedSince(0)).position
  // A state that returns between two that are known is no change: the same states in the same order.
  const between = (version: number): ObjectObservation => ({ ...source('a', 1), resourceVersion: String(version) })
  stored.put(states(199, 100))
  stored.put([{ ...between(50), observedMs: NOW_MS }, between(60)])
  const few = await position()
  stored.put([between(70)])
  expect(await position()).toBe(few)
  stored.put([source('a', 900)])
  const many = await position()
  stored.put([between(80)])
  expect(await position()).toBeGreaterThan(many)
  expect(
    (await stored.reader.read('brno')).objects.filter(({ resourceVersion }) => resourceVersion === '50'),
  ).toHaveLength(1)
})

test('whatever is sent, what is stored is bounded, and each object that was seen last has its newest state', async () => {
  const arbitrary = fc.record({
    name: fc.integer({ min: 0, max: 12 }),
    version: fc.integer({ min: 1, max: 60 }),
    afterMs: fc.constantFrom(0, 1000, DAY_MS / 2),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(arbitrary, { minLength: 1, maxLength: 8 }), { maxLength: 30 }),
      async (commits) => {
        const stored = new Stored()
        const newest = new Map<string, number>()
        for (const commit of commits) {
          stored.put(commit.map(({ name, version, afterMs }) => source(String(name), version, afterMs)))
          for (const { name, version } of commit)
            newest.set(String(name), Math.max(newest.get(String(name)) ?? 0, version))
          expect(stored.count()).toBeLessThanOrEqual(STATES_MAX)
        }
        const { objects } = await stored.reader.read('brno')
        const last = new Map<string, number>()
        for (const { name, resourceVersion } of objects)
          last.set(name, Math.max(last.get(name) ?? 0, Number(resourceVersion)))
        expect(last).toEqual(newest)
      },
    ),
    { seed: 3, numRuns: 40 },
  )
})
