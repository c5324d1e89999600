import type { Condition, Mapping, Thresholds, ThresholdStep } from '../../../model/dashboard.ts'
import { formatValue } from '../format-number.ts'

/**
 * The tone of a colour in a dashboard file. Red, amber and green mean severity and outcome in the UI, so they become a tone with
 * its shape and word, and other colours none. A step without a colour is amber, the highest of several red. Pure.
 */
export const TONES = ['none', 'good', 'warning', 'critical'] as const
export type Tone = (typeof TONES)[number]

const NAMED: Readonly<Record<string, Tone>> = {
  red: 'critical',
  orange: 'warning',
  yellow: 'warning',
  amber: 'warning',
  green: 'good',
  success: 'good',
  warning: 'warning',
  error: 'critical',
  critical: 'critical',
}

/** @param color a name such as `red`, `dark-orange`, or `#rgb`, `#rrggbb`, `rgb(r, g, b)` */
export function toneOfColor(color: string): Tone {
  const word = color.toLowerCase().split(/[-\s]/).at(-1) ?? ''
  const named = NAMED[word]
  if (named !== undefined) return named
  const rgb = readColor(color)
  return rgb === undefined ? 'none' : toneOfRgb(rgb)
}

type Rgb = readonly [red: number, green: number, blue: number]

function readColor(color: string): Rgb | undefined {
  const hex = /^#(?:([\da-f])([\da-f])([\da-f])|([\da-f]{2})([\da-f]{2})([\da-f]{2})(?:[\da-f]{2})?)$/i.exec(color)
  if (hex !== null) {
    const [, r, g, b, rr, gg, bb] = hex
    const part = (one: string | undefined, two: string | undefined): number =>
      parseInt(two ?? `${one ?? '0'}${one ?? '0'}`, 16)
    return [part(r, rr), part(g, gg), part(b, bb)]
  }
  const rgb = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)/i.exec(color)
  return rgb === null ? undefined : [Number(rgb[1]), Number(rgb[2]), Number(rgb[3])]
}

/** A lower saturation is grey. */
const SATURATION_LEAST = 0.25

function toneOfRgb([red, green, blue]: Rgb): Tone {
  const most = Math.max(red, green, blue)
  const span = most - Math.min(red, green, blue)
  if (most === 0 || span / most < SATURATION_LEAST) return 'none'
  const hue =
    most === red ? ((green - blue) / span + 6) % 6 : most === green ? (blue - red) / span + 2 : (red - green) / span + 4
  const degrees = hue * 60
  if (degrees < 18 || degrees >= 330) return 'critical'
  if (degrees < 68) return 'warning'
  return degrees < 170 ? 'good' : 'none'
}

/** The threshold that a value reaches. */
export interface Mark {
  readonly tone: Tone
  /** Such as `≥ 90`, or empty. */
  readonly word: string
}

export const NO_MARK: Mark = { tone: 'none', word: '' }

/** @param max the whole of percent thresholds */
export function markOf(value: number | null, thresholds: Thresholds | undefined, max: number): Mark {
  if (thresholds === undefined || value === null || Number.isNaN(value)) return NO_MARK
  const reached = thresholds.steps.findLastIndex((step) => value >= limitOf(step, thresholds, max))
  const step = thresholds.steps[reached]
  if (step === undefined) return { tone: toneOfColor(thresholds.defaultColor), word: '' }
  return { tone: toneOfStep(thresholds, reached), word: step.name || `≥ ${stepText(step, thresholds)}` }
}

/** @param min where percent thresholds begin */
export function limitOf(step: ThresholdStep, { mode }: Thresholds, max: number, min = 0): number {
  return mode === 'percent' ? min + (step.value / 100) * (max - min) : step.value
}

function stepText(step: ThresholdStep, { mode }: Thresholds): string {
  return mode === 'percent' ? `${formatValue(step.value)} %` : formatValue(step.value)
}

export function toneOfStep({ steps }: Thresholds, index: number): Tone {
  const color = steps[index]?.color ?? ''
  if (color !== '') return toneOfColor(color)
  return steps.length > 1 && index === steps.length - 1 ? 'critical' : 'warning'
}

/** Whether a value meets a condition. */
export function meets(condition: Condition, value: number | string | null): boolean {
  switch (condition.kind) {
    case 'value':
      return value !== null && (String(value) === condition.value || Number(condition.value) === value)
    case 'range': {
      const size = typeof value === 'string' ? Number(value === '' ? NaN : value) : value
      if (size === null || Number.isNaN(size)) return false
      return size >= (condition.min ?? -Infinity) && size <= (condition.max ?? Infinity)
    }
    case 'regex':
      return value !== null && regexOf(condition.pattern).test(String(value))
    case 'misc':
      return MISC[condition.value](value)
  }
}

const MISC: Readonly<
  Record<Extract<Condition, { kind: 'misc' }>['value'], (value: number | string | null) => boolean>
> = {
  empty: (value) => value === '',
  null: (value) => value === null,
  NaN: (value) => typeof value === 'number' && Number.isNaN(value),
  true: (value) => value === 'true',
  false: (value) => value === 'false',
}

const regexes = new Map<string, RegExp>()

function regexOf(pattern: string): RegExp {
  const known = regexes.get(pattern) ?? new RegExp(pattern)
  regexes.set(pattern, known)
  return known
}

export function mappingOf(value: number | string | null, mappings: readonly Mapping[]): Mapping | undefined {
  return mappings.find(({ condition }) => meets(condition, value))
}
