import { beforeEach, expect, test } from 'vitest'
import type { Decommissions } from '../../../src/fleet/clusters/decommissions.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { memoryPeople, type MemoryPeople } from '../../support/people.ts'

let memory: MemoryPeople
let told: number
let isFull: boolean

beforeEach(async () => {
  ;[told, isFull] = [0, false]
  memory = await memoryPeople({
    clock: new FakeClock(0),
    wrap: (store) => ({
      ...store,
      decommissions: {
        list: () => store.decommissions.list(),
        find: (id) => store.decommissions.find(id),
        write: (...written) =>
          isFull ? Promise.reject(new Error('the disk is full')) : store.decommissions.write(...written),
      },
    }),
    decommissionsTold: () => {
      told++
      return Promise.resolve()
    },
  })
})

const shown = (all: Pick<Decommissions, 'all'>): readonly string[] =>
  all.all().map(({ cluster, sinceMs, by, reason, end }) => {
    return `${cluster} ${sinceMs} ${by} ${reason} ${end === undefined ? '' : `${end.kind} ${end.atMs} ${end.by}`}`.trim()
  })
const audit = async (): Promise<readonly string[]> =>
  (await memory.people.audit(100)).map(({ atMs, by, action, subject }) => `${atMs} ${by} ${action} ${subject}`)

test('what was said is there after a restart, with who said it', async () => {
  const { decommissions } = memory.people
  await decommissions.declare([{ cluster: 'prague', sinceMs: 5 }], 'sold', 'ada', 10)
  const [brno] = await decommissions.declare([{ cluster: 'brno', sinceMs: 6 }], 'moved', 'bob', 20)
  expect(await decommissions.withdraw(brno!.id, 'eve', 30)).toMatchObject({ end: { kind: 'withdrawn', by: 'eve' } })
  const want = ['prague 5 ada sold', 'brno 6 bob moved withdrawn 30 eve']
  expect(shown(decommissions)).toEqual(want)
  expect(shown((await memory.restart()).decommissions)).toEqual(want)
  expect(told).toBe(3)
  expect(await audit()).toEqual([
    '30 eve cluster.decommission.withdraw brno',
    '20 bob cluster.decommission brno',
    '10 ada cluster.decommission prague',
  ])
})

test('saying it again takes back what was said before', async () => {
  const { decommissions } = memory.people
  await decommissions.declare([{ cluster: 'prague', sinceMs: 5 }], 'sold', 'ada', 10)
  await decommissions.declare(
    [
      { cluster: 'prague', sinceMs: 8 },
      { cluster: 'brno', sinceMs: 8 },
    ],
    'the site was closed',
    'bob',
    20,
  )
  expect(shown(decommissions)).toEqual([
    'prague 5 ada sold withdrawn 20 bob',
    'prague 8 bob the site was closed',
    'brno 8 bob the site was closed',
  ])
})

test('a cluster that is seen again ends it once, by itself', async () => {
  const { decommissions } = memory.people
  const [one] = await decommissions.declare([{ cluster: 'prague', sinceMs: 5 }], 'sold', 'ada', 10)
  const returned = [
    { id: one!.id, lastSeenMs: 40 },
    { id: 'of nobody', lastSeenMs: 40 },
  ]
  await decommissions.endReturned(returned, 45)
  await decommissions.endReturned(returned, 46)
  expect(shown(decommissions)).toEqual(['prague 5 ada sold returned 40 daytwo'])
  expect(await audit()).toEqual(['45 daytwo cluster.return prague', '10 ada cluster.decommission prague'])
  expect(await decommissions.withdraw(one!.id, 'eve', 50)).toMatchObject({ end: { kind: 'returned' } })
  expect(await decommissions.withdraw('of nobody', 'eve', 50)).toBeUndefined()
  expect(told).toBe(2)
})

test('what could not be kept does not count', async () => {
  const { decommissions } = memory.people
  isFull = true
  await expect(decommissions.declare([{ cluster: 'prague', sinceMs: 5 }], 'sold', 'ada', 10)).rejects.toThrow('full')
  expect([shown(decommissions), told, await audit()]).toEqual([[], 0, []])
})
