import { choiceField, viewCodec } from '../lib/view-codec.ts'
import { useView } from '../panels/use-view.ts'
import type { ReactNode } from 'react'
import type { LintReport } from '../../contract/lint.ts'
import { createMarker } from '../lib/mark-values.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { lintPath } from '../lib/paths.ts'
import { copyText, parseBlocks } from '../lib/runbook-blocks.ts'
import { PagesNav } from '../panels/pages-nav.tsx'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { FindingList, FindingSeverity } from '../panels/finding-list.tsx'
import { LINT_PATH, useLint } from '../query/use-rules.ts'
import { Choice } from '../ui/choice.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'

const SHOWN = ['all', 'error', 'warning', 'info'] as const
type Shown = (typeof SHOWN)[number]
const SHOWN_TEXTS: Readonly<Record<Shown, string>> = { all: 'All', error: 'Errors', warning: 'Warnings', info: 'Notes' }

const LINT_VIEW = viewCodec({ severity: choiceField('severity', SHOWN) })

/** Findings in the loaded rules, runbooks and dashboards, by check, with place and hint. */
export function LintPage(): ReactNode {
  const query = useLint()
  const { view, set } = useView(LINT_VIEW, lintPath)
  return (
    <div className="page">
      <title>Lint · Daytwo</title>
      <PagesNav place="Alerts" />
      <div className="row row-apart page-head">
        <h1>Lint</h1>
        <Choice
          label="Findings"
          options={SHOWN.map((value) => ({ value, text: SHOWN_TEXTS[value] }))}
          value={view.severity}
          onChange={set('severity')}
        />
      </div>
      <Answer query={query} what="the findings" skeletonLines={8}>
        {(report) => <Report report={report} shown={view.severity} />}
      </Answer>
      <ApiCallNote call={{ path: LINT_PATH }} />
    </div>
  )
}

function Report({ report, shown }: { readonly report: LintReport; readonly shown: Shown }): ReactNode {
  const { checks, findings, counted } = report
  const looked = `${countOf(counted.alerts, 'alert')}, ${countOf(counted.runbooks, 'runbook')} and ${countOf(counted.dashboards, 'dashboard')} checked by ${countOf(checks.length, 'check')}.`
  const found = findings.filter(({ severity }) => shown === 'all' || severity === shown)
  const hit = checks.filter(({ name }) => found.some(({ check }) => check === name))
  const clean = checks.filter((check) => check.findings === 0)
  return (
    <>
      {findings.length === 0 ? (
        <Notice kind="good" title="No findings.">
          {looked}
        </Notice>
      ) : (
        <p className="quiet space-below">
          {countOf(findings.length, 'finding')}. {looked}
        </p>
      )}
      {findings.length > 0 && found.length === 0 ? <p className="empty quiet">No findings of this severity.</p> : null}
      {hit.map((check) => (
        <Panel
          key={check.name}
          title={check.title}
          aside={
            <>
              <FindingSeverity severity={check.severity} /> · {check.name} · {formatCount(check.findings)}
            </>
          }
        >
          <Description text={check.description} />
          <FindingList findings={found.filter((finding) => finding.check === check.name)} />
        </Panel>
      ))}
      {clean.length > 0 ? (
        <details>
          <summary>{countOf(clean.length, 'check')} without findings</summary>
          {clean.map((check) => (
            <Panel key={check.name} title={check.title} aside={check.name}>
              <Description text={check.description} />
            </Panel>
          ))}
        </details>
      ) : null}
    </>
  )
}

const NO_MARKS_IN_TEXT = createMarker({ bindings: [], unbound: [] })

function Description({ text }: { readonly text: string }): ReactNode {
  return (
    <Markdown
      className="quiet"
      blocks={parseBlocks(text)}
      slots={{
        sectionLevel: 3,
        mark: NO_MARKS_IN_TEXT,
        renderLink: (_href, children) => children,
        renderBlock: (block, key) =>
          block.kind === 'cli' ? null : (
            <CodeBlock key={key} what="code" text={copyText(block.text)}>
              {block.text}
            </CodeBlock>
          ),
      }}
    />
  )
}
