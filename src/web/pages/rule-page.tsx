import { useState, type ReactNode } from 'react'
import { Link, useSearch } from 'wouter'
import { countOf } from '../lib/format-number.ts'
import { formatAge } from '../lib/format-time.ts'
import { alertsPath, promqlPath, rulesPath, runbookPath } from '../lib/paths.ts'
import { evaluatedAtMs, formatSeconds, rulesOf, type AlertingRule, type RuleItem } from '../lib/rule-list.ts'
import { PagesNav } from '../panels/pages-nav.tsx'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { BackTest } from '../panels/back-test.tsx'
import { FindingList } from '../panels/finding-list.tsx'
import { RuleAlerts } from '../panels/rule-alerts.tsx'
import { RuleTestList } from '../panels/rule-test-list.tsx'
import { RULES_PATH, useLint, useFormatted, useRules } from '../query/use-rules.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { FactList } from '../ui/fact-list.tsx'
import { ImpactMark, SeverityMark, StateMark } from '../ui/marks.tsx'
import { RuleHealth } from '../ui/outcome-marks.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { PromqlText } from '../ui/promql-text.tsx'
import { Since } from '../ui/time.tsx'

/** One rule: its expression, alerts, unit tests, and a back-test of an edited rule. */
export function RulePage({ name }: { readonly name: string }): ReactNode {
  const groupName = new URLSearchParams(useSearch()).get('group') ?? ''
  const query = useRules()
  return (
    <div className="page">
      <title>{`${name} · Rules · Daytwo`}</title>
      <PagesNav place="Alerts" />
      <h1>
        <AlertName name={name} />
      </h1>
      <Answer query={query} what="the rule" skeletonLines={12}>
        {(groups) => {
          const rules = rulesOf(groups, name, groupName)
          if (rules.length === 0) {
            return (
              <Notice kind="note" title={`No rule has the name ${name}`}>
                <Link href={rulesPath()}>All rules</Link>
              </Notice>
            )
          }
          return <Rules name={name} rules={rules} />
        }}
      </Answer>
      <ApiCallNote call={{ path: RULES_PATH }} />
    </div>
  )
}

function Rules({ name, rules }: { readonly name: string; readonly rules: readonly RuleItem[] }): ReactNode {
  const alerting = rules.filter((rule) => rule.type === 'alerting')
  const lint = useLint()
  return (
    <>
      {rules.map((rule, i) => (
        <RuleText key={`${rule.group.file} ${rule.group.name} ${i}`} rule={rule} />
      ))}
      {alerting.length === 0 ? null : (
        <>
          <Panel title="Active alerts" aside={<Link href={alertsPath({ alertname: name })}>Show in all alerts</Link>}>
            <RuleAlerts rules={alerting} />
          </Panel>
          <Tests name={name} />
          <BackTest key={name} rules={alerting} />
        </>
      )}
      <Panel title="Lint findings">
        <Answer query={lint} what="the lint findings" skeletonLines={2}>
          {({ findings }) => {
            const own = findings.filter(({ subject }) => subject === name)
            return own.length === 0 ? (
              <p className="quiet empty">No findings.</p>
            ) : (
              <FindingList findings={own} isOneSubject />
            )
          }}
        </Answer>
      </Panel>
    </>
  )
}

function RuleText({ rule }: { readonly rule: RuleItem }): ReactNode {
  const { name, query, labels, group, health, lastError, evaluationTime, lastEvaluation } = rule
  const { text: expr, isPending } = useFormatted(query)
  const atMs = evaluatedAtMs(lastEvaluation)
  return (
    <Panel
      title={rule.type === 'alerting' ? 'Alerting rule' : 'Recording rule'}
      aside={
        <>
          {group.name} · {group.file}
        </>
      }
    >
      {rule.type === 'alerting' ? (
        <p className="row row-text spaced">
          <SeverityMark severity={labels['severity'] ?? 'none'} />
          <ImpactMark impact={labels['operator_health_impact'] ?? 'none'} />
          {rule.state === 'inactive' ? <span className="quiet">inactive</span> : <StateMark state={rule.state} />}
          <span>{holdSentence(rule)}</span>
          <Link href={runbookPath(name)}>Runbook</Link>
        </p>
      ) : null}
      {lastError === undefined || lastError === '' ? null : (
        <Notice kind="error" title="Evaluation failed: alerts of this rule are missing">
          {lastError}
        </Notice>
      )}
      <div className={isPending ? 'is-growing' : ''}>
        <CodeBlock what="expression" text={expr} bar={<Link href={promqlPath(query)}>Open in Explore</Link>}>
          <PromqlText expr={expr} />
        </CodeBlock>
      </div>
      <div className="parts">
        <FactList
          facts={[
            { name: 'health', value: <RuleHealth health={health} /> },
            { name: 'evaluated', value: atMs === undefined ? 'never' : <Since atMs={atMs} suffix=" ago" /> },
            { name: 'duration', value: formatSeconds(evaluationTime) },
            { name: 'every', value: formatAge(group.interval * 1000) },
            ...(group.limit > 0 ? [{ name: 'limit', value: countOf(group.limit, 'alert') }] : []),
          ]}
        />
        <FactList facts={Object.entries(labels).map(([key, value]) => ({ name: key, value }))} isStacked />
        {rule.type === 'alerting' ? (
          <FactList facts={Object.entries(rule.annotations).map(([key, value]) => ({ name: key, value }))} isStacked />
        ) : null}
      </div>
    </Panel>
  )
}

function holdSentence({ duration, keepFiringFor }: AlertingRule): string {
  const start = duration === 0 ? 'fires immediately' : `fires after ${formatAge(duration * 1000)}`
  return keepFiringFor === 0 ? start : `${start}, and keeps firing for ${formatAge(keepFiringFor * 1000)}`
}

/** The unit tests take seconds on the server, so a button starts them. */
function Tests({ name }: { readonly name: string }): ReactNode {
  const [isWanted, setIsWanted] = useState(false)
  return (
    <Panel title="Unit tests">
      {isWanted ? (
        <RuleTestList name={name} />
      ) : (
        <p>
          <Button
            size="sm"
            onClick={() => {
              setIsWanted(true)
            }}
          >
            Run tests
          </Button>{' '}
          <span className="quiet">
            Runs the tests in alert-rules/tests that mention this rule, like daytwo test rules.
          </span>
        </p>
      )}
    </Panel>
  )
}
