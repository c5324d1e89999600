import type { ClusterClaim } from '../../../src/model/cluster-claim.ts'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ObjectListing } from '../../../src/model/fleet-facts.ts'
import type { NodeFacts, ObjectFacts } from '../../../src/model/object-facts.ts'
import type { FieldManager, MetricRun, ObjectChange, ObjectObservation } from '../../../src/model/observation.ts'
import { DATABASE_FILE, openDatabaseForReading } from '../../../src/store/database.ts'
import { migrate } from '../../../src/store/migrations.ts'
import { STORE_DEFAULTS } from '../../../src/store/options.ts'
import { Observations } from '../../../src/store/observations/observations.ts'
import { SqlObservations } from '../../../src/store/observations/observation-reader.ts'
import { makeOlder } from '../older-schema.ts'
import { MINUTE_MS, NOW_MS, TempStore } from '../temp-store.ts'

const CLUSTER = 'prague'
const DAY_MS = 86_400_000

/** A store with a reader of observations. */
class Observed {
  readonly store: TempStore

  constructor(options: ConstructorParameters<typeof TempStore>[0] = {}) {
    this.store = new TempStore(options)
  }

  async put(
    objects: readonly ObjectObservation[],
    listings: readonly ObjectListing[] = [],
    runs: readonly MetricRun[] = [],
  ): Promise<void> {
    const { observations, appender } = this.store.writer
    observations.putObjects(objects)
    observations.putListings(listings)
    if (runs.length > 0) observations.putRuns(CLUSTER, 0, runs)
    await appender.commit()
  }

  async asking<T>(ask: (reader: SqlObservations) => Promise<T>): Promise<T> {
    const db = openDatabaseForReading(this.store.options.dir)
    try {
      return await ask(new SqlObservations(db))
    } finally {
      db.close()
    }
  }

  /** What is told, as texts: `name@version change facts`. */
  told(): Promise<readonly string[]> {
    return this.asking(async (reader) => (await reader.read(CLUSTER)).objects.map(textOf))
  }
}

const textOf = ({ name, resourceVersion, change, observedMs, facts }: ObjectObservation): string =>
  `${name}@${resourceVersion} ${change} ${observedMs - NOW_MS} ${stateOf(facts)}`
const stateOf = (facts: ObjectFacts): string =>
  facts.kind === 'catalogsources' ? facts.connectionState : facts.kind === 'nodes' ? String(facts.isReady) : facts.kind

interface Seen {
  readonly name?: string
  readonly change?: ObjectChange
  readonly afterMs?: number
  readonly cluster?: string
}

const source = (version: number, connectionState: string, seen: Seen = {}): ObjectObservation => ({
  cluster: seen.cluster ?? CLUSTER,
  uid: `00000000-0000-4000-8000-${(seen.name ?? 'a').padStart(12, '0').replace(/[^0-9a-f]/g, 'f')}`,
  name: seen.name ?? 'a',
  namespace: 'olm',
  resourceVersion: String(version),
  change: seen.change ?? 'modified',
  observedMs: NOW_MS + (seen.afterMs ?? version * 1000),
  facts: { kind: 'catalogsources', connectionState },
})

const node = (version: number, isSchedulable: boolean): ObjectObservation => {
  const facts: NodeFacts = { kind: 'nodes', isReady: true, isSchedulable, roles: [], kubeletVersion: 'v1.33.4' }
  return { ...source(version, ''), facts, namespace: '' }
}

const event = (version: number, count: number): ObjectObservation => ({
  ...source(version, ''),
  facts: {
    kind: 'events',
    reason: 'Overwritten',
    type: 'Warning',
    message: 'm',
    count,
    objectKind: 'HyperConverged',
    objectName: 'a',
    objectNamespace: 'b',
  },
})

