import { formatDuration, parseDuration } from '../model/duration.ts'

/**
 * The kinds of value of options: how their text is parsed and how `--help` names them. A reader returns the value, or a
 * description of the expected text.
 */
export interface ValueKind<T> {
  /** As shown in help: `DUR`, `DIR`. */
  readonly placeholder: string
  readonly read: (text: string) => Readout<T>
  /** The text from which `read` returns the value. */
  write(value: T): string
}

export type Readout<T> = { readonly value: T } | { readonly wanted: string }

export const text = (placeholder: string): ValueKind<string> => ({
  placeholder,
  read: (raw) => (raw === '' ? { wanted: 'a text that is not empty' } : { value: raw }),
  write: (value) => value,
})

/** A text that may be empty. */
export const optionalText = (placeholder: string): ValueKind<string> => ({
  placeholder,
  read: (raw) => ({ value: raw }),
  write: (value) => value,
})

/** Milliseconds, from a duration in Prometheus' format. */
export const duration: ValueKind<number> = {
  placeholder: 'DUR',
  read: (raw) => {
    const value = parseDuration(raw)
    return value === undefined ? { wanted: 'a duration such as 15s, 1h30m, 30d' } : { value }
  },
  write: formatDuration,
}

/** Milliseconds; `Infinity` for `never` and for 0. */
export const durationOrNever: ValueKind<number> = {
  placeholder: 'DUR',
  read: (raw) => {
    if (raw === 'never' || raw === '0') return { value: Infinity }
    const value = parseDuration(raw)
    if (value === undefined) return { wanted: 'a duration such as 12h, 14d, 8w, or never' }
    return { value: value === 0 ? Infinity : value }
  },
  write: (value) => (value === Infinity ? 'never' : formatDuration(value)),
}

/** Milliseconds, separated by commas. */
export const risingDurations: ValueKind<readonly number[]> = {
  placeholder: 'DUR,...',
  read: (raw) => {
    const values = raw.split(',').map((part) => parseDuration(part.trim()))
    const isRising = values.every((value, i) => {
      const before = values[i - 1]
      return value !== undefined && value > 0 && (before === undefined || (value > before && value % before === 0))
    })
    return isRising
      ? { value: values.map(Number) }
      : { wanted: 'durations such as 1d,8d, each a multiple of the one before' }
  },
  write: (values) => values.map(formatDuration).join(','),
}

const BYTE_UNITS: Readonly<Record<string, number>> = { '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 }

/** Bytes, with an optional binary unit. */
export const bytes: ValueKind<number> = {
  placeholder: 'BYTES',
  read: (raw) => {
    const parts = /^(\d+)\s*([KMGT]iB)?$/.exec(raw)
    if (parts === null) return { wanted: 'a size such as 512KiB, 32MiB, 2GiB' }
    return { value: Number(parts[1]) * BYTE_UNITS[parts[2] ?? '']! }
  },
  write: (value) => {
    const [unit, size] = Object.entries(BYTE_UNITS).findLast(([, size]) => value % size === 0) ?? ['', 1]
    return value === 0 ? '0' : `${value / size}${unit}`
  },
}

export const count: ValueKind<number> = {
  placeholder: 'N',
  read: (raw) => {
    const value = Number(raw)
    return /^\d+$/.test(raw) && Number.isSafeInteger(value) ? { value } : { wanted: 'a whole number, 0 or more' }
  },
  write: String,
}

export const flag: ValueKind<boolean> = {
  placeholder: '',
  read: (raw) => (raw === 'true' || raw === 'false' ? { value: raw === 'true' } : { wanted: 'true or false' }),
  write: String,
}

/** Texts separated by commas; the option may also be repeated. */
export const list = (placeholder: string): ValueKind<readonly string[]> => ({
  placeholder: `${placeholder},...`,
  read: (raw) => ({
    value: raw
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  }),
  write: (values) => values.join(','),
})

export const oneOf = <T extends string>(choices: readonly T[]): ValueKind<T> => ({
  placeholder: choices.join('|'),
  read: (raw) => {
    const value = choices.find((choice) => choice === raw)
    return value === undefined ? { wanted: `one of ${choices.join(', ')}` } : { value }
  },
  write: (value) => value,
})

export interface Address {
  readonly host: string
  readonly port: number
}

/** `HOST:PORT`, with an IPv6 host in brackets. */
export const address: ValueKind<Address> = {
  placeholder: 'HOST:PORT',
  read: (raw) => {
    const parts = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]+):(\d{1,5})$/.exec(raw)
    const port = Number(parts?.[2])
    if (parts === null || port > 65_535) return { wanted: 'an address such as 127.0.0.1:4318 or [::1]:4318' }
    return { value: { host: parts[1]!.replace(/^\[|\]$/g, ''), port } }
  },
  write: ({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`,
}

export const url: ValueKind<string> = {
  placeholder: 'URL',
  read: (raw) =>
    URL.canParse(raw) && /^https?:$/.test(new URL(raw).protocol)
      ? { value: raw.replace(/\/+$/, '') }
      : { wanted: 'an address that starts with http:// or https://' },
  write: (value) => value,
}

/** A share, 0 to 1. */
export const ratio: ValueKind<number> = {
  placeholder: 'SHARE',
  read: (raw) => {
    const value = Number(raw)
    return /^(\d|\d?\.\d+)$/.test(raw) && value <= 1 ? { value } : { wanted: 'a share of 1, such as 0.05 or 1' }
  },
  write: String,
}

/** The receiver of own traces; a URL without `/v1/traces`. */
export const offSelfOrUrl: ValueKind<string> = {
  placeholder: 'off|self|URL',
  read: (raw) => {
    if (raw === 'off' || raw === 'self') return { value: raw }
    const readout = url.read(raw)
    return 'value' in readout ? readout : { wanted: `off, self, or ${readout.wanted}` }
  },
  write: (value) => value,
}

export const urls: ValueKind<readonly string[]> = {
  placeholder: 'URL,...',
  read: (raw) => {
    const parts = list('URL').read(raw)
    if ('wanted' in parts) return parts
    const readouts = parts.value.map((part) => url.read(part))
    const bad = readouts.find((readout) => 'wanted' in readout)
    return bad ?? { value: readouts.map((readout) => ('value' in readout ? readout.value : '')) }
  },
  write: (values) => values.join(','),
}
