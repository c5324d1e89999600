/**
 * The server's derivation and stuck detection against a simulated fleet whose truth is known: 500 clusters over 12
 * months, each way of telling. `--quick`: 60 clusters. `--over-http`: the product instead, all of it, over HTTP, told by
 * clusters of each way for ten weeks, delivered in each order; `--mode scale-out`: with PostgreSQL and VictoriaMetrics,
 * there and with `--silences`. `--sources objects,metrics,both`, `--order
 * in-order,shuffled,repeated`, `--clusters N` and `--seed S` choose. Figures, the worst of what was wrong, and a table; a
 * promise that is not kept ends it with 1.
 */
import { startApp } from '../src/app.ts'
import type { DeliveryMode } from '../sim/history/plan-history.ts'
import { inScaleOut } from '../test/support/scale-out-stores.ts'
import { DELIVERY_ORDERS } from './truth/hard-delivery.ts'
import { runHttpTrial } from './truth/over-http.ts'
import { brokenReadiness, renderReadiness, runReadinessTrial } from './truth/readiness-trial.ts'
import { brokenSilences, renderSilences, runSilenceTrial } from './truth/silence-trial.ts'
import { renderScore, renderTable, scoreOf, type Score } from './truth/score.ts'
import { runTrial } from './truth/trial.ts'

const FROM_MS = Date.UTC(2025, 8, 1)
const UNTIL_MS = Date.UTC(2026, 8, 1)
const SOURCES = ['objects', 'metrics', 'both'] as const
const MODES = ['embedded', 'scale-out'] as const
const SEED = 'truth'

export interface TruthOptions {
  readonly quick?: boolean
  readonly sources?: string
  readonly order?: string
  /** Of each source. */
  readonly clusters?: string
  readonly seed?: string
  /** Of the product over HTTP: `embedded` when absent, or `scale-out`. */
  readonly mode?: string
  readonly 'over-http'?: boolean
  /** Causes of silence alone, over HTTP: 600 clusters, 200 planted silences; `--quick`: 120 and 40. */
  readonly silences?: boolean
  /** Readiness alone: 500 clusters over 12 months, with hazards planted; `--quick`: 100. */
  readonly readiness?: boolean
}

type Named = readonly [name: string, score: Score]

export async function run(options: TruthOptions): Promise<void> {
  if (options.readiness === true) {
    runReadiness(options)
    return
  }
  if (options.silences === true) {
    await runSilences(options)
    return
  }
  const isOverHttp = options['over-http'] === true
  const scores: Named[] = []
  const differences: string[] = []
  if (isOverHttp) {
    for (const order of chosen('order', DELIVERY_ORDERS, options.order)) {
      const trial = await playInOrder(order, options)
      scores.push(...trial.scores)
      differences.push(...trial.differences.map((text) => `${order}: ${text}`))
    }
  } else scores.push(...runInProcess(options))
  console.log(`\n${renderTable(scores)}`)
  const broken = scores.flatMap(([name, score]) => brokenPromises(name, score, isOverHttp))
  for (const text of [...broken, ...differences]) console.log(`NOT KEPT: ${text}`)
  if (broken.length + differences.length > 0) process.exitCode = 1
}

/** The product from source, in a mode. */
function startAppIn(mode: string): typeof startApp {
  return chosen('mode', MODES, mode)[0] === 'scale-out' ? inScaleOut(startApp) : startApp
}

async function runSilences({ quick, clusters, seed = SEED, mode = 'embedded' }: TruthOptions): Promise<void> {
  const count = Number(clusters ?? (quick === true ? 120 : 600))
  const trial = await runSilenceTrial({
    seed,
    clusters: count,
    silences: Math.round(count / 3),
    fromMs: FROM_MS,
    startApp: startAppIn(mode),
  })
  console.log(`\n### causes of silence, ${mode}: ${count} clusters\n${renderSilences(trial)}`)
  const broken = brokenSilences(trial)
  for (const text of broken) console.log(`NOT KEPT: ${text}`)
  if (broken.length > 0) process.exitCode = 1
}

function runReadiness({ quick, clusters: wanted, seed = SEED }: TruthOptions): void {
  const clusters = Number(wanted ?? (quick === true ? 100 : 500))
  const trial = runReadinessTrial({ seed, clusters, fromMs: FROM_MS, untilMs: UNTIL_MS })
  console.log(`\n### readiness: ${clusters} clusters, 12 months\n${renderReadiness(trial)}`)
  const broken = brokenReadiness(trial)
  for (const text of broken) console.log(`NOT KEPT: ${text}`)
  if (broken.length > 0) process.exitCode = 1
}

function chosen<T extends string>(option: string, known: readonly T[], text: string | undefined): readonly T[] {
  const wanted = text?.split(',') ?? known
  return wanted.map((name) => {
    const found = known.find((candidate) => candidate === name)
    if (found === undefined) throw new Error(`got --${option} ${name}, want some of ${known.join(',')}`)
    return found
  })
}

function modeOf(source: (typeof SOURCES)[number]): DeliveryMode {
  return source === 'both' ? 'all' : source
}