describe('of each distinct state the first and the last sighting are kept', () => {
  test.each<[string, readonly ObjectObservation[], readonly string[]]>([
    ['one', [source(1, 'READY')], ['a@1 modified 1000 READY']],
    [
      'a repeat keeps the earlier time',
      [source(1, 'READY', { afterMs: 9 }), source(1, 'READY', { afterMs: 3 })],
      ['a@1 modified 3 READY'],
    ],
    [
      'a change is told over a listing of the same version',
      [source(1, 'READY', { change: 'listed', afterMs: 1 }), source(1, 'READY', { afterMs: 2 })],
      ['a@1 modified 1 READY'],
    ],
    [
      'versions without a change are one state',
      [1, 2, 3, 9].map((version) => source(version, 'READY')),
      ['a@1 modified 1000 READY'],
    ],
    [
      'two states',
      [source(1, 'READY'), source(2, 'CONNECTING')],
      ['a@1 modified 1000 READY', 'a@2 modified 2000 CONNECTING'],
    ],
    [
      'a state that comes back',
      [source(1, 'READY'), source(2, 'CONNECTING'), source(3, 'READY')],
      ['a@1 modified 1000 READY', 'a@2 modified 2000 CONNECTING', 'a@3 modified 3000 READY'],
    ],
    [
      'versions are compared as numbers',
      [source(9, 'READY'), source(10, 'CONNECTING')],
      ['a@9 modified 9000 READY', 'a@10 modified 10000 CONNECTING'],
    ],
    [
      'a deletion is a state of its own',
      [source(1, 'READY'), source(2, 'READY', { change: 'deleted' })],
      ['a@1 modified 1000 READY', 'a@2 deleted 2000 READY'],
    ],
    ['of Events the newest', [event(1, 1), event(3, 3), event(2, 2)], ['a@3 modified 3000 events']],
    [
      'the deletion of an Event says nothing',
      [event(1, 1), { ...event(2, 1), change: 'deleted' }],
      ['a@1 modified 1000 events'],
    ],
    [
      'a node that was drained is told where the state in between ended, however often it is seen after that',
      [node(1, true), node(2, false), node(3, false), node(7, true), node(9, true)],
      ['a@1 modified 1000 true', 'a@2 modified 2000 true', 'a@4 modified 3000 true'],
    ],
  ])('%s', async (_name, observations, told) => {
    const observed = new Observed()
    await observed.put(observations)
    expect(await observed.told()).toEqual(told)
  })

  test('who has the name of an object that is gone is another one', async () => {
    const observed = new Observed()
    await observed.put([source(1, 'READY'), { ...source(5, 'READY'), uid: 'another' }])
    expect(await observed.told()).toEqual(['a@1 modified 1000 READY', 'a@5 modified 5000 READY'])
  })
})

describe('a state that is listed again after a later one: resource versions went back', () => {
  const MINUTE = 60_000
  const HOUR = 60 * MINUTE
  /** From the start of an hour on. */
  const START = HOUR - (NOW_MS % HOUR)
  const at = (minutes: number): Seen => ({ afterMs: START + minutes * MINUTE, change: 'listed' })
  const upgraded = [source(1, 'READY', at(0)), source(9, 'CONNECTING', at(10))]
  const UPGRADED = [`a@1 listed ${START} READY`, `a@9 listed ${START + 10 * MINUTE} CONNECTING`]
  const RESTORED = [...UPGRADED, `a@1 listed ${START + 55 * MINUTE} READY`]

  test.each<[string, readonly ObjectObservation[], readonly string[]]>([
    ['once', [source(1, 'READY', at(180))], RESTORED],
    [
      'at the earliest time that no wrong clock explains',
      [source(10, 'TRANSIENT_FAILURE', at(25)), source(1, 'READY', at(70))],
      [...UPGRADED, `a@10 listed ${START + 25 * MINUTE} TRANSIENT_FAILURE`, `a@1 listed ${START + 70 * MINUTE} READY`],
    ],
    [
      'earlier',
      [source(10, 'TRANSIENT_FAILURE', at(25.001)), source(1, 'READY', at(70))],
      [...UPGRADED, `a@10 listed ${START + 25.001 * MINUTE} TRANSIENT_FAILURE`],
    ],
    [
      'of which the later one was listed since then',
      [source(9, 'CONNECTING', at(130)), source(1, 'READY', at(180))],
      [...UPGRADED, `a@1 listed ${START + 175 * MINUTE} READY`],
    ],
    [
      'of which the later one is listed again too',
      [source(1, 'READY', at(180)), source(9, 'CONNECTING', at(185))],
      UPGRADED,
    ],
    [
      'of which the later one was listed in an hour several times: the first counts',
      [source(9, 'CONNECTING', at(150)), source(9, 'CONNECTING', at(125)), source(1, 'READY', at(180))],
      [...UPGRADED, `a@1 listed ${START + 170 * MINUTE} READY`],
    ],
    [
      'after its deletion',
      [source(10, 'READY', { ...at(20), change: 'deleted' }), source(1, 'READY', at(180))],
      [...UPGRADED, `a@10 deleted ${START + 20 * MINUTE} READY`, `a@1 listed ${START + 65 * MINUTE} READY`],
    ],
    [
      'twice, by two restores',
      [source(10, 'TRANSIENT_FAILURE', at(20)), source(9, 'CONNECTING', at(180)), source(1, 'READY', at(300))],
      [
        ...UPGRADED,
        `a@10 listed ${START + 20 * MINUTE} TRANSIENT_FAILURE`,
        `a@9 listed ${START + 65 * MINUTE} CONNECTING`,
        `a@1 listed ${START + 225 * MINUTE} READY`,
      ],
    ],
    [
      'and is followed by another one, which is listed further',
      [source(1, 'READY', at(180)), ...[200, 300, 400].map((minutes) => source(5, 'OTHER', at(minutes)))],
      [
        UPGRADED[0]!,
        `a@5 listed ${START + 200 * MINUTE} OTHER`,
        UPGRADED[1]!,
        `a@1 listed ${START + 55 * MINUTE} READY`,
      ],
    ],
    [
      'under the version that is reported, of several in which nothing that is stored changed',
      [source(4, 'READY', at(5)), source(4, 'READY', at(180))],
      RESTORED,
    ],
    ['under a version that was not reported before', [source(4, 'READY', at(180))], RESTORED],
    [
      'that has had another version since',
      [source(10, 'READY', at(20)), source(1, 'READY', at(180))],
      [...UPGRADED, `a@10 listed ${START + 20 * MINUTE} READY`],
    ],
  ])('%s', async (_name, more, told) => {
    for (const objects of [[...upgraded, ...more], [...upgraded, ...more].reverse()]) {
      const observed = new Observed()
      for (const one of objects) await observed.put([one])
      expect(await observed.told()).toEqual(told)
    }
  })

  test('further listings of it change nothing', async () => {
    const observed = new Observed()
    await observed.put([...upgraded, source(1, 'READY', at(180))])
    const { position } = await observed.asking((reader) => reader.changedSince(0))
    const heartbeat = (ms: number): number => Math.floor(ms / HOUR)
    const first = source(1, 'READY', at(185))
    const second = source(1, 'READY', at(230))
    expect(heartbeat(first.observedMs)).toBe(heartbeat(second.observedMs))
    await observed.put([first])
    await observed.put([second])
    expect((await observed.asking((reader) => reader.changedSince(position))).clusters).toEqual([])
    expect(await observed.told()).toEqual(RESTORED)
  })

  test('a reader is told when it is in force again, and when the later one is', async () => {
    const observed = new Observed()
    // Each new hour of a cluster is told: here it is known already.
    await observed.put([source(1, 'READY', { ...at(300), name: 'b' })])
    await observed.put([source(1, 'READY', at(0)), source(9, 'CONNECTING', at(20))])
    const isTold = async (one: ObjectObservation): Promise<boolean> => {
      const { position } = await observed.asking((reader) => reader.changedSince(0))
      await observed.put([one])
      return (await observed.asking((reader) => reader.changedSince(position))).clusters.length > 0
    }
    expect(await isTold(source(1, 'READY', at(61)))).toBe(false)
    expect(await isTold(source(1, 'READY', at(125)))).toBe(true)
    expect(await isTold(source(9, 'CONNECTING', at(190)))).toBe(true)
    expect(await isTold(source(9, 'CONNECTING', at(250)))).toBe(false)
  })

  test('the log of changes has it after the later one', async () => {
    const observed = new Observed()
    await observed.put([...upgraded, source(1, 'READY', at(180))])
    const all = { fromMs: 0, toMs: Infinity, limit: 1 }
    const [newest] = await observed.asking((reader) => reader.changes(CLUSTER, all))
    expect([textOf(newest!.after), stateOf(newest!.before!)]).toEqual([RESTORED[2], 'CONNECTING'])
  })

  test('also in a file of schema 21, which has no sightings of the past', async () => {
    const observed = new Observed()
    await observed.put(upgraded)
    await observed.store.close()
    const old = new Database(join(observed.store.options.dir, DATABASE_FILE))
    makeOlder(old, 21)
    old.close()
    await observed.store.reopen()
    expect(await observed.told()).toEqual(UPGRADED)
    await observed.put([source(1, 'READY', at(180))])
    expect(await observed.told()).toEqual(RESTORED)
  })
})

