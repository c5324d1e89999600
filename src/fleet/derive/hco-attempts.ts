/**
 * The attempts to upgrade HCO to a version, from objects: one for each ClusterServiceVersion object (a new object with an old
 * name is another attempt), one for each version change of HCO without an observed CSV, and one for a pending offer.
 */
import type { CsvFacts } from '../../model/object-facts.ts'
import { compareVersions } from '../version-order.ts'
import { type ClusterHistory, type ObjectHistory, hcoCsvs, hcoVersionOfCsvName, versionOf } from './cluster-history.ts'
import { csvPath, isBeingReplaced, type CsvStep } from './csv-path.ts'
import { hcoCreatedMs, hcoVersionAt, hcoWindows, timeOf, type HcoWindow } from './hco-window.ts'
import { namedCsvs, offerOf, type Offer } from './olm-offer.ts'

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

/** In order of time, including attempts that are no upgrade: a later one shows how an earlier one ended. */
export function hcoAttempts(history: ClusterHistory): readonly Attempt[] {
  const csvs = hcoCsvs(history)
  const origins: Origin[] = csvs.map((csv) => csvOrigin(csv, history))
  for (const window of hcoWindows(history)) attach(window, origins)
  origins.push(...openOffers(history, csvs))
  origins.sort(
    (a, b) =>
      a.anchorMs - b.anchorMs || compareVersions(a.to, b.to) || ((a.csv?.uid ?? '') < (b.csv?.uid ?? '') ? -1 : 1),
  )
  return origins.map((origin, i) => {
    const nextMs = origins[i + 1]?.anchorMs ?? Infinity
    return { ...origin, ...provenance(origin, history, csvs, nextMs) }
  })
}

function csvOrigin(csv: ObjectHistory<CsvFacts>, history: ClusterHistory): Origin {
  const steps = csvPath(csv)
  const anchorMs = csv.createdMs ?? steps[0]?.started.atMs ?? csv.states[0]!.atMs
  return { to: versionOf(csv), anchorMs, csv, steps, window: undefined, offer: offerOf(history, csv.name, anchorMs) }
}

/** The clocks and writes of OLM and HCO differ by seconds. */
const SLACK_MS = 60_000

/** A window belongs to the newest attempt at its version that started before it; else it is an attempt of its own. */
function attach(window: HcoWindow, origins: Origin[]): void {
  const i = origins.findLastIndex(({ to, anchorMs }) => to === window.to && anchorMs <= timeOf(window) + SLACK_MS)
  const origin = origins[i]
  if (origin !== undefined && origin.window === undefined) {
    origins[i] = { ...origin, window }
  } else if (origin?.window !== undefined && origin.window.ended === undefined) {
    // HCO did not report the upgrade for a while, and continued.
    const started = origin.window.started ?? window.started
    origins[i] = { ...origin, window: { ...window, from: origin.window.from ?? window.from, started } }
  } else {
    const { to } = window
    origins.push({ to, anchorMs: timeOf(window), csv: undefined, steps: [], window, offer: undefined })
  }
}

/** Current offers without a CSV. An offer that was withdrawn or replaced by a newer one never started. */
function openOffers(history: ClusterHistory, csvs: readonly ObjectHistory<CsvFacts>[]): readonly Origin[] {
  const named = namedCsvs(history).filter((name) => !csvs.some((csv) => csv.name === name))
  return named.flatMap((name) => {
    const offer = offerOf(history, name, undefined)
    const anchorMs = offer?.plan?.created.atMs ?? offer?.offered?.atMs
    if (offer === undefined || anchorMs === undefined || !isInForce(history, offer)) return []
    return [{ to: offer.version, anchorMs, csv: undefined, steps: [], window: undefined, offer }]
  })
}

