/**
 * What edges cost: 100,000 upgrades of 10,000 clusters on 120 edges, estimated all at once, asked again after one cluster
 * changed, when nothing did, of a window, and while the edges are estimated again of which all clusters changed; beside it, estimated
 * without keeping anything. CPU time.
 */
import { createEdgeIndex } from '../src/fleet/edges/edge-index.ts'
import { edgeFactsOf, edgeNameOf, edgeRunOf, type EdgeName } from '../src/fleet/edges/edges.ts'
import { PHASES, type UpgradePhase, type UpgradeRecord } from '../src/model/upgrade.ts'

const UPGRADES_OF_CLUSTER = 10
/** In which every cluster says something else. */
const BEATS = 4
const START_MS = Date.UTC(2026, 0, 1)

export function run({ quick }: { readonly quick: boolean }): void {
  const clusters = quick ? 1000 : 10_000
  const records = Array.from({ length: clusters }, (_, cluster) => upgradesOf(cluster))
  const index = createEdgeIndex()
  const fedMs = cpuMs(() => {
    records.forEach((upgrades, i) => {
      index.put(`cluster-${i}`, upgrades)
    })
  })
  const firstMs = cpuMs(() => index.edges())
  const again = times(20, () => index.edges())
  const changed = times(20, (i) => {
    index.put('cluster-0', upgradesOf(0, i + 1))
    index.edges()
  })
  const waits: number[] = []
  for (let beat = 1; beat <= BEATS; beat++) {
    for (let i = 0; i < clusters; i++) index.put(`cluster-${i}`, upgradesOf(i, beat))
    const left = { isMore: true }
    while (left.isMore) {
      waits.push(cpuMs(() => index.edges()))
      // Whoever asks while an edge is estimated waits for that too.
      waits[waits.length - 1]! += cpuMs(() => (left.isMore = index.estimateNext()))
    }
  }
  waits.sort((a, b) => a - b)
  const allMs = cpuMs(() => estimateAll(records.flat()))
  console.log(`${clusters * UPGRADES_OF_CLUSTER} upgrades, ${index.edges().length} edges, ${PHASES.length} phases each`)
  console.log(`feeding all of them              ${fedMs.toFixed(1)} ms CPU`)
  console.log(`the first answer                 ${firstMs.toFixed(1)} ms CPU`)
  console.log(`after one cluster changed        ${changed.toFixed(2)} ms CPU`)
  console.log(`when nothing changed             ${again.toFixed(2)} ms CPU`)
  console.log(
    `after all changed                ${quantile(waits, 0.5).toFixed(1)} ms CPU p50, ${quantile(waits, 0.99).toFixed(1)} ms p99, ` +
      `${waits.at(-1)!.toFixed(1)} ms at most, of ${waits.length} answers`,
  )
  const portions = windowPortions(index, START_MS + (clusters / 2) * UPGRADES_OF_CLUSTER * 1000)
  console.log(
    `a window with half of them       ${portions.reduce((sum, ms) => sum + ms, 0).toFixed(1)} ms CPU in ` +
      `${portions.length} portions, ${Math.max(...portions).toFixed(1)} ms at most`,
  )
  console.log(
    `without keeping anything         ${allMs.toFixed(1)} ms CPU, ${(allMs / changed).toFixed(0)} times as much`,
  )
}

/** CPU time of each portion in which a window is estimated that was never asked before. */
function windowPortions(index: ReturnType<typeof createEdgeIndex>, sinceMs: number): readonly number[] {
  const portions: number[] = []
  const left = { isMore: true }
  while (left.isMore) portions.push(cpuMs(() => (left.isMore = index.prepare({ sinceMs }))))
  return portions
}

function estimateAll(records: readonly UpgradeRecord[]): number {
  const runs = new Map<string, { name: EdgeName; runs: ReturnType<typeof edgeRunOf>[] }>()
  for (const record of records) {
    const name = edgeNameOf(record.upgrade)!
    const key = `${name.operator} ${name.from} ${name.to}`
    const known = runs.get(key) ?? { name, runs: [] }
    runs.set(key, known)
    known.runs.push(edgeRunOf(record))
  }
  return [...runs.values()].map((edge) => edgeFactsOf(edge.name, edge.runs)).length
}

/** Ten edges of twelve paths; one upgrade in a hundred is open, one in fifty failed. */
function upgradesOf(cluster: number, salt = 0): UpgradeRecord[] {
  return Array.from({ length: UPGRADES_OF_CLUSTER }, (_, step): UpgradeRecord => {
    const number = cluster * UPGRADES_OF_CLUSTER + step
    const random = ((number + 1 + salt) * 2_654_435_761) % 4_294_967_296
    const state = number % 100 === 0 ? 'in_progress' : number % 50 === 1 ? 'failed' : 'succeeded'
    const startedMs = START_MS + number * 1000
    const phases = PHASES.map((name, i): UpgradePhase => {
      const fromMs = startedMs + i * 60_000
      return {
        name,
        startedMs: fromMs,
        ...(state === 'in_progress' ? {} : { endedMs: fromMs + 10_000 + ((random >> (i % 16)) & 0xffff) }),
        state: state === 'in_progress' ? 'in_progress' : 'succeeded',
        resolutionSeconds: 1,
        isReconstructed: false,
      }
    })
    const endedMs = startedMs + 600_000 + (random % 600_000)
    return {
      upgrade: {
        id: String(number),
        cluster: `cluster-${cluster}`,
        operator: 'kubevirt-hyperconverged',
        from: `1.${step}.${cluster % 12}`,
        to: `1.${step + 1}.${cluster % 12}`,
        state,
        startedMs,
        ...(state === 'in_progress' ? {} : { endedMs }),
        phases,
        evidence: [],
        resolutionSeconds: 1,
      },
      detail: { csvSteps: [], components: [], conditionChanges: [], featureGateChanges: [], observedUntilMs: endedMs },
    }
  })
}

function quantile(rising: readonly number[], p: number): number {
  return rising[Math.ceil(p * rising.length) - 1]!
}

function times(count: number, work: (i: number) => unknown): number {
  return cpuMs(() => Array.from({ length: count }, (_, i) => work(i))) / count
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
