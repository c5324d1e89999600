import type { Attributes, AttributeValue } from '../../model/attribute.ts'
import type { SpanEvidence } from '../../model/observation.ts'
import type { Span } from '../../model/span.ts'
import { groupBy } from '../../base/group-by.ts'
import { msOf } from './trace-draft.ts'
import { UPGRADE_SCOPE, conventionOf } from '../../model/upgrade-convention.ts'

/**
 * Spans that operators send of their upgrades, by the conventions of `CONVENTIONS.md`, as evidence for the derivation. Spans
 * that were derived here are not evidence and are left out, as are spans without a cluster.
 */

/** Attributes of the resource that distinguish upgrades of one cluster; the span's own attributes take precedence. */
const RESOURCE_KEYS = ['service.name', 'service.version', 'k8s.namespace.name']

/** Whether a span is evidence; for choosing which stored traces to read. */
export function isSpanEvidence(span: Pick<Span, 'name' | 'scope' | 'resource'>): boolean {
  return span.resource.cluster !== '' && span.scope.name !== UPGRADE_SCOPE && conventionOf(span.name) !== undefined
}

/** By cluster; each list by start and then ids, each span once, so that equal sets of spans are equal evidence. */
export function spanEvidenceOf(spans: readonly Span[]): ReadonlyMap<string, readonly SpanEvidence[]> {
  const byIds = new Map(spans.filter(isSpanEvidence).map((span) => [`${span.traceId}${span.spanId}`, span]))
  return groupBy([...byIds.values()].sort(byStart).map(evidenceOf), ({ cluster }) => cluster)
}

function evidenceOf(span: Span): SpanEvidence {
  const resource = span.resource.attributes.filter(({ key }) => RESOURCE_KEYS.includes(key))
  return {
    cluster: span.resource.cluster,
    traceId: span.traceId,
    spanId: span.spanId,
    name: span.name,
    startMs: msOf(span.startNs),
    endMs: msOf(span.endNs),
    isError: span.status.code === 'error',
    errorMessage: span.status.message,
    attributes: texts([...resource, ...span.attributes]),
  }
}

/** The last value of repeated keys; sorted, so that the order on the wire does not matter. Without lists, maps and bytes. */
function texts(attributes: Attributes): Readonly<Record<string, string>> {
  const found = new Map<string, string>()
  for (const { key, value } of attributes) {
    const text = textOf(value)
    if (text !== undefined) found.set(key, text)
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function textOf(value: AttributeValue): string | undefined {
  return value === undefined || typeof value === 'object' ? undefined : String(value)
}

function byStart(a: Span, b: Span): number {
  if (a.startNs !== b.startNs) return a.startNs < b.startNs ? -1 : 1
  const [left, right] = [a.traceId + a.spanId, b.traceId + b.spanId]
  return left < right ? -1 : Number(left > right)
}