test('aliases of a file of schema 21 stay aliases, and join nothing', async () => {
  const observed = new Observed()
  await observed.put([source(1, 'READY'), { ...source(2, 'READY'), cluster: 'uid-1', uid: 'another' }])
  await observed.store.close()
  const old = new Database(join(observed.store.options.dir, DATABASE_FILE))
  makeOlder(old, 21)
  old.prepare('UPDATE observed_cluster SET aliases = ? WHERE name = ?').run('["uid-1","it\'s"]', CLUSTER)
  old.close()
  await observed.store.reopen()
  const claim = { cluster: CLUSTER, kind: 'name', joins: false, isBound: false, firstMs: 0, lastMs: 0 }
  expect(observed.store.writer.observations.storedClaims()).toEqual({
    claims: [
      { ...claim, name: 'uid-1' },
      { ...claim, name: "it's" },
    ],
    joins: [],
    clusters: [CLUSTER, 'uid-1'],
  })
  expect(await observed.asking((reader) => reader.read(CLUSTER))).toMatchObject({ aliases: ["it's", 'uid-1'] })
  expect((await observed.asking((reader) => reader.read('uid-1'))).objects).toHaveLength(1)
})

const writer = (name: string): FieldManager => ({ name, operation: 'Update', subresource: '' })

test('the log of changes says who had written last when a state was first seen, or that nobody tells it', async () => {
  const observed = new Observed()
  await observed.put([
    { ...source(1, 'READY'), manager: writer('olm') },
    { ...source(2, 'CONNECTING'), manager: { name: 'kubectl-edit', operation: 'Update', subresource: 'status' } },
    { ...source(3, 'CONNECTING'), manager: writer('later') },
    source(4, 'READY'),
    { ...source(4, 'READY'), manager: writer('olm') },
    source(5, 'TRANSIENT_FAILURE'),
    { ...source(9, 'READY', { name: 'b' }), manager: writer('olm') },
  ])
  const all = { fromMs: 0, toMs: Infinity, limit: 9 }
  const told = await observed.asking((reader) => reader.changes(CLUSTER, { ...all, uid: source(1, '').uid }))
  expect(
    told.map(({ after, manager }) => `${after.resourceVersion} ${Object.values(manager ?? {}).join(' ')}`),
  ).toEqual(['5 ', '4 olm Update ', '2 kubectl-edit Update status', '1 olm Update '])
})

