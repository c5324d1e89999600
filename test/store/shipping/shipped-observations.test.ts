import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ObjectListing } from '../../../src/model/fleet-facts.ts'
import type { ObjectChange, ObjectObservation } from '../../../src/model/observation.ts'
import { POSTGRES, sharedPostgres } from '../postgres/temp-postgres.ts'
import { MINUTE_MS, NOW_MS } from '../temp-store.ts'
import { Collector, openShared } from './collectors.ts'

const CLUSTER = 'prague'
const LATE_MS = NOW_MS + 1e9

const uidOf = (name: string): string => `00000000-0000-4000-8000-00000000000${name}`

const source = (
  version: number,
  connectionState: string,
  more: Partial<ObjectObservation> = {},
): ObjectObservation => ({
  cluster: CLUSTER,
  uid: uidOf(more.name ?? 'a'),
  name: 'a',
  namespace: 'olm',
  resourceVersion: String(version),
  change: 'modified',
  observedMs: NOW_MS + version * 1000,
  facts: { kind: 'catalogsources', connectionState },
  ...more,
})

const listing = (minute: number, names: readonly string[]): ObjectListing => ({
  cluster: CLUSTER,
  resource: 'catalogsources',
  namespace: 'olm',
  observedMs: NOW_MS + minute * MINUTE_MS,
  uids: names.map(uidOf),
})

