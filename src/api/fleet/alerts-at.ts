/** The alerts that fired at a past moment, from the stored occurrences of rule alerts and external alerts. */
import { rankInstances } from '../../catalog/rank-instances.ts'
import type { AlertItems } from '../../contract/alerts.ts'
import type { AlertRunPlace, AlertRunReader, StoredAlertRun } from '../../model/alert-run.ts'
import type { RuleAlert } from '../../model/alert.ts'
import { alertItems } from './alert-item.ts'
import { pastNote, UNAVAILABLE } from './moment.ts'
import type { ApiPeople } from './people.ts'
import type { RunbookCatalog } from './runbooks.ts'

const RUNS_PER_READ = 1000

/** The history stores neither the rule nor the values of an occurrence. */
const UNKNOWN_RULE: RuleAlert['rule'] = {
  group: '',
  file: '',
  name: '',
  expr: '',
  forMs: 0,
  keepFiringForMs: 0,
  intervalMs: 0,
}

/** Newest first. Pending alerts are not stored. */
export async function firingAt(runs: Pick<AlertRunReader, 'page'>, atMs: number): Promise<readonly RuleAlert[]> {
  const found: RuleAlert[] = []
  let after: AlertRunPlace | undefined
  for (;;) {
    const window = { fromMs: atMs, toMs: atMs + 1, limit: RUNS_PER_READ }
    const page = await runs.page(after === undefined ? window : { ...window, after })
    found.push(...page.filter((run) => firedThen(run, atMs)).map((run) => alertAt(run, atMs)))
    after = page.at(-1)
    if (after === undefined || page.length < RUNS_PER_READ) return found
  }
}

export async function alertsAt(
  { people, catalog }: { readonly people: Pick<ApiPeople, 'runs'>; readonly catalog: RunbookCatalog },
  atMs: number,
): Promise<AlertItems> {
  const firing = await firingAt(people.runs, atMs)
  return {
    asOfMs: atMs,
    past: pastNote(UNAVAILABLE.alerts, null),
    alerts: rankInstances(firing).map(
      alertItems(catalog, () => ({ silencedBy: [], inhibitedBy: [], mutedBy: [], receivers: [], decisions: [] })),
    ),
    failing: [],
  }
}

function firedThen({ firedAtMs, resolvedAtMs = Infinity }: StoredAlertRun, atMs: number): boolean {
  return firedAtMs <= atMs && resolvedAtMs > atMs
}

function alertAt({ fingerprint, labels, annotations, activeAtMs, firedAtMs }: StoredAlertRun, atMs: number): RuleAlert {
  const then = { fingerprint, labels, annotations, activeAtMs, firedAtMs, state: 'firing', lastHeldAtMs: atMs } as const
  return { ...then, value: NaN, ruleKey: '', rule: UNKNOWN_RULE }
}
