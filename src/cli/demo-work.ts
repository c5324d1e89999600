/** Past occurrences of alerts that were worked on, for the demo: the pages of outcomes and reviews start with an example. */
import { revisionOf } from '../catalog/runbook-revision.ts'
import { parseRunbookPage } from '../catalog/runbook-page.ts'
import { fingerprintOf } from '../model/alert.ts'
import { Labels } from '../model/labels.ts'
import type { NewWorkEntry, RunbookStep } from '../model/runbook-work.ts'
import type { openFacts } from '../store/facts/facts.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const PEOPLE = ['ada', 'bo', 'chen'] as const

type DemoFacts = Pick<ReturnType<typeof openFacts>, 'alertRuns' | 'runbookWork'>

export interface DemoRunbook {
  readonly name: string
  readonly text: string
}

/** Every few days one occurrence of each alert, on another cluster; the same input makes the same work. */
const OCCURRENCES = 9
/** Under the earlier revision, which lacks the last step. */
const EARLIER = 4

/** @param clusters at least one */
export async function addDemoWork(
  facts: DemoFacts,
  runbooks: readonly DemoRunbook[],
  clusters: readonly string[],
  nowMs: number,
): Promise<void> {
  for (const [at, { name, text }] of runbooks.entries()) {
    const current = revisionOf(parseRunbookPage(`${name}.md`, text).page)
    const earlier = { ...current, revision: `demo${current.revision.slice(4)}`, steps: current.steps.slice(0, -1) }
    await facts.runbookWork.recordRevisions([{ ...earlier, fromMs: nowMs - 120 * DAY_MS }], 0)
    for (let i = 0; i < OCCURRENCES; i++) {
      const cluster = clusters[(at * 5 + i * 3) % clusters.length]!
      const labels = Labels.of({ alertname: name, cluster, severity: 'warning' })
      const firedAtMs = nowMs - (4 + at + i * 9) * DAY_MS
      const key = { fingerprint: fingerprintOf(labels), activeAtMs: firedAtMs - 10 * MINUTE_MS }
      const minutes = 18 + ((i * 7 + at * 11) % 50)
      const run = { ...key, labels, annotations: {}, firedAtMs, resolvedAtMs: firedAtMs + minutes * MINUTE_MS }
      await facts.alertRuns.record([run])
      // Some alerts ended before anybody looked at them.
      if (i % 4 === 3) continue
      const { revision, steps } = OCCURRENCES - i <= EARLIER ? earlier : current
      const by = PEOPLE[(i + at) % PEOPLE.length]!
      const of = { ...key, cluster, alertname: name, runbook: name, revision, by }
      for (const entry of workOf(of, steps, firedAtMs, minutes, i)) {
        const { kind, step, text: written, atMs } = entry
        const detail = JSON.stringify({ activeAtMs: key.activeAtMs, cluster, kind, step, text: written })
        const action = kind === 'note' ? 'runbook.note' : 'runbook.step'
        await facts.runbookWork.add(entry, undefined, { atMs, by, action, subject: key.fingerprint, detail })
      }
    }
  }
}

/** Two diagnosis steps, then a mitigation step that helps in most cases. */
function workOf(
  of: Omit<NewWorkEntry, 'atMs' | 'kind'>,
  steps: readonly RunbookStep[],
  firedAtMs: number,
  minutes: number,
  i: number,
): readonly NewWorkEntry[] {
  const diagnosis = steps.filter(({ section }) => section === 'diagnosis').slice(0, 2)
  const mitigation = steps.filter(({ section }) => section === 'mitigation')
  const fix = mitigation[i % 3 === 2 ? 1 % mitigation.length : 0]
  const at = (share: number): number => firedAtMs + Math.round(share * minutes * MINUTE_MS)
  return [
    ...diagnosis.map(({ key }, n): NewWorkEntry => ({ ...of, kind: 'tick', step: key, atMs: at(0.2 + n * 0.1) })),
    ...(fix === undefined ? [] : [{ ...of, kind: 'tick', step: fix.key, atMs: at(0.7) } as const]),
    ...(fix === undefined || i % 5 === 4 ? [] : [{ ...of, kind: 'helped', step: fix.key, atMs: at(0.95) } as const]),
    ...(i % 2 === 0
      ? [{ ...of, kind: 'note', text: 'Reported to the team that owns the cluster.', atMs: at(0.9) } as const]
      : []),
  ]
}