test('facts are derived with the writers of HyperConverged, and without those of other objects', async () => {
  const observed = new Observed()
  const facts = { kind: 'hyperconvergeds' as const, apiVersion: 'v1', conditions: [], ...NO_SETTINGS }
  const hco = { ...source(1, ''), uid: 'uid-hco', name: 'hco', facts, manager: writer('kubectl-edit') }
  await observed.put([hco, { ...source(2, 'READY'), manager: writer('olm') }])
  const read = async () => (await observed.asking((reader) => reader.read(CLUSTER))).objects
  expect((await read()).map(({ name, manager }) => [name, manager?.name])).toEqual([
    [source(2, '').name, undefined],
    ['hco', 'kubectl-edit'],
  ])
})

const NO_SETTINGS = { liveMigration: {}, featureGates: {}, jsonPatches: {} } as const

const arbitraryObservation = fc
  .record({
    version: fc.integer({ min: 1, max: 12 }),
    state: fc.constantFrom('READY', 'CONNECTING', 'TRANSIENT_FAILURE'),
    name: fc.constantFrom('a', 'b'),
    change: fc.constantFrom<ObjectChange>('added', 'modified', 'listed', 'deleted'),
    afterMs: fc.oneof(fc.integer({ min: 0, max: 50 * MINUTE_MS }), fc.integer({ min: 0, max: 500 * MINUTE_MS })),
    manager: fc.constantFrom(undefined, 'olm', 'kubectl-edit'),
    what: fc.constantFrom('source' as const, 'source' as const, 'node' as const, 'event' as const),
  })
  .map(({ version, state, name, change, afterMs, manager, what }): ObjectObservation => {
    const one = { ...source(version, state, { name, change, afterMs }), ...(manager && { manager: writer(manager) }) }
    if (what === 'source') return one
    if (what === 'node') return { ...one, facts: node(version, state === 'READY').facts, uid: `node ${name}` }
    return { ...one, facts: event(version, version).facts, uid: `event ${name}` }
  })
const arbitraryListing = fc
  .record({ minute: fc.integer({ min: 0, max: 60 }), names: fc.subarray(['a', 'b']) })
  .map(({ minute, names }): ObjectListing => ({
    cluster: CLUSTER,
    resource: 'catalogsources',
    namespace: 'olm',
    observedMs: NOW_MS + minute * MINUTE_MS + 30_000,
    uids: names.map((name) => source(1, '', { name }).uid),
  }))

/** The same without a disk, for many of them. */
class InMemory {
  readonly #db = new Database(':memory:')
  readonly #observations: Observations
  readonly reader: SqlObservations

  constructor() {
    migrate(this.#db, ':memory:')
    this.#observations = new Observations(this.#db, STORE_DEFAULTS.clusterObjectStatesMax)
    this.reader = new SqlObservations(this.#db)
  }

  /** One that has read nothing before. */
  newReader(objectsKnownMax?: number): SqlObservations {
    return new SqlObservations(this.#db, objectsKnownMax)
  }

  putRuns(cluster: string, runs: readonly MetricRun[]): void {
    this.#observations.putRuns(cluster, 0, runs)
    this.put([])
  }

  put(portion: readonly (ObjectObservation | ObjectListing)[]): void {
    this.#observations.putObjects(portion.filter((one) => 'facts' in one))
    this.#observations.putListings(portion.filter((one) => 'uids' in one))
    this.#db.transaction(() => {
      this.#observations.write()
    })()
    this.#observations.written()
  }
}

test('in any order, with repeats and in any portions the same is kept, and a reader is told of every change', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryObservation, { minLength: 1, maxLength: 14 }),
      fc.array(arbitraryListing, { maxLength: 6 }),
      fc.infiniteStream(fc.nat()),
      async (objects, listings, random) => {
        const next = (): number => Number(random.next().value)
        const all = new InMemory()
        all.put([...objects, ...listings])
        const want = await all.reader.read(CLUSTER)
        const shuffled = [...objects, ...listings, ...objects.slice(0, 5), ...listings.slice(0, 2)]
          .map((one) => ({ one, place: next() }))
          .sort((a, b) => a.place - b.place)
          .map(({ one }) => one)
        const other = new InMemory()
        let position = 0
        let told: unknown
        for (let i = 0; i < shuffled.length;) {
          other.put(shuffled.slice(i, (i += 1 + (next() % 4))))
          const change = await other.reader.changedSince(position)
          const now = await other.reader.read(CLUSTER)
          // Who reads when the position has moved, and only then, has what is there.
          if (change.clusters.length > 0) told = now
          expect(now).toEqual(told)
          expect(await other.newReader().read(CLUSTER)).toEqual(now)
          position = change.position
        }
        expect(await other.reader.read(CLUSTER)).toEqual(want)
        const log = { fromMs: 0, toMs: Infinity, limit: 100 }
        expect(await other.reader.changes(CLUSTER, log)).toEqual(await all.reader.changes(CLUSTER, log))
      },
    ),
    { seed: 5, numRuns: 60 },
  )
})

