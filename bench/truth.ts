/**
 * The server's derivation and stuck detection against a simulated fleet whose truth is known: 500 clusters over 12
 * months, each way of telling. `--quick`: 60 clusters. `--over-http`: the product instead, all of it, told over HTTP by 24
 * clusters for ten weeks, in the worst ways that senders have. Figures and the worst of what was wrong; a promise that is
 * not kept ends it with 1.
 */
import { startApp } from '../src/app.ts'
import type { DeliveryMode } from '../sim/history/plan-history.ts'
import { runHttpTrial } from './truth/over-http.ts'
import { renderScore, scoreOf, type Score } from './truth/score.ts'
import { runTrial } from './truth/trial.ts'

const FROM_MS = Date.UTC(2025, 8, 1)
const UNTIL_MS = Date.UTC(2026, 8, 1)
const MODES = ['objects', 'metrics', 'all'] as const
const SEED = 'truth'

export interface TruthOptions {
  readonly quick?: boolean
  readonly only?: string
  readonly 'over-http'?: boolean
}

export async function run(options: TruthOptions): Promise<void> {
  const broken = options['over-http'] === true ? await runOverHttp(options) : runInProcess(options)
  for (const text of broken) console.log(`NOT KEPT: ${text}`)
  if (broken.length > 0) process.exitCode = 1
}

function runInProcess({ quick, only }: TruthOptions): readonly string[] {
  const clusters = quick === true ? 60 : 500
  const broken: string[] = []
  for (const mode of MODES.filter((candidate) => only === undefined || candidate === only)) {
    const trial = runTrial({ seed: SEED, clusters, fromMs: FROM_MS, untilMs: UNTIL_MS, mode }, (text) => {
      console.error(`${mode}: ${text}`)
    })
    const score = scoreOf(trial)
    console.log(renderScore(`\n### ${mode}: ${clusters} clusters, 12 months`, score))
    const { counts, cpuSeconds } = trial
    console.log(
      `  ${counts.observations} object states, ${counts.runs} runs; CPU seconds: ${cpuSeconds.simulate.toFixed(0)} simulating,` +
        ` ${cpuSeconds.derive.toFixed(0)} deriving, ${cpuSeconds.judge.toFixed(0)} judging`,
    )
    broken.push(...brokenPromises(mode, score))
  }
  return broken
}

/** Weeks in which three releases came out. */
const HTTP = { fromMs: Date.UTC(2026, 5, 1), days: 70, clusters: 8, stallShare: 0.35 } as const
const DAY_MS = 86_400_000

async function runOverHttp({ quick, only }: TruthOptions): Promise<readonly string[]> {
  const clusters = quick === true ? HTTP.clusters / 2 : HTTP.clusters
  const untilMs = HTTP.fromMs + (quick === true ? HTTP.days / 5 : HTTP.days) * DAY_MS
  const fleet = MODES.filter((mode) => only === undefined || mode === only).map((mode) => ({ mode, clusters }))
  const { fromMs, stallShare } = HTTP
  const trial = await runHttpTrial({ seed: SEED, fromMs, untilMs, stallShare, fleet, startApp })
  const { sent, beats, cpuSeconds, differences } = trial
  console.log(
    `${sent.objects.taken} object states, ${sent.samples.taken} samples and ${sent.spans.taken} spans over HTTP,` +
      ` ${beats} beats, CPU seconds: ${cpuSeconds.toFixed(0)}`,
  )
  for (const text of differences) console.log(`  other than it really was: ${text}`)
  return [...trial.scored].flatMap(([mode, scored]) => {
    const score = scoreOf(scored)
    console.log(renderScore(`\n### ${mode}: ${clusters} clusters, over HTTP`, score))
    return brokenPromises(mode, score)
  })
}

/** Sentences for what was promised and is not so. */
export function brokenPromises(mode: DeliveryMode, score: Score): readonly string[] {
  const { times, stalls, causes, falseAlarms } = score
  const promises: readonly (readonly [isKept: boolean, text: string])[] = [
    [score.found === score.real, `every upgrade found: ${score.found} of ${score.real}`],
    [score.invented.length === 0, `none invented: ${score.invented.length}`],
    [times.wrong.length === 0, `times right to their resolution: ${times.wrong.length} wrong`],
    [mode === 'metrics' || times.exactShare >= 0.99, `exact to the second: ${times.exactShare}`],
    [stalls.medianSeconds <= 6 * 60, `median time to detect at most 6 min: ${stalls.medianSeconds} s`],
    [falseAlarms.share <= 0.02, `false alarms at most 2 %: ${falseAlarms.share}`],
    [causes.rightShare >= 0.8, `first cause right at least 80 %: ${causes.rightShare}`],
    [causes.named.length === 0, `an unlisted fault never named: ${causes.named.length}`],
  ]
  return promises.flatMap(([isKept, text]) => (isKept ? [] : [`${mode}: ${text}`]))
}
