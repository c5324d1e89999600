import type { Exemplar } from '../../model/exemplar.ts'
import { Labels } from '../../model/labels.ts'
import { areExemplarLabels } from '../../wire/exemplar-field.ts'
import type { OtlpExemplar } from '../../wire/otlp/metrics.ts'
import { valueText } from '../../model/attribute-text.ts'

/** An exemplar as stored: ids first, attributes if all of them fit. Undefined: it has no value or time. */
export function exemplarOfPoint({ attributes, timeMs, value, traceId, spanId }: OtlpExemplar): Exemplar | undefined {
  if (value === undefined || timeMs === 0) return undefined
  const ids = [
    ['trace_id', traceId],
    ['span_id', spanId],
  ] as const
  const more = attributes.map(({ key, value: text }) => [key, valueText(text)] as const)
  const isUsable = more.every(([name, text]) => name !== '' && !name.includes('\0') && !text.includes('\0'))
  const labels = Labels.fromPairs([...(isUsable ? more : []), ...ids])
  return { labels: areExemplarLabels(labels) ? labels : Labels.fromPairs(ids), value, timeMs }
}