const metricRun = (firstMs: number, value: number, more: Partial<MetricRun> = {}): MetricRun => ({
  cluster: CLUSTER,
  signal: 'kubevirt_nodes',
  labels: { kubeversion: 'v1.6.0' },
  value,
  firstMs,
  lastMs: firstMs + 30_000,
  ...more,
})

describe('objects that were read are kept', () => {
  const objectsOf = async (reader: SqlObservations, cluster = CLUSTER): Promise<readonly ObjectObservation[]> =>
    (await reader.read(cluster)).objects

  test('until one of the cluster changes, also when its metrics do', async () => {
    const stored = new InMemory()
    stored.put([source(1, 'READY')])
    const before = await objectsOf(stored.reader)
    stored.putRuns(CLUSTER, [metricRun(0, 1)])
    stored.put([source(1, 'READY', { cluster: 'brno' })])
    expect(await objectsOf(stored.reader)).toBe(before)
    expect((await stored.reader.read(CLUSTER)).metrics).toHaveLength(1)
    stored.put([source(2, 'LOST')])
    expect((await objectsOf(stored.reader)).map(textOf)).toEqual(['a@1 modified 1000 READY', 'a@2 modified 2000 LOST'])
  })

  test('of as many as there is room for, the clusters that were read last', async () => {
    const stored = new InMemory()
    const clusters = ['a', 'b', 'c']
    stored.put(clusters.map((cluster) => source(1, 'READY', { cluster })))
    // One of the cluster, and one for the cluster itself.
    const reader = stored.newReader(4)
    const [a, b] = [await objectsOf(reader, 'a'), await objectsOf(reader, 'b')]
    expect(await objectsOf(reader, 'a')).toBe(a)
    const c = await objectsOf(reader, 'c')
    expect([await objectsOf(reader, 'a'), await objectsOf(reader, 'c')]).toEqual([a, c])
    expect(await objectsOf(reader, 'a')).toBe(a)
    expect(await objectsOf(reader, 'c')).toBe(c)
    expect(await objectsOf(reader, 'b')).not.toBe(b)
    expect(await objectsOf(reader, 'c')).toBe(c)
    expect(await objectsOf(reader, 'a')).not.toBe(a)
  })
})

describe('absences', () => {
  const list = (minute: number, names: readonly string[]): ObjectListing => ({
    cluster: CLUSTER,
    resource: 'catalogsources',
    namespace: 'olm',
    observedMs: NOW_MS + minute * MINUTE_MS,
    uids: names.map((name) => source(1, '', { name }).uid),
  })
  const both = [source(1, 'READY'), source(2, 'READY', { name: 'b' })]
  const START_MS = Math.floor(NOW_MS / MINUTE_MS) * MINUTE_MS
  const atMinute = (minute: number): number => Math.floor((NOW_MS + minute * MINUTE_MS) / MINUTE_MS) * MINUTE_MS

  test.each<[string, readonly ObjectListing[], unknown]>([
    ['one listing without it is chance', [list(30, ['a', 'b']), list(60, ['a'])], []],
    [
      'two are not',
      [list(30, ['a', 'b']), list(60, ['a']), list(90, ['a'])],
      [{ lastSeenMs: atMinute(30), absentMs: atMinute(61) }],
    ],
    [
      'more change nothing',
      [list(30, ['a', 'b']), ...[60, 90, 120, 150].map((minute) => list(minute, ['a']))],
      [{ lastSeenMs: atMinute(30), absentMs: atMinute(61) }],
    ],
    [
      'what came in two requests is one listing',
      [list(30, ['a', 'b']), list(60, ['a']), list(60, ['b']), list(90, ['b']), list(90, ['a'])],
      [],
    ],
    ['listings before it was first seen say nothing', [list(-60, []), list(-30, []), list(30, ['a', 'b'])], []],
  ])('%s', async (_name, listings, want) => {
    const observed = new Observed()
    await observed.put(both, listings)
    const { absences } = await observed.asking((reader) => reader.read(CLUSTER))
    const uid = source(1, '', { name: 'b' }).uid
    const absent = { cluster: CLUSTER, kind: 'catalogsources', uid }
    expect(absences).toEqual((want as readonly object[]).map((one) => ({ ...absent, ...one })))
    expect(START_MS).toBeLessThanOrEqual(NOW_MS)
  })

  test('what was seen to be deleted is not absent, nor are objects of another namespace', async () => {
    const observed = new Observed()
    const elsewhere = { ...source(1, 'READY', { name: 'c' }), namespace: 'elsewhere' }
    await observed.put(
      [...both, source(3, 'READY', { name: 'b', change: 'deleted' }), elsewhere],
      [list(60, ['a']), list(90, ['a'])],
    )
    expect((await observed.asking((reader) => reader.read(CLUSTER))).absences).toEqual([])
  })

  test('a sighting that arrives late ends it', async () => {
    const observed = new Observed()
    await observed.put(both, [list(60, ['a']), list(90, ['a'])])
    const { position } = await observed.asking((reader) => reader.changedSince(0))
    await observed.put([
      source(2, 'READY', { name: 'b', afterMs: 0 }),
      source(7, 'READY', { name: 'b', afterMs: 80 * MINUTE_MS }),
    ])
    expect((await observed.asking((reader) => reader.read(CLUSTER))).absences).toEqual([])
    expect((await observed.asking((reader) => reader.changedSince(position))).clusters).toEqual([CLUSTER])
  })
})

