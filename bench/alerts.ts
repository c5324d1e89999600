/**
 * What the alerts of the rules cost main at each evaluation: sent as what changed and added to the index (`AlertUpdate`),
 * and, as a baseline, copied whole, as `RuleEngine.alerts` answers them. Both cross a `MessageChannel` inside this
 * process, so the figures are the CPU of both threads together: reading the engine, structured clone, and the arrival.
 */
import { MessageChannel } from 'node:worker_threads'
import { inSlices, ownTurn } from '../src/base/thread-slices.ts'
import { Labels } from '../src/model/labels.ts'
import type { VectorSample } from '../src/promql/query-engine.ts'
import { AlertIndex } from '../src/rules/alert-update.ts'
import { createRuleEngine, type RuleEngine } from '../src/rules/engine.ts'
import { loadRuleFiles } from '../src/rules/rule-file.ts'
import { createCaller, serve } from '../src/threads/rpc.ts'

const START_MS = Date.UTC(2026, 7, 20, 10)
const INTERVAL_MS = 30_000
const WARMUPS = 2
const EVALUATIONS = 5
const RULES = 20

/** What the samples of an evaluation are beside those of the one before. */
const CASES = [
  'same values',
  'other values',
  'other values, shown in an annotation',
  'one alert of 100 resolves or fires',
]
type Case = (typeof CASES)[number]

/** Prints one table: ms of CPU an evaluation, without the evaluation itself. */
export async function run({ quick = false }: { readonly quick?: boolean } = {}): Promise<void> {
  console.log('| firing alerts | from one evaluation to the next | all copied | what changed |')
  console.log('|---:|---|---:|---:|')
  for (const count of quick ? [1000] : [10_000, 100_000]) {
    for (const name of CASES) {
      const { copyMs, updateMs } = await measure(count, name)
      console.log(`| ${count} | ${name} | ${copyMs.toFixed(1)} | ${updateMs.toFixed(1)} |`)
    }
  }
}

async function measure(count: number, name: Case): Promise<{ readonly copyMs: number; readonly updateMs: number }> {
  let round = 0
  const rules = engineOf(name, () => samplesOf(count / RULES, name, round))
  await rules.restore(START_MS)
  const { port1, port2 } = new MessageChannel()
  serve(port1, { rules })
  const { remote } = createCaller<{ rules: Pick<RuleEngine, 'alerts' | 'alertUpdate'> }>(port2)
  const index = new AlertIndex()
  const [copiesMs, updatesMs]: [number[], number[]] = [[], []]
  for (; round < WARMUPS + EVALUATIONS; round++) {
    await rules.evaluate(START_MS + round * INTERVAL_MS)
    updatesMs.push(
      await cpuMsOf(async () => {
        await inSlices(index.apply(await remote.rules.alertUpdate()), ownTurn)
      }),
    )
    copiesMs.push(await cpuMsOf(() => remote.rules.alerts()))
  }
  port1.close()
  return { copyMs: median(copiesMs.slice(WARMUPS)), updateMs: median(updatesMs.slice(WARMUPS)) }
}

function engineOf(name: Case, samples: () => readonly VectorSample[]): RuleEngine {
  const text = name.includes('annotation') ? 'is at {{ $value }}' : 'is down'
  const rules = Array.from(
    { length: RULES },
    (_, i) =>
      `  - alert: FleetAlert${i}\n    expr: up\n    labels: {severity: warning, operator_health_impact: none}\n` +
      `    annotations: {summary: "{{ $labels.cluster }} ${text}", runbook_url: "https://daytwo.example/rb/FleetAlert${i}"}`,
  )
  const content = `groups:\n- name: bench\n  interval: 30s\n  rules:\n${rules.join('\n')}\n`
  const { groups } = loadRuleFiles([{ path: 'bench.yaml', text: content }])
  return createRuleEngine({
    groups,
    query: () =>
      Promise.resolve({
        value: { type: 'vector', timeMs: START_MS, samples: samples() },
        warnings: [],
        infos: [],
        stats: { samplesRead: 0, seriesRead: 0, evalMs: 0 },
      }),
    appendDerived: () => Promise.resolve(),
    states: { load: () => Promise.resolve(new Map()), replaceGroup: () => Promise.resolve() },
    externalUrl: 'https://daytwo.example',
    offsetOf: () => 0,
  })
}

const LABELS = new Map<number, Labels>()

function samplesOf(count: number, name: Case, round: number): readonly VectorSample[] {
  const samples: VectorSample[] = []
  for (let i = 0; i < count; i++) {
    if (name.includes('resolves') && i % 200 === round % 2) continue
    const value = name.includes('other') ? round * 1000 + i : i
    samples.push({ labels: labelsOf(i), timeMs: START_MS, value })
  }
  return samples
}

/** As many labels as an alert of the fleet has. */
function labelsOf(i: number): Labels {
  let labels = LABELS.get(i)
  if (labels === undefined) {
    const cluster = `fleet-prod-${String(i).padStart(5, '0')}`
    const id = `0f1e2d3c-${String(i).padStart(4, '0')}-4000-8000-000000000000`
    const place = { namespace: 'openshift-cnv', pod: `virt-api-${i}`, container: 'virt-api', region: `region-${i % 7}` }
    labels = Labels.of({
      __name__: 'up',
      cluster,
      cluster_id: id,
      job: 'kubevirt',
      instance: `10.0.0.${i}:8443`,
      ...place,
    })
    LABELS.set(i, labels)
  }
  return labels
}

async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
