/**
 * The attempts to upgrade HCO to a version, from objects: one for each ClusterServiceVersion object (a new object with an old
 * name is another attempt), one for each version change of HCO without an observed CSV, and one for a pending offer.
 */
import { ByTime } from '../../base/by-time.ts'
import { groupBy } from '../../base/group-by.ts'
import { remembered } from '../../base/remembered.ts'
import type { CsvFacts } from '../../model/object-facts.ts'
import { compareVersions } from '../version-order.ts'
import {
  type ClusterHistory,
  type FactsOf,
  type ObjectHistory,
  hcoCsvs,
  hcoVersionOfCsvName,
  versionOf,
} from './cluster-history.ts'
import { csvPath, type CsvStep } from './csv-path.ts'
import { csvPredecessors, type Predecessor } from './csv-predecessors.ts'
import { hcoCreations, hcoVersionAfter, hcoVersionAt, wasHcoDeleted } from './hco-versions.ts'
import { hcoWindows, timeOf, type HcoWindow } from './hco-window.ts'
import { namedCsvs, offerOf, type Offer } from './olm-offer.ts'
import { nameKey, objectsNow } from './present.ts'

export interface Attempt {
  readonly to: string
  /** When the new version first appeared: its CSV, HCO's version change, or the offer. */
  readonly anchorMs: number
  readonly csv: ObjectHistory<CsvFacts> | undefined
  readonly steps: readonly CsvStep[]
  readonly window: HcoWindow | undefined
  readonly offer: Offer | undefined
  readonly from: string | undefined
  readonly isProven: boolean
  /** HCO was uninstalled before: whatever the sources report, nothing was upgraded. */
  readonly isInstallation: boolean
}

type Origin = Omit<Attempt, keyof Provenance>
type Provenance = Pick<Attempt, 'from' | 'isProven' | 'isInstallation'>

/** The newest ones become upgrades. Each reads the states of its time, and the times of many may overlap; a year has a dozen. */
export const ATTEMPTS_MAX = 200

/** In order of time, including attempts that are no upgrade: a later one shows how an earlier one ended. */
export const hcoAttempts = remembered((history: ClusterHistory): readonly Attempt[] => {
  const csvs = hcoCsvs(history)
  const origins: Origin[] = csvs.map((csv) => csvOrigin(csv, history))
  attach(hcoWindows(history), origins)
  origins.push(...openOffers(history, csvs))
  origins.sort(
    (a, b) =>
      a.anchorMs - b.anchorMs || compareVersions(a.to, b.to) || ((a.csv?.uid ?? '') < (b.csv?.uid ?? '') ? -1 : 1),
  )
  const predecessors = csvPredecessors(csvs)
  return origins.map((origin, i) => {
    const nextMs = origins[i + 1]?.anchorMs ?? Infinity
    const before = origin.csv && predecessors.get(origin.csv)
    return { ...origin, ...provenance(origin, history, before, nextMs) }
  })
})

function csvOrigin(csv: ObjectHistory<CsvFacts>, history: ClusterHistory): Origin {
  const steps = csvPath(csv)
  const anchorMs = csv.createdMs ?? steps[0]?.started.atMs ?? csv.states[0]!.atMs
  return { to: versionOf(csv), anchorMs, csv, steps, window: undefined, offer: offerOf(history, csv.name, anchorMs) }
}

/** The clocks and writes of OLM and HCO differ by seconds. */
const SLACK_MS = 60_000

/**
 * A window belongs to the newest attempt at its version that started before it; else it is an attempt of its own.
 *
 * @param windows in the order of time, so the newest attempt at a version that is none of a CSV started before
 */
