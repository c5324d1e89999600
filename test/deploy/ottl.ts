/**
 * The few words of the Collector's transformation language that the edge kit's statements are made of, over plain objects:
 * `delete_key` and `keep_keys`, with conditions of `IsMap`, `IsList`, `Len(...) >`, `==`, `and`, and `or` in brackets. Anything
 * else throws, and so does an index past the end of a list, for which the Collector writes an error.
 */

type Body = Record<string, unknown>

const STATEMENT = /^(delete_key|keep_keys)\((body(?:\["[^"]+"\]|\[\d+\])+), (.+?)\) where (.+)$/
const IS_MAP = /^IsMap\((body(?:\["[^"]+"\])*)\)$/
const IS_LIST = /^IsList\((body(?:\["[^"]+"\])*)\)$/
const IS_LONGER = /^Len\((body(?:\["[^"]+"\])*)\) > (\d+)$/
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
  const list = IS_LIST.exec(atom)
  if (list !== null) return Array.isArray(valueAt(body, list[1]!))
  const longer = IS_LONGER.exec(atom)
  if (longer !== null) return (valueAt(body, longer[1]!) as readonly unknown[]).length > Number(longer[2])
  const equals = EQUALS.exec(atom)
  if (equals === null) throw new Error(`no condition of the kit: ${atom}`)
  return valueAt(body, equals[1]!) === equals[2]
}

/** Nothing where the path leads nowhere, as in the Collector. */
function valueAt(body: Body, path: string): unknown {
  let here: unknown = body
  for (const [, key, index] of path.matchAll(/\["([^"]+)"\]|\[(\d+)\]/g)) {
    if (index === undefined) here = isMap(here) ? here[key!] : undefined
    else {
      if (!Array.isArray(here) || here.length <= Number(index)) throw new Error(`no item ${index} at ${path}`)
      here = here[Number(index)]
    }
  }
  return here
}

function isMap(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