describe('runs of metrics', () => {
  test('those from a time on are replaced, and others stay', async () => {
    const observed = new Observed()
    const { observations, appender } = observed.store.writer
    observations.putRuns(CLUSTER, 0, [
      metricRun(1000, 1, { afterMs: 90_000 }),
      metricRun(90_000, 2, { beforeMs: 31_000 }),
      metricRun(1000, NaN, { signal: 'hco_health' }),
    ])
    await appender.commit()
    const { position } = await observed.asking((reader) => reader.changedSince(0))
    observations.putRuns(CLUSTER, 90_000, [metricRun(90_000, 3, { beforeMs: 31_000 }), metricRun(200_000, Infinity)])
    await appender.commit()
    expect(await observed.asking((reader) => reader.runs(CLUSTER))).toEqual([
      metricRun(1000, NaN, { signal: 'hco_health' }),
      metricRun(1000, 1, { afterMs: 90_000 }),
      metricRun(90_000, 3, { beforeMs: 31_000 }),
      metricRun(200_000, Infinity),
    ])
    expect((await observed.asking((reader) => reader.changedSince(position))).clusters).toEqual([CLUSTER])
  })

  test('runs are replaced by series and start, in any order, and runs of two signals may share labels', async () => {
    const observed = new Observed()
    const { observations, appender } = observed.store.writer
    const labels = { a: '1' }
    const one = (firstMs: number, value: number): MetricRun =>
      metricRun(firstMs, value, { signal: 'hco_health', labels })
    const two = (firstMs: number, value: number): MetricRun => metricRun(firstMs, value, { labels })
    const stored = [one(1, 1), one(2, 1), one(4, 1), one(6, 1), two(1, 1), two(2, 1), two(4, 1), two(6, 1)]
    await observed.put([], [], stored)
    for (const runs of [
      [one(2, 1), two(2, 2), one(3, 1), two(6, 1), one(6, 1)],
      [two(3, 1)],
      [one(2, 1), two(2, 1), one(7, 1), two(7, 1)],
      [],
      stored.slice(1).filter(({ firstMs }) => firstMs >= 2),
    ]) {
      const { position } = await observed.asking((reader) => reader.changedSince(0))
      observations.putRuns(CLUSTER, 2, runs)
      await appender.commit()
      expect(await observed.asking((reader) => reader.runs(CLUSTER))).toEqual([
        one(1, 1),
        ...runs.filter(({ signal }) => signal === 'hco_health'),
        two(1, 1),
        ...runs.filter(({ signal }) => signal !== 'hco_health'),
      ])
      expect((await observed.asking((reader) => reader.changedSince(position))).clusters).toEqual([CLUSTER])
    }
  })

  test('the same again is no change', async () => {
    const observed = new Observed()
    const runs = [metricRun(1000, 1), metricRun(1000, NaN, { signal: 'hco_health', labels: { b: '2', a: '1' } })]
    await observed.put([], [], runs)
    const { position } = await observed.asking((reader) => reader.changedSince(0))
    await observed.put([], [], [metricRun(1000, NaN, { signal: 'hco_health', labels: { a: '1', b: '2' } }), runs[0]!])
    expect(await observed.asking((reader) => reader.changedSince(position))).toEqual({ clusters: [], position })
  })
})

