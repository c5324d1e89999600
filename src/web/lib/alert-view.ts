import type { AlertItem } from '../../contract/alerts.ts'
import { ALERT_STATES, compareNewest, compareWorst, SEVERITIES } from './severity.ts'
import type { AlertState, Severity } from './severity.ts'

/**
 * What the alerts page shows: filters, grouping and sort, as they stand in the URL, and their effect on the list. Pure.
 * A value the URL holds by mistake is left out, so an old or hand-written link still opens.
 */
export interface AlertView {
  /** Empty: all. */
  readonly severities: readonly Severity[]
  /** Empty: all. */
  readonly states: readonly AlertState[]
  /** The whole name; empty: all. */
  readonly alertname: string
  /** The whole cluster key; empty: all. */
  readonly cluster: string
  /** Part of an alert's or a cluster's name, in any case; empty: all. */
  readonly text: string
  readonly groupBy: 'none' | 'alert' | 'cluster'
  readonly sort: 'worst' | 'newest'
}

export const WHOLE_VIEW: AlertView = {
  severities: [],
  states: [],
  alertname: '',
  cluster: '',
  text: '',
  groupBy: 'none',
  sort: 'worst',
}

export function parseAlertView(search: string): AlertView {
  const params = new URLSearchParams(search)
  const listed = <T extends string>(name: string, known: readonly T[]): T[] => {
    const asked = (params.get(name) ?? '').split(',')
    return known.filter((value) => asked.includes(value))
  }
  const group = params.get('group')
  return {
    severities: listed('severity', SEVERITIES),
    states: listed('state', ALERT_STATES),
    alertname: params.get('alert') ?? '',
    cluster: params.get('cluster') ?? '',
    text: params.get('q') ?? '',
    groupBy: group === 'alert' || group === 'cluster' ? group : 'none',
    sort: params.get('sort') === 'newest' ? 'newest' : 'worst',
  }
}

/** The query string without `?`; what is as by default is left out, so that equal views have equal links. */
export function formatAlertView(view: AlertView): string {
  const params = new URLSearchParams()
  if (view.severities.length > 0) params.set('severity', view.severities.join(','))
  if (view.states.length > 0) params.set('state', view.states.join(','))
  if (view.alertname !== '') params.set('alert', view.alertname)
  if (view.cluster !== '') params.set('cluster', view.cluster)
  if (view.text !== '') params.set('q', view.text)
  if (view.groupBy !== 'none') params.set('group', view.groupBy)
  if (view.sort !== 'worst') params.set('sort', view.sort)
  return params.toString().replaceAll('%2C', ',')
}

export function isFiltered(view: AlertView): boolean {
  return (
    view.severities.length + view.states.length > 0 || view.alertname !== '' || view.cluster !== '' || view.text !== ''
  )
}

export interface AlertGroup {
  /** Alert name or cluster key; empty when the list is not grouped. */
  readonly key: string
  readonly alerts: readonly AlertItem[]
}

/** The alerts to show, sorted inside their groups; groups stand in the order of their first alert. */
export function applyAlertView(alerts: readonly AlertItem[], view: AlertView): AlertGroup[] {
  const sorted = alerts
    .filter((alert) => isShown(alert, view))
    .sort(view.sort === 'worst' ? compareWorst : compareNewest)
  if (view.groupBy === 'none') return sorted.length === 0 ? [] : [{ key: '', alerts: sorted }]
  const groups = new Map<string, AlertItem[]>()
  for (const alert of sorted) {
    const key = view.groupBy === 'alert' ? alert.alertname : alert.cluster
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [alert])
    else group.push(alert)
  }
  return [...groups].map(([key, members]) => ({ key, alerts: members }))
}

function isShown(alert: AlertItem, view: AlertView): boolean {
  if (view.severities.length > 0 && !view.severities.includes(alert.severity)) return false
  if (view.states.length > 0 && !view.states.includes(alert.state)) return false
  if (view.alertname !== '' && alert.alertname !== view.alertname) return false
  if (view.cluster !== '' && alert.cluster !== view.cluster) return false
  const text = view.text.trim().toLowerCase()
  return text === '' || alert.alertname.toLowerCase().includes(text) || alert.cluster.toLowerCase().includes(text)
}
