import { FleetError } from '../../base/errors.ts'
import { METRIC_NAME, type Labels } from '../../model/labels.ts'
import { LabelList } from '../../model/label-rows.ts'
import { compileMatcher, type Matcher } from '../../model/matcher.ts'
import { NO_REGEX_LIMITS } from '../../model/regex-limits.ts'
import { bitsOf, isStaleAt } from '../../model/sample.ts'
import type { SeriesColumns } from '../../model/series.ts'
import { selectorsOf, unwrapParens, type Call, type VectorSelector } from '../ast.ts'
import { describeLabels } from './join.ts'
import type { Evaluation } from './evaluation.ts'
import type { Lens } from './range-series.ts'
import type { Steps } from './steps.ts'
import { gridOf, type Value } from './value.ts'
import { labelsOf, mergeEqualRows, stepsWithValues, type Grid } from './grid.ts'
import { lensOf, selectorTimeMs, selectSeries } from './select.ts'
import { takeRows } from './top.ts'

/**
 * `info(v, {selector})`: adds the labels of info series (`target_info`, or those of the selector) to the series of the
 * same instance and job. The selector determines the info series and the labels; input series that are info series
 * themselves are unchanged.
 */
export async function callInfo(call: Call, steps: Steps, evaluation: Evaluation): Promise<Value> {
  const grid = gridOf(await evaluation.evaluate(call.args[0]!, steps, evaluation))
  const wanted = wantedOf(call)
  const lens = infoLensOf(call, evaluation)
  const found = fetchInfos(call, grid, wanted, lens, steps, evaluation)
  return { type: 'vector', grid: enriched(grid, newestInfos(found, grid, lens, steps, evaluation), wanted) }
}

/** Labels that link an info series to a series. */
const IDENTIFYING = ['instance', 'job'] as const

/** The requirements of the second argument. */
interface Wanted {
  readonly names: readonly Matcher[]
  readonly isInfoName: (name: string) => boolean
  /** Matchers of the labels to add; none: all labels. */
  readonly labels: readonly Matcher[]
  /** Whether a series without info series is dropped: a required label is missing. */
  readonly needsInfo: boolean
}

function wantedOf({ args }: Call): Wanted {
  const selector = args[1]
  const matchers = selector?.kind === 'vector' ? selector.matchers : []
  const names = effectiveNames(matchers.filter(({ name }) => name === METRIC_NAME))
  const tests = names.map((matcher) => compileMatcher(matcher, NO_REGEX_LIMITS))
  const labels = matchers.filter(({ name }) => name !== METRIC_NAME)
  return {
    names,
    isInfoName: (name) => tests.every((matches) => matches(name)),
    labels,
    needsInfo: labels.some((matcher) => !compileMatcher(matcher, NO_REGEX_LIMITS)('')),
  }
}

/** Without a name it is `target_info`; excluded names are excluded from the metrics that look like info metrics. */
function effectiveNames(names: readonly Matcher[]): readonly Matcher[] {
  if (names.length === 0) return [{ name: METRIC_NAME, op: '=', value: 'target_info' }]
  if (names.some(({ op }) => op === '=' || op === '=~')) return names
  return [{ name: METRIC_NAME, op: '=~', value: '.+_info' }, ...names]
}

/** Info series are read at the times of the vector's first selector, after its `@` and `offset`. */
function infoLensOf(call: Call, evaluation: Evaluation): Lens {
  const [first] = selectorsOf(unwrapParens(call.args[0]!))
  return first === undefined ? { fixedMs: undefined, offsetMs: 0 } : lensOf(first, evaluation)
}

/** Info series for the vector. */
function fetchInfos(
  call: Call,
  grid: Grid,
  { names, labels, isInfoName }: Wanted,
  lens: Lens,
  steps: Steps,
  evaluation: Evaluation,
): readonly SeriesColumns[] {
  const known = IDENTIFYING.map((name) => [name, new Set<string>()] as const)
  for (let row = 0; row < grid.labels.length; row++) {
    const own = labelsOf(grid, row)
    if (isInfoName(own.metricName)) continue
    for (const [name, values] of known) if (own.has(name)) values.add(own.get(name))
  }
  const told = known.filter(([, values]) => values.size > 0)
  if (told.length === 0) return []
  const selector: VectorSelector = {
    kind: 'vector',
    matchers: [...names, ...labels],
    offsetMs: 0,
    from: call.from,
    to: call.to,
  }
  const hint = { func: 'info', rangeMs: 0 }
  const series = selectSeries(selector, lens, steps, evaluation.lookbackMs, hint, evaluation)
  return series.filter((one) => told.every(([name, values]) => values.has(one.labels.get(name))))
}

/** The info series at each step by metric and identity. */
interface Infos {
  readonly steps: number
  /** Label sets of all info series. */
  readonly labels: readonly Labels[]
  /** By identity: for each info metric the number of its newest series at each step, or -1. */
  readonly byIdentity: ReadonlyMap<string, readonly Int32Array[]>
}

function identityOf(labels: Labels): string {
  return IDENTIFYING.map((name) => labels.get(name)).join('\u0000')
}

