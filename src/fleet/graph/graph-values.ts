/** The series of update graphs: clusters on versions and channels that a graph deprecates, and on versions that no update leaves. */
import type { Steps } from '../../base/thread-slices.ts'
import { GRAPH_OPERATORS } from '../../model/graph-import.ts'
import type { KnownCluster } from '../clusters/fleet-coverage.ts'
import { runningVersions } from '../clusters/running-versions.ts'
import type { DerivedValue } from '../series/derived-metrics.ts'
import { deadEnds } from './dead-ends.ts'
import type { UpdateGraphs } from './update-graphs.ts'

/** @param clusters that are not gone; those that were not seen lately have no series */
export function* graphValues(
  graphs: Pick<UpdateGraphs, 'graph'>,
  clusters: readonly KnownCluster[],
  nowMs: number,
): Steps<readonly DerivedValue[]> {
  const values: DerivedValue[] = []
  for (const operator of GRAPH_OPERATORS) {
    const running = runningVersions(clusters, operator, nowMs)
    yield
    const { graph } = graphs.graph(
      operator,
      running.map(({ version }) => version),
    )
    const ends = deadEnds(graph)
    const versions = deprecatedIn(graph.nodes, ({ version }) => version)
    const channels = deprecatedIn(graph.channels, ({ name }) => name)
    yield
    for (const { cluster, version, channel = '' } of running) {
      const of = { cluster, operator }
      if (ends.has(version)) values.push({ name: 'daytwo_cluster_dead_end', labels: { ...of, version }, value: 1 })
      const deprecated = (subject: 'version' | 'channel', name: string) =>
        values.push({ name: 'daytwo_cluster_deprecated', labels: { ...of, subject, name }, value: 1 })
      if (versions.has(version)) deprecated('version', version)
      if (channels.has(channel)) deprecated('channel', channel)
    }
    yield
  }
  return values
}

function deprecatedIn<T extends { readonly deprecated?: string }>(
  all: readonly T[],
  nameOf: (one: T) => string,
): ReadonlySet<string> {
  return new Set(all.filter(({ deprecated }) => deprecated !== undefined).map(nameOf))
}
