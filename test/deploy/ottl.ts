/**
 * The few words of the Collector's transformation language that the edge kit's statements are made of, over plain objects:
 * `delete_key` and `keep_keys`, with conditions of `IsMap`, `==`, `and`, and `or` in brackets. Anything else throws.
 */

type Body = Record<string, unknown>

const STATEMENT = /^(delete_key|keep_keys)\((body(?:\["[^"]+"\])+), (.+?)\) where (.+)$/
const IS_MAP = /^IsMap\((body(?:\["[^"]+"\])*)\)$/
const EQUALS = /^(body(?:\["[^"]+"\])*) == "([^"]*)"$/

/** The body after all statements; what is given stays as it is. */
export function transformed(body: Body, statements: readonly string[]): Body {
  const after = structuredClone(body)
  for (const statement of statements) {
    const [, verb, target, argument, condition] = STATEMENT.exec(statement) ?? []
    if (condition === undefined) throw new Error(`no statement of the kit: ${statement}`)
    if (!holds(condition, after)) continue
    const map = valueAt(after, target!) as Body
    const keys = [...argument!.matchAll(/"([^"]+)"/g)].map(([, key]) => key!)
    for (const key of Object.keys(map)) {
      if (keys.includes(key) === (verb === 'delete_key')) Reflect.deleteProperty(map, key)
    }
  }
  return after
}

function holds(condition: string, body: Body): boolean {
  return condition.split(' and ').every((term) =>
    term
      .replace(/^\((.*)\)$/, '$1')
      .split(' or ')
      .some((atom) => isTrue(atom, body)),
  )
}

function isTrue(atom: string, body: Body): boolean {
  const map = IS_MAP.exec(atom)
  if (map !== null) return isMap(valueAt(body, map[1]!))
  const equals = EQUALS.exec(atom)
  if (equals === null) throw new Error(`no condition of the kit: ${atom}`)
  return valueAt(body, equals[1]!) === equals[2]
}

/** Nothing where the path leads nowhere, as in the Collector. */
function valueAt(body: Body, path: string): unknown {
  let here: unknown = body
  for (const [, key] of path.matchAll(/\["([^"]+)"\]/g)) here = isMap(here) ? here[key!] : undefined
  return here
}

function isMap(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
