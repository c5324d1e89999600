/** What a patch changes in the operand, field by field. */
import { ownValue } from '../../base/own-value.ts'
import type { PatchDifference } from '../../model/patch-analysis.ts'
import { isObject, pointerOf, canonicalText } from './pointer.ts'

const DIFFERENCES_MAX = 200

/** In the order of the fields' names; at most 200. Lists are compared as a whole. */
export function patchDifferences(before: unknown, after: unknown): readonly PatchDifference[] {
  const found: PatchDifference[] = []
  compare([], before, after, found)
  return found
}

function compare(steps: readonly string[], before: unknown, after: unknown, found: PatchDifference[]): void {
  if (found.length >= DIFFERENCES_MAX) return
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
    for (const name of names) {
      compare([...steps, name], ownValue(before, name), ownValue(after, name), found)
    }
    return
  }
  if (before !== undefined && after !== undefined && canonicalText(before) === canonicalText(after)) return
  if (before === undefined && after === undefined) return
  found.push({
    path: pointerOf(steps),
    ...(before === undefined ? {} : { without: canonicalText(before) }),
    ...(after === undefined ? {} : { with: canonicalText(after) }),
  })
}
