/** Parts of a Grafana panel that several kinds share: units, thresholds, mappings, legends. */
import type { Calculation } from '../../model/dashboard.ts'
import { isRecord, isTrueAt, listAt, numberAt, recordAt, textAt, textsAt, type Json } from './json-part.ts'

/** Reports a feature that was not converted, and the reason. */
export type Report = (message: string) => void

/** A value of the YAML file; `undefined` is omitted. */
export type Out = Readonly<Record<string, unknown>>

/** The defaults of all fields, in the format of Grafana 7 and later or of the earlier panel. */
export function defaultsOf(panel: Json): Json {
  return recordAt(panel, 'fieldConfig', 'defaults')
}

export function formatOf(unit: string, decimals: number | undefined, report: Report): Out | undefined {
  if (unit === '' && decimals === undefined) return undefined
  const known = unit === '' ? 'decimal' : UNITS.get(unit)
  if (known === undefined) report(`unit ${unit} has no equivalent in Perses: values are shown as numbers`)
  const isShort = unit === 'short' ? { shortValues: true } : {}
  return { unit: known ?? 'decimal', ...(decimals === undefined ? {} : { decimalPlaces: decimals }), ...isShort }
}

export function panelFormat(panel: Json, report: Report): Out | undefined {
  const defaults = defaultsOf(panel)
  const unit = textAt(defaults, 'unit') || textAt(panel, 'format') || textAt(listAt(panel, 'yaxes')[0], 'format')
  return formatOf(unit, numberAt(defaults, 'decimals') ?? numberAt(panel, 'decimals'), report)
}

/**
 * Steps of `fieldConfig`; for singlestat `thresholds: "1,5"`; for graphs a list of values. The first step is the base.
 */
export function thresholdsOf(panel: Json): Out | undefined {
  const defined = recordAt(defaultsOf(panel), 'thresholds')
  const all = listAt(defined, 'steps')
  if (all.length > 0) {
    const hasBase = numberAt(all[0], 'value') === undefined
    const base = hasBase ? all[0] : undefined
    const rest = hasBase ? all.slice(1) : all
    if (rest.length === 0) return undefined
    const mode = textAt(defined, 'mode') === 'percentage' ? { mode: 'percent' } : {}
    const color = textAt(base, 'color')
    return { ...mode, ...(color === '' ? {} : { defaultColor: color }), steps: rest.map(stepOf) }
  }
  const colors = textsAt(panel, 'colors')
  const old = textAt(panel, 'thresholds')
  if (old !== '') {
    const steps = old.split(',').map((text, i) => ({ value: Number(text), ...colorOf(colors[i + 1] ?? '') }))
    const [first = ''] = colors
    return {
      ...(first === '' ? {} : { defaultColor: first }),
      steps: steps.filter(({ value }) => Number.isFinite(value)),
    }
  }
  const lines = listAt(panel, 'thresholds').map((line) => {
    return { value: numberAt(line, 'value'), ...colorOf(COLOR_MODES.get(textAt(line, 'colorMode')) ?? '') }
  })
  const steps = lines.filter(({ value }) => value !== undefined)
  return steps.length === 0 ? undefined : { steps }
}

const COLOR_MODES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ critical: 'red', warning: 'orange', ok: 'green' }),
)

function stepOf(step: Json): Out {
  return { value: numberAt(step, 'value') ?? 0, ...colorOf(textAt(step, 'color')) }
}

function colorOf(color: string): Out {
  return color === '' ? {} : { color }
}

/** In the format of Grafana 8 and later, or the two earlier lists. */
export function mappingsOf(panel: Json, report: Report): readonly Out[] {
  const mapped = listAt(defaultsOf(panel), 'mappings').flatMap((mapping) => mappingOf(mapping, report))
  const values = listAt(panel, 'valueMaps').map((map) => {
    return { kind: 'Value', spec: { value: textAt(map, 'value'), result: { value: textAt(map, 'text') } } }
  })
  const ranges = listAt(panel, 'rangeMaps').map((map) => {
    return { kind: 'Range', spec: { ...ends(map), result: { value: textAt(map, 'text') } } }
  })
  return [...mapped, ...values.filter(({ spec }) => spec.value !== 'null' && spec.value !== ''), ...ranges]
}

/** Mappings as conditions of cells. Both ends of a range are inclusive in both products. */
export function conditionsOf(
  panel: Json,
  report: Report,
): readonly { readonly condition: Out; readonly text: string; readonly color: string }[] {
  return mappingsOf(panel, report).map((mapping) => {
    const { result, ...spec } = mapping['spec'] as Record<string, unknown>
    const { from: min, to: max, pattern: expr, ...others } = spec
    const condition = { kind: mapping['kind'], spec: { ...others, min, max, expr } }
    return { condition, text: textAt(result, 'value'), color: textAt(result, 'color') }
  })
}

