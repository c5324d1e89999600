/**
 * Parameters of the fleet routes, read by the schema that documents them. Unknown names, invalid values and too many
 * values are refused, with the received and the expected value.
 */
import type { FastifyRequest } from 'fastify'
import type { Static, TObject } from 'typebox'
import { FleetError } from '../../base/errors.ts'
import { invalidParam, parseTime } from '../prometheus/params.ts'
import { searchOf } from '../server/request-text.ts'

/** A parameter's schema, as far as it is read. */
interface ParamSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: ParamSchema
}

/** A list parameter has this many values at most. */
const VALUES_MAX = 100

/** An empty value counts as absent. */
export function readQuery<T extends TObject>(schema: T, request: FastifyRequest): Static<T> {
  const given = new URLSearchParams(searchOf(request))
  const known = schema.properties as unknown as Readonly<Record<string, ParamSchema>>
  for (const name of new Set(given.keys())) {
    if (Object.hasOwn(known, name)) continue
    const names = Object.keys(known).sort().join(', ')
    const want = names === '' ? 'this path takes none' : `want one of ${names}`
    throw new FleetError('bad_request', `unknown parameter ${JSON.stringify(name)}, ${want}`)
  }
  const { required = [] } = schema as { readonly required?: readonly string[] }
  const values: Record<string, unknown> = {}
  for (const [name, param] of Object.entries(known)) {
    const texts = given.getAll(name).filter((text) => text !== '')
    if (texts.length > 0) values[name] = valueOf(name, param, texts)
    else if (required.includes(name)) throw invalidParam(name, 'got nothing, want a value')
  }
  return values as Static<T>
}

function valueOf(name: string, param: ParamSchema, texts: readonly string[]): unknown {
  if (param.type === 'array') {
    if (texts.length > VALUES_MAX) throw invalidParam(name, `got ${texts.length} values, want at most ${VALUES_MAX}`)
    return [...new Set(texts)].map((text) => scalarOf(name, param.items ?? {}, text))
  }
  if (texts.length > 1) throw invalidParam(name, `got ${texts.length} values, want one`)
  return scalarOf(name, param, texts[0]!)
}

function scalarOf(name: string, param: ParamSchema, text: string): unknown {
  const { type, enum: words, format, minimum = -Infinity, maximum = Infinity } = param
  const refuse = (want: string): FleetError => invalidParam(name, `got ${JSON.stringify(text)}, want ${want}`)
  if (type === 'integer') {
    const count = /^-?\d{1,15}$/.test(text) ? Number(text) : NaN
    if (count >= minimum && count <= maximum) return count
    throw refuse(`a whole number from ${minimum} to ${maximum}`)
  }
  if (type === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw refuse('true or false')
  }
  if (words !== undefined && !words.includes(text)) throw refuse(`one of ${words.join(', ')}`)
  if (format === 'date-time' && timeMsOf(text) === undefined) throw refuse('a time such as 2026-11-21T23:38:01Z')
  return text
}

/** RFC 3339 only; a plain number is refused here. */
function timeMsOf(text: string): number | undefined {
  return text.includes('T') ? parseTime(text) : undefined
}

/** A time that `readQuery` has read. */
export function msOf(text: string): number
export function msOf(text: string | undefined): number | undefined
export function msOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : timeMsOf(text)
}

/** The values of some parameters that were given. */
export function pick<T extends object, K extends keyof T>(values: T, ...names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  ) as Pick<T, K>
}
