import { searchOf } from './address.ts'
import { choiceField, choicesField, textField, viewCodec, type ViewField, type ViewOf } from './view-codec.ts'
import type { AlertItem } from '../../contract/alerts.ts'
import { isHeldBack } from './alert-marks.ts'
import { ALERT_STATES, compareNewest, compareWorst, SEVERITIES } from './severity.ts'

/** `auto` selects the label (see alert-groups.ts); `label:node` groups by the label `node`. */
export type GroupBy = 'auto' | 'none' | 'alert' | 'cluster' | `label:${string}`

/** Filters, grouping and sort of the alerts page, in its address. Pure. */
export const ALERT_VIEW = viewCodec({
  /** Empty: all. */
  severities: listedField('severity', SEVERITIES),
  /** Empty: all. */
  states: listedField('state', ALERT_STATES),
  /** The whole name; empty: all. */
  alertname: textField('alert'),
  /** The whole cluster key, or several with commas between; empty: all. */
  cluster: textField('cluster'),
  /** Part of an alert's or a cluster's name, in any case; empty: all. */
  text: textField('q'),
  groupBy: {
    read: (params) => parseGroupBy(params.get('group')),
    write: (groupBy: GroupBy) => ({ group: groupBy === 'auto' ? '' : groupBy }),
  },
  /** `open`: only alerts that are not silenced, acknowledged, inhibited, muted or expected. */
  show: choiceField('show', ['all', 'open']),
  sort: choiceField('sort', ['worst', 'newest']),
})
export type AlertView = ViewOf<typeof ALERT_VIEW>

/** Some of `values`, with commas between. */
function listedField<T extends string>(name: string, values: readonly T[]): ViewField<readonly T[]> {
  return { ...choicesField(name, values), write: (chosen) => ({ [name]: chosen.join(',') }) }
}

function parseGroupBy(text: string | null): GroupBy {
  if (text === 'none' || text === 'alert' || text === 'cluster') return text
  return isLabelGroup(text) ? text : 'auto'
}

function isLabelGroup(text: string | null): text is `label:${string}` {
  return text !== null && /^label:[A-Za-z_][A-Za-z0-9_]*$/.test(text)
}

/** An action of a user on an alert. */
export type AlertAction = 'acknowledge' | 'silence'

/** The action that a link in a notification proposes: `?do=silence`. The page opens its dialog and performs nothing. */
export function parseAlertAction(search: string): AlertAction | undefined {
  const action = new URLSearchParams(search).get('do')
  return action === 'acknowledge' || action === 'silence' ? action : undefined
}

/** The query string without `?`. */
export function formatAlertView(view: AlertView): string {
  return searchOf(ALERT_VIEW.searchOf(view)).replaceAll('%2C', ',').replaceAll('%3A', ':')
}

export function isFiltered(view: AlertView): boolean {
  return ALERT_VIEW.isNarrowed({ ...view, groupBy: 'auto' })
}

/** The alerts that pass the filters, in the order of the view. */
export function applyAlertView(alerts: readonly AlertItem[], view: AlertView): AlertItem[] {
  return alerts.filter((alert) => isShown(alert, view)).sort(view.sort === 'worst' ? compareWorst : compareNewest)
}

export function isShown(alert: AlertItem, view: AlertView): boolean {
  if (view.severities.length > 0 && !view.severities.includes(alert.severity)) return false
  if (view.states.length > 0 && !view.states.includes(alert.state)) return false
  if (view.alertname !== '' && alert.alertname !== view.alertname) return false
  if (view.cluster !== '' && !isOneOf(alert.cluster, view.cluster)) return false
  if (view.show === 'open' && isHeldBack(alert)) return false
  const text = view.text.trim().toLowerCase()
  return text === '' || alert.alertname.toLowerCase().includes(text) || alert.cluster.toLowerCase().includes(text)
}

/** A cluster name may contain a comma. */
function isOneOf(cluster: string, asked: string): boolean {
  return cluster === asked || (asked.includes(',') && asked.split(',').includes(cluster))
}
