import { namePatternText, readNamePattern, type NamePattern } from '../model/client-certificate.ts'
import { formatDuration, parseDuration } from '../model/duration.ts'
import { isNetwork } from '../model/network.ts'
import { formatSelector, parseSelector, SELECTOR_WANTED } from '../model/cluster-scope.ts'
import { PROCESS_ROLES, type ProcessRole } from '../model/process-role.ts'
import { LADDER, type GroupRole } from '../model/token.ts'

/** A kind of value of options: how its text is parsed and how `--help` names it. */
export interface ValueKind<T> {
  /** As shown in help: `DUR`, `DIR`. */
  readonly placeholder: string
  /** The value, or a description of the expected text. */
  readonly read: (text: string) => Readout<T>
  /** The text from which `read` returns the value. */
  write(value: T): string
  /** An option of this kind. @param byDefault as a user writes it @param help one or two sentences */
  readonly option: (byDefault: string, help: string) => OptionSpec<T>
}

export interface OptionSpec<T> {
  readonly kind: ValueKind<T>
  readonly default: string
  readonly help: string
}

type Readout<T> = { readonly value: T } | { readonly wanted: string }

function kindOf<T>(placeholder: string, read: ValueKind<T>['read'], write: (value: T) => string = String) {
  const kind: ValueKind<T> = {
    placeholder,
    read,
    write,
    option: (byDefault, help) => ({ kind, default: byDefault, help }),
  }
  return kind
}

export const text = (placeholder: string): ValueKind<string> =>
  kindOf(placeholder, (raw) => (raw === '' ? { wanted: 'a text that is not empty' } : { value: raw }))

/** A text that may be empty. */
export const optionalText = (placeholder: string): ValueKind<string> => kindOf(placeholder, (raw) => ({ value: raw }))

/** Milliseconds, from a duration in Prometheus' format. */
export const duration = kindOf<number>(
  'DUR',
  (raw) => {
    const value = parseDuration(raw)
    return value === undefined ? { wanted: 'a duration such as 15s, 1h30m, 30d' } : { value }
  },
  formatDuration,
)

/** Milliseconds; `Infinity` for `never` and for 0. */
export const durationOrNever = kindOf<number>(
  'DUR',
  (raw) => {
    if (raw === 'never' || raw === '0') return { value: Infinity }
    const value = parseDuration(raw)
    if (value === undefined) return { wanted: 'a duration such as 12h, 14d, 8w, or never' }
    return { value: value === 0 ? Infinity : value }
  },
  (value) => (value === Infinity ? 'never' : formatDuration(value)),
)

/** The same, and nothing shorter than `minMs`. */
export const durationOrNeverFrom = (minMs: number) =>
  kindOf<number>(
    'DUR',
    (raw) => {
      const readout = durationOrNever.read(raw)
      if ('wanted' in readout || readout.value >= minMs) return readout
      return { wanted: `a duration of at least ${formatDuration(minMs)}, or never` }
    },
    (value) => durationOrNever.write(value),
  )

/** Milliseconds, separated by commas. */
export const risingDurations = kindOf<readonly number[]>(
  'DUR,...',
  (raw) => {
    const values = raw.split(',').map((part) => parseDuration(part.trim()))
    const isRising = values.every((value, i) => {
      const before = values[i - 1]
      return value !== undefined && value > 0 && (before === undefined || (value > before && value % before === 0))
    })
    return isRising
      ? { value: values.map(Number) }
      : { wanted: 'durations such as 1d,8d, each a multiple of the one before' }
  },
  (values) => values.map(formatDuration).join(','),
)

