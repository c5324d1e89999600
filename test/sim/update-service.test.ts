import { describe, expect, test } from 'vitest'
import { readCincinnati } from '../../src/fleet/graph/cincinnati.ts'
import { deadEnds } from '../../src/fleet/graph/dead-ends.ts'
import { graphProblems } from '../../src/fleet/graph/graph-problems.ts'
import { shortestPath } from '../../src/fleet/graph/shortest-path.ts'
import { parseExpr } from '../../src/promql/parse.ts'
import { createProfile, platformVersion } from '../../sim/cluster-profile.ts'
import { openshiftMinorOf } from '../../sim/release.ts'
import { updateServiceGraph } from '../../sim/update-service.ts'

describe('the graph of the simulated update service', () => {
  const graph = readCincinnati(updateServiceGraph(), undefined, (path) => path)

  test('has the version of every cluster, without irregularities and dead ends', () => {
    const versions = new Set(graph.nodes.map(({ version }) => version))
    for (let index = 0; index < 100; index++) {
      const profile = createProfile('update-service', index, 30_000)
      expect(versions).toContain(platformVersion(profile, openshiftMinorOf(profile.firstRelease)))
    }
    expect(graphProblems(graph)).toEqual([])
    expect([...deadEnds(graph)]).toEqual([])
  })

  test('updates from minor to minor; the newest one is conditional', () => {
    expect(shortestPath(graph, '4.20.1', '4.22.0')?.map(({ to }) => to)).toEqual(['4.21.2', '4.22.0'])
    const [group] = graph.conditionalEdges
    expect(group!.edges.map(({ to }) => to).every((version) => version.startsWith('4.23.'))).toBe(true)
    expect(group!.edges).toHaveLength(9)
    const isUnconditional = ({ from, to }: { from: string; to: string }): boolean =>
      to.startsWith('4.23.') && !from.startsWith('4.23.')
    expect(graph.edges.filter(isUnconditional)).toEqual([])
    for (const { promql } of group!.risks[0]!.matchingRules) expect(() => parseExpr(promql!.promql)).not.toThrow()
  })
})
