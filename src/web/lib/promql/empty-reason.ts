import { formatLength } from '../format-time.ts'
import { countOf } from '../format-number.ts'
import type { MatcherPart, SelectorPart } from './selectors.ts'

/** Why a query answers nothing: what is known of each of its selectors, as sentences with what to ask instead. Pure. */

export interface SelectorFacts {
  readonly selector: SelectorPart
  /** A series of it has samples in the time that is asked about. */
  readonly isInTime: boolean
  /** False: it has them between the steps of a graph only, each of which looks back a few minutes. */
  readonly isAtSteps: boolean
  /** A series of it is stored, of whatever time. */
  readonly isStored: boolean
  /** A series of its metric is stored. True for a selector without a metric. */
  readonly isMetricStored: boolean
  /** Of labels that must have a value: those that series of the metric have. */
  readonly values: readonly LabelFacts[]
}

export interface LabelFacts {
  readonly matcher: MatcherPart
  readonly values: readonly string[]
}

export interface EmptyReason {
  readonly text: string
  /** What may have been meant: the whole query with another selector. */
  readonly instead: readonly { readonly says: string; readonly expr: string }[]
}

const INSTEAD_MAX = 3
const VALUES_SHOWN_MAX = 5

/** Over a time, or at its end, where a sample of minutes before does not count. */
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
  const what = facts.length === 1 ? 'What it reads has samples' : 'All that it reads has samples'
  const when = time === 'end' ? 'at the end of this time' : 'in this time'
  return [{ text: `${what} ${when}: a comparison, a join or a function leaves nothing of it.`, instead: [] }]
}

function betweenSteps({ selector: { text } }: SelectorFacts, stepSeconds: number): EmptyReason {
  const apart = `the steps of the graph, which are ${formatLength(stepSeconds)} apart`
  return {
    text: `${text} has samples in this time, but only between ${apart}: choose a shorter time or step.`,
    instead: [],
  }
}

/** Series that this server derives begin with it. */
const OWN_PREFIX = 'daytwo_'

function reasonOf(expr: string, facts: SelectorFacts, names: readonly string[], time: EmptyTime): EmptyReason {
  const { selector, isStored, isMetricStored, values } = facts
  const { metric, text, from, to } = selector
  const withSelector = (written: string): string => expr.slice(0, from) + written + expr.slice(to)
  if (!isMetricStored) {
    const isOwn = metric.startsWith(OWN_PREFIX)
    return {
      text: isOwn
        ? `There is no ${metric}: this server writes it as soon as there is something to tell.`
        : `Nobody sends a metric called ${metric}.`,
      instead: similarNames(metric, names, INSTEAD_MAX).map((name) => ({
        says: name,
        expr: withSelector(selectorText(name, selector.matchers)),
      })),
    }
  }
  if (isStored) {
    const when = time === 'end' ? 'at the end of this time' : 'in this time: show a longer or another one'
    return { text: `${text} has samples, but none ${when}.`, instead: [] }
  }
  const unknown = values.find(({ matcher, values: known }) => !known.some((value) => matches(matcher, value)))
  if (unknown === undefined) {
    return { text: `No series has all of these labels together: ${text}.`, instead: [] }
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

/** Of a graph whose series began after its last step. */
export function sinceLastStep({ stepSeconds }: { readonly stepSeconds: number }): EmptyReason {
  const text = `There is something now, since after the last step of this graph: it has one every ${formatLength(stepSeconds)}. Show a shorter time.`
  return { text, instead: [] }
}

/** Whether a value is one that the matcher wants; a pattern that this browser cannot read is taken to want it. */
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

/** Names that look like another one, for "did you mean". Pure. */

/** Below this share of common pieces two names have nothing to do with each other. */
const ALIKE_LEAST = 0.45

/** The most alike first, at most `most`. Two names are as alike as the pieces of three letters that both have. */
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
