import type { PrometheusRuleGroup } from '../../contract/prometheus.ts'

/** The rules of all groups as one list. Pure. */

export type RuleItem = PrometheusRuleGroup['rules'][number] & { readonly group: PrometheusRuleGroup }
export type AlertingRule = Extract<RuleItem, { readonly type: 'alerting' }>

export interface RuleListView {
  /** Part of a name, of an expression or of a file, in any case. */
  readonly text: string
  /** `err`: only rules whose evaluation fails. `firing`, `pending`: only rules with alerts in that state. */
  readonly state: RuleListState
}

export const RULE_LIST_STATES = ['all', 'firing', 'pending', 'err', 'recording'] as const
export type RuleListState = (typeof RULE_LIST_STATES)[number]

/** Failing rules first, then firing, then pending; by name within each. */
export function listRules(groups: readonly PrometheusRuleGroup[], { text, state }: RuleListView): RuleItem[] {
  const wanted = text.trim().toLowerCase()
  return groups
    .flatMap((group) => group.rules.map((rule) => ({ ...rule, group })))
    .filter(
      (rule) =>
        wanted === '' || [rule.name, rule.query, rule.group.file].some((one) => one.toLowerCase().includes(wanted)),
    )
    .filter((rule) => isOfState(rule, state))
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

function isOfState(rule: RuleItem, state: RuleListState): boolean {
  switch (state) {
    case 'all':
      return true
    case 'err':
      return rule.health === 'err'
    case 'recording':
      return rule.type === 'recording'
    case 'firing':
    case 'pending':
      return rule.type === 'alerting' && rule.alerts.some((alert) => alert.state === state)
  }
}

function rank(rule: RuleItem): number {
  if (rule.health === 'err') return 0
  if (rule.type === 'recording') return 4
  return ['firing', 'pending', 'inactive'].indexOf(rule.state) + 1
}

/** All rules with this name, of several groups or severities. */
export function rulesOf(groups: readonly PrometheusRuleGroup[], name: string, groupName: string): RuleItem[] {
  return groups
    .filter((group) => groupName === '' || group.name === groupName)
    .flatMap((group) => group.rules.filter((rule) => rule.name === name).map((rule) => ({ ...rule, group })))
}

/** The path of a rule file without the folder that all rule files share. */
export function shortFile(file: string, groups: readonly PrometheusRuleGroup[]): string {
  const folders = groups.map((group) => group.file.split('/').slice(0, -1))
  const [first = []] = folders
  const differsAt = first.findIndex((name, i) => folders.some((folder) => folder[i] !== name))
  return file
    .split('/')
    .slice(differsAt === -1 ? first.length : differsAt)
    .join('/')
}

/** Parses a time of Prometheus; `undefined` for the year 1, which means never evaluated. */
export function evaluatedAtMs(lastEvaluation: string): number | undefined {
  const timeMs = Date.parse(lastEvaluation)
  return Number.isFinite(timeMs) && timeMs > 0 ? timeMs : undefined
}

/** `1.2 ms`, `3.4 s`. */
export function formatSeconds(seconds: number): string {
  return seconds < 1 ? `${Number((seconds * 1000).toPrecision(2))} ms` : `${Number(seconds.toPrecision(2))} s`
}