const BYTE_UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({ '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 }),
)

/** Bytes, with an optional binary unit. */
export const bytes = kindOf<number>(
  'BYTES',
  (raw) => {
    const parts = /^(\d+)\s*([KMGT]iB)?$/.exec(raw)
    if (parts === null) return { wanted: 'a size such as 512KiB, 32MiB, 2GiB' }
    return { value: Number(parts[1]) * BYTE_UNITS.get(parts[2] ?? '')! }
  },
  (value) => {
    const [unit, size] = [...BYTE_UNITS].findLast(([, size]) => value % size === 0) ?? ['', 1]
    return value === 0 ? '0' : `${value / size}${unit}`
  },
)

export const count = kindOf<number>('N', (raw) => {
  const value = Number(raw)
  return /^\d+$/.test(raw) && Number.isSafeInteger(value) ? { value } : { wanted: 'a whole number, 0 or more' }
})

/** For limits that can only be lowered. */
export const countUpTo = (max: number): ValueKind<number> =>
  kindOf<number>('N', (raw) => {
    const readout = count.read(raw)
    return 'value' in readout && readout.value <= max ? readout : { wanted: `a whole number, at most ${max}` }
  })

export const countFrom = (min: number): ValueKind<number> =>
  kindOf<number>('N', (raw) => {
    const readout = count.read(raw)
    return 'value' in readout && readout.value >= min ? readout : { wanted: `a whole number, at least ${min}` }
  })

export const flag = kindOf<boolean>('', (raw) =>
  raw === 'true' || raw === 'false' ? { value: raw === 'true' } : { wanted: 'true or false' },
)

/** Texts separated by commas; the option may also be repeated. */
export const list = (placeholder: string): ValueKind<readonly string[]> =>
  kindOf(`${placeholder},...`, (raw) => {
    const parts = raw.split(',').map((part) => part.trim())
    return { value: parts.filter((part) => part !== '') }
  })

export const oneOf = <T extends string>(choices: readonly T[]): ValueKind<T> =>
  kindOf(choices.join('|'), (raw) => {
    const value = choices.find((choice) => choice === raw)
    return value === undefined ? { wanted: `one of ${choices.join(', ')}` } : { value }
  })

/** `GROUP=ROLE` or `GROUP=ROLE@SELECTOR`, separated by commas; a comma of a group is written `\\,`. */
export const groupRoles = kindOf<readonly GroupRole[]>(
  'GROUP=ROLE[@CLUSTERS],...',
  (raw) => {
    const parts = raw.split(/(?<!\\),/).filter((part) => part.trim() !== '')
    const value: GroupRole[] = []
    for (const part of parts) {
      const read = groupRoleOf(part)
      if (typeof read === 'string') return { wanted: read }
      value.push(read)
    }
    return { value }
  },
  (value) =>
    value
      .map(({ group, role, clusters }) => {
        const scope = clusters === undefined ? '' : `@${formatSelector(clusters)}`
        return `${group.replaceAll(',', '\\,')}=${role}${scope}`
      })
      .join(','),
)

/** The entry, or what is wanted in its place. */
function groupRoleOf(part: string): GroupRole | string {
  const [, name = '', word = '', scope] = GROUP_ROLE.exec(part) ?? []
  const role = LADDER.find((known) => known === word)
  const group = name.trim().replaceAll('\\,', ',')
  if (role === undefined || group === '') {
    return `groups with their role (${LADDER.join(', ')}), such as fleet-admins=admin,sre=responder,*=viewer or eu-sre=responder@region=eu`
  }
  if (scope === undefined) return { group, role }
  const clusters = parseSelector(scope)
  return clusters === undefined ? `after @ ${SELECTOR_WANTED}` : { group, role, clusters }
}

/** The first `=ROLE` that `@` or the end follows: no name of a cluster becomes a role. */
const GROUP_ROLE = new RegExp(`^(.*?)=\\s*(${LADDER.join('|')})\\s*(?:@(.*))?$`, 's')

/** At least one. */
export const processRoles = kindOf<readonly ProcessRole[]>('ROLE,...', (raw) => {
  const parts = new Set(raw.split(',').map((part) => part.trim()))
  const value = PROCESS_ROLES.filter((role) => parts.has(role))
  return value.length === parts.size ? { value } : { wanted: `some of ${PROCESS_ROLES.join(', ')}` }
})

/** Addresses and networks. */
export const networks = kindOf<readonly string[]>('NET,...', (raw) => {
  const value = raw.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
  return value.every(isNetwork) ? { value } : { wanted: 'addresses or networks such as 10.0.0.7,10.1.0.0/16,fd00::/8' }
})

export const namePatterns = kindOf<readonly NamePattern[]>(
  'NAME,...',
  (raw) => {
    const read = raw.split(',').flatMap((part) => (part.trim() === '' ? [] : [readNamePattern(part.trim())]))
    const value = read.filter((one) => one !== undefined)
    return value.length === read.length
      ? { value }
      : { wanted: 'names such as cn:*, dns:*.clusters.example, uri:spiffe://fleet/*, dns:agent.example=prague' }
  },
  (value) => value.map(namePatternText).join(','),
)

/** `HOST:PORT`, with an IPv6 host in brackets. */
export const address = kindOf<{ readonly host: string; readonly port: number }>(
  'HOST:PORT',
  (raw) => {
    const parts = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]+):(\d{1,5})$/.exec(raw)
    const port = Number(parts?.[2])
    if (parts === null || port > 65_535) return { wanted: 'an address such as 127.0.0.1:4318 or [::1]:4318' }
    return { value: { host: parts[1]!.replace(/^\[|\]$/g, ''), port } }
  },
  ({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`,
)

export const url = kindOf<string>('URL', (raw) =>
  URL.canParse(raw) && /^https?:$/.test(new URL(raw).protocol)
    ? { value: raw.replace(/\/+$/, '') }
    : { wanted: 'an address that starts with http:// or https://' },
)

/** A share, 0 to 1. */
export const ratio = kindOf<number>('SHARE', (raw) => {
  const value = Number(raw)
  return /^(\d|\d?\.\d+)$/.test(raw) && value <= 1 ? { value } : { wanted: 'a share of 1, such as 0.05 or 1' }
})

/** The receiver of own traces; a URL without `/v1/traces`. */
export const offSelfOrUrl = kindOf<string>('off|self|URL', (raw) => {
  if (raw === 'off' || raw === 'self') return { value: raw }
  const readout = url.read(raw)
  return 'value' in readout ? readout : { wanted: `off, self, or ${readout.wanted}` }
})

/** As written, with a slash at the end where there is one; may be empty. */
export const optionalUrl = kindOf<string>('URL', (raw) => {
  const readout: Readout<string> = raw === '' ? { value: raw } : url.read(raw)
  return 'value' in readout ? { value: raw } : readout
})

const POSTGRES_WANTED = 'an address such as postgres://daytwo@db.example:5432/daytwo, without a password'

/** Of a database; may be empty. A password in it would be shown wherever the configuration is. */
export const postgresUrl = kindOf<string>('URL', (raw) => {
  if (raw === '') return { value: raw }
  const parts = URL.canParse(raw) ? new URL(raw) : undefined
  const isFull = parts?.hostname !== '' && parts?.username !== '' && /^\/[^/]+$/.test(parts?.pathname ?? '')
  const hasMore = parts?.password !== '' || parts.search !== '' || parts.hash !== ''
  return /^postgres(ql)?:$/.test(parts?.protocol ?? '') && isFull && !hasMore
    ? { value: raw }
    : { wanted: POSTGRES_WANTED }
})

export const urls = kindOf<readonly string[]>('URL,...', (raw) => {
  const readouts = raw
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => url.read(part.trim()))
  const bad = readouts.find((readout) => 'wanted' in readout)
  return bad ?? { value: readouts.map((readout) => ('value' in readout ? readout.value : '')) }
})
