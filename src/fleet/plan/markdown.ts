/** A plan as a runbook in Markdown: the schedule, what to resolve first, then each cluster with its steps. Pure. */
import { codeSpan, escapeMarkdown } from '../../base/quoting.ts'
import type { ClusterPlan, FleetPlan, PlanBlocker, PlanSchedule, PlanStep, PlanTotal } from '../../model/plan.ts'

/** @param asOfMs when the plan was made */
export function planMarkdown(plan: FleetPlan, asOfMs: number): string {
  const { target, selected, clusters, schedule, blocked } = plan
  const planned = clusters.filter(({ steps }) => steps.length > 0)
  const others = clusters.filter(({ steps }) => steps.length === 0)
  return [
    `# Upgrade to ${escapeMarkdown(target)}`,
    `Made by Daytwo at ${minuteText(asOfMs)} for ${selected} clusters: ${outcomesText(plan)}. ${blocked} of them have a blocking hazard.`,
    ...scheduleParts(schedule),
    ...hazardParts(planned),
    ...planned.flatMap(clusterParts),
    ...(others.length === 0
      ? []
      : [
          '## Clusters without steps',
          others
            .map(({ cluster, summary }) => `- **${escapeMarkdown(cluster)}**: ${escapeMarkdown(summary)}`)
            .join('\n'),
        ]),
    ...(clusters.length < selected
      ? [`The first ${clusters.length} of ${selected} clusters are listed. Narrow the selection for the others.`]
      : []),
  ]
    .join('\n\n')
    .concat('\n')
}

function outcomesText({ outcomes }: FleetPlan): string {
  return Object.entries(outcomes)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome.replaceAll('_', ' ')}`)
    .join(', ')
}

function scheduleParts({
  waves,
  windows,
  timeZone,
  clustersAtOnce,
  draws,
  endP50Ms,
  endP90Ms,
  ...rest
}: PlanSchedule): readonly string[] {
  if (waves.length === 0) return []
  const head = [
    '| Wave | Clusters | Start p50 | Start p90 | End p50 | End p90 |',
    '| --- | --- | --- | --- | --- | --- |',
  ]
  const rows = waves.map(({ clusters, ...wave }, i) => {
    const cells = [wave.startP50Ms, wave.startP90Ms, wave.endP50Ms, wave.endP90Ms].map(momentText)
    return `| ${i + 1} | ${clusters.map(escapeMarkdown).join(', ')} | ${cells.join(' | ')} |`
  })
  const bound =
    rest.unknownSteps > 0 ? ` ${rest.unknownSteps} steps have an unknown duration, so the end is a lower bound.` : ''
  const overlong =
    rest.overlongSteps > 0 ? ` ${rest.overlongSteps} steps are longer than each window and run on after its end.` : ''
  return [
    '## Schedule',
    `${clustersAtOnce} clusters at a time, ${windows.length === 0 ? 'at any time' : `in the windows ${windows.map(escapeMarkdown).join('; ')} (${escapeMarkdown(timeZone)})`}. ` +
      `All is done by ${momentText(endP50Ms)} (p50), ${momentText(endP90Ms)} (p90).${bound}${overlong} ` +
      `Times are UTC, from ${draws} simulated runs over measured durations; commands and approvals are not counted.`,
    [...head, ...rows].join('\n'),
  ]
}

function hazardParts(plans: readonly ClusterPlan[]): readonly string[] {
  const lines = plans.flatMap(({ cluster, blockers }) =>
    blockers
      .filter(({ severity }) => severity === 'blocking')
      .map((blocker) => `- [ ] **${escapeMarkdown(cluster)}**: ${blockerText(blocker)}`),
  )
  return lines.length === 0 ? [] : ['## Before the first step', lines.join('\n')]
}

function blockerText({ text, fix, command }: PlanBlocker): string {
  return `${escapeMarkdown(text)} ${escapeMarkdown(fix)}${command === undefined ? '' : ` ${codeSpan(command)}`}`
}

function clusterParts({ cluster, summary, blockers, steps, total, nodes, vms }: ClusterPlan): readonly string[] {
  const known = [...(nodes === undefined ? [] : [`${nodes} nodes`]), ...(vms === undefined ? [] : [`${vms} VMs`])]
  const size = known.length === 0 ? '' : ` ${known.join(', ')}.`
  return [
    `## Cluster ${escapeMarkdown(cluster)}`,
    `${escapeMarkdown(summary)}${size} Total: ${totalText(total)}.`,
    ...(blockers.length === 0 ? [] : [blockers.map((one) => `- ${one.severity}: ${blockerText(one)}`).join('\n')]),
    ...steps.flatMap(stepParts),
  ]
}

function stepParts(
  { title, state, precondition, commands, check, onFailure, window }: PlanStep,
  i: number,
): readonly string[] {
  const heading = `### ${i + 1}. ${escapeMarkdown(title)}`
  if (state === 'done') return [heading, `Done. Check: ${codeSpan(check.command)} prints ${codeSpan(check.expected)}.`]
  return [
    heading,
    `- [ ] Before: ${escapeMarkdown(precondition)}`,
    ...(commands.length === 0 ? [] : [fenced(commands.join('\n'))]),
    [
      `- Done when ${codeSpan(check.command)} prints ${escapeMarkdown(check.expected)}`,
      `- Duration: ${totalText(window)}. ${escapeMarkdown(window.basis)}`,
      `- If it fails: ${escapeMarkdown(onFailure)}`,
    ].join('\n'),
  ]
}

/** The fence is longer than any run of backticks inside. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}sh\n${text}\n${fence}`
}

function totalText({
  p50Seconds,
  p90Seconds,
  unknownSteps = 0,
  source,
}: Partial<PlanTotal> & { readonly source?: string }): string {
  if (source === 'none') return 'not counted'
  if (p50Seconds === undefined && p90Seconds === undefined) return 'unknown'
  const bound = unknownSteps === 0 ? '' : ` at least, ${unknownSteps} steps unknown`
  return `p50 ${lengthText(p50Seconds)}, p90 ${lengthText(p90Seconds)}${bound}`
}

function lengthText(seconds: number | undefined): string {
  if (seconds === undefined) return 'longer than observed'
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

function momentText(ms: number | undefined): string {
  return ms === undefined ? 'not within two years' : minuteText(ms)
}

function minuteText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
