import { beforeEach, describe, expect, test } from 'vitest'
import { createGraphRisks, RISKS_CACHED_MS, SINGLE_MAX, type GraphRisks } from '../../../src/fleet/graph/risks.ts'
import type { ConditionalRisk } from '../../../src/model/update-graph.ts'

const T = Date.parse('2026-08-20T10:00:00Z')
const risk = (...rules: string[]): ConditionalRisk => ({
  ...{ url: '', name: 'R', message: '' },
  matchingRules: rules.map((rule) =>
    /^[A-Z]/.test(rule) ? { type: rule } : { type: 'PromQL', promql: { promql: rule } },
  ),
})

let reads: string[]
let risks: GraphRisks
/** By expression, the values of the results of each cluster. */
const ALL: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> = {
  plain: { a: [1], b: [0], c: [2], d: [1, 1] },
  other: { c: [0], d: [1] },
}

beforeEach(() => {
  reads = []
  risks = createGraphRisks({
    ofAll: (promql) => {
      reads.push(promql)
      if (promql === 'broken') return Promise.reject(new Error('bad expression'))
      const known = ALL[promql]
      return Promise.resolve(known && new Map(Object.entries(known)))
    },
    ofOne: (promql, cluster) => {
      reads.push(`${promql} ${cluster}`)
      return cluster === 'bad' ? Promise.reject(new Error('failed')) : Promise.resolve([cluster === 'a' ? 1 : 0])
    },
  })
})
const exposure = async (of: ConditionalRisk, clusters: string, atMs = T) => {
  const { of: found, notes } = await risks.exposure(of, clusters.split(' '), atMs)
  return [[...found].map(([cluster, one]) => `${cluster} ${one}`).join(', '), ...notes]
}

describe('conditional risks of clusters', () => {
  test('Always exposes all', async () => {
    expect(await exposure(risk('Always'), 'a b')).toEqual(['a exposed, b exposed'])
    expect(reads).toEqual([])
  })

  test('PromQL has to give one result, 1 or 0', async () => {
    expect(await exposure(risk('plain'), 'a b c d e')).toEqual([
      'a exposed, b not_exposed, c unknown, d unknown, e unknown',
    ])
  })

  test('the first rule that can be evaluated decides', async () => {
    expect(await exposure(risk('Unheard', 'plain', 'other'), 'a b c d e')).toEqual([
      'a exposed, b not_exposed, c not_exposed, d exposed, e unknown',
    ])
    expect(await exposure(risk('plain', 'Always'), 'b e')).toEqual(['b not_exposed, e exposed'])
    expect(await exposure(risk('Unheard'), 'a')).toEqual(['a unknown'])
  })

  test('a failing expression makes nobody safe, and says why', async () => {
    expect(await exposure(risk('broken'), 'a')).toEqual(['a unknown', 'broken: bad expression'])
    expect(await exposure(risk('broken', 'plain'), 'b')).toEqual(['b not_exposed', 'broken: bad expression'])
  })

  test('results are cached for ten minutes', async () => {
    await exposure(risk('plain'), 'a')
    await exposure(risk('plain'), 'b', T + RISKS_CACHED_MS - 1)
    expect(reads).toEqual(['plain'])
    await exposure(risk('plain'), 'b', T + RISKS_CACHED_MS)
    expect(reads).toEqual(['plain', 'plain'])
  })

  test('what cannot be evaluated at once is evaluated for some clusters at each call', async () => {
    expect(await exposure(risk('single'), 'a b bad')).toEqual(['a exposed, b not_exposed, bad unknown'])
    expect(reads).toEqual(['single', 'single a', 'single b', 'single bad'])
    await exposure(risk('single'), 'a b bad')
    expect(reads).toHaveLength(4)
    const many = Array.from({ length: SINGLE_MAX + 5 }, (_, i) => `x${i}`)
    const first = await risks.exposure(risk('single'), many, T)
    expect([...first.of.values()].filter((one) => one === 'unknown')).toHaveLength(5)
    expect(first.notes).toEqual(['5 clusters are not evaluated yet'])
    const second = await risks.exposure(risk('single'), many, T)
    expect([...second.of.values()].filter((one) => one === 'unknown')).toHaveLength(0)
    expect(second.notes).toEqual([])
  })
})
