/** Fields of a configuration file that was parsed from YAML. Each throws an error that names the field, what it has, and what is expected. */
import { didYouMean } from '../base/nearest.ts'

/** Of one list, unless the caller has less. */
const ITEMS_MAX = 1000

export function fieldsOf(what: string, tree: unknown, known: readonly string[]): ReadonlyMap<string, unknown> {
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) {
    throw new Error(`${what}: got ${JSON.stringify(tree)}, want a map with ${known.join(', ')}`)
  }
  const fields = new Map<string, unknown>(Object.entries(tree))
  for (const key of fields.keys()) {
    if (known.includes(key)) continue
    throw new Error(
      `${what}: unknown key ${JSON.stringify(key)}; ${didYouMean(key, known) ?? `want ${known.join(', ')}`}`,
    )
  }
  return fields
}

/** An absent list is empty. */
export function listOf(what: string, tree: unknown, itemsMax = ITEMS_MAX): readonly unknown[] {
  if (tree === undefined || tree === null) return []
  if (!Array.isArray(tree)) throw new Error(`${what}: got ${JSON.stringify(tree)}, want a list`)
  if (tree.length > itemsMax) throw new Error(`${what}: got ${tree.length} items, want at most ${itemsMax}`)
  return tree
}

export function textOf(what: string, tree: unknown): string {
  if (typeof tree === 'string' && tree !== '') return tree
  throw new Error(`${what}: got ${JSON.stringify(tree)}, want a text`)
}