describe('positions', () => {
  test('each change has a later one, and who has seen it is told nothing', async () => {
    const observed = new Observed()
    await observed.put([source(1, 'READY'), source(1, 'READY', { cluster: 'berlin' })])
    const first = await observed.asking((reader) => reader.changedSince(0))
    expect([...first.clusters].sort()).toEqual(['berlin', 'prague'])
    await observed.put([source(2, 'READY')])
    expect(await observed.asking((reader) => reader.changedSince(first.position))).toMatchObject({ clusters: [] })
    await observed.put([source(3, 'CONNECTING')])
    const second = await observed.asking((reader) => reader.changedSince(first.position))
    expect(second.clusters).toEqual(['prague'])
    expect(second.position).toBeGreaterThan(first.position)
    await observed.store.reopen()
    await observed.put([source(4, 'READY')])
    expect((await observed.asking((reader) => reader.changedSince(second.position))).clusters).toEqual(['prague'])
  })

  test('a sign of life is a change once an hour', async () => {
    const observed = new Observed()
    const hour = NOW_MS - (NOW_MS % 3_600_000)
    await observed.put([{ ...source(1, 'READY'), observedMs: hour }])
    const { position } = await observed.asking((reader) => reader.changedSince(0))
    await observed.put([{ ...source(1, 'READY'), observedMs: hour + 3_599_999 }])
    expect((await observed.asking((reader) => reader.changedSince(position))).clusters).toEqual([])
    await observed.put([{ ...source(1, 'READY'), observedMs: hour + 3_600_000 }])
    expect((await observed.asking((reader) => reader.changedSince(position))).clusters).toEqual([CLUSTER])
    expect(await observed.asking((reader) => reader.read(CLUSTER))).toMatchObject({
      objectsLastSeenMs: hour + 3_600_000,
    })
  })

  test('a sign of life is known to ten minutes, which changes no fact', async () => {
    const observed = new Observed()
    const hour = NOW_MS - (NOW_MS % 3_600_000)
    await observed.put([{ ...source(1, 'READY'), observedMs: hour + 1_260_000 }])
    expect(await observed.asking((reader) => reader.lastSeenSince(0))).toEqual([
      { cluster: CLUSTER, objectsMs: hour + 1_200_000 },
    ])
    expect(await observed.asking((reader) => reader.read(CLUSTER))).toMatchObject({ objectsLastSeenMs: hour })
  })

  const claim = (cluster: string, name: string, more: Partial<ClusterClaim> = {}): ClusterClaim => {
    return { cluster, name, kind: 'uid', joins: true, isBound: false, firstMs: 1000, lastMs: 2000, ...more }
  }

  test('accepted names are aliases, refused ones are conflicts of both clusters', async () => {
    const observed = new Observed()
    const { observations, appender } = observed.store.writer
    const refused = claim(CLUSTER, 'uid-3', { refusal: 'taken', joins: false })
    observations.putClaims([claim(CLUSTER, 'uid-2'), claim('lab', CLUSTER), refused])
    await observed.put([source(1, 'READY')])
    expect(await observed.asking((reader) => reader.read(CLUSTER))).toMatchObject({
      aliases: ['lab', 'uid-2'],
      conflicts: [refused],
    })
    expect(await observed.asking((reader) => reader.read('uid-3'))).toMatchObject({ conflicts: [refused] })
    expect(observations.storedClaims().claims).toContainEqual(refused)
    const since = await observed.asking((reader) => reader.changedSince(0))
    // That an accepted claim is made again changes no fact; a refused one does.
    observations.putClaims([claim(CLUSTER, 'uid-2', { lastMs: 3000 })])
    await appender.commit()
    expect((await observed.asking((reader) => reader.changedSince(since.position))).clusters).toEqual([])
    observations.putClaims([{ ...refused, lastMs: 3000 }])
    await appender.commit()
    expect((await observed.asking((reader) => reader.changedSince(since.position))).clusters).toEqual([CLUSTER])
    observations.removeClaims([refused, claim(CLUSTER, 'uid-2')])
    await appender.commit()
    const left = await observed.asking((reader) => reader.read(CLUSTER))
    expect([left.aliases, left.conflicts]).toEqual([['lab'], undefined])
  })

  test('a joined name is part of the cluster until it is one of its own again', async () => {
    const observed = new Observed()
    const { observations, appender } = observed.store.writer
    await observed.put([source(1, 'READY'), { ...source(2, 'READY'), cluster: 'uid-1', uid: 'another' }])
    const since = await observed.asking((reader) => reader.changedSince(0))
    observations.putJoins([{ name: 'uid-1', into: CLUSTER }])
    await appender.commit()
    const { clusters } = await observed.asking((reader) => reader.changedSince(since.position))
    expect([...clusters].sort()).toEqual([CLUSTER, 'uid-1'].sort())
    const joined = await observed.asking((reader) => reader.read(CLUSTER))
    expect(joined).toMatchObject({ members: ['uid-1'], aliases: ['uid-1'] })
    expect(joined.objects.map(({ cluster, uid }) => [cluster, uid])).toContainEqual([CLUSTER, 'another'])
    expect(joined.objects).toHaveLength(2)
    const range = { fromMs: 0, toMs: Infinity, limit: 10 }
    expect(await observed.asking((reader) => reader.changes(CLUSTER, range))).toHaveLength(2)
    expect(await observed.asking((reader) => reader.joins())).toEqual(new Map([['uid-1', CLUSTER]]))
    observations.putJoins([{ name: 'uid-1', into: undefined }])
    await appender.commit()
    expect((await observed.asking((reader) => reader.read(CLUSTER))).objects).toHaveLength(1)
  })

  test('a reader follows what is joined into what', async () => {
    const observed = new Observed()
    const { observations, appender } = observed.store.writer
    await observed.put([source(1, 'READY')])
    await observed.asking(async (reader) => {
      const join = async (name: string, into: string | undefined): Promise<unknown> => {
        observations.putJoins([{ name, into }])
        await appender.commit()
        return Object.fromEntries(await reader.joins())
      }
      expect(Object.fromEntries(await reader.joins())).toEqual({})
      expect(await join('uid-1', CLUSTER)).toEqual({ 'uid-1': CLUSTER })
      expect(await join('uid-2', CLUSTER)).toEqual({ 'uid-1': CLUSTER, 'uid-2': CLUSTER })
      expect(await join('uid-1', 'lab')).toEqual({ 'uid-1': 'lab', 'uid-2': CLUSTER })
      expect(await join('uid-2', undefined)).toEqual({ 'uid-1': 'lab' })
    })
  })
})

