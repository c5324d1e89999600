import type { Attributes, AttributeValue } from './attribute.ts'
import type { Span } from './span.ts'
import {
  COMMON_ATTRIBUTES,
  UPGRADE_EVENTS,
  UPGRADE_SCOPE,
  conventionOf,
  type ConventionAttribute,
} from './upgrade-convention.ts'

/** Checks a span against the convention of upgrade traces, for `ingest` and for the tests of the deriver. */

const EVENTS = new Map(UPGRADE_EVENTS.map((event) => [event.name, event.attributes]))

/** Of an attribute's text in a message. */
const SHOWN_CHARS_MAX = 60

/** Whether a span claims the upgrade convention: by its name, or by its scope. */
export function claimsUpgradeConvention(span: Pick<Span, 'name' | 'scope'>): boolean {
  return span.scope.name === UPGRADE_SCOPE || conventionOf(span.name) !== undefined
}

/**
 * The first violation of the convention, for the sender: ``span 1a2b… `olm.csv.pending`: olm.csv.name: got nothing, want a
 * text``. `undefined`: none, or the span does not claim the convention. Unknown attributes are allowed.
 */
export function upgradeSpanFault(span: Span): string | undefined {
  if (!claimsUpgradeConvention(span)) return undefined
  const convention = conventionOf(span.name)
  const fault =
    convention === undefined
      ? `name: got ${shown(span.name)}, want a span of the upgrade convention, because its scope is ${UPGRADE_SCOPE}`
      : (extentFault(span) ??
        attributesFault(span.attributes, [...convention.attributes, ...COMMON_ATTRIBUTES]) ??
        eventsFault(span))
  return fault === undefined ? undefined : `span ${span.spanId} \`${span.name}\`: ${fault}`
}

function extentFault({ startNs, endNs }: Span): string | undefined {
  if (startNs === 0n) return 'start time: got 0, want nanoseconds since 1970'
  return endNs < startNs ? `end time: got ${startNs - endNs} ns before the start, want the start or later` : undefined
}

function eventsFault(span: Span): string | undefined {
  for (const event of span.events) {
    const wanted = EVENTS.get(event.name)
    const fault = wanted === undefined ? undefined : attributesFault(event.attributes, wanted)
    if (fault !== undefined) return `event ${event.name}: ${fault}`
  }
  return undefined
}

function attributesFault(attributes: Attributes, wanted: readonly ConventionAttribute[]): string | undefined {
  // A key may be in both the span's own list and the common one: the first is stricter.
  for (const attribute of wanted) {
    const value = attributes.findLast(({ key }) => key === attribute.key)?.value
    const isGood = value === undefined ? !attribute.isRequired : isOfKind(value, attribute)
    if (!isGood) return `${attribute.key}: got ${shown(value)}, want ${wantedText(attribute)}`
  }
  return undefined
}

function isOfKind(value: AttributeValue, { type, isRequired, oneOf }: ConventionAttribute): boolean {
  switch (type) {
    case 'text':
      if (typeof value !== 'string' || (isRequired && value === '')) return false
      return oneOf === undefined || oneOf.includes(value)
    case 'integer':
      return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))
    case 'boolean':
      return typeof value === 'boolean'
  }
}

function wantedText({ type, oneOf }: ConventionAttribute): string {
  if (oneOf !== undefined) return oneOf.length === 1 ? oneOf[0]! : `one of ${oneOf.join(', ')}`
  return type === 'integer' ? 'an integer' : `a ${type}`
}

function shown(value: AttributeValue): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return JSON.stringify(clipped(value))
  if (typeof value !== 'object') return String(value)
  if (value instanceof Uint8Array) return 'bytes'
  return Array.isArray(value) ? 'a list' : 'a map'
}

function clipped(text: string): string {
  return text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}…`
}
