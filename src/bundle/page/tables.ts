/** The tables of the page. Long ones are cut; their members have all rows. */
import type { BundleAlert, BundleFact, BundleLog, BundleRequest, BundleSpan, ObjectState, Tree } from '../content.ts'
import { countOf, countText, durationText, timeText } from './format.ts'
import { markup, type Html } from './html.ts'

export interface ShownFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

export function factTable(facts: readonly BundleFact[], caption: string): Html {
  return markup`<table class="facts"><caption>${caption}</caption><tbody>
${facts.map(({ name, value }) => markup`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`)}</tbody></table>
`
}

export function alertTable(alerts: readonly BundleAlert[], rowsMax: number): Html {
  const [first, ...rest] = table(
    { what: 'alert', member: 'alerts.json', columns: ['Fired', 'Resolved', 'Alert', 'Labels', 'Summary'], rowsMax },
    alerts,
    ({ alertname, labels, annotations, activeAtMs, firedAtMs, resolvedAtMs, acknowledgedBy, acknowledgedNote }) => [
      timeText(firedAtMs ?? activeAtMs),
      resolvedAtMs === undefined ? (firedAtMs === undefined ? 'pending' : 'not resolved') : timeText(resolvedAtMs),
      alertname,
      labelText(labels),
      [
        annotations.get('summary') ?? annotations.get('description') ?? '',
        acknowledgedBy === undefined ? '' : `Acknowledged by ${acknowledgedBy}: ${acknowledgedNote ?? ''}`,
      ]
        .filter((text) => text !== '')
        .join(' '),
    ],
  )
  return markup`${[first!, ...rest]}`
}

export function objectTable(objects: readonly ObjectState[], rowsMax: number): Generator<Html> {
  const columns = ['Time', 'Change', 'Object', 'Manager', 'Fields: before → after']
  return table({ what: 'object state', member: 'objects.json', columns, rowsMax }, objects, (one) => [
    one.at,
    one.change,
    [one.kind, one.namespace, one.name].filter((part) => part !== '').join('/'),
    one.manager ?? '',
    one.fields.length === 0
      ? one.before === null
        ? 'first known state'
        : 'no stored field changed'
      : markup`${one.fields.map(
          ({ field, before, after }) =>
            markup`<div><code>${field}</code>: ${fieldText(before)} → ${fieldText(after)}</div>`,
        )}`,
  ])
}

export function spanTable(spans: readonly BundleSpan[], rowsMax: number): Generator<Html> {
  const columns = ['Start', 'Duration', 'Span', 'Service', 'Status and attributes']
  return table({ what: 'span', member: 'trace.json', columns, rowsMax }, spans, (one) => [
    timeText(one.startMs),
    durationText(one.durationMs),
    one.name,
    one.service,
    [`${one.status}${one.message === '' ? '' : `: ${one.message}`}`, labelText(one.attributes)]
      .filter((text) => text !== '')
      .join(' · '),
  ])
}

export function logTable(logs: readonly BundleLog[], rowsMax: number): Generator<Html> {
  const columns = ['Time', 'Severity', 'Service', 'Record']
  return table({ what: 'log record', member: 'logs.json', columns, rowsMax }, logs, (one) => [
    one.at,
    one.severityText === '' ? String(one.severity) : one.severityText,
    one.service,
    markup`<code>${one.body}</code>`,
  ])
}

export function requestTable(requests: readonly BundleRequest[]): Html {
  return markup`<div class="scroll" role="group" aria-label="Source requests" tabindex="0"><table><caption>Where the same data is on the server</caption>
<thead><tr><th scope="col">Data</th><th scope="col">Address</th></tr></thead><tbody>
${requests.map(({ title, url }) => markup`<tr><th scope="row">${title}</th><td><code>${url}</code></td></tr>\n`)}</tbody></table></div>
`
}

export function fileTable(files: readonly ShownFile[]): Html {
  return markup`<p>The checksums are in <code>SHA256SUMS</code>: check them with <code>sha256sum -c SHA256SUMS</code> in this folder, or with <code>daytwo bundle verify FILE</code>.</p>
<div class="scroll" role="group" aria-label="Files" tabindex="0"><table class="wide"><caption>${countOf(files.length, 'file')} beside this page</caption>
<thead><tr><th scope="col">File</th><th scope="col">Bytes</th><th scope="col">SHA-256</th></tr></thead><tbody>
${files.map(
  ({ name, bytes, sha256 }) =>
    markup`<tr><th scope="row"><a href="${name}">${name}</a></th><td>${countText(bytes)}</td><td><code>${sha256}</code></td></tr>\n`,
)}</tbody></table></div>
`
}

interface TableForm {
  readonly what: string
  readonly member: string
  readonly columns: readonly string[]
  readonly rowsMax: number
}

function* table<T>(
  { what, member, columns, rowsMax }: TableForm,
  items: readonly T[],
  cells: (item: T) => readonly (string | Html)[],
): Generator<Html> {
  if (items.length === 0) {
    yield markup`<p class="quiet">No ${what}s in the window.</p>\n`
    return
  }
  const shown = items.slice(0, rowsMax)
  const of =
    shown.length < items.length
      ? `${countText(shown.length)} of ${countOf(items.length, what)}; all are in ${member}`
      : countOf(items.length, what)
  yield markup`<div class="scroll" role="group" aria-label="${what}s" tabindex="0"><table class="wide"><caption>${of}</caption>
<thead><tr>${columns.map((column) => markup`<th scope="col">${column}</th>`)}</tr></thead><tbody>
`
  for (const item of shown) yield markup`<tr>${cells(item).map((cell) => markup`<td>${cell}</td>`)}</tr>\n`
  yield markup`</tbody></table></div>\n`
}

function labelText(labels: ReadonlyMap<string, string>): string {
  return Array.from(labels, ([name, value]) => `${name}=${value}`).join(', ')
}

function fieldText(value: Tree): string {
  return value === null || value === undefined ? 'absent' : typeof value === 'object' ? '' : String(value)
}