test('what failed to be written is written with the next commit', async () => {
  const observed = new Observed({ databaseBytesMax: 400_000 })
  const many = Array.from({ length: 3000 }, (_, i) => source(i + 1, `STATE ${i} ${'x'.repeat(i % 50)}`))
  observed.store.writer.observations.putObjects(many)
  await expect(observed.store.writer.appender.commit()).rejects.toMatchObject({ code: 'storage_full' })
  expect(await observed.told()).toEqual([])
  await observed.store.close().catch(() => undefined)
})

describe('retention', () => {
  const retentionObjectsMs = 10 * DAY_MS

  test('what ended goes, and the state in which an object is stays as long as it is seen', async () => {
    const observed = new Observed({ retentionObjectsMs })
    const day = (days: number): number => days * DAY_MS
    await observed.put(
      [
        source(1, 'READY', { afterMs: 0 }),
        source(2, 'CONNECTING', { afterMs: day(1) }),
        source(3, 'TRANSIENT_FAILURE', { afterMs: day(2) }),
        source(4, 'TRANSIENT_FAILURE', { afterMs: day(13) }),
        source(1, 'READY', { name: 'b', afterMs: day(1) }),
      ],
      [{ cluster: CLUSTER, resource: 'catalogsources', namespace: 'olm', observedMs: NOW_MS, uids: [] }],
      [
        { cluster: CLUSTER, signal: 'hco_health', labels: {}, value: 0, firstMs: NOW_MS, lastMs: NOW_MS + day(1) },
        {
          cluster: CLUSTER,
          signal: 'hco_health',
          labels: {},
          value: 1,
          firstMs: NOW_MS + day(1),
          lastMs: NOW_MS + day(12),
        },
      ],
    )
    expect(await observed.asking((reader) => reader.oldestMs(CLUSTER))).toBe(NOW_MS)
    const { position } = await observed.asking((reader) => reader.changedSince(0))
    await observed.store.writer.maintain(NOW_MS + day(14))
    expect(await observed.told()).toEqual([`a@3 modified ${day(2)} TRANSIENT_FAILURE`])
    expect(await observed.asking((reader) => reader.runs(CLUSTER))).toMatchObject([{ value: 1 }])
    const floorMs = NOW_MS + day(4) - ((NOW_MS + day(4)) % DAY_MS)
    expect(await observed.asking((reader) => reader.oldestMs(CLUSTER))).toBe(floorMs)
    expect((await observed.asking((reader) => reader.changedSince(position))).clusters).toEqual([CLUSTER])
  })

  test('a state that is only listed again stays, however old it is', async () => {
    const observed = new Observed({ retentionObjectsMs })
    await observed.put([source(1, 'READY', { afterMs: 0 }), source(2, 'CONNECTING', { afterMs: DAY_MS })])
    await observed.put([source(1, 'READY', { afterMs: 13 * DAY_MS, change: 'listed' })])
    await observed.store.writer.maintain(NOW_MS + 14 * DAY_MS)
    expect(await observed.told()).toEqual([
      'a@1 modified 0 READY',
      `a@2 modified ${DAY_MS} CONNECTING`,
      `a@1 listed ${DAY_MS + 45 * MINUTE_MS} READY`,
    ])
  })

  test('an object that went may come again', async () => {
    const observed = new Observed({ retentionObjectsMs })
    await observed.put([source(1, 'READY', { afterMs: 0 })])
    await observed.store.writer.maintain(NOW_MS + 30 * DAY_MS)
    expect(await observed.told()).toEqual([])
    await observed.put([source(2, 'READY', { afterMs: 30 * DAY_MS })])
    expect(await observed.told()).toEqual([`a@2 modified ${30 * DAY_MS} READY`])
  })
})

test('the newest changes come first, within a range', async () => {
  const observed = new Observed()
  await observed.put([
    source(1, 'READY'),
    source(2, 'CONNECTING'),
    source(3, 'READY', { name: 'b' }),
    source(9, 'READY'),
  ])
  const changes = await observed.asking((reader) =>
    reader.changes(CLUSTER, { fromMs: NOW_MS + 2000, toMs: NOW_MS + 8000, limit: 10 }),
  )
  expect(changes.map(({ after }) => textOf(after))).toEqual(['b@3 modified 3000 READY', 'a@2 modified 2000 CONNECTING'])
  const one = await observed.asking((reader) => reader.changes(CLUSTER, { fromMs: 0, toMs: Infinity, limit: 1 }))
  expect(one.map(({ after, before }) => [textOf(after), before && stateOf(before)])).toEqual([
    ['a@9 modified 9000 READY', 'CONNECTING'],
  ])
})

test('a cluster that nobody knows has nothing', async () => {
  const observed = new Observed()
  expect(await observed.asking((reader) => reader.read('nowhere'))).toEqual({
    cluster: 'nowhere',
    objects: [],
    absences: [],
    metrics: [],
  })
  expect(await observed.asking((reader) => reader.oldestMs('nowhere'))).toBeUndefined()
})
