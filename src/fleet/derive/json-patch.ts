/** Reads a JSON patch (RFC 6902) as HCO does: an array of operations, or the reason why it is none. */
export interface PatchOperation {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

export type JsonPatch = { readonly operations: readonly PatchOperation[] } | { readonly fault: string }

/** Each operation of section 4, with the members it must have beside `op` and `path`. */
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  add: ['value'],
  remove: [],
  replace: ['value'],
  move: ['from'],
  copy: ['from'],
  test: ['value'],
}

/** A JSON pointer (RFC 6901): empty, or parts that each begin with a slash; `~` stands only in `~0` and `~1`. */
const POINTER = /^(\/([^~/]|~[01])*)*$/

export function parseJsonPatch(text: string): JsonPatch {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (thrown) {
    return { fault: `it is no JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}` }
  }
  if (!Array.isArray(parsed)) return { fault: `got ${nameOf(parsed)}, want an array of operations` }
  const operations: PatchOperation[] = []
  for (const [i, item] of parsed.entries()) {
    const fault = faultOf(item)
    if (fault !== undefined) return { fault: `operation ${i + 1}: ${fault}` }
    const { op, path, value } = item as PatchOperation
    operations.push({ op, path, ...(value === undefined ? {} : { value }) })
  }
  return { operations }
}

function faultOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return `got ${nameOf(item)}, want an object`
  const operation = item as Readonly<Record<string, unknown>>
  const { op, path, from } = operation
  const needed = typeof op === 'string' && Object.hasOwn(OPERATIONS, op) ? OPERATIONS[op] : undefined
  if (needed === undefined) return `got op ${JSON.stringify(op)}, want one of ${Object.keys(OPERATIONS).join(', ')}`
  if (typeof path !== 'string' || !POINTER.test(path)) return `got path ${JSON.stringify(path)}, want a JSON pointer`
  const missing = needed.find((name) => !(name in operation))
  if (missing !== undefined) return `${String(op)} has no ${missing}`
  if (needed.includes('from') && (typeof from !== 'string' || !POINTER.test(from))) {
    return `got from ${JSON.stringify(from)}, want a JSON pointer`
  }
  return undefined
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
