import { FleetError, messageOf } from '../../base/errors.ts'
import { METRIC_NAME, type Labels } from '../../model/labels.ts'
import { compileAnchoredRegex, expandGroups, type AnchoredRegex } from '../../model/regex.ts'
import { isLabelName } from '../literals.ts'
import { labelsOf, mapRowsInPieces, mergeEqualRows, type Grid } from './grid.ts'
import type { Pieces } from './pieces.ts'

/** `label_replace(v, target, replacement, source, regex)`: sets the target where the whole source value matches. */
export function* labelReplace(grid: Grid, [target, replacement, source, pattern]: readonly string[]): Pieces<Grid> {
  const regex = compile(pattern!)
  if (!isLabelName(target!)) {
    throw new FleetError('query_execution', `invalid destination label name in label_replace(): ${target!}`)
  }
  // Rows often share a value of the source, and a Map lookup is cheaper than a match.
  const replaced = new Map<string, string | undefined>()
  const replacementOf = (value: string): string | undefined => {
    if (replaced.has(value)) return replaced.get(value)
    const match = regex.exec(value)
    const text = match === null ? undefined : expandGroups(replacement!, match)
    replaced.set(value, text)
    return text
  }
  return yield* relabelled(grid, target!, (labels) => {
    const text = replacementOf(labels.get(source!))
    return text === undefined ? labels : labels.with(target!, text)
  })
}

function compile(pattern: string): AnchoredRegex {
  try {
    return compileAnchoredRegex(pattern)
  } catch (thrown) {
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

function* relabelled(grid: Grid, target: string, change: (labels: Labels) => Labels): Pieces<Grid> {
  const labels = yield* mapRowsInPieces(grid.labels, (_, row) => change(labelsOf(grid, row)))
  const isOneName = target !== METRIC_NAME && (grid.isOneName || grid.isNameless)
  return mergeEqualRows({ ...grid, labels, isNameless: false, isOneName })
}
