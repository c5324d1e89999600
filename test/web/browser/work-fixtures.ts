import type {
  OutcomeList,
  OutcomesAnswer,
  OutcomeSummaryItem,
  ReviewAnswer,
  WorkAnswer,
  WorkRequest,
} from '../../../src/contract/runbook-work.ts'
import { workStateOf } from '../../../src/fleet/outcomes/work-state.ts'
import type { WorkEntry } from '../../../src/model/runbook-work.ts'

/** Work on alerts, as the pages get it: the steps of the runbook of `fixtures.ts`. */

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export const STEPS = [
  { key: 'd1', section: 'diagnosis', text: 'See what the operator put back, and when:' },
  {
    key: 'd2',
    section: 'diagnosis',
    text: 'Ask who wrote the object. The field manager names the client; look for <user>.',
  },
  {
    key: 'm1',
    section: 'mitigation',
    text: 'Make the change in the HyperConverged object instead; see the neighbour or the guide.',
  },
  { key: 'm2', section: 'mitigation', text: 'Did it work? This goes quiet ten minutes after the last change:' },
] as const

export interface WorkDesk {
  read(path: string): WorkAnswer
  add(path: string, request: WorkRequest): WorkAnswer
}

/** Work that a test records is there when it is read again. */
export function workDesk(clock: () => number): WorkDesk {
  const entries = new Map<string, WorkEntry[]>()
  const place = (path: string) => {
    const [fingerprint = '', activeAt = '0'] = path.split('/').slice(-2)
    const own = entries.get(fingerprint) ?? []
    entries.set(fingerprint, own)
    return { fingerprint, activeAtMs: Number(activeAt), own }
  }
  const answer = (path: string): WorkAnswer => {
    const { fingerprint, activeAtMs, own } = place(path)
    const isResolved = fingerprint.startsWith('ee')
    const state = workStateOf(own)
    const firedAtMs = activeAtMs + MINUTE_MS
    return {
      asOfMs: clock(),
      run: {
        ...{ fingerprint, activeAtMs, firedAtMs, resolvedAtMs: isResolved ? firedAtMs + 20 * MINUTE_MS : null },
        ...{ alertname: 'KubeVirtCRModified', cluster: 'prague-prod-1', severity: 'warning' },
      },
      ...{ runbook: 'KubeVirtCRModified', revision: '0123456789ab' },
      steps: STEPS.map((step) => {
        const { ticked = null, helped = null } = state.steps.get(step.key) ?? {}
        return { ...step, ticked, helped, isCurrent: true }
      }),
      notes: state.notes,
      acknowledged: state.started ?? null,
      end: isResolved
        ? state.correction === undefined
          ? { cause: 'unknown', isStated: false, evidence: ['No step was recorded.'], step: null, upgradeId: null }
          : { cause: state.correction.cause, isStated: true, evidence: ['Stated by ada.'], step: null, upgradeId: null }
        : null,
      seen: state.seen,
    }
  }
  return {
    read: answer,
    add: (path, { kind, step, text, by = 'loopback client' }) => {
      const { fingerprint, activeAtMs, own } = place(path)
      own.push({
        ...{
          fingerprint,
          activeAtMs,
          number: own.length + 1,
          cluster: 'prague-prod-1',
          alertname: 'KubeVirtCRModified',
        },
        ...{ runbook: 'KubeVirtCRModified', revision: '0123456789ab', atMs: clock() - MINUTE_MS, by, kind },
        ...(step === undefined ? {} : { step }),
        ...(text === undefined ? {} : { text }),
      })
      return answer(path)
    },
  }
}

function summary(more: Partial<OutcomeSummaryItem> = {}): OutcomeSummaryItem {
  return {
    ...{ runs: 7, firing: 0, worked: 6, stated: 1 },
    ended: { fix: 5, upgrade_ended: 1, by_itself: 1, unknown: 0 },
    acknowledge: { complete: 6, of: 7, p50Seconds: 240, p90Seconds: 900, p50Low: 120, p50High: 600 },
    resolve: { complete: 7, of: 7, p50Seconds: 660, p90Seconds: 2400, p50Low: 480, p50High: 1500 },
    ...more,
  }
}