function isInForce(history: ClusterHistory, { csvName, plan, subscription }: Offer): boolean {
  if (subscription === undefined) return plan !== undefined && !plan.isGone && plan.phase !== 'Complete'
  const subscriptions = history.of('subscriptions').filter(({ name }) => name === subscription.name)
  const now = subscriptions.findLast(
    ({ namespace, gone }) => namespace === subscription.namespace && gone === undefined,
  )
  const facts = now?.states.at(-1)?.facts
  return facts !== undefined && facts.currentCsv === csvName && facts.installedCsv !== csvName
}

/** The previous version, and whether there is a proof that any version ran before. */
function provenance(
  origin: Origin,
  history: ClusterHistory,
  csvs: readonly ObjectHistory<CsvFacts>[],
  nextMs: number,
): Provenance {
  const { to, anchorMs, window, csv, offer } = origin
  const atStart = hcoVersionAt(history, anchorMs)
  const before = csv === undefined ? undefined : predecessor(csv, csvs)
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
  const hcoMs = hcoCreatedMs(history)
  const isOlder = hcoMs !== undefined && hcoMs < anchorMs - SLACK_MS
  return { from: undefined, isProven: window?.started !== undefined && isOlder, isInstallation }
}

/**
 * Whether HyperConverged and the CSV that ran were deleted before this time. A HyperConverged that has not reported a version
 * yet does not count: it may be created before its CSV.
 */
function wasUninstalled(history: ClusterHistory, timeMs: number, before: Predecessor | undefined): boolean {
  if (before !== undefined && !isGoneBy(before.csv, timeMs)) return false
  const hcos = history.of('hyperconvergeds')
  const ran = hcos.filter(({ states }) => {
    return states.some(({ atMs, facts }) => atMs <= timeMs && facts.operatorVersion !== undefined)
  })
  const isNewer = hcos.some(({ createdMs = -Infinity }) => createdMs >= timeMs - SLACK_MS)
  return ran.length > 0 && ran.every((hco) => isGoneBy(hco, timeMs, isNewer))
}

/** @param isReplaced a new object proves that this one, which was last seen before, is gone */
function isGoneBy({ gone }: ObjectHistory, timeMs: number, isReplaced = true): boolean {
  return gone !== undefined && (isReplaced ? gone.sinceMs : gone.atMs) <= timeMs
}

/** The first version that HCO reports after the start of the attempt. */
function hcoVersionAfter(history: ClusterHistory, anchorMs: number, nextMs: number): string | undefined {
  const states = history.of('hyperconvergeds').flatMap(({ states }) => states)
  const after = states.filter(({ atMs, facts }) => {
    return atMs > anchorMs && atMs < nextMs && facts.operatorVersion !== undefined
  })
  return after.toSorted((a, b) => a.atMs - b.atMs)[0]?.facts.operatorVersion
}

interface Predecessor {
  readonly csv: ObjectHistory<CsvFacts>
  readonly version: string
  readonly hasRun: boolean
}

/** The CSV that this one replaces: the one it names, else one that is being replaced, else the newest before it. */
function predecessor(csv: ObjectHistory<CsvFacts>, csvs: readonly ObjectHistory<CsvFacts>[]): Predecessor | undefined {
  const bornMs = csv.createdMs ?? csv.states[0]!.atMs
  const replaces = csv.states.at(-1)!.facts.replaces
  const others = csvs.filter((other) => {
    if (other.uid === csv.uid || (other.gone !== undefined && other.gone.atMs < bornMs)) return false
    const otherMs = other.createdMs ?? other.states[0]!.atMs
    return otherMs < bornMs || (otherMs === bornMs && other.name === replaces)
  })
  const isLeaving = (other: ObjectHistory<CsvFacts>): boolean =>
    other.states.some(({ facts }) => isBeingReplaced(facts.phase))
  const best = others.findLast(({ name }) => name === replaces) ?? others.findLast(isLeaving) ?? others.at(-1)
  if (best === undefined) return undefined
  const steps = csvPath(best)
  return { csv: best, version: versionOf(best), hasRun: steps.some(({ phase }) => phase === 'Succeeded') }
}
