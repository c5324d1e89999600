import type { ObjectFacts } from '../../model/object-facts.ts'

/** The differences between two states of an object, field by field. */
export type FieldValue = string | number | boolean

export interface FieldChange {
  /** `phase`, `conditions[Progressing].status`, `history[3].reason`, `featureGates.alignCPUs`. */
  readonly field: string
  /** Absent: the field was added. */
  readonly before?: FieldValue
  /** Absent: the field was removed. */
  readonly after?: FieldValue
}

/** By name of the field. Times are RFC 3339 texts, and their names have no unit. */
export function fieldChanges(before: ObjectFacts, after: ObjectFacts): readonly FieldChange[] {
  const was = fieldsOf(before)
  const is = fieldsOf(after)
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((field) => {
    const [old, now] = [was.get(field), is.get(field)]
    if (old === now) return []
    return [{ field, ...(old === undefined ? {} : { before: old }), ...(now === undefined ? {} : { after: now }) }]
  })
}

function fieldsOf(facts: ObjectFacts): ReadonlyMap<string, FieldValue> {
  const fields = new Map<string, FieldValue>()
  collect('', facts, fields)
  return fields
}

function collect(path: string, value: unknown, into: Map<string, FieldValue>): void {
  if (typeof value === 'string' || typeof value === 'boolean') into.set(path, value)
  else if (typeof value === 'number') {
    const isTime = path.endsWith('Ms')
    into.set(isTime ? path.slice(0, -2) : path, isTime ? new Date(value).toISOString() : value)
  } else if (Array.isArray(value)) collectItems(path, value, into)
  else if (typeof value === 'object' && value !== null) {
    // The name of a record of times ends in the unit; the names of its entries do not.
    const isOfTimes = path.endsWith('Ms')
    for (const [name, item] of Object.entries(value)) {
      const under = isOfTimes ? path.slice(0, -2) : path
      collect(`${under === '' ? '' : `${under}.`}${name}${isOfTimes ? 'Ms' : ''}`, item, into)
    }
  }
}

/** Items with a type are identified by the type, not by their index; a list of texts is one text. */
function collectItems(path: string, items: readonly unknown[], into: Map<string, FieldValue>): void {
  if (items.every((item) => typeof item === 'string')) {
    if (items.length > 0) into.set(path, items.join(', '))
    return
  }
  items.forEach((item, i) => {
    const type = typeof item === 'object' && item !== null && 'type' in item ? String(item.type) : String(i)
    collect(`${path}[${type}]`, item, into)
  })
}
