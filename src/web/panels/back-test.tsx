import { useState, type ReactNode } from 'react'
import type { Replay, ReplayDifference, ReplayOutcome, ReplayRequest } from '../../contract/replay.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { formatAge } from '../lib/format-time.ts'
import type { AlertingRule } from '../lib/rule-list.ts'
import { ruleYaml } from '../lib/rule-yaml.ts'
import type { ApiFailure } from '../query/fetch-json.ts'
import { REPLAY_PATH, useFormatted, useReplay } from '../query/use-rules.ts'
import { BlockChart } from '../ui/block-chart.tsx'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { FailureText } from '../ui/failure-text.tsx'
import { submitTo, valueTo } from '../ui/form-events.ts'
import { Panel } from '../ui/panel.tsx'
import { serverNowMs } from '../ui/server-clock.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { Moment } from '../ui/time.tsx'
import { ApiCallNote } from './api-call-note.tsx'
import { ActionFailure } from './action-form.tsx'

const DAY_MS = 86_400_000

const WINDOWS = [
  { value: '7d', text: '7 d', windowMs: 7 * DAY_MS },
  { value: '30d', text: '30 d', windowMs: 30 * DAY_MS },
] as const
type WindowName = (typeof WINDOWS)[number]['value']

/** Evaluates the rule and an edited copy over stored samples, before the edited rule pages anybody. */
export function BackTest({ rules }: { readonly rules: readonly AlertingRule[] }): ReactNode {
  const [at, setAt] = useState(0)
  const rule = rules[Math.min(at, rules.length - 1)]
  return (
    <Panel title="Back-test" aside="on stored data, without side effects">
      {rules.length > 1 ? (
        <Choice
          label="Rule"
          options={rules.map(({ group, labels }, i) => ({
            value: String(i),
            text: `${group.name}${labels['severity'] === undefined ? '' : `, ${labels['severity']}`}`,
          }))}
          value={String(at)}
          onChange={(value) => {
            setAt(Number(value))
          }}
        />
      ) : null}
      {rule === undefined ? null : <Editor key={at} rule={rule} />}
    </Panel>
  )
}

function Editor({ rule }: { readonly rule: AlertingRule }): ReactNode {
  const expr = useFormatted(rule.query).text
  const original = ruleYaml({
    name: rule.name,
    expr,
    forSeconds: rule.duration,
    keepFiringForSeconds: rule.keepFiringFor,
    labels: rule.labels,
    annotations: rule.annotations,
  })
  const [edited, setEdited] = useState<string>()
  const [windowName, setWindowName] = useState<WindowName>('7d')
  const replay = useReplay()
  const text = edited ?? original
  const isEdited = text.trim() !== original.trim()
  const requestAt = (nowMs: number): ReplayRequest => ({
    alertname: rule.name,
    group: rule.group.name,
    ...(isEdited ? { rule: text } : {}),
    fromMs: Math.floor(nowMs - WINDOWS.find(({ value }) => value === windowName)!.windowMs),
    toMs: Math.floor(nowMs),
  })
  return (
    <form
      className="form"
      onSubmit={submitTo(() => {
        replay.mutate(requestAt(serverNowMs()))
      })}
    >
      <label className="field">
        <span>
          The rule <span className="quiet">(edit to compare with the current rule)</span>
        </span>
        <textarea
          className="code-field"
          rows={Math.min(36, text.split('\n').length + 1)}
          spellCheck={false}
          autoCapitalize="none"
          value={text}
          onChange={valueTo(setEdited)}
        />
      </label>
      <div className="row form-actions">
        <Choice label="Window" options={WINDOWS} value={windowName} onChange={setWindowName} />
        <Button type="submit" variant="primary" isDisabled={replay.isPending}>
          {replay.isPending ? 'Replaying…' : isEdited ? 'Replay both' : 'Replay'}
        </Button>
        {isEdited ? (
          <Button
            variant="link"
            onClick={() => {
              setEdited(undefined)
            }}
          >
            Reset to the current rule
          </Button>
        ) : null}
      </div>
      {replay.error === null ? null : <ReplayFailure error={replay.error} />}
      {replay.isPending ? <Skeleton lines={5} label="Replaying the rule" /> : null}
      {replay.data === undefined ? null : <Outcomes replay={replay.data} />}
      <ApiCallNote call={{ method: 'POST', path: REPLAY_PATH, body: requestAt(serverNowMs()) }} />
    </form>
  )
}

