import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import { scopeMatcher } from '../../src/fleet/scope/scoped-records.ts'
import type { Labels } from '../../src/model/labels.ts'
import { createLocalEngine, type LocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import type { QueryResult } from '../../src/promql/query-engine.ts'
import type { RemoteStore } from '../../src/remote/remote-store.ts'
import { encodeWriteRequest } from '../../src/wire/remote-write-encode.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import { randomOf } from '../fuzz/mutate.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { findPeer } from '../support/peers.ts'
import { randomQuery, type Vocabulary } from '../support/random-queries.ts'
import { engineOver, FakeStore, series, storeAt } from './fake-store.ts'
import { TARGETS } from './pushdown-targets.ts'

// A user of team a gets, from a store with the series of both teams, what a store with the series of team a alone would answer.

const T0 = Date.UTC(2026, 6, 16, 7, 25)
const MINUTE_MS = 60_000
const QUERIES = 150
/** Also a name that goes by another, and one with characters of regular expressions. */
const CLUSTERS = { a: ['alpha', 'a.shop|x', 'uid-alpha'], b: ['beta', 'a_shop|x', 'b-secret'] } as const
const scope = () => scopeMatcher({ names: () => ({ names: CLUSTERS.a, revision: '' }) })
const noClusters = () => scopeMatcher({ names: () => ({ names: [], revision: '' }) })

const labels = ['cluster', 'job', 'instance'].map((name) => ({
  name,
  values: name === 'cluster' ? [...CLUSTERS.a, ...CLUSTERS.b] : ['x', 'y'],
}))
const VOCABULARY: Vocabulary = {
  ...{ metrics: ['load', 'jobs_total'], counters: ['jobs_total'], labels, labelsOf: () => labels },
  ...{ at: String(T0 / 1000), nudge: '17s' },
}

interface Sample {
  readonly labels: Labels
  readonly timeMs: number
  readonly value: number
}

const samplesOf = (team: 'a' | 'b'): Sample[] =>
  CLUSTERS[team].flatMap((cluster, c) =>
    ['x', 'y'].flatMap((job) =>
      Array.from({ length: 40 }, (_, i) => i).flatMap((i): Sample[] => {
        const timeMs = T0 - (40 - i) * MINUTE_MS + 7000 * c
        const own = { cluster, job, instance: 'x', team: `team-${team}` }
        return [
          { labels: series('load', own), timeMs, value: ((i * (c + 3)) % 11) - 3.5 },
          { labels: series('jobs_total', own), timeMs, value: (i % 25) * (c + 1) },
          ...(i === 39 ? [{ labels: series('target_info', own), timeMs, value: 1 }] : []),
        ]
      }),
    ),
  )

const ofA = samplesOf('a')
const both = [...ofA, ...samplesOf('b')].sort((x, y) => x.timeMs - y.timeMs)

interface Target {
  readonly url: string
  stop(): Promise<void>
}

async function start(kind: string, path: string | undefined): Promise<Target> {
  if (kind === 'fake') {
    const fake = await new FakeStore().start()
    for (const { labels: of, timeMs, value } of both) fake.memory.append(of, timeMs, value)
    return fake
  }
  const target = await TARGETS[kind as keyof typeof TARGETS](path!)
  const body = encodeSnappy(
    encodeWriteRequest(both.map(({ labels: of, ...sample }) => ({ labels: of, samples: [sample] }))),
  )
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
  const response = await fetch(`${target.url}/api/v1/write`, { method: 'POST', body: new Uint8Array(body), headers })
  expect(response.ok).toBe(true)
  await target.flush()
  return target
}

const textOf = ({ value }: QueryResult): string =>
  JSON.stringify(
    value.type === 'vector'
      ? value.samples.map((one) => [one.labels.toString(), String(one.value)]).sort()
      : value.type === 'matrix'
        ? value.series.map((one) => [one.labels.toString(), [...one.timesMs], Array.from(one.values, String)]).sort()
        : value,
  )

describe.each(['fake', 'prometheus', 'victoria-metrics'])('a store with two teams: %s', (kind) => {
  const path = kind === 'fake' ? undefined : findPeer(kind)
  describe.skipIf(kind !== 'fake' && path === undefined)('(skipped where it is not installed)', () => {
    let target: Target
    let store: RemoteStore
    let scoped: LocalEngine
    const alone = new MemoryQueryable()
    for (const { labels: of, timeMs, value } of ofA) alone.append(of, timeMs, value)
    const options = { ...DEFAULT_ENGINE_OPTIONS, experimental: true }
    const wanted = createLocalEngine({ queryable: alone, options, nowMs: () => 0 })

    beforeAll(async () => {
      target = await start(kind, path)
      store = storeAt(target.url)
      scoped = engineOver(store, { scope })
    }, 60_000)
    afterAll(async () => {
      store.close()
      await target.stop()
    })

    const outcome = async (engine: LocalEngine, expr: string): Promise<QueryResult | string> => {
      try {
        return await engine.instant({ expr, timeMs: T0 })
      } catch (thrown) {
        if (thrown instanceof FleetError) return `${thrown.code} ${thrown.message}`
        throw thrown
      }
    }

    const SPECIAL = [
      'info(load)',
      'info(load, {team=~".+"})',
      'count by (cluster, team) ({__name__=~".+"})',
      'absent(load{cluster="beta"})',
      'absent(load{cluster="alpha"})',
      'absent_over_time(load{cluster=~"b.*"}[5m])',
      'label_replace(load, "cluster", "beta", "", "")',
      'sum(load) / on () group_left () count({team="team-b"})',
      'load{cluster=~".*"} or load{team="team-b"}',
      'max_over_time(max by (team) (load)[20m:1m])',
      'count_values("team", load) or topk(3, load offset 5m)',
      'load @ end() unless on (cluster) load{cluster!="beta"}',
      'scalar(load{cluster="beta"})',
      '{cluster="b-secret"}',
    ]

    test('random queries, and those that are written to find others', { timeout: 120_000 }, async () => {
      const draw = randomOf(7)
      const queries = [...SPECIAL, ...Array.from({ length: QUERIES }, () => randomQuery(draw, VOCABULARY, 3))]
      const wrong: unknown[] = []
      let exact = 0
      for (const expr of queries) {
        const [got, want] = [await outcome(scoped, expr), await outcome(wanted, expr)]
        const leaked = typeof got === 'string' ? '' : textOf(got)
        // What the query itself names may be in its answer.
        if (/team-b|beta|a_shop|b-secret/.test(leaked) && !/team-b|beta|a_shop|b-secret/.test(expr))
          wrong.push({ expr, leaked })
        const isNoted = typeof got !== 'string' && got.infos.some((info) => /Prometheus 2|VictoriaMetrics/.test(info))
        if (isNoted && kind !== 'fake') continue
        exact++
        const [a, b] = [
          typeof got === 'string' ? got.split(' ')[0] : textOf(got),
          typeof want === 'string' ? want.split(' ')[0] : textOf(want),
        ]
        if (a !== b && !areClose(a!, b!))
          wrong.push({ expr, a, b, way: (await scoped.explain({ expr, timeMs: T0 })).remote })
      }
      expect(wrong).toEqual([])
      expect(exact).toBeGreaterThan(kind === 'fake' ? QUERIES : 5)
    })

    test('lists', async () => {
      const range = { fromMs: T0 - 60 * MINUTE_MS, toMs: T0 }
      const all = [[{ name: '__name__', op: '!=', value: '' } as const]]
      expect((await scoped.series(all, range)).map(String)).toEqual((await wanted.series(all, range)).map(String))
      expect(await scoped.labelValues('team', [], range)).toEqual(['team-a'])
      expect(await scoped.labelValues('cluster', all, range)).toEqual([...CLUSTERS.a].sort())
      expect(await scoped.labelNames([], range)).toEqual(await wanted.labelNames([], range))
    })

    test('a scope without clusters has nothing', async () => {
      const none = engineOver(store, { scope: noClusters })
      for (const expr of ['load', 'sum(load)', 'info(load)', 'count({__name__=~".+"})']) {
        expect(textOf(await none.instant({ expr, timeMs: T0 })), expr).toBe('[]')
      }
      expect(await none.labelValues('cluster', [], { fromMs: T0 - 60 * MINUTE_MS, toMs: T0 })).toEqual([])
    })
  })
})

/** Texts that are equal but for the last digits of numbers. */
function areClose(a: string, b: string): boolean {
  const [left, right] = [a.split('"'), b.split('"')]
  return (
    left.length === right.length &&
    left.every(
      (part, i) => part === right[i] || Math.abs(Number(part) - Number(right[i])) <= 1e-9 * Math.abs(Number(part)),
    )
  )
}