function mappingOf(mapping: Json, report: Report): Out[] {
  const options = recordAt(mapping, 'options')
  const result = (from: unknown): Out => ({
    result: { value: textAt(from, 'text'), ...colorOf(textAt(from, 'color')) },
  })
  switch (mapping['type']) {
    case 'value':
      return Object.entries(options).map(([value, to]) => ({ kind: 'Value', spec: { value, ...result(to) } }))
    case 'range':
      return [{ kind: 'Range', spec: { ...ends(options), ...result(options['result']) } }]
    case 'regex':
      return [{ kind: 'Regex', spec: { pattern: textAt(options, 'pattern'), ...result(options['result']) } }]
    case 'special': {
      const match = SPECIAL.get(textAt(options, 'match'))
      if (match !== undefined) return [{ kind: 'Misc', spec: { value: match, ...result(options['result']) } }]
      report(`the mapping of ${textAt(options, 'match')} has no equivalent in Perses`)
      return []
    }
    case 1:
      return [{ kind: 'Value', spec: { value: textAt(mapping, 'value'), ...result(mapping) } }]
    case 2:
      return [{ kind: 'Range', spec: { ...ends(mapping), ...result(mapping) } }]
    default:
      report(`a mapping of the type ${JSON.stringify(mapping['type'])} is not known`)
      return []
  }
}

const SPECIAL: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    null: 'null',
    'null+nan': 'null',
    nan: 'NaN',
    empty: 'empty',
    true: 'true',
    false: 'false',
  }),
)

function ends(range: unknown): Out {
  return { from: numberAt(range, 'from'), to: numberAt(range, 'to') }
}

/** Of time series (`options.legend`) and of the older graph (`legend`). */
export function legendOf(panel: Json, report: Report): Out | undefined {
  const fresh = recordAt(panel, 'options', 'legend')
  const old = recordAt(panel, 'legend')
  const isHidden =
    fresh['showLegend'] === false ||
    textAt(fresh, 'displayMode') === 'hidden' ||
    (isRecord(panel['legend']) && !isTrueAt(old, 'show'))
  if (isHidden) return undefined
  const words = isRecord(panel['legend'])
    ? OLD_CALCULATIONS.filter((word) => isTrueAt(old, word))
    : textsAt(fresh, 'calcs')
  const values = words.flatMap((word) => {
    const value = CALCULATIONS.get(word)
    if (value === undefined) report(`the legend's ${word} has no equivalent in Perses`)
    return value ?? []
  })
  const isTable = textAt(fresh, 'displayMode') === 'table' || isTrueAt(old, 'alignAsTable') || values.length > 0
  const isRight = textAt(fresh, 'placement') === 'right' || isTrueAt(old, 'rightSide')
  return {
    position: isRight ? 'right' : 'bottom',
    mode: isTable ? 'table' : 'list',
    ...(values.length === 0 ? {} : { values: [...new Set(values)] }),
  }
}

const OLD_CALCULATIONS = ['current', 'avg', 'min', 'max', 'total']

export function reduction(panel: Json, report: Report): string {
  const [word = textAt(panel, 'valueName') || 'lastNotNull'] = textsAt(
    recordAt(panel, 'options', 'reduceOptions'),
    'calcs',
  )
  const known = CALCULATIONS.get(word)
  if (known === undefined) report(`the calculation ${word} has no equivalent in Perses: the last value is shown`)
  return known ?? 'last-number'
}

/** Perses' names of units. Multiples of bytes and seconds have none: the factor would be lost, so they are reported. */
const UNITS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    ns: 'nanoseconds',
    µs: 'microseconds',
    us: 'microseconds',
    ms: 'milliseconds',
    s: 'seconds',
    m: 'minutes',
    h: 'hours',
    d: 'days',
    dtdurations: 'seconds',
    dtdurationms: 'milliseconds',
    clocks: 'seconds',
    clockms: 'milliseconds',
    percent: 'percent',
    percentunit: 'percent-decimal',
    none: 'decimal',
    short: 'decimal',
    locale: 'decimal',
    bits: 'bits',
    decbits: 'decbits',
    bytes: 'bytes',
    decbytes: 'decbytes',
    bps: 'decbits/sec',
    binbps: 'bits/sec',
    Bps: 'decbytes/sec',
    binBps: 'bytes/sec',
    cps: 'counts/sec',
    eps: 'events/sec',
    mps: 'messages/sec',
    ops: 'ops/sec',
    iops: 'ops/sec',
    pps: 'packets/sec',
    rps: 'reads/sec',
    recps: 'records/sec',
    reqps: 'requests/sec',
    rowsps: 'rows/sec',
    wps: 'writes/sec',
    celsius: 'celsius',
    fahrenheit: 'fahrenheit',
    currencyUSD: 'usd',
    currencyEUR: 'eur',
    currencyGBP: 'gbp',
    currencyJPY: 'jpy',
    dateTimeAsIso: 'datetime-local',
    dateTimeAsLocal: 'datetime-local',
    dateTimeAsUS: 'datetime-local',
    dateTimeFromNow: 'relative-time',
  }),
)

/** Perses' names of calculations. */
const CALCULATIONS: ReadonlyMap<string, Calculation> = new Map(
  Object.entries<Calculation>({
    last: 'last',
    current: 'last-number',
    lastNotNull: 'last-number',
    first: 'first',
    firstNotNull: 'first-number',
    mean: 'mean',
    avg: 'mean',
    sum: 'sum',
    total: 'sum',
    min: 'min',
    max: 'max',
  }),
)
