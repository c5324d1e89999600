/** A post-incident review in Markdown. What people and clusters have written is escaped: it never becomes markup. Pure. */
import { escapeMarkdown } from '../../base/quoting.ts'
import { durationText } from './end-cause.ts'
import type { OutcomeRun } from './outcome-runs.ts'
import { causeText, nameOf, type Review, type ReviewEvent } from './review.ts'

/** Addresses of pages, percent-encoded: absolute, or paths where the server does not know its own address. */
export interface ReviewLinks {
  readonly alert: (run: OutcomeRun['run']) => string
  readonly upgrade: (id: string) => string
}

export function reviewMarkdown(
  { title, asOfMs, alerts, upgrades, timeline, unknown }: Review,
  links: ReviewLinks,
): string {
  return [
    `# ${escapeMarkdown(title)}`,
    `Written by Daytwo at ${timeText(asOfMs)} from what is recorded. All times are UTC.`,
    '## Alerts',
    ...(alerts.length === 0
      ? ['No alert fired.']
      : [alertTable(alerts), ...alerts.map((run) => alertPart(run, links))]),
    ...(upgrades.length === 0
      ? []
      : [
          '## Upgrades',
          upgrades
            .map(({ upgrade: { id, cluster, operator, from, to, state } }) => {
              const versions = `${from === undefined ? '' : `${escapeMarkdown(from)} → `}${escapeMarkdown(to)}`
              return `- ${escapeMarkdown(operator)} ${versions} on ${escapeMarkdown(cluster)}: ${escapeMarkdown(state)} ([page](${links.upgrade(id)}))`
            })
            .join('\n'),
        ]),
    '## Timeline',
    timelineTable(timeline),
    '## Missing information',
    unknown.length === 0 ? 'None known.' : unknown.map((text) => `- ${escapeMarkdown(text)}`).join('\n'),
    '## Lessons',
    '- What went well:\n- What went badly:\n- Actions, with owners:',
  ]
    .join('\n\n')
    .concat('\n')
}

function alertTable(alerts: readonly OutcomeRun[]): string {
  const rows = alerts.map((one) => {
    const { run, acknowledged, end } = one
    const acknowledge =
      acknowledged === undefined ? 'not acknowledged' : durationText(acknowledged.atMs - run.firedAtMs)
    const resolve = run.resolvedAtMs === undefined ? 'firing' : durationText(run.resolvedAtMs - run.firedAtMs)
    const cause = end === undefined ? '' : `${causeText(end.cause)}${end.isStated ? ' (stated)' : ' (derived)'}`
    return `| ${[escapeMarkdown(nameOf(one)), timeText(run.firedAtMs), acknowledge, resolve, cause].join(' | ')} |`
  })
  const head = [
    '| Alert | Fired | Time to acknowledge | Time to resolve | Ended by |',
    '| --- | --- | --- | --- | --- |',
  ]
  return [...head, ...rows].join('\n')
}

function alertPart(one: OutcomeRun, links: ReviewLinks): string {
  const { run, revision, work, steps, end } = one
  const summary = run.annotations['summary']
  const done = [...work.steps].map(([key, { ticked, helped }]) => {
    const mark =
      helped === undefined ? '' : steps.get(key)?.section === 'diagnosis' ? ' **found the cause**' : ' **the fix**'
    return `- [${ticked === undefined ? ' ' : 'x'}] ${escapeMarkdown(steps.get(key)?.text ?? key)}${mark}`
  })
  const revisionText =
    revision === undefined ? 'no revision of a runbook recorded' : `runbook revision ${escapeMarkdown(revision)}`
  return [
    `### ${escapeMarkdown(nameOf(one))}`,
    ...(summary === undefined ? [] : [escapeMarkdown(summary)]),
    `[Page of this review](${links.alert(run)}), ${revisionText}.`,
    ...(end === undefined ? [] : [`Ended by: ${causeText(end.cause)}. ${end.evidence.map(escapeMarkdown).join(' ')}`]),
    ...(done.length === 0 ? ['No step is recorded.'] : [done.join('\n')]),
  ].join('\n\n')
}

function timelineTable(timeline: readonly ReviewEvent[]): string {
  const rows = timeline.map(({ atMs, kind, text, by }) => {
    return `| ${timeText(atMs)} | ${kind} | ${escapeMarkdown(text)} | ${by === undefined ? '' : escapeMarkdown(by)} |`
  })
  return ['| Time | Kind | Event | By |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

/** `2026-11-21 23:38:01`. */
function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}
