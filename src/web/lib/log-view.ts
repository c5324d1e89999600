import { rangeField, refreshField } from './dashboards/time-range.ts'
import { countBy } from './group-by.ts'
import { choiceField, textField, viewCodec, type ViewOf } from './view-codec.ts'
import type { ObjectChangeItem } from '../../contract/fleet-changes.ts'
import type { LogItem } from '../../contract/fleet-logs.ts'
import { LOG_SEVERITIES } from '../../model/log-record.ts'

/** The state of the logs page in its address. Pure. */

export type LogSeverity = (typeof LOG_SEVERITIES)[number]

const DAY_SECONDS = 86_400

export const LOG_VIEW = viewCodec({
  source: choiceField('source', ['objects', 'records']),
  cluster: textField('cluster'),
  /** Of objects; empty: all. */
  kind: textField('kind'),
  /** Of objects: the last writer; empty: all. */
  manager: textField('by'),
  /** Of records: the sender; empty: all. */
  service: textField('service'),
  /** Of records: this or worse; empty: all. */
  severity: choiceField<LogSeverity | ''>('severity', ['', ...LOG_SEVERITIES]),
  /** Of objects: part of the name or the namespace. Of records: part of the body. */
  text: textField('q'),
  range: rangeField(DAY_SECONDS),
  refreshSeconds: refreshField,
})
export type LogView = ViewOf<typeof LOG_VIEW>

/** Unique also when the same state is reported twice. */
export function changeKey({ at, uid, resourceVersion, change }: ObjectChangeItem): string {
  return `${at} ${uid} ${resourceVersion} ${change}`
}

export function applyLogView(changes: readonly ObjectChangeItem[], view: LogView): readonly ObjectChangeItem[] {
  const text = view.text.toLowerCase()
  return changes.filter(
    ({ kind, manager, name, namespace }) =>
      (view.kind === '' || kind === view.kind) &&
      (view.manager === '' || manager?.name === view.manager) &&
      `${namespace}/${name}`.toLowerCase().includes(text),
  )
}

interface Choice {
  readonly value: string | null
  readonly count: number
}

/** Values to filter by, with their counts; `null`: not reported. */
export function choicesOf<T>(items: readonly T[], read: (item: T) => string | null): readonly Choice[] {
  return [...countBy(items, read)]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => Number(a.value === null) - Number(b.value === null) || ((a.value ?? '') < (b.value ?? '') ? -1 : 1))
}

/** `Update of its status`. */
export function managerTitle({ operation, subresource }: NonNullable<ObjectChangeItem['manager']>): string {
  const what = subresource === '' ? '' : ` of its ${subresource}`
  return `${operation === '' ? 'Wrote' : operation}${what}: the last writer when this state was received`
}

/** The severity of OTLP's severity number, four numbers each; empty: unspecified. */
export function severityWord(severity: number): LogSeverity | '' {
  return severity < 1 ? '' : (LOG_SEVERITIES[Math.min(Math.floor((severity - 1) / 4), LOG_SEVERITIES.length - 1)] ?? '')
}

/** A body on one line: text, or JSON. The name of the event, which is shown before the body, is not repeated. */
export function bodyText({ body, eventName }: Pick<LogItem, 'body' | 'eventName'>): string {
  const text = typeof body === 'string' ? body : body === null || body === undefined ? '' : JSON.stringify(body)
  if (eventName === '' || !text.startsWith(eventName)) return text
  const rest = text.slice(eventName.length)
  return rest === '' || /^\s/.test(rest) ? rest.trimStart() : text
}
