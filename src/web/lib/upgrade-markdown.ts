import type { UpgradeDetailItem } from '../../contract/fleet-upgrades.ts'
import { causeName, PHASE_STATE_WORDS, UPGRADE_STATE_WORDS, stepText, phaseName } from './fleet-names.ts'
import { formatLength, formatMoment } from './format-time.ts'
import { phaseSeconds, typicalText } from './phase-heat.ts'

/** An upgrade as Markdown, to hand it over: what is known, in UTC, with the link. Pure. */
export function upgradeMarkdown(detail: UpgradeDetailItem, link: string): string {
  const { upgrade, verdict, usual, workloads } = detail
  const nowMs = Date.parse(detail.asOf)
  const moment = (at: string | null): string => (at === null ? 'not known' : formatMoment(Date.parse(at), 'utc'))
  const state = verdict?.stuck === true ? 'stuck' : UPGRADE_STATE_WORDS[upgrade.state]
  const [cause, ...others] = verdict?.causes ?? (upgrade.blockedBy === null ? [] : [upgrade.blockedBy])
  const lines = [
    `## ${upgrade.cluster}: ${stepText(upgrade)}, ${state}`,
    '',
    `- Started ${moment(upgrade.startedAt)}, ${upgrade.endedAt === null ? `as of ${moment(detail.asOf)}` : `ended ${moment(upgrade.endedAt)}`} (±${upgrade.resolutionSeconds} s)`,
    ...(verdict?.phase == null
      ? []
      : [
          `- In ${phaseName(verdict.phase)}${verdict.stalledSince === null ? '' : `, no progress since ${moment(verdict.stalledSince)}`}`,
        ]),
    ...(cause === undefined ? [] : [`- **${causeName(cause.cause)}**: ${cause.text}`]),
    ...others.map((other) => `- Less likely: ${causeName(other.cause)}: ${other.text}`),
    ...(workloads?.outdatedNow == null ? [] : [`- VMs remaining on the old virt-launcher: ${workloads.outdatedNow}`]),
    `- ${link}`,
    '',
    '| Phase | State | Duration | Typical |',
    '|---|---|---|---|',
    ...upgrade.phases
      .filter(({ state: its }) => its !== 'skipped' && its !== 'pending')
      .map((phase) => {
        const seconds = phaseSeconds(phase, nowMs)
        const its = usual.find((one) => one.phase === phase.name)
        return `| ${cell(phaseName(phase.name))} | ${PHASE_STATE_WORDS[phase.state]} | ${seconds === undefined ? 'not known' : formatLength(seconds)} | ${typicalText(its)} |`
      }),
    ...(cause === undefined || cause.evidence.length === 0
      ? []
      : ['', 'Evidence:', ...cause.evidence.map(({ at, text, ref }) => `- ${moment(at)} ${text} (\`${ref}\`)`)]),
  ]
  return `${lines.join('\n')}\n`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
