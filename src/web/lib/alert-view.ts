import type { AlertItem } from '../../contract/alerts.ts'
import { isHeldBack } from './alert-marks.ts'
import { ALERT_STATES, compareNewest, compareWorst, SEVERITIES, type AlertState, type Severity } from './severity.ts'

/**
 * Filters, grouping and sort of the alerts page, in the URL and applied to the list. Pure. Invalid values of the URL are
 * ignored, so an old or hand-written link still opens.
 */
export interface AlertView {
  /** Empty: all. */
  readonly severities: readonly Severity[]
  /** Empty: all. */
  readonly states: readonly AlertState[]
  /** The whole name; empty: all. */
  readonly alertname: string
  /** The whole cluster key, or several with commas between; empty: all. */
  readonly cluster: string
  /** Part of an alert's or a cluster's name, in any case; empty: all. */
  readonly text: string
  readonly groupBy: GroupBy
  /** `open`: only alerts that are not silenced, acknowledged, inhibited, muted or expected. */
  readonly show: 'all' | 'open'
  readonly sort: 'worst' | 'newest'
}

/** `auto` selects the label (see alert-groups.ts); `label:node` groups by the label `node`. */
export type GroupBy = 'auto' | 'none' | 'alert' | 'cluster' | `label:${string}`

export const WHOLE_VIEW: AlertView = {
  severities: [],
  states: [],
  alertname: '',
  cluster: '',
  text: '',
  groupBy: 'auto',
  show: 'all',
  sort: 'worst',
}

export function parseAlertView(search: string): AlertView {
  const params = new URLSearchParams(search)
  const listed = <T extends string>(name: string, known: readonly T[]): T[] => {
    const asked = (params.get(name) ?? '').split(',')
    return known.filter((value) => asked.includes(value))
  }
  return {
    severities: listed('severity', SEVERITIES),
    states: listed('state', ALERT_STATES),
    alertname: params.get('alert') ?? '',
    cluster: params.get('cluster') ?? '',
    text: params.get('q') ?? '',
    groupBy: parseGroupBy(params.get('group')),
    show: params.get('show') === 'open' ? 'open' : 'all',
    sort: params.get('sort') === 'newest' ? 'newest' : 'worst',
  }
}

function parseGroupBy(text: string | null): GroupBy {
  if (text === 'none' || text === 'alert' || text === 'cluster') return text
  return isLabelGroup(text) ? text : 'auto'
}

const isLabelGroup = (text: string | null): text is `label:${string}` =>
  text !== null && /^label:[A-Za-z_][A-Za-z0-9_]*$/.test(text)

/** An action of a user on an alert. */
export type AlertAction = 'acknowledge' | 'silence'

/** The action that a link in a notification proposes: `?do=silence`. The page opens its dialog and performs nothing. */
export function parseAlertAction(search: string): AlertAction | undefined {
  const action = new URLSearchParams(search).get('do')
  return action === 'acknowledge' || action === 'silence' ? action : undefined
}

/** The query string without `?`, and without default values: equal views have equal links. */
export function formatAlertView(view: AlertView): string {
  const params = new URLSearchParams()
  if (view.severities.length > 0) params.set('severity', view.severities.join(','))
  if (view.states.length > 0) params.set('state', view.states.join(','))
  if (view.alertname !== '') params.set('alert', view.alertname)
  if (view.cluster !== '') params.set('cluster', view.cluster)
  if (view.text !== '') params.set('q', view.text)
  if (view.groupBy !== 'auto') params.set('group', view.groupBy)
  if (view.show !== 'all') params.set('show', view.show)
  if (view.sort !== 'worst') params.set('sort', view.sort)
  return params.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')
}

export function isFiltered(view: AlertView): boolean {
  return (
    view.severities.length + view.states.length > 0 ||
    view.alertname !== '' ||
    view.cluster !== '' ||
    view.text !== '' ||
    view.show !== 'all'
  )
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
