import { FleetError, messageOf } from '../../base/errors.ts'
import { METRIC_NAME, type Labels } from '../../model/labels.ts'
import {
  compileAnchoredRegex,
  expandGroups,
  largestGroup,
  RegexLimitError,
  type AnchoredRegex,
} from '../../model/regex.ts'
import { RegexWork, type RegexLimits } from '../../model/regex-limits.ts'
import type { EngineOptions } from '../engine-options.ts'
import { isLabelName } from '../literals.ts'
import { DEFAULT_PARSE_LIMITS } from '../parse-options.ts'
import { labelsOf, mapRowsInPieces, mergeEqualRows, type Grid } from './grid.ts'
import type { Pieces } from './pieces.ts'

/** `label_replace(v, target, replacement, source, regex)`: sets the target where the whole source value matches. */
export function* labelReplace(
  grid: Grid,
  [target, replacement, source, pattern]: readonly string[],
  { limits = DEFAULT_PARSE_LIMITS, regexStepsMax }: EngineOptions,
): Pieces<Grid> {
  const regex = compile(pattern!, limits.regex)
  const groups = largestGroup(replacement!, regex)
  let steps = 0
  if (!isLabelName(target!)) {
    throw new FleetError('query_execution', `invalid destination label name in label_replace(): ${target!}`)
  }
  // Rows often share a value of the source, and a Map lookup is cheaper than a match.
  const replaced = new Map<string, string | undefined>()
  const replacementOf = (value: string): string | undefined => {
    if (replaced.has(value)) return replaced.get(value)
    const work = new RegexWork(regexStepsMax)
    const match = regex.exec(value, work, groups)
    steps += work.steps
    const text = match === null ? undefined : expandGroups(replacement!, match)
    replaced.set(value, text)
    return text
  }
  const change = (labels: Labels): Labels => {
    const text = replacementOf(labels.get(source!))
    return text === undefined ? labels : labels.with(target!, text)
  }
  const isPieceOver = (): boolean => {
    if (steps < PIECE_STEPS) return false
    steps = 0
    return true
  }
  return yield* relabelled(grid, target!, change, isPieceOver)
}

/** Steps of a piece: 3 ms. */
const PIECE_STEPS = 200_000

function compile(pattern: string, limits: RegexLimits): AnchoredRegex {
  try {
    return compileAnchoredRegex(pattern, limits)
  } catch (thrown) {
    // As in a selector: it could be refused before anything is evaluated.
    if (thrown instanceof RegexLimitError) throw new FleetError('query_parse', `label_replace(): ${thrown.message}`)
    const message = `invalid regular expression in label_replace(): ${pattern}: ${messageOf(thrown)}`
    throw new FleetError('query_execution', message, { cause: thrown })
  }
}

/** `label_join(v, target, separator, sources...)`: the target becomes the joined values of the sources. */
export function* labelJoin(grid: Grid, [target, separator, ...sources]: readonly string[]): Pieces<Grid> {
  const bad = sources.find((name) => !isLabelName(name))
  if (bad !== undefined) throw new FleetError('query_execution', `invalid source label name in label_join(): ${bad}`)
  if (!isLabelName(target!)) {
    throw new FleetError('query_execution', `invalid destination label name in label_join(): ${target!}`)
  }
  return yield* relabelled(grid, target!, (labels) =>
    labels.with(target!, sources.map((name) => labels.get(name)).join(separator)),
  )
}

function* relabelled(
  grid: Grid,
  target: string,
  change: (labels: Labels) => Labels,
  isPieceOver?: () => boolean,
): Pieces<Grid> {
  const labels = yield* mapRowsInPieces(grid.labels, (_, row) => change(labelsOf(grid, row)), isPieceOver)
  const isOneName = target !== METRIC_NAME && (grid.isOneName || grid.isNameless)
  return mergeEqualRows({ ...grid, labels, isNameless: false, isOneName })
}
