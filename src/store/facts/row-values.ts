/** Values of columns that contain texts or JSON. Only this folder writes these columns. */
import { sql } from 'kysely'
import { invariant } from '../../base/invariant.ts'
import { Labels } from '../../model/labels.ts'

/** Databases limit the number of parameters of one statement. */
const ROWS_PER_INSERT = 500

/** Rows as several INSERTs take them. */
export function insertBatches<R>(rows: readonly R[]): readonly (readonly R[])[] {
  const count = Math.ceil(rows.length / ROWS_PER_INSERT)
  return Array.from({ length: count }, (_, i) => rows.slice(i * ROWS_PER_INSERT, (i + 1) * ROWS_PER_INSERT))
}

/** The right side of `in` for a list of any length, as one parameter. */
export function listed(values: readonly string[]) {
  return sql<string>`(SELECT value FROM json_each(${JSON.stringify(values)}))`
}

/** A text that is one of these. */
export function oneOf<T extends string>(values: readonly T[], text: string): T {
  const value = values.find((known) => known === text)
  invariant(value !== undefined, 'only known values are written')
  return value
}

export function textsOf(json: string): readonly string[] {
  return JSON.parse(json) as string[]
}

/** Written as `JSON.stringify(labels.flat)`. */
export function labelsOf(json: string): Labels {
  return Labels.fromFlat(textsOf(json))
}

export function annotationsOf(json: string): Readonly<Record<string, string>> {
  return JSON.parse(json) as Record<string, string>
}