/** The failure of a replay. A syntax error has a caret below its place, which needs preformatted text. */
function ReplayFailure({ error }: { readonly error: ApiFailure }): ReactNode {
  if (!error.message.includes('\n')) return <ActionFailure what="replay the rule" failure={error} />
  return (
    <div role="alert">
      <strong>The rule is not valid</strong>
      <FailureText label="Position and error" text={error.message} />
    </div>
  )
}

interface OutcomeRow {
  readonly name: string
  readonly says: string
  readonly of: (outcome: ReplayOutcome) => number
  readonly text?: (value: number) => string
}

const ROWS: readonly OutcomeRow[] = [
  { name: 'Firing events', says: 'number of times that an alert started firing', of: ({ fires }) => fires },
  { name: 'Notifications per week', says: 'without silences', of: ({ pagesPerWeek }) => pagesPerWeek, text: oneDigit },
  { name: 'Flaps', says: 'fired again within an hour', of: ({ flaps }) => flaps },
  { name: 'Never fired', says: 'resolved while pending (for)', of: ({ neverFired }) => neverFired },
  { name: 'Clusters', says: 'with firing alerts', of: ({ clusters }) => clusters },
  { name: 'Peak', says: 'alerts firing at the same time', of: ({ mostAtOnce }) => mostAtOnce },
  {
    name: 'Firing time',
    says: 'sum over all alerts',
    of: ({ firingSeconds }) => firingSeconds,
    text: (seconds) => formatAge(seconds * 1000),
  },
]

function oneDigit(value: number): string {
  return formatCount(Number(value.toFixed(1)))
}

function Outcomes({ replay }: { readonly replay: Replay }): ReactNode {
  const { present, edited, fromMs, toMs, stepMs, blockMs } = replay
  const both = [
    ...(present === undefined ? [] : [{ name: 'Current', outcome: present }]),
    ...(edited === undefined ? [] : [{ name: 'Edited', outcome: edited }]),
  ]
  const most = Math.max(1, ...both.flatMap(({ outcome }) => outcome.firingByBlock))
  return (
    <section aria-label="Replay result" className="stack">
      <p className="quiet">
        From <Moment atMs={fromMs} /> to <Moment atMs={toMs} />, evaluated every {formatAge(stepMs)}.
      </p>
      <DataTable
        label="Current and edited rule"
        className="narrow"
        columns={[
          {
            id: 'name',
            head: `Over ${formatAge(toMs - fromMs)}`,
            kind: 'name',
            cell: ({ name, says }) => (
              <>
                {name} <span className="quiet">{says}</span>
              </>
            ),
          },
          ...both.map(({ name, outcome }): Column<OutcomeRow> => ({
            id: name,
            head: name,
            kind: 'number',
            cell: ({ of, text = formatCount }) => text(of(outcome)),
          })),
          ...(present === undefined || edited === undefined ? [] : [changeColumn(present, edited)]),
        ]}
        rows={ROWS}
        rowKey={({ name }) => name}
      />
      {replay.difference === undefined ? null : <Difference difference={replay.difference} />}
      {both.map(({ name, outcome }) => (
        <figure key={name}>
          <figcaption className="quiet text-small">
            {name}: alerts firing at the same time{outcome.fires === 0 ? ', none' : ''}
          </figcaption>
          <BlockChart
            values={outcome.firingByBlock}
            most={most}
            label={`${name} rule: at most ${countOf(outcome.mostAtOnce, 'alert')} at the same time, in blocks of ${formatAge(blockMs)}`}
          />
        </figure>
      ))}
      {both.map(({ name, outcome }) => (
        <Runs key={name} name={name} outcome={outcome} />
      ))}
    </section>
  )
}

