/** Field access: keys of maps, fields of samples and of the data, methods of times. */
import { ownValue } from '../base/own-value.ts'
import {
  ZERO_TIME_MS,
  formatGoTime,
  formatGoDuration,
  formatLayout,
  monthOf,
  weekdayOf,
  zoneOffsetMs,
} from './go-time.ts'
import { TemplateError, typeName, type DurationValue, type TimeValue, type Value } from './value.ts'

/** Throws `TemplateError` for an unknown field, or for arguments of a plain field. */
export function fieldOf(value: Value, name: string, args: readonly Value[]): Value {
  if (typeof value === 'object' && value?.kind === 'time') return timeMethod(value, name, args)
  if (typeof value === 'object' && value?.kind === 'duration')
    return knownMethod(DURATION_METHODS, name, args, value)(value)
  const method = methodOf(value, name)
  if (method !== undefined) return method(args)
  if (args.length > 0) throw new TemplateError(`${name} has arguments but cannot be invoked as function`)
  if (value === null) throw new TemplateError(`nil data; no entry for key "${name}"`)
  if (typeof value === 'object') {
    switch (value.kind) {
      case 'map':
        return value.entries.get(name) ?? (value.element === 'string' ? '' : null)
      case 'sample':
        if (name === 'Labels') return value.labels
        if (name === 'Value') return value.value
        break
      case 'root': {
        const field = ownValue(value.fields, name)
        if (field !== undefined) return field
        throw new TemplateError(
          `can't evaluate field ${name} in the template's data; it has ${Object.keys(value.fields).join(', ')}`,
        )
      }
      case 'list':
      case 'html':
        break
    }
  }
  throw new TemplateError(`can't evaluate field ${name} in type ${typeName(value)}`)
}

function methodOf(value: Value, name: string): ((args: readonly Value[]) => Value) | undefined {
  if (value === null || typeof value !== 'object' || (value.kind !== 'map' && value.kind !== 'list')) return undefined
  const methods = value.behaviour?.methods
  return methods === undefined ? undefined : ownValue(methods, name)
}

/** Methods of a time, from the time and its zone's wall clock read as if it were UTC. */
const TIME_METHODS: Readonly<Record<string, (time: TimeValue, clock: Date) => Value>> = {
  UTC: ({ ms }) => ({ kind: 'time', ms }),
  IsZero: ({ ms }) => ms === ZERO_TIME_MS,
  String: ({ ms, zone }) => formatGoTime(ms, zone),
  Unix: ({ ms }) => BigInt(Math.floor(ms / 1000)),
  UnixMilli: ({ ms }) => BigInt(ms),
  Year: (_, clock) => BigInt(clock.getUTCFullYear()),
  Month: (_, clock) => monthOf(clock),
  Day: (_, clock) => BigInt(clock.getUTCDate()),
  Weekday: (_, clock) => weekdayOf(clock),
  Hour: (_, clock) => BigInt(clock.getUTCHours()),
  Minute: (_, clock) => BigInt(clock.getUTCMinutes()),
  Second: (_, clock) => BigInt(clock.getUTCSeconds()),
}

const DURATION_METHODS: Readonly<Record<string, (duration: DurationValue) => Value>> = {
  String: ({ ms }) => formatGoDuration(ms),
  Hours: ({ ms }) => ms / 3_600_000,
  Minutes: ({ ms }) => ms / 60_000,
  Seconds: ({ ms }) => ms / 1000,
  Milliseconds: ({ ms }) => BigInt(Math.trunc(ms)),
}

function timeMethod(time: TimeValue, name: string, args: readonly Value[]): Value {
  if (name === 'Format') {
    const [layout] = args
    if (args.length !== 1 || typeof layout !== 'string') throw new TemplateError('Format needs one layout text')
    return formatLayout(time.ms, layout, time.zone)
  }
  const clock = new Date(time.ms + zoneOffsetMs(time.ms, time.zone))
  return knownMethod(TIME_METHODS, name, args, time)(time, clock)
}

/** A method without arguments. */
function knownMethod<T>(methods: Readonly<Record<string, T>>, name: string, args: readonly Value[], value: Value): T {
  if (args.length > 0) throw new TemplateError(`wrong number of args for ${name}: want 0 got ${args.length}`)
  const method = ownValue(methods, name)
  if (method === undefined) throw new TemplateError(`can't evaluate field ${name} in type ${typeName(value)}`)
  return method
}
