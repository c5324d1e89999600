import { choiceField, textField, viewCodec, type ViewOf } from './view-codec.ts'
import type { ObjectChangeItem } from '../../contract/fleet-changes.ts'
import { SEVERITIES, type LogItem } from '../../contract/fleet-logs.ts'

/** What the page of logs shows, as its address says it. Pure. */

export type LogSeverity = (typeof SEVERITIES)[number]

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
  severity: choiceField<LogSeverity | ''>('severity', ['', ...SEVERITIES]),
  /** Of objects: part of the name or the namespace. Of records: part of the body. */
  text: textField('q'),
})
export type LogView = ViewOf<typeof LOG_VIEW>

/** Told from one another also when the same state is told twice. */
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

/** What there is to filter by, each with how many it would show; `null`: not told. */
export function choicesOf<T>(items: readonly T[], read: (item: T) => string | null): readonly Choice[] {
  const counts = new Map<string | null, number>()
  for (const item of items) counts.set(read(item), (counts.get(read(item)) ?? 0) + 1)
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => Number(a.value === null) - Number(b.value === null) || ((a.value ?? '') < (b.value ?? '') ? -1 : 1))
}

/** `Update of its status`: how a manager wrote. */
export function managerTitle({ operation, subresource }: NonNullable<ObjectChangeItem['manager']>): string {
  const what = subresource === '' ? '' : ` of its ${subresource}`
  return `${operation === '' ? 'Wrote' : operation}${what}; it had written last when this was seen`
}

/** The word of OTLP's number, four numbers a word; empty: unspecified. */
export function severityWord(severity: number): LogSeverity | '' {
  return severity < 1 ? '' : (SEVERITIES[Math.min(Math.floor((severity - 1) / 4), SEVERITIES.length - 1)] ?? '')
}

/** A body on one line: a text as it is, anything else as JSON. The name of the event, which stands before it, is not said twice. */
export function bodyText({ body, eventName }: Pick<LogItem, 'body' | 'eventName'>): string {
  const text = typeof body === 'string' ? body : body === null || body === undefined ? '' : JSON.stringify(body)
  if (eventName === '' || !text.startsWith(eventName)) return text
  const rest = text.slice(eventName.length)
  return rest === '' || /^\s/.test(rest) ? rest.trimStart() : text
}