function attach(windows: readonly HcoWindow[], origins: Origin[]): void {
  const places = groupBy(origins.keys(), (i) => origins[i]!.to)
  const ofCsvs = new Map([...places].map(([to, own]) => [to, new ByTime(own, (i) => origins[i]!.anchorMs)]))
  const withoutCsv = new Map<string, number>()
  for (const window of windows) {
    const { to } = window
    const i = withoutCsv.get(to) ?? ofCsvs.get(to)?.lastUntil(timeOf(window) + SLACK_MS) ?? -1
    const origin = origins[i]
    if (origin !== undefined && origin.window === undefined) {
      origins[i] = { ...origin, window }
    } else if (origin?.window !== undefined && origin.window.ended === undefined) {
      // HCO did not report the upgrade for a while, and continued.
      const started = origin.window.started ?? window.started
      origins[i] = { ...origin, window: { ...window, from: origin.window.from ?? window.from, started } }
    } else {
      withoutCsv.set(to, origins.length)
      origins.push({ to, anchorMs: timeOf(window), csv: undefined, steps: [], window, offer: undefined })
    }
  }
}

/** Current offers without a CSV. An offer that was withdrawn or replaced by a newer one never started. */
function openOffers(history: ClusterHistory, csvs: readonly ObjectHistory<CsvFacts>[]): readonly Origin[] {
  const known = new Set(csvs.map(({ name }) => name))
  const present = new Map(
    objectsNow(history, 'subscriptions').map(({ namespace, name, facts }) => [nameKey(namespace, name), facts]),
  )
  return namedCsvs(history).flatMap((name) => {
    const offer = known.has(name) ? undefined : offerOf(history, name, undefined)
    const anchorMs = offer?.plan?.created.atMs ?? offer?.offered?.atMs
    if (offer === undefined || anchorMs === undefined || !isInForce(offer, present)) return []
    return [{ to: offer.version, anchorMs, csv: undefined, steps: [], window: undefined, offer }]
  })
}

/** @param present the newest Subscription of each name */
function isInForce(
  { csvName, plan, subscription }: Offer,
  present: ReadonlyMap<string, FactsOf<'subscriptions'>>,
): boolean {
  if (subscription === undefined) return plan !== undefined && !plan.isGone && plan.phase !== 'Complete'
  const facts = present.get(nameKey(subscription.namespace, subscription.name))
  return facts !== undefined && facts.currentCsv === csvName && facts.installedCsv !== csvName
}

/** The previous version, and whether there is a proof that any version ran before. */
function provenance(
  origin: Origin,
  history: ClusterHistory,
  before: Predecessor | undefined,
  nextMs: number,
): Provenance {
  const { to, anchorMs, window, csv, offer } = origin
  const atStart = hcoVersionAt(history, anchorMs)
  const isInstallation = csv !== undefined && window?.from === undefined && wasUninstalled(history, anchorMs, before)
  // HCO had the version already: it was installed again, or the upgrade was reverted before HCO changed.
  if (isInstallation || (atStart === to && window === undefined)) {
    return { from: undefined, isProven: false, isInstallation }
  }
  const installed = offer?.installedCsv === undefined ? undefined : hcoVersionOfCsvName(offer.installedCsv)
  const candidates = [
    window?.from,
    // The previous CSV counts if it succeeded.
    before?.hasRun === true ? before.version : undefined,
    atStart,
    hcoVersionAfter(history, anchorMs, nextMs),
    before?.version,
    installed,
  ]
  const from = candidates.find((version) => version !== undefined && version !== to)
  if (from !== undefined) return { from, isProven: true, isInstallation }
  // HCO reports an upgrade and was created long before: an older version ran.
  const hcoMs = hcoCreations(history).firstMs
  const isOlder = hcoMs !== undefined && hcoMs < anchorMs - SLACK_MS
  return { from: undefined, isProven: window?.started !== undefined && isOlder, isInstallation }
}

/**
 * Whether HyperConverged and the CSV that ran were deleted before this time. A HyperConverged that has not reported a version
 * yet does not count: it may be created before its CSV.
 */
function wasUninstalled(history: ClusterHistory, timeMs: number, before: Predecessor | undefined): boolean {
  const { gone } = before?.csv ?? {}
  if (before !== undefined && (gone === undefined || gone.sinceMs > timeMs)) return false
  return wasHcoDeleted(history, timeMs, (hcoCreations(history).lastMs ?? -Infinity) >= timeMs - SLACK_MS)
}