/** Of the info series of one metric and identity, the one with the newest sample counts. */
function newestInfos(
  series: readonly SeriesColumns[],
  grid: Grid,
  lens: Lens,
  steps: Steps,
  { lookbackMs, stepSamples }: Evaluation,
): Infos {
  const isNeeded = stepsWithValues(grid)
  const labels = series.map((one) => one.labels)
  const groups = new Map<
    string,
    { readonly identity: string; readonly chosen: Int32Array; readonly timesMs: Float64Array }
  >()
  series.forEach((one, number) => {
    const identity = identityOf(one.labels)
    const key = `${one.labels.metricName}\u0000${identity}`
    let group = groups.get(key)
    if (group === undefined) {
      const chosen = new Int32Array(steps.count).fill(-1)
      groups.set(key, (group = { identity, chosen, timesMs: new Float64Array(steps.count) }))
    }
    const { chosen, timesMs } = group
    eachNewest(one, lens, steps, lookbackMs, (step, timeMs) => {
      const before = chosen[step]!
      stepSamples?.add(step, 1)
      if (isNeeded[step] === 0) return
      if (before >= 0 && timesMs[step] === timeMs) {
        const both = [labels[before]!, one.labels].map((which) => `${describeLabels(which)} @ ${timeMs}`)
        const message = `found duplicate series for info metric: existing ${both[0]!}, new ${both[1]!}`
        throw new FleetError('query_execution', message)
      }
      if (before >= 0 && timesMs[step]! > timeMs) return
      chosen[step] = number
      timesMs[step] = timeMs
    })
  })
  const byIdentity = new Map<string, Int32Array[]>()
  for (const { identity, chosen } of groups.values()) {
    const known = byIdentity.get(identity)
    if (known === undefined) byIdentity.set(identity, [chosen])
    else known.push(chosen)
  }
  return { steps: steps.count, labels, byIdentity }
}

/** The time of the newest sample at each step, unless it is a stale marker or older than the lookback. */
function eachNewest(
  { labels, timesMs, values, count, histograms }: SeriesColumns,
  lens: Lens,
  steps: Steps,
  lookbackMs: number,
  visit: (step: number, timeMs: number) => void,
): void {
  const bits = bitsOf(values)
  let i = -1
  for (let step = 0; step < steps.count; step++) {
    const atMs = selectorTimeMs(lens, steps, step)
    while (i + 1 < count && timesMs[i + 1]! <= atMs) i++
    if (i < 0 || timesMs[i]! <= atMs - lookbackMs) continue
    if (histograms?.[i] !== undefined) {
      const message = `this should be an info metric, with float samples: ${describeLabels(labels)}`
      throw new FleetError('query_execution', message)
    }
    if (!isStaleAt(bits, i)) visit(step, timesMs[i]!)
  }
}

/** One row per set of labels that a series has at any step. */
function enriched(grid: Grid, infos: Infos, wanted: Wanted): Grid {
  const { steps } = grid
  const rows: number[] = []
  const labels: Labels[] = []
  const masks: Uint8Array[] = []
  const names = new Set(wanted.labels.map(({ name }) => name))
  for (let row = 0; row < grid.labels.length; row++) {
    const own = labelsOf(grid, row)
    const isInfo = wanted.isInfoName(own.metricName)
    const metrics = isInfo ? [] : (infos.byIdentity.get(identityOf(own)) ?? [])
    const variants = new Map<string, Uint8Array | undefined>()
    for (let s = 0; s < steps; s++) {
      if (grid.present[row * steps + s] === 0) continue
      const chosen = metrics.map((numbers) => numbers[s]!).filter((number) => number >= 0)
      const key = chosen.join()
      let mask = variants.get(key)
      if (mask === undefined && !variants.has(key)) {
        if (isInfo || chosen.length > 0 || !wanted.needsInfo) {
          mask = new Uint8Array(steps)
          rows.push(row)
          labels.push(
            added(
              own,
              chosen.map((number) => infos.labels[number]!),
              names,
            ),
          )
          masks.push(mask)
        }
        variants.set(key, mask)
      }
      if (mask !== undefined) mask[s] = 1
    }
  }
  const present = new Uint8Array(rows.length * steps)
  masks.forEach((mask, i) => {
    present.set(mask, i * steps)
  })
  const isOneName = grid.isOneName || grid.isNameless
  const wide = { ...takeRows(grid, rows), labels: new LabelList(labels), isNameless: false, isOneName, present }
  return mergeEqualRows(wide)
}

/** The labels of a series plus the requested labels of its info series that it does not have itself. */
function added(own: Labels, infos: readonly Labels[], names: ReadonlySet<string>): Labels {
  const data = new Map<string, string>()
  for (const info of infos) {
    for (const [name, value] of info.pairs()) {
      if (name === METRIC_NAME || (names.size > 0 && !names.has(name))) continue
      const known = data.get(name)
      if (known !== undefined && known !== value) throw new FleetError('query_execution', `conflicting label: ${name}`)
      if (!own.has(name)) data.set(name, value)
    }
  }
  let labels = own
  for (const [name, value] of data) labels = labels.with(name, value)
  return labels
}