export function outcomes(name: string, nowMs: number): OutcomesAnswer {
  const few: OutcomeSummaryItem = summary({
    ...{ runs: 2, worked: 1, stated: 0 },
    ended: { fix: 0, upgrade_ended: 0, by_itself: 1, unknown: 1 },
    acknowledge: { complete: 1, of: 2, p50Seconds: 3000, p90Seconds: null, p50Low: null, p50High: null },
    resolve: { complete: 2, of: 2, p50Seconds: 2700, p90Seconds: 5400, p50Low: null, p50High: null },
  })
  const run = (i: number) => ({
    ...{ fingerprint: `ee${String(i).padStart(14, '0')}`, activeAtMs: nowMs - i * 9 * DAY_MS },
    ...{ firedAtMs: nowMs - i * 9 * DAY_MS + MINUTE_MS, resolvedAtMs: nowMs - i * 9 * DAY_MS + 12 * MINUTE_MS },
    ...{ alertname: name, cluster: 'prague-prod-1', severity: 'warning' },
  })
  return {
    ...{ asOfMs: nowMs, fromMs: nowMs - 365 * DAY_MS, isPartial: false, name, summary: summary() },
    revisions: [
      { revision: '0123456789ab', fromMs: nowMs - 40 * DAY_MS, summary: summary({ runs: 5, worked: 5 }) },
      { revision: 'ba9876543210', fromMs: nowMs - 200 * DAY_MS, summary: few },
      { revision: null, fromMs: null, summary: few },
    ],
    steps: [
      { ...STEPS[1], isCurrent: true, of: 6, ticked: 6, helped: 0, interval: { low: 0, high: 0.39 } },
      { ...STEPS[3], isCurrent: true, of: 6, ticked: 2, helped: 0, interval: { low: 0, high: 0.66 } },
      { ...STEPS[0], isCurrent: true, of: 6, ticked: 4, helped: 2, interval: { low: 0.15, high: 0.85 } },
      { ...STEPS[2], isCurrent: true, of: 6, ticked: 6, helped: 5, interval: { low: 0.44, high: 0.97 } },
    ],
    worked: [1, 2].map((i) => ({
      run: run(i),
      end: {
        cause: 'fix',
        isStated: i === 2,
        evidence: ['ada marked a step as the fix.'],
        step: 'm1',
        upgradeId: null,
      },
      stepText: STEPS[2].text,
    })),
  }
}

export function outcomeList(nowMs: number): OutcomeList {
  return {
    ...{ asOfMs: nowMs, fromMs: nowMs - 30 * DAY_MS, isPartial: false },
    alerts: [
      { name: 'KubeVirtCRModified', hasRunbook: true, summary: summary() },
      { name: 'OfATeam', hasRunbook: false, summary: summary({ runs: 1, worked: 0 }) },
    ],
  }
}

export function review(path: string, nowMs: number): ReviewAnswer {
  const [fingerprint = '', activeAt = '0'] = path.split('/').slice(-2)
  const activeAtMs = Number(activeAt)
  const firedAtMs = activeAtMs + MINUTE_MS
  const run = {
    ...{ fingerprint, activeAtMs, firedAtMs, resolvedAtMs: firedAtMs + 20 * MINUTE_MS },
    ...{ alertname: 'KubeVirtCRModified', cluster: 'prague-prod-1', severity: 'warning' },
  }
  const event = (minutes: number, kind: string, text: string, by: string | null = null) => {
    return { atMs: activeAtMs + minutes * MINUTE_MS, kind, text, by }
  }
  return {
    fileName: 'review-KubeVirtCRModified-prague-prod-1',
    markdown: '# Review of KubeVirtCRModified on prague-prod-1\n',
    review: {
      ...{ title: 'Review of KubeVirtCRModified on prague-prod-1', asOfMs: nowMs },
      alerts: [
        {
          ...{
            run,
            summary: 'Somebody changed it.',
            revision: '0123456789ab',
            acknowledged: { by: 'ada', atMs: firedAtMs + 240_000 },
          },
          end: {
            cause: 'fix',
            isStated: false,
            evidence: ['ada marked a step as the fix.'],
            step: 'm1',
            upgradeId: null,
          },
          ...{ acknowledgeSeconds: 240, resolveSeconds: 1200, link: `/alerts/review/${fingerprint}/${activeAt}` },
        },
      ],
      upgrades: [],
      timeline: [
        event(0, 'alert', 'KubeVirtCRModified on prague-prod-1: the condition started to hold'),
        event(1, 'alert', 'KubeVirtCRModified on prague-prod-1 fired'),
        event(2, 'notification', 'notification to on-call: delivered (KubeVirtCRModified on prague-prod-1)'),
        event(5, 'step', `ticked: ${STEPS[2].text}`, 'ada'),
        event(6, 'note', '<b>GitOps</b> wrote the object', 'ada'),
        event(21, 'alert', 'KubeVirtCRModified on prague-prod-1 ended after 20 min; ended by: a fix'),
      ],
      unknown: [],
    },
  }
}
