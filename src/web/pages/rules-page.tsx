import { useRef } from 'react'
import type { ReactNode } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { PrometheusRuleGroup } from '../../contract/prometheus.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { formatAge } from '../lib/format-time.ts'
import { rulePath, rulesPath } from '../lib/paths.ts'
import { evaluatedAtMs, formatSeconds, listRules, RULE_LIST_STATES, shortFile } from '../lib/rule-list.ts'
import type { RuleItem, RuleListState } from '../lib/rule-list.ts'
import { toSeverity } from '../lib/severity.ts'
import { PagesNav } from '../panels/pages-nav.tsx'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { RULES_PATH, useRules } from '../query/use-rules.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { Choice } from '../ui/choice.tsx'
import { SeverityMark } from '../ui/marks.tsx'
import { Notice } from '../ui/notice.tsx'
import { RuleHealth } from '../ui/rule-health.tsx'
import { Since } from '../ui/time.tsx'
import { useKeys } from '../ui/use-keys.ts'

const STATE_TEXTS: Readonly<Record<RuleListState, string>> = {
  all: 'All',
  firing: 'Firing',
  pending: 'Pending',
  err: 'Broken',
  recording: 'Recording',
}

/** Every rule: whether it works, what it does now, and how long it takes. */
export function RulesPage(): ReactNode {
  const query = useRules()
  const params = new URLSearchParams(useSearch())
  const [, navigate] = useLocation()
  const search = useRef<HTMLInputElement>(null)
  const text = params.get('q') ?? ''
  const state = RULE_LIST_STATES.find((one) => one === params.get('state')) ?? 'all'
  useKeys({
    '/': () => {
      search.current?.focus()
    },
  })
  return (
    <div className="page">
      <title>Rules · Daytwo</title>
      <h1 className="visually-hidden">Rules</h1>
      <PagesNav place="Alerts" />
      <div className="filters">
        <input
          ref={search}
          type="search"
          className="filters-search"
          aria-label="Search rules"
          placeholder="Name, expression or file"
          value={text}
          onChange={(event) => {
            navigate(rulesPath({ q: event.target.value, state: state === 'all' ? '' : state }), { replace: true })
          }}
        />
        <Choice
          label="Rules"
          options={RULE_LIST_STATES.map((value) => ({ value, text: STATE_TEXTS[value] }))}
          value={state}
          onChange={(next) => {
            navigate(rulesPath({ q: text, state: next === 'all' ? '' : next }), { replace: true })
          }}
        />
      </div>
      <Answer query={query} what="the rules" skeletonLines={12}>
        {(groups) => {
          const all = groups.reduce((sum, group) => sum + group.rules.length, 0)
          const broken = listRules(groups, { text: '', state: 'err' })
          const rules = listRules(groups, { text, state })
          return (
            <>
              {all === 0 ? (
                <Notice kind="note" title="No rule is loaded">
                  Rule files are read from the folder alert-rules, or from where rules.files of the configuration says.
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
              <p className="quiet nums list-count" role="status">
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
  /** All there are: what their files share is not said. */
  readonly groups: readonly PrometheusRuleGroup[]
}

function RuleTable({ rules, groups }: RuleTableProps): ReactNode {
  return (
    <div className="table-box">
      <table className="data-table alert-table" aria-label="Rules">
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col" className="cell-beside">
              Severity
            </th>
            <th scope="col">Now</th>
            <th scope="col" className="cell-beside">
              Health
            </th>
            <th scope="col" className="cell-beside cell-number">
              For
            </th>
            <th scope="col" className="cell-number cell-beside">
              Takes
            </th>
            <th scope="col" className="cell-number cell-beside">
              Evaluated
            </th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule, i) => (
            <RuleRow
              key={`${rule.group.file} ${rule.group.name} ${rule.name} ${i}`}
              rule={rule}
              file={shortFile(rule.group.file, groups)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function RuleRow({ rule, file }: { readonly rule: RuleItem; readonly file: string }): ReactNode {
  const { name, group, health, lastError, evaluationTime, lastEvaluation, labels } = rule
  const atMs = evaluatedAtMs(lastEvaluation)
  const severity = toSeverity(labels['severity'] ?? '')
  const isFiring = rule.type === 'alerting' && rule.state === 'firing'
  return (
    <tr className={isFiring ? '' : 'is-held'}>
      <td className="cell-name">
        <Link href={rulePath(name)}>
          <AlertName name={name} />
        </Link>
        <span className="own-labels" title={group.file}>
          {group.name} · {file}
        </span>
        {lastError === undefined || lastError === '' ? null : (
          <span className="own-labels">
            <span className="tone-critical">{lastError}</span>
          </span>
        )}
        <span className="cell-below">
          {rule.type === 'alerting' ? <SeverityMark severity={severity} /> : 'recording'}
          {health === 'ok' ? null : <RuleHealth health={health} />}
        </span>
      </td>
      <td className="cell-beside">
        {rule.type === 'alerting' ? <SeverityMark severity={severity} /> : <span className="quiet">recording</span>}
      </td>
      <td>
        {health === 'err' ? (
          'not known'
        ) : rule.type === 'alerting' ? (
          <Now rule={rule} />
        ) : (
          <span className="quiet">records</span>
        )}
      </td>
      <td className="cell-beside">
        <RuleHealth health={health} />
      </td>
      <td className="cell-beside cell-number nums">
        {rule.type !== 'alerting' || rule.duration === 0 ? '' : formatAge(rule.duration * 1000)}
      </td>
      <td className="cell-beside cell-number nums">{formatSeconds(evaluationTime)}</td>
      <td className="cell-beside cell-number">{atMs === undefined ? 'never' : <Since atMs={atMs} suffix=" ago" />}</td>
    </tr>
  )
}

function Now({ rule }: { readonly rule: Extract<RuleItem, { type: 'alerting' }> }): ReactNode {
  const firing = rule.alerts.filter((alert) => alert.state === 'firing').length
  const pending = rule.alerts.length - firing
  if (rule.alerts.length === 0) return <span className="quiet">quiet</span>
  return (
    <span className="nums">
      {firing > 0 ? <strong>{formatCount(firing)} firing</strong> : null}
      {firing > 0 && pending > 0 ? ', ' : ''}
      {pending > 0 ? `${formatCount(pending)} pending` : ''}
    </span>
  )
}
