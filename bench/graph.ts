/**
 * The update graphs over 10,000 clusters: their series, which are written once a minute beside the rules, and the facts of the page,
 * with a conditional risk that is evaluated for each cluster. The clusters are 60 of the simulated fleet under other names; the
 * graph of OpenShift is the one that its update service has, that of HCO is made of the known releases.
 */
import { createFleetIndex } from '../src/fleet/clusters/fleet-index.ts'
import { runningVersions } from '../src/fleet/clusters/running-versions.ts'
import { deriveCluster } from '../src/fleet/derive/derive-cluster.ts'
import { graphFacts } from '../src/fleet/graph/graph-facts.ts'
import { graphValues } from '../src/fleet/graph/graph-values.ts'
import { readImport } from '../src/fleet/graph/read-import.ts'
import { createGraphRisks } from '../src/fleet/graph/risks.ts'
import { createUpdateGraphs } from '../src/fleet/graph/update-graphs.ts'
import { GRAPH_OPERATORS } from '../src/model/graph-import.ts'
import type { ClusterFacts } from '../src/model/fleet-facts.ts'
import { observationsOf } from '../sim/history/cluster-observations.ts'
import { planHistory } from '../sim/history/plan-history.ts'
import { updateServiceGraph } from '../sim/update-service.ts'

const CLUSTERS = 10_000
const DISTINCT = 60
const FROM_MS = Date.UTC(2026, 2, 1)
const UNTIL_MS = Date.UTC(2026, 8, 1)

export async function run({ quick = false }: { readonly quick?: boolean }): Promise<void> {
  const count = quick ? CLUSTERS / 10 : CLUSTERS
  const made = Array.from({ length: DISTINCT }, (_, index) =>
    deriveCluster(
      observationsOf(planHistory({ seed: 'graph', index, fromMs: FROM_MS, untilMs: UNTIL_MS, mode: 'all' })),
    ),
  )
  const index = createFleetIndex()
  for (let i = 0; i < count; i++) index.put(named(made[i % DISTINCT]!, `cluster-${i}`))
  const service = { name: 'openshift', kind: 'graph', operator: 'openshift', source: 'sim' } as const
  const graphs = createUpdateGraphs([readImport({ ...service, document: updateServiceGraph() }, 'bench', FROM_MS)])
  const series = median(11, () => steps(graphValues(graphs, [...index.active(UNTIL_MS)], UNTIL_MS)))
  console.log(`
${count} clusters
  series of both graphs        ${series.cpuMs.toFixed(0)} ms CPU, the longest step ${series.longestMs.toFixed(0)} ms`)
  for (const operator of GRAPH_OPERATORS) {
    const running = runningVersions(index.active(UNTIL_MS), operator, UNTIL_MS)
    const versions = running.map(({ version }) => version)
    const values = new Map(running.map(({ cluster }, i) => [cluster, [i % 2]]))
    const risks = createGraphRisks({ ofAll: () => Promise.resolve(values), ofOne: () => Promise.resolve([]) })
    const operatorGraph = graphs.graph(operator, versions)
    const { nodes } = operatorGraph.graph
    const to = nodes.at(-1)?.version
    const inputs = { operatorGraph, running, edges: [], stranded: [], verdicts: new Map(), risks, nowMs: UNTIL_MS }
    const before = process.cpuUsage()
    const facts = await graphFacts({ operator, ...(to && { to, from: versions[0]! }) }, inputs)
    const cpuMs = process.cpuUsage(before).user / 1000
    const exposed = facts.risks.reduce((sum, risk) => sum + risk.counts.exposed, 0)
    console.log(
      `  page, ${operator.padEnd(23)} ${cpuMs.toFixed(0)} ms CPU: ${nodes.length} versions, ${facts.linksTotal} updates, ${exposed} clusters exposed to ${facts.risks.length} risks`,
    )
  }
}

/** Runs all steps. */
function steps(work: Iterator<unknown>): { readonly cpuMs: number; readonly longestMs: number } {
  const times: number[] = []
  for (;;) {
    const before = process.cpuUsage()
    const { done } = work.next()
    times.push(process.cpuUsage(before).user / 1000)
    if (done === true) break
  }
  return { cpuMs: times.reduce((sum, ms) => sum + ms, 0), longestMs: Math.max(...times) }
}

function median<T extends { readonly cpuMs: number }>(rounds: number, work: () => T): T {
  const all = Array.from({ length: rounds }, work).sort((a, b) => a.cpuMs - b.cpuMs)
  return all[Math.floor(rounds / 2)]!
}

function named({ cluster, ...facts }: ClusterFacts, name: string): ClusterFacts {
  return { ...facts, cluster: { ...cluster, cluster: name, lastSeenMs: UNTIL_MS } }
}
