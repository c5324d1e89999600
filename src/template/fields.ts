/** Field access: keys of maps, fields of samples and of the data, methods of times. */
import {
  MONTHS,
  WEEKDAYS,
  ZERO_TIME_MS,
  formatGoTime,
  formatGoDuration,
  formatLayout,
  zoneOffsetMs,
} from './go-time.ts'
import { TemplateError, typeName, type DurationValue, type TimeValue, type Value } from './value.ts'

/** Throws `TemplateError` for an unknown field, or for arguments of a plain field. */
export function fieldOf(value: Value, name: string, args: readonly Value[]): Value {
  if (typeof value === 'object' && value?.kind === 'time') return timeMethod(value, name, args)
  if (typeof value === 'object' && value?.kind === 'duration') return durationMethod(value, name, args)
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
        const field = value.fields[name]
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
  return methods !== undefined && Object.hasOwn(methods, name) ? methods[name] : undefined
}

function timeMethod(time: TimeValue, name: string, args: readonly Value[]): Value {
  // The wall clock of its zone, read as if it were UTC.
  const date = new Date(time.ms + zoneOffsetMs(time.ms, time.zone))
  if (name === 'Format') {
    const [layout] = args
    if (args.length !== 1 || typeof layout !== 'string') throw new TemplateError('Format needs one layout text')
    return formatLayout(time.ms, layout, time.zone)
  }
  if (args.length > 0) throw new TemplateError(`wrong number of args for ${name}: want 0 got ${args.length}`)
  switch (name) {
    case 'UTC':
      return { kind: 'time', ms: time.ms }
    case 'IsZero':
      return time.ms === ZERO_TIME_MS
    case 'String':
      return formatGoTime(time.ms, time.zone)
    case 'Unix':
      return BigInt(Math.floor(time.ms / 1000))
    case 'UnixMilli':
      return BigInt(time.ms)
    case 'Year':
      return BigInt(date.getUTCFullYear())
    case 'Month':
      return MONTHS[date.getUTCMonth()]!
    case 'Day':
      return BigInt(date.getUTCDate())
    case 'Weekday':
      return WEEKDAYS[date.getUTCDay()]!
    case 'Hour':
      return BigInt(date.getUTCHours())
    case 'Minute':
      return BigInt(date.getUTCMinutes())
    case 'Second':
      return BigInt(date.getUTCSeconds())
    default:
      throw new TemplateError(`can't evaluate field ${name} in type *time.Time`)
  }
}

function durationMethod(duration: DurationValue, name: string, args: readonly Value[]): Value {
  if (args.length > 0) throw new TemplateError(`wrong number of args for ${name}: want 0 got ${args.length}`)
  switch (name) {
    case 'String':
      return formatGoDuration(duration.ms)
    case 'Hours':
      return duration.ms / 3_600_000
    case 'Minutes':
      return duration.ms / 60_000
    case 'Seconds':
      return duration.ms / 1000
    case 'Milliseconds':
      return BigInt(Math.trunc(duration.ms))
    default:
      throw new TemplateError(`can't evaluate field ${name} in type *time.Duration`)
  }
}
