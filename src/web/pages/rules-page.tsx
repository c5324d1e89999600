import { choiceField, textField, viewCodec } from '../lib/view-codec.ts'
import { useView } from '../panels/use-view.ts'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { PrometheusRuleGroup } from '../../contract/prometheus.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { formatAge } from '../lib/format-time.ts'
import { rulePath, rulesPath } from '../lib/paths.ts'
import {
  evaluatedAtMs,
  formatSeconds,
  listRules,
  RULE_LIST_STATES,
  shortFile,
  type RuleItem,
  type RuleListState,
} from '../lib/rule-list.ts'
import { toSeverity } from '../lib/severity.ts'
import { PagesNav } from '../panels/pages-nav.tsx'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { RULES_PATH, useRules } from '../query/use-rules.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { Choice } from '../ui/choice.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { SeverityMark } from '../ui/marks.tsx'
import { RuleHealth } from '../ui/outcome-marks.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { Notice } from '../ui/notice.tsx'
import { Since } from '../ui/time.tsx'

const STATE_TEXTS: Readonly<Record<RuleListState, string>> = {
  all: 'All',
  firing: 'Firing',
  pending: 'Pending',
  err: 'Failing',
  recording: 'Recording',
}

const RULES_VIEW = viewCodec({ text: textField('q'), state: choiceField('state', RULE_LIST_STATES) })

/** All rules with their health, state and evaluation time. */
export function RulesPage(): ReactNode {
  const query = useRules()
  const { view, set } = useView(RULES_VIEW, rulesPath)
  const { text, state } = view
  return (
    <div className="page">
      <title>Rules · Daytwo</title>
      <h1 className="visually-hidden">Rules</h1>
      <PagesNav place="Alerts" />
      <FilterBar
        search={{
          label: 'Search rules',
          placeholder: 'Name, expression or file',
          value: text,
          onChange: set('text'),
        }}
      >
        <Choice
          label="Rules"
          options={RULE_LIST_STATES.map((value) => ({ value, text: STATE_TEXTS[value] }))}
          value={state}
          onChange={set('state')}
        />
      </FilterBar>
      <Answer query={query} what="the rules" skeletonLines={12}>
        {(groups) => {
          const all = groups.reduce((sum, group) => sum + group.rules.length, 0)
          const broken = listRules(groups, { text: '', state: 'err' })
          const rules = listRules(groups, view)
          return (
            <>
              {all === 0 ? (
                <Notice kind="note" title="No rule is loaded">
                  Rule files are read from the folder alert-rules, or from the files in the option rules.
                </Notice>
              ) : null}
              {broken.length > 0 && state !== 'err' ? (
                <Notice
                  kind="partial"
                  title={`${countOf(broken.length, 'rule')} cannot be evaluated: alerts may be missing`}
                >
                  {broken.map(({ name, group }) => (
                    <span key={`${group.name} ${name}`} className="inline-item">
                      <Link href={rulePath(name)}>{name}</Link>
                    </span>
                  ))}
                </Notice>
              ) : null}
              <p className="quiet nums space-below" role="status">
                {rules.length === all
                  ? `${countOf(all, 'rule')} in ${countOf(groups.length, 'group')}`
                  : `${formatCount(rules.length)} of ${countOf(all, 'rule')}`}
              </p>
              {rules.length > 0 ? <RuleTable rules={rules} groups={groups} /> : null}
            </>
          )
        }}
      </Answer>
      <ApiCallNote call={{ path: RULES_PATH }} />
    </div>
  )
}

interface RuleTableProps {
  readonly rules: readonly RuleItem[]
  /** All groups; the folder that all rule files share is not shown. */
  readonly groups: readonly PrometheusRuleGroup[]
}

function RuleTable({ rules, groups }: RuleTableProps): ReactNode {
  return (
    <DataTable
      label="Rules"
      look="boxed"
      columns={[nameColumn(groups), ...COLUMNS]}
      rows={rules}
      rowKey={({ group, name }, i) => `${group.file} ${group.name} ${name} ${i}`}
      rowClass={(rule) => !(rule.type === 'alerting' && rule.state === 'firing') && 'is-held'}
    />
  )
}

const nameColumn = (groups: readonly PrometheusRuleGroup[]): Column<RuleItem> => ({
  head: 'Rule',
  kind: 'name',
  cell: ({ name, group, lastError }) => (
    <>
      <Link href={rulePath(name)}>
        <AlertName name={name} />
      </Link>
      <span className="own-labels" title={group.file}>
        {group.name} · {shortFile(group.file, groups)}
      </span>
      {lastError === undefined || lastError === '' ? null : (
        <span className="own-labels">
          <span className="tone-critical">{lastError}</span>
        </span>
      )}
    </>
  ),
  below: (rule) => (
    <>
      {severityOf(rule)}
      {rule.health === 'ok' ? null : <RuleHealth health={rule.health} />}
    </>
  ),
})

const COLUMNS: readonly Column<RuleItem>[] = [
  { head: 'Severity', isHiddenOnPhone: true, cell: severityOf },
  { head: 'Now', cell: (rule) => <Now rule={rule} /> },
  { head: 'Health', isHiddenOnPhone: true, cell: ({ health }) => <RuleHealth health={health} /> },
  {
    head: 'For',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: (rule) => (rule.type !== 'alerting' || rule.duration === 0 ? '' : formatAge(rule.duration * 1000)),
  },
  {
    head: 'Duration',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ evaluationTime }) => formatSeconds(evaluationTime),
  },
  {
    head: 'Evaluated',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ lastEvaluation }) => {
      const atMs = evaluatedAtMs(lastEvaluation)
      return atMs === undefined ? 'never' : <Since atMs={atMs} suffix=" ago" />
    },
  },
]

function severityOf(rule: RuleItem): ReactNode {
  if (rule.type !== 'alerting') return <span className="quiet">recording</span>
  return <SeverityMark severity={toSeverity(rule.labels['severity'] ?? '')} />
}

function Now({ rule }: { readonly rule: RuleItem }): ReactNode {
  if (rule.health === 'err') return 'not known'
  if (rule.type !== 'alerting') return <span className="quiet">recording</span>
  const firing = rule.alerts.filter((alert) => alert.state === 'firing').length
  const pending = rule.alerts.length - firing
  if (rule.alerts.length === 0) return <span className="quiet">inactive</span>
  return (
    <span className="nums">
      {firing > 0 ? <strong>{formatCount(firing)} firing</strong> : null}
      {firing > 0 && pending > 0 ? ', ' : ''}
      {pending > 0 ? `${formatCount(pending)} pending` : ''}
    </span>
  )
}
