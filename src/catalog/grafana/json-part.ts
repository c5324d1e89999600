/** Fields of Grafana's JSON, which has no schema for all its versions: a value of another type counts as absent. */

export type Json = Readonly<Record<string, unknown>>

export function recordAt(json: unknown, ...path: readonly string[]): Json {
  let at: unknown = json
  for (const key of path) at = isRecord(at) ? at[key] : undefined
  return isRecord(at) ? at : {}
}

export function listAt(json: unknown, key: string): readonly Json[] {
  const list = isRecord(json) ? json[key] : undefined
  return Array.isArray(list) ? list.filter(isRecord) : []
}

/** Texts of a list; a single text counts as a list of one. */
export function textsAt(json: unknown, key: string): readonly string[] {
  const value = isRecord(json) ? json[key] : undefined
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((one) => typeof one === 'string')
}

export function textAt(json: unknown, key: string): string {
  const value = isRecord(json) ? json[key] : undefined
  return typeof value === 'string' ? value : ''
}

/** Also accepts a number in a text. */
export function numberAt(json: unknown, key: string): number | undefined {
  const value = isRecord(json) ? json[key] : undefined
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

export function isTrueAt(json: unknown, key: string): boolean {
  return isRecord(json) && json[key] === true
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