function runInProcess({ quick, sources, clusters: wanted, seed = SEED }: TruthOptions): readonly Named[] {
  const clusters = Number(wanted ?? (quick === true ? 60 : 500))
  return chosen('sources', SOURCES, sources).map((source): Named => {
    const mode = modeOf(source)
    const trial = runTrial({ seed, clusters, fromMs: FROM_MS, untilMs: UNTIL_MS, mode }, (text) => {
      console.error(`${source}: ${text}`)
    })
    const score = scoreOf(trial)
    console.log(renderScore(`\n### ${source}: ${clusters} clusters, 12 months`, score))
    const { counts, cpuSeconds } = trial
    console.log(
      `  ${counts.observations} object states, ${counts.runs} runs; CPU seconds: ${cpuSeconds.simulate.toFixed(0)} simulating,` +
        ` ${cpuSeconds.derive.toFixed(0)} deriving, ${cpuSeconds.judge.toFixed(0)} judging`,
    )
    return [source, score]
  })
}

/** Weeks in which three releases came out; the quick ones are those after them. */
const HTTP = { fromMs: Date.UTC(2026, 5, 1), days: 70, clusters: 6, stallShare: 0.35, chainShare: 0.4 } as const
const QUICK = { ...HTTP, fromMs: Date.UTC(2026, 5, 24), days: 21, clusters: 2 } as const
const DAY_MS = 86_400_000

async function playInOrder(
  order: (typeof DELIVERY_ORDERS)[number],
  { quick, sources, clusters: wanted, seed = SEED, mode = 'embedded' }: TruthOptions,
): Promise<{ readonly scores: readonly Named[]; readonly differences: readonly string[] }> {
  const { fromMs, days, stallShare, chainShare, ...size } = quick === true ? QUICK : HTTP
  const clusters = Number(wanted ?? size.clusters)
  const untilMs = fromMs + days * DAY_MS
  const names = chosen('sources', SOURCES, sources)
  const fleet = names.map((source) => ({ mode: modeOf(source), clusters }))
  const beganMs = Date.now()
  const trial = await runHttpTrial({
    seed,
    fromMs,
    untilMs,
    stallShare,
    chainShare,
    fleet,
    order,
    startApp: startAppIn(mode),
  })
  const { sent, beats, cpuSeconds, differences } = trial
  console.log(
    `\n${order}, ${mode}: ${sent.objects.taken} object states, ${sent.samples.taken} samples and ${sent.spans.taken} spans over HTTP,` +
      ` ${beats} beats, ${((Date.now() - beganMs) / 1000).toFixed(0)} s, CPU seconds: ${cpuSeconds.toFixed(0)}`,
  )
  const scores = names.map((source): Named => {
    const name = `${source}, ${order}`
    const score = scoreOf(trial.scored.get(modeOf(source))!)
    console.log(renderScore(`\n### ${name}: ${clusters} clusters, over HTTP`, score))
    return [name, score]
  })
  const refusals = Object.entries(sent).flatMap(([kind, { refused, lastRefusal }]) =>
    refused === 0 ? [] : [`nothing refused: ${refused} ${kind}, the last one: ${lastRefusal}`],
  )
  return { scores, differences: [...refusals, ...differences.map((text) => `other than it really was: ${text}`)] }
}

/** Sentences for what was promised and is not so. @param isStrict of a few clusters, where nothing at all may be wrong */
export function brokenPromises(name: string, score: Score, isStrict: boolean): readonly string[] {
  const { times, ends, phases, states, modifications, stalls, causes, falseAlarms } = score
  const isOfMetrics = name.startsWith('metrics')
  const none = (text: string, wrong: readonly string[]): readonly [boolean, string] => [
    wrong.length === 0,
    `${text}: ${wrong.length}`,
  ]
  const promises: readonly (readonly [isKept: boolean, text: string])[] = [
    [score.found === score.real, `every upgrade found: ${score.found} of ${score.real}`],
    none('none invented', score.invented),
    none('outcomes right', states.wrong),
    none('times right to their resolution', times.wrong),
    none('ends right to their resolution', ends.wrong),
    none('states of phases right', phases.wrong),
    none('modifications not too low', modifications.low),
    none('modifications not too high', modifications.high),
    none('an unlisted fault never named', causes.named),
    [isOfMetrics || times.exactShare >= 0.99, `exact to the second: ${times.exactShare}`],
  ]
  // Medians and shares need more than a few clusters.
  const ofMany: typeof promises = [
    [stalls.medianSeconds <= 6 * 60, `median time to detect at most 6 min: ${stalls.medianSeconds} s`],
    [falseAlarms.share <= 0.02, `false alarms at most 2 %: ${falseAlarms.share}`],
    [causes.rightShare >= 0.8, `first cause right at least 80 %: ${causes.rightShare}`],
  ]
  const ofFew = [none('no false alarm', falseAlarms.examples), none('first cause right', causes.wrong)]
  return [...promises, ...(isStrict ? ofFew : ofMany)].flatMap(([isKept, text]) => (isKept ? [] : [`${name}: ${text}`]))
}
