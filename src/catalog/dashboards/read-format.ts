/** Parts that several kinds of panels share: format, thresholds, conditions, mappings, links. */
import {
  CALCULATIONS,
  MISC_VALUES,
  type Calculation,
  type Condition,
  type DashboardLink,
  type Format,
  type Mapping,
  type Thresholds,
  type ThresholdStep,
} from '../../model/dashboard.ts'
import {
  boundedAt,
  flagAt,
  has,
  neededTextAt,
  numberAt,
  partAt,
  partsAt,
  start,
  textAt,
  wordAt,
  yamlTextAt,
  readPlugin,
  type Part,
} from './part.ts'
import { isUnit } from '../../model/unit.ts'

const DECIMAL_PLACES_MAX = 20

export function readFormat(part: Part, key = 'format'): Format | undefined {
  if (!has(part, key)) return undefined
  const format = partAt(part, key, `the ${key} of ${part.what}`, ['unit', 'decimalPlaces', 'shortValues', 'kind'])
  const unit = yamlTextAt(format, 'unit') ?? yamlTextAt(format, 'kind')
  if (unit !== undefined && unit.text !== '' && !isUnit(unit.text)) {
    part.yaml.warning(unit, `unknown unit ${unit.text}`, 'it is written behind the number')
  }
  const decimalPlaces = boundedAt(format, 'decimalPlaces', 0, DECIMAL_PLACES_MAX)
  return {
    unit: unit?.text || 'decimal',
    ...(decimalPlaces === undefined ? {} : { decimalPlaces: Math.round(decimalPlaces) }),
    ...(has(format, 'shortValues') ? { isShort: flagAt(format, 'shortValues') } : {}),
  }
}

/** Earlier names in Perses and their current names. */
const OLD_CALCULATIONS: ReadonlyMap<string, Calculation> = new Map(
  Object.entries<Calculation>({
    First: 'first',
    Last: 'last',
    FirstNumber: 'first-number',
    LastNumber: 'last-number',
    Mean: 'mean',
    Sum: 'sum',
    Min: 'min',
    Max: 'max',
  }),
)

export function readCalculation(part: Part): Calculation {
  const old = OLD_CALCULATIONS.get(textAt(part, 'calculation'))
  return old ?? wordAt(part, 'calculation', CALCULATIONS) ?? 'last-number'
}

export function readThresholds(part: Part): Thresholds | undefined {
  if (!has(part, 'thresholds')) return undefined
  const thresholds = partAt(part, 'thresholds', `the thresholds of ${part.what}`, ['mode', 'defaultColor', 'steps'])
  const steps = partsAt(thresholds, 'steps', `a step of ${thresholds.what}`, ['value', 'color', 'name'])
  return {
    mode: wordAt(thresholds, 'mode', ['absolute', 'percent']) ?? 'absolute',
    defaultColor: textAt(thresholds, 'defaultColor'),
    steps: steps.flatMap(readStep).sort((a, b) => a.value - b.value),
  }
}

function readStep(step: Part): ThresholdStep[] {
  const value = numberAt(step, 'value')
  if (value === undefined) {
    if (!has(step, 'value')) step.yaml.error(start(step.at), `${step.what} has no value`)
    return []
  }
  return [{ value, color: textAt(step, 'color'), name: textAt(step, 'name') }]
}

export function readMappings(part: Part): readonly Mapping[] {
  return partsAt(part, 'mappings', `a mapping of ${part.what}`, ['kind', 'spec']).flatMap((mapping) => {
    const condition = readCondition(mapping, mapping.what, ['result'])
    const result = partAt(partAt(mapping, 'spec', mapping.what), 'result', `the result of ${mapping.what}`, [
      'value',
      'color',
    ])
    return condition === undefined ? [] : [{ condition, text: textAt(result, 'value'), color: textAt(result, 'color') }]
  })
}

/** @param more keys of its `spec` that the caller reads */
export function readCondition(part: Part, what: string, more: readonly string[] = []): Condition | undefined {
  const read = readPlugin<Condition | undefined>(part, what, {
    Value: { keys: ['value', ...more], read: (spec) => ({ kind: 'value', value: neededTextAt(spec, 'value') }) },
    Range: { keys: ['min', 'max', 'from', 'to', ...more], read: readRange },
    Regex: { keys: ['expr', 'pattern', ...more], read: readRegex },
    Misc: {
      keys: ['value', ...more],
      read: (spec) => {
        const value = wordAt(spec, 'value', MISC_VALUES)
        return value === undefined ? undefined : { kind: 'misc', value }
      },
    },
  })
  return read?.kind === 'unknown' ? undefined : read
}

/** Tables have `min` and `max`, mappings `from` and `to`. */
function readRange(spec: Part): Condition {
  const min = numberAt(spec, 'min') ?? numberAt(spec, 'from')
  const max = numberAt(spec, 'max') ?? numberAt(spec, 'to')
  if (min !== undefined && max !== undefined && min > max) {
    spec.yaml.error(start(spec.at), `${spec.what} ends at ${max}, before its start at ${min}`)
  }
  return { kind: 'range', ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}

function readRegex(spec: Part): Condition | undefined {
  const text = yamlTextAt(spec, 'expr') ?? yamlTextAt(spec, 'pattern')
  if (text === undefined || text.text === '') {
    spec.yaml.error(start(spec.at), `${spec.what} has no expr`)
    return undefined
  }
  if (isRegex(text.text)) return { kind: 'regex', pattern: text.text }
  spec.yaml.error(text, `${JSON.stringify(text.text)} is not a regular expression`)
  return undefined
}

/** Valid for the browser, which evaluates it. */
export function isRegex(pattern: string): boolean {
  try {
    return new RegExp(pattern).source !== ''
  } catch {
    return false
  }
}

export function readLinks(part: Part): readonly DashboardLink[] {
  const keys = ['name', 'url', 'tooltip', 'renderVariables', 'targetBlank']
  return partsAt(part, 'links', `a link of ${part.what}`, keys).flatMap((link) => {
    const url = neededTextAt(link, 'url')
    if (url === '') return []
    return [
      {
        name: textAt(link, 'name') || url,
        url,
        tooltip: textAt(link, 'tooltip'),
        rendersVariables: flagAt(link, 'renderVariables'),
        opensTab: flagAt(link, 'targetBlank'),
      },
    ]
  })
}
