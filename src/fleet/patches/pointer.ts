/** JSON pointers (RFC 6901) and values by steps. Names are foreign: only own properties are read. */
import { ownValue } from '../../base/own-value.ts'

/** The steps of a pointer; the empty pointer has none. */
export function stepsOf(pointer: string): readonly string[] {
  return pointer.split('/').slice(1).map(unescaped)
}

/** RFC 6901, in this order: `~01` is `~1`. */
export function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

export function pointerOf(steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `undefined`: not there. */
export function valueAt(value: unknown, steps: readonly string[]): unknown {
  let at = value
  for (const step of steps) {
    if (typeof at !== 'object' || at === null) return undefined
    at = ownValue(at as Readonly<Record<string, unknown>>, step)
  }
  return at
}

/** `{a: {b: value}}` for the steps a and b; `__proto__` is a name like others. */
export function nested(steps: readonly string[], value: unknown): unknown {
  return steps.reduceRight<unknown>((inner, step) => objectOf([[step, inner]]), value)
}

function objectOf(entries: Iterable<readonly [string, unknown]>): unknown {
  return Object.fromEntries(entries)
}

/** Both, with the fields of `second` where both have one. */
export function merged(first: unknown, second: unknown): unknown {
  if (!isObject(first) || !isObject(second)) return second
  const result = new Map(Object.entries(first))
  for (const [name, value] of Object.entries(second)) {
    result.set(name, result.has(name) ? merged(result.get(name), value) : value)
  }
  return objectOf(result)
}

/** The value with the names of each object in order. */
export function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, ordered(inner)] as const)
  return objectOf(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** JSON with the names of each object in order: equal values have equal texts. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(ordered(value) ?? null)
}

/** @returns whether a value has no more than `depthMax` levels */
export function isShallow(value: unknown, depthMax: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depthMax > 0 && Object.values(value).every((inner) => isShallow(inner, depthMax - 1))
}