/** Alerts that fire under one of the two rules alone. */
function Difference({ difference }: { readonly difference: ReplayDifference }): ReactNode {
  const { onlyPresent, onlyEdited, bothSeconds, cut } = difference
  const sides = [
    { name: 'current', side: onlyPresent },
    { name: 'edited', side: onlyEdited },
  ]
  return (
    <section aria-label="Difference" className="stack">
      <p>
        Firing under both rules: {formatAge(bothSeconds * 1000)}.{' '}
        {sides
          .map(({ name, side }) => {
            const where = `${countOf(side.periods, 'period')} on ${countOf(side.clusters, 'cluster')}`
            return side.periods === 0
              ? `Nothing only under the ${name} rule.`
              : `Only under the ${name} rule: ${where}, ${formatAge(side.seconds * 1000)}.`
          })
          .join(' ')}
        {cut ? ' Not all periods were compared: a rule has more than 50,000.' : ''}
      </p>
      {sides
        .filter(({ side }) => side.items.length > 0)
        .map(({ name, side }) => (
          <details key={name}>
            <summary>
              Only under the {name} rule, newest first
              {side.periods > DIFFERENCES_SHOWN ? `, ${DIFFERENCES_SHOWN} of ${formatCount(side.periods)}` : ''}
            </summary>
            <DataTable
              label={`Only under the ${name} rule`}
              columns={DIFFERENCE_COLUMNS}
              rows={side.items.slice(0, DIFFERENCES_SHOWN)}
              rowKey={({ labels, fromMs }) => `${fromMs} ${JSON.stringify(labels)}`}
            />
          </details>
        ))}
    </section>
  )
}

const DIFFERENCES_SHOWN = 50

const DIFFERENCE_COLUMNS: readonly Column<ReplayDifference['onlyEdited']['items'][number]>[] = [
  { head: 'From', cell: ({ fromMs }) => <Moment atMs={fromMs} /> },
  { head: 'For', kind: 'number', cell: ({ fromMs, untilMs }) => formatAge(untilMs - fromMs) },
  {
    head: 'Alert',
    kind: 'name',
    cell: ({ labels }) =>
      Object.entries(labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
  },
]

const changeColumn = (present: ReplayOutcome, edited: ReplayOutcome): Column<OutcomeRow> => ({
  head: 'Change',
  kind: 'number',
  className: 'quiet',
  cell: ({ of, text = formatCount }) => changeText(of(edited) - of(present), text),
})

function changeText(change: number, text: (value: number) => string): string {
  if (change === 0) return 'same'
  return `${change > 0 ? '+' : '−'}${text(Math.abs(change))}`
}

const RUNS_SHOWN = 50

function Runs({ name, outcome }: { readonly name: string; readonly outcome: ReplayOutcome }): ReactNode {
  if (outcome.runs.length === 0) return null
  return (
    <details>
      <summary>{name}: firing times and clusters</summary>
      <ul className="plain-list">
        {outcome.runs.slice(0, RUNS_SHOWN).map(({ labels, firedAtMs, resolvedAtMs, value }, i) => (
          <li key={i}>
            <Moment atMs={firedAtMs} />{' '}
            {Object.entries(labels)
              .filter(([label]) => label !== 'alertname' && label !== 'severity' && label !== 'operator_health_impact')
              .map(([label, one]) => `${label}="${one}"`)
              .join(' ')}{' '}
            <span className="quiet">
              {resolvedAtMs === undefined ? 'still firing' : `for ${formatAge(resolvedAtMs - firedAtMs)}`}, value{' '}
              {value}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
