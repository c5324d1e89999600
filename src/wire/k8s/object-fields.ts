import type { KeyValue } from '../../model/attribute.ts'
import type { FieldPath } from '../../model/privacy.ts'
import { entriesOf, isMap, type ObjectValue } from './object-value.ts'

/** Removes fields of Kubernetes objects by their paths. Items of a list are entered as if the list were not there. */

export interface FieldTree {
  /** The rule that names the field; absent: only fields below it are named. */
  rule?: string
  readonly children: Map<string, FieldTree>
}

export function fieldTreeOf(paths: Iterable<readonly [path: FieldPath, rule: string]>): FieldTree {
  const root: FieldTree = { children: new Map() }
  for (const [path, rule] of paths) {
    let here = root
    for (const key of path) {
      let next = here.children.get(key)
      if (next === undefined) here.children.set(key, (next = { children: new Map() }))
      here = next
    }
    here.rule ??= rule
  }
  return root
}

/** The value without the fields of the tree. @param dropped is given the rule of each */
export function withoutFields(
  value: ObjectValue,
  trees: readonly FieldTree[],
  dropped: (rule: string) => void,
): ObjectValue {
  if (trees.length === 0) return value
  if (Array.isArray(value)) {
    return (value as readonly ObjectValue[]).map((item) => withoutFields(item, trees, dropped))
  }
  if (!isMap(value)) return value
  const entries = entriesOf(value).flatMap(({ key, value: item }): KeyValue[] => {
    const below = stepInto(trees, key)
    const rule = below.find((tree) => tree.rule !== undefined)?.rule
    if (rule === undefined) return [{ key, value: withoutFields(item, below, dropped) }]
    dropped(rule)
    return []
  })
  return { entries }
}

/** The value with the fields of the tree alone, and what is below them. @param dropped is called for each field that is not */
export function onlyFields(value: ObjectValue, trees: readonly FieldTree[], dropped: () => void): ObjectValue {
  if (Array.isArray(value)) return (value as readonly ObjectValue[]).map((item) => onlyFields(item, trees, dropped))
  if (!isMap(value)) return value
  const entries = entriesOf(value).flatMap(({ key, value: item }): KeyValue[] => {
    const below = stepInto(trees, key)
    if (below.some((tree) => tree.rule !== undefined)) return [{ key, value: item }]
    if (below.length > 0 && typeof item === 'object') return [{ key, value: onlyFields(item, below, dropped) }]
    dropped()
    return []
  })
  return { entries }
}

function stepInto(trees: readonly FieldTree[], key: string): readonly FieldTree[] {
  return trees.flatMap(({ children }) => [children.get(key), children.get('*')].filter((tree) => tree !== undefined))
}
