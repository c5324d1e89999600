import type { ReactNode } from 'react'
import type { AlertChangeItem, PhaseChangeItem, PolicyItem } from '../../../contract/fleet-rollouts.ts'
import { countOf } from '../../lib/format-number.ts'
import { formatLength } from '../../lib/format-time.ts'
import { phaseChangeName, ratioText, shareText } from '../../lib/rollout-text.ts'
import { AlertName } from '../../ui/alert-name.tsx'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Mark, type Look } from '../../ui/marks.tsx'
import { Panel } from '../../ui/panel.tsx'

/** Which phases became slower. */
export function PhaseChangePanel({ phases }: { readonly phases: readonly PhaseChangeItem[] }): ReactNode {
  return (
    <Panel title="Durations by phase" aside="against other versions on similar clusters">
      <DataTable
        label="Changed durations by phase"
        columns={PHASE_COLUMNS}
        rows={phases}
        rowKey={({ phase }) => phase}
        csvName="phases"
        empty={<p className="quiet">No phase of an upgrade to this version has a known duration.</p>}
      />
      <p className="quiet text-small">
        The intervals of all phases together hold with 95 %, for one look: they explain a verdict and do not make one.
        Active phases count as longer than observed.
      </p>
    </Panel>
  )
}

const CHANGES: Readonly<Record<PhaseChangeItem['change'], Look & { readonly word: string }>> = {
  slower: { shape: 'cross', tone: 'tone-warning', word: 'Slower' },
  faster: { shape: 'check', tone: 'tone-good', word: 'Faster' },
  similar: { shape: 'ring', tone: 'quiet', word: 'No difference proved' },
  unknown: { shape: 'dash', tone: 'quiet', word: 'Too few' },
}

const PHASE_COLUMNS: readonly Column<PhaseChangeItem>[] = [
  {
    head: 'Phase',
    kind: 'name',
    cell: ({ phase }) => phaseChangeName(phase),
    isBelowStacked: true,
    below: ({ ratio, canary, baseline }) => (
      <>
        <span>{ratioText(ratio)} times as long</span>
        <span>{`${medianText(canary)} against ${medianText(baseline)}`}</span>
      </>
    ),
    csv: ({ phase }) => phase,
  },
  {
    head: 'Change',
    cell: ({ change }) => {
      const { word, ...look } = CHANGES[change]
      return <Mark {...look}>{word}</Mark>
    },
    csv: ({ change }) => change,
  },
  {
    head: 'Times as long',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ ratio }) => ratioText(ratio),
    csv: ({ ratio }) => ratio?.value ?? null,
  },
  {
    head: 'Median',
    kind: 'number',
    isHiddenOnPhone: true,
    title: ({ canary }) => runsText(canary),
    cell: ({ canary }) => medianText(canary),
    csv: ({ canary }) => canary.medianSeconds,
  },
  {
    head: 'Others',
    kind: 'number',
    isHiddenOnPhone: true,
    title: ({ baseline }) => runsText(baseline),
    cell: ({ baseline }) => medianText(baseline),
    csv: ({ baseline }) => baseline.medianSeconds,
  },
]

/** `4 min 05 s (40)`. */
function medianText({ medianSeconds, runs }: PhaseChangeItem['canary']): string {
  return `${medianSeconds === null ? 'not known' : formatLength(medianSeconds)} (${runs})`
}

function runsText({ runs, censored }: PhaseChangeItem['canary']): string {
  return `${countOf(runs, 'upgrade')}, ${censored} of them not finished`
}

interface AlertChangePanelProps {
  readonly changes: readonly AlertChangeItem[]
  readonly policy: PolicyItem
}

/** Alerts that are new or more frequent. */
export function AlertChangePanel({ changes, policy }: AlertChangePanelProps): ReactNode {
  const window = formatLength(policy.windowSeconds)
  return (
    <Panel title="New and more frequent alerts" aside={`${window} after the upgrade`}>
      <DataTable
        label="New and more frequent alerts"
        columns={ALERT_COLUMNS}
        rows={changes}
        rowKey={({ alertname }) => alertname}
        empty={
          <p className="quiet">
            {policy.signals.includes('alerts')
              ? `No critical or warning alert is more frequent in the ${window} after the upgrade than before and elsewhere.`
              : 'The policy excludes alerts.'}
          </p>
        }
      />
    </Panel>
  )
}

const ALERT_COLUMNS: readonly Column<AlertChangeItem>[] = [
  {
    head: 'Alert',
    kind: 'name',
    cell: ({ alertname }) => <AlertName name={alertname} />,
    isBelowStacked: true,
    below: ({ others, ratio }) => (
      <>
        <span>elsewhere {shareText(others)}</span>
        <span>{ratioText(ratio)} times as often</span>
      </>
    ),
  },
  { head: 'New', cell: ({ isNew }) => (isNew ? <strong>new</strong> : '–') },
  { head: 'Clusters after', kind: 'number', cell: ({ canary }) => shareText(canary) },
  {
    head: 'Before, and elsewhere',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ others }) => shareText(others),
  },
  { head: 'Times as often', kind: 'number', isHiddenOnPhone: true, cell: ({ ratio }) => ratioText(ratio) },
]
