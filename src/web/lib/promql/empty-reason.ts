import { formatLength } from '../format-time.ts'
import { countOf } from '../format-number.ts'
import type { MatcherPart, SelectorPart } from './selectors.ts'

/** Why the result of a query is empty, from facts about its selectors, with alternatives. Pure. */

export interface SelectorFacts {
  readonly selector: SelectorPart
  /** A series has samples in the requested time. */
  readonly isInTime: boolean
  /** False: all samples are between steps, outside of their lookback. */
  readonly isAtSteps: boolean
  /** A series is stored, at any time. */
  readonly isStored: boolean
  /** A series of its metric is stored. True for a selector without a metric. */
  readonly isMetricStored: boolean
  /** The values of required labels in series of the metric. */
  readonly values: readonly LabelFacts[]
}

export interface LabelFacts {
  readonly matcher: MatcherPart
  readonly values: readonly string[]
}

export interface EmptyReason {
  readonly text: string
  /** Alternatives: the whole query with another selector. */
  readonly instead: readonly { readonly says: string; readonly expr: string }[]
}

const INSTEAD_MAX = 3
const VALUES_SHOWN_MAX = 5

/** Over a range, or at its end. */
export type EmptyTime = 'range' | 'end'

/**
 * @param names of all metrics that are stored
 * @param stepSeconds of the graph; absent: one moment was asked for
 */
export function emptyReasons(
  expr: string,
  facts: readonly SelectorFacts[],
  names: readonly string[],
  stepSeconds?: number,
  time: EmptyTime = 'range',
): EmptyReason[] {
  const reasons = facts.filter(({ isInTime }) => !isInTime).map((one) => reasonOf(expr, one, names, time))
  if (reasons.length > 0) return reasons
  if (facts.length === 0) return []
  const between = facts.filter(({ isAtSteps }) => !isAtSteps)
  if (stepSeconds !== undefined && between.length > 0) return between.map((one) => betweenSteps(one, stepSeconds))
  const what = facts.length === 1 ? 'The selected series has samples' : 'All selected series have samples'
  const when = time === 'end' ? 'at the end of the range' : 'in the range'
  return [{ text: `${what} ${when}, but none of them meets the conditions of the query.`, instead: [] }]
}

function betweenSteps({ selector: { text } }: SelectorFacts, stepSeconds: number): EmptyReason {
  const apart = `the steps of the graph, which are ${formatLength(stepSeconds)} apart`
  return {
    text: `${text} has samples in the range, but only between ${apart}: choose a shorter range or step.`,
    instead: [],
  }
}

/** The prefix of derived series. */
const OWN_PREFIX = 'daytwo_'

function reasonOf(expr: string, facts: SelectorFacts, names: readonly string[], time: EmptyTime): EmptyReason {
  const { selector, isStored, isMetricStored, values } = facts
  const { metric, text, from, to } = selector
  const withSelector = (written: string): string => expr.slice(0, from) + written + expr.slice(to)
  if (!isMetricStored) {
    const isOwn = metric.startsWith(OWN_PREFIX)
    return {
      text: isOwn
        ? `No series ${metric} yet: the server writes it when there is data.`
        : `No sender has the metric ${metric}.`,
      instead: similarNames(metric, names, INSTEAD_MAX).map((name) => ({
        says: name,
        expr: withSelector(selectorText(name, selector.matchers)),
      })),
    }
  }
  if (isStored) {
    const when = time === 'end' ? 'at the end of the range' : 'in the range: choose a longer or a different range'
    return { text: `${text} has samples, but none ${when}.`, instead: [] }
  }
  const unknown = values.find(({ matcher, values: known }) => !known.some((value) => matches(matcher, value)))
  if (unknown === undefined) {
    return { text: `No series has this combination of labels: ${text}.`, instead: [] }
  }
  const { matcher, values: known } = unknown
  const of = metric === '' ? '' : ` of ${metric}`
  if (known.length === 0) return { text: `No series${of} has the label ${matcher.name}.`, instead: [] }
  const shown = known.slice(0, VALUES_SHOWN_MAX)
  const more = known.length - shown.length
  const rest = more > 0 ? ` and ${countOf(more, 'other')}` : ''
  const one = matcher.operator === '=' ? `"${matcher.value}"` : `like "${matcher.value}"`
  return {
    text: `The label ${matcher.name}${of} is never ${one}: it is ${shown.join(', ')}${rest}.`,
    instead: similarNames(matcher.value, known, INSTEAD_MAX).map((value) => ({
      says: `${matcher.name}="${value}"`,
      expr: withSelector(
        selectorText(
          metric,
          selector.matchers.map((part) => (part === matcher ? { ...part, operator: '=', value } : part)),
        ),
      ),
    })),
  }
}

/** For a graph whose series started after its last step. */
export function sinceLastStep({ stepSeconds }: { readonly stepSeconds: number }): EmptyReason {
  const text = `The query has a result now, newer than the last step of the graph (step ${formatLength(stepSeconds)}). Choose a shorter range.`
  return { text, instead: [] }
}

/** Whether a matcher accepts a value; true for patterns that the browser cannot parse. */
export function matches({ operator, value: wanted }: MatcherPart, value: string): boolean {
  if (operator === '=' || operator === '!=') return (value === wanted) === (operator === '=')
  try {
    return new RegExp(`^(?:${wanted})$`, 'su').test(value) === (operator === '=~')
  } catch {
    return true
  }
}

/** `metric{label="value"}`; names that are no words of PromQL are quoted. */
export function selectorText(metric: string, matchers: readonly MatcherPart[]): string {
  const isPlain = /^[A-Za-z_:][\w:]*$/.test(metric)
  const labels = matchers.map(({ name, operator, value }) => {
    const label = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
    return `${label}${operator}${JSON.stringify(value)}`
  })
  const inside = [...(isPlain || metric === '' ? [] : [JSON.stringify(metric)]), ...labels].join(', ')
  return `${isPlain ? metric : ''}${inside === '' ? '' : `{${inside}}`}`
}

/** The least share of common trigrams of similar names. */
const ALIKE_LEAST = 0.45

/** The most similar names first, by common trigrams. */
export function similarNames(name: string, names: readonly string[], most: number): readonly string[] {
  const wanted = piecesOf(name)
  const scored = names.flatMap((one) => {
    const pieces = piecesOf(one)
    let common = 0
    for (const piece of pieces) if (wanted.has(piece)) common++
    const score = (2 * common) / Math.max(1, wanted.size + pieces.size)
    return score >= ALIKE_LEAST && one !== name ? [{ one, score }] : []
  })
  scored.sort((a, b) => b.score - a.score || (a.one < b.one ? -1 : 1))
  return scored.slice(0, most).map(({ one }) => one)
}

function piecesOf(name: string): ReadonlySet<string> {
  const padded = `^${name.toLowerCase()}$`
  const pieces = new Set<string>()
  for (let i = 0; i + 3 <= padded.length; i++) pieces.add(padded.slice(i, i + 3))
  return pieces
}