describe.skipIf(POSTGRES === undefined)('observations in PostgreSQL', () => {
  const postgres = sharedPostgres()

  const arbitraryObject = fc
    .record({
      name: fc.constantFrom('a', 'b', 'c'),
      version: fc.integer({ min: 1, max: 8 }),
      state: fc.constantFrom('READY', 'CONNECTING'),
      change: fc.constantFrom<ObjectChange>('modified', 'added', 'listed', 'deleted'),
      afterMs: fc.integer({ min: 0, max: 8_000_000 }),
      isEvent: fc.boolean(),
    })
    .map(({ name, version, state, change, afterMs, isEvent }): ObjectObservation => {
      const seen = source(version, state, { name, change, observedMs: NOW_MS + afterMs })
      if (!isEvent) return seen
      const event = { reason: state, type: 'Normal', message: '', count: 1, firstMs: 1, lastMs: 2 }
      const object = { objectKind: 'HyperConverged', objectName: 'a', objectNamespace: '' }
      return { ...seen, facts: { kind: 'events', ...event, ...object } }
    })
  const arbitraryListing = fc
    .record({
      minute: fc.integer({ min: 0, max: 140 }),
      names: fc.subarray(['a', 'b', 'c']),
    })
    .map(({ minute, names }) => listing(minute, names))

  test('are those of one collector, however requests are spread over several', async () => {
    const input = fc.tuple(
      fc.array(fc.oneof(arbitraryObject, arbitraryListing), { minLength: 1, maxLength: 25 }),
      fc.infiniteStream(fc.nat(2)),
      fc.infiniteStream(fc.nat(6)),
    )
    const shared = await openShared(await postgres.options())
    const reader = shared.newReader()
    let round = 0
    await fc.assert(
      fc.asyncProperty(input, async ([all, target, ships]) => {
        const cluster = `cluster-${++round}`
        const one = new Collector(shared)
        const several = [0, 1, 2].map(() => new Collector(shared))
        let position = 0
        let known: unknown
        for (const each of all) {
          const item = { ...each, cluster }
          const put = ({ writer }: Collector['store']): Promise<void> => {
            if ('facts' in item) writer.observations.putObjects([item])
            else writer.observations.putListings([item])
            return writer.appender.commit()
          }
          await put(one.store)
          await put(several[target.next().value as number]!.store)
          if (ships.next().value !== 0) continue
          for (const collector of several) await collector.ship(LATE_MS)
          // Who reads when the position has moved, and only then, has what is there.
          const change = await reader.changedSince(position)
          if (change.clusters.includes(cluster)) known = await reader.read(cluster)
          expect(await shared.newReader().read(cluster)).toEqual(known)
          position = change.position
        }
        for (const collector of several) await collector.ship(LATE_MS)
        const wanted = await one.reader.read(cluster)
        const read = await reader.read(cluster)
        expect(read).toEqual(wanted)
        const range = { fromMs: 0, toMs: Infinity, limit: 100 }
        expect(await reader.changes(cluster, range)).toEqual(await one.reader.changes(cluster, range))
        expect(await reader.oldestMs(cluster)).toBe(await one.reader.oldestMs(cluster))
      }),
      { seed: 7, numRuns: 12 },
    )
  }, 120_000)

  test('that were there before shipping began are shipped, and then what changes', async () => {
    const shared = await openShared(await postgres.options())
    const collector = new Collector(shared, { isShipping: false })
    await collector.commit(({ observations }) => {
      observations.putObjects([source(1, 'READY')])
      observations.putListings([listing(1, ['a'])])
      observations.putClaims([
        { cluster: CLUSTER, name: 'uid-1', kind: 'uid', joins: true, isBound: false, firstMs: 1, lastMs: 2 },
      ])
    })
    collector.store.options.isShipping = true
    await collector.store.reopen()
    const seeding = await collector.shipper.step(LATE_MS)
    expect(seeding.changesLeft).toBeUndefined()
    await collector.commit(({ observations }) => {
      observations.putObjects([source(2, 'CONNECTING')])
      observations.putJoins([{ name: 'uid-1', into: CLUSTER }])
    })
    await collector.ship(LATE_MS)
    const read = await shared.newReader().read(CLUSTER)
    expect(read).toEqual(await collector.reader.read(CLUSTER))
    expect(read.objects).toHaveLength(2)
    expect(read.aliases).toEqual(['uid-1'])
    expect(await shared.newReader().joins()).toEqual(new Map([['uid-1', CLUSTER]]))
    await collector.commit(({ observations }) => {
      observations.removeClaims([
        { cluster: CLUSTER, name: 'uid-1', kind: 'uid', joins: true, isBound: false, firstMs: 1, lastMs: 2 },
      ])
      observations.putJoins([{ name: 'uid-1', into: undefined }])
    })
    await collector.ship(LATE_MS)
    expect(await shared.newReader().read(CLUSTER)).toEqual(await collector.reader.read(CLUSTER))
    expect((await shared.newReader().read(CLUSTER)).aliases).toBeUndefined()
  })

  test('a name that is only claimed is no cluster with observations', async () => {
    const shared = await openShared(await postgres.options())
    const collector = new Collector(shared)
    const claim = { kind: 'id', joins: true, isBound: false, firstMs: 1, lastMs: 2 } as const
    await collector.commit(({ observations }) => {
      observations.putObjects([source(1, 'READY')])
      observations.putClaims([
        { ...claim, cluster: CLUSTER, name: 'id-of-another', refusal: 'other_identity' },
        { ...claim, cluster: 'of-samples', name: 'id-of-samples' },
      ])
    })
    await collector.ship(LATE_MS)
    const { clusters, position } = await shared.newReader().changedSince(0)
    expect(clusters).toEqual([CLUSTER])
    expect((await collector.reader.changedSince(0)).clusters).toEqual([CLUSTER])
    expect(await shared.newReader().read(CLUSTER)).toEqual(await collector.reader.read(CLUSTER))

    // One that has observations changes with the claims of others.
    await collector.commit(({ observations }) => {
      observations.putClaims([{ ...claim, cluster: 'of-samples', name: CLUSTER, refusal: 'taken' }])
    })
    await collector.ship(LATE_MS)
    expect((await shared.newReader().changedSince(position)).clusters).toEqual([CLUSTER])
  })

  test('an absence is not concluded from listings of which another collector may have a part', async () => {
    const shared = await openShared(await postgres.options())
    const [one, late] = [new Collector(shared), new Collector(shared)]
    await late.commit(({ observations }) => {
      observations.putObjects([source(1, 'READY')])
    })
    await late.ship(NOW_MS + 5 * MINUTE_MS)
    await one.commit(({ observations }) => {
      observations.putListings([listing(10, ['b']), listing(40, ['b'])])
    })
    await one.ship(NOW_MS + 41 * MINUTE_MS)
    const reader = shared.newReader()
    const { position } = await reader.changedSince(0)
    expect((await reader.read(CLUSTER)).absences).toEqual([])
    expect((await reader.changedSince(position)).clusters).toEqual([])

    await late.ship(NOW_MS + 41 * MINUTE_MS)
    expect(await reader.changedSince(position)).toEqual({ clusters: [CLUSTER], position })
    expect((await reader.read(CLUSTER)).absences).toMatchObject([{ uid: uidOf('a'), lastSeenMs: NOW_MS + 1000 }])
    expect((await reader.changedSince(position)).clusters).toEqual([])
  })

  test('a collector that is gone for an hour is not waited for', async () => {
    const shared = await openShared(await postgres.options())
    const [one, gone] = [new Collector(shared), new Collector(shared)]
    await gone.commit(({ observations }) => {
      observations.putObjects([source(1, 'READY')])
    })
    await gone.ship(NOW_MS)
    await one.commit(({ observations }) => {
      observations.putListings([listing(10, ['b']), listing(40, ['b'])])
    })
    await one.ship(NOW_MS + 60 * MINUTE_MS)
    expect((await shared.newReader().read(CLUSTER)).absences).toEqual([])
    await one.ship(NOW_MS + 60 * MINUTE_MS + 1)
    expect((await shared.newReader().read(CLUSTER)).absences).toHaveLength(1)
  })
})
