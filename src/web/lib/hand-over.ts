import { countBy, groupBy } from './group-by.ts'
import type { AlertRuns } from '../../contract/alert-history.ts'
import type { AlertItem } from '../../contract/alerts.ts'
import type { UpgradeItems } from '../../contract/fleet-upgrades.ts'
import type { Now } from '../../contract/now.ts'
import type { SilenceItem } from '../../contract/silences.ts'
import { clusterPath, upgradePath, alertsPath, silencesPath } from './paths.ts'
import { UPGRADE_STATE_WORDS, stepText, phaseWords } from './fleet-names.ts'
import { formatAge, formatMoment, msOf, type Zone } from './format-time.ts'
import { countOf, formatCount } from './format-number.ts'
import { SEVERITIES, toSeverity } from './severity.ts'
import { formatMatchers } from './silence-matchers.ts'

/** A shift's hand-over, from the API's answers for its start and its end: for the page and as Markdown. Pure. */
export interface HandOver {
  readonly asOfMs: number
  readonly sinceMs: number
  /** The reporting clusters, and whether the start of the shift is known. */
  readonly coverage: string
  readonly sections: readonly HandOverSection[]
}

export interface HandOverSection {
  readonly title: string
  /** `null`: could not be loaded. */
  readonly count: number | null
  /** At the start of the shift; absent: not known, or not a number of one moment. */
  readonly countThen?: number
  /** One sentence that adds to the list. */
  readonly says: string
  /** At most `ITEMS_MAX`; `left` counts the others. */
  readonly items: readonly HandOverItem[]
  readonly left: number
}

export interface HandOverItem {
  readonly name: string
  readonly path: string
  readonly says: string
  readonly isNew?: boolean
}

export interface HandOverParts {
  readonly now: Now
  /** At the start of the shift; absent: not known. */
  readonly then: Now | undefined
  readonly alerts: readonly AlertItem[] | undefined
  /** Occurrences within the shift. */
  readonly runs: AlertRuns | undefined
  readonly silences: readonly SilenceItem[] | undefined
  /** Upgrades that have ended, newest first. */
  readonly ended: UpgradeItems | undefined
  readonly sinceMs: number
  readonly zone: Zone
}

const ITEMS_MAX = 20
const NOT_READ = 'Could not be loaded.'

export function handOver(parts: HandOverParts): HandOver {
  const { now, sinceMs } = parts
  const then = parts.then === undefined || parts.then.clusters.total === 0 ? undefined : parts.then
  const known = { ...parts, then, asOfMs: msOf(now.asOf) }
  const { total, reporting } = now.clusters
  return {
    asOfMs: known.asOfMs,
    sinceMs,
    coverage: `${formatCount(reporting)} of ${countOf(total, 'cluster')} reporting${
      then === undefined ? '; the state at the start of the shift is not known' : ''
    }`,
    sections: [
      stuckSection(known),
      upgradingSection(known),
      waitingSection(known),
      firingSection(known),
      silencesSection(known),
      silentSection(known),
      ...goneSections(known),
      endedSection(known),
      resolvedSection(known),
    ],
  }
}

type Known = HandOverParts & { readonly asOfMs: number }

function section(
  title: string,
  count: number | null,
  countThen: number | undefined,
  says: string,
  items: readonly HandOverItem[],
): HandOverSection {
  return {
    title,
    count,
    ...(countThen === undefined ? {} : { countThen }),
    says,
    items: items.slice(0, ITEMS_MAX),
    left: Math.max(0, items.length - ITEMS_MAX),
  }
}

function stuckSection({ now, then, zone }: Known): HandOverSection {
  const before = then === undefined ? undefined : new Set(then.stuck.items.map(({ id }) => id))
  const still = new Set(now.stuck.items.map(({ id }) => id))
  const freed = then?.stuck.items.filter(({ id }) => !still.has(id)).length ?? 0
  const items = now.stuck.items.map((upgrade) => ({
    ...upgradeItem(upgrade),
    says: `${stepText(upgrade)}, ${phaseWords(upgrade.phase)}${
      upgrade.stalledSince === null ? '' : `, no progress since ${formatMoment(msOf(upgrade.stalledSince), zone)}`
    }: ${upgrade.cause?.text ?? 'cause unknown.'}`,
    isNew: before !== undefined && !before.has(upgrade.id),
  }))
  const says = freed === 0 ? '' : `${countOf(freed, 'upgrade')} stuck at the start of the shift progressed or ended.`
  return section('Stuck', now.stuck.count, then?.stuck.count, says, items)
}

function upgradingSection({ now, then }: Known): HandOverSection {
  const { upgrading, following } = now
  const phases = upgrading.byPhase.map(({ phase, count }) => `${formatCount(count)} ${phaseWords(phase)}`)
  const follows =
    following.count === 0
      ? ''
      : `Workload updates: ${countOf(following.count, 'cluster')}, ${countOf(following.machines, 'VM')} remaining.`
  return section(
    'Upgrading',
    upgrading.count,
    then?.upgrading.count,
    [phases.length === 0 ? '' : `${phases.join(', ')}.`, follows].filter(Boolean).join(' '),
    upgrading.items
      .filter(({ stuck }) => !stuck)
      .map((upgrade) => ({ ...upgradeItem(upgrade), says: `${stepText(upgrade)}, ${phaseWords(upgrade.phase)}` })),
  )
}

function waitingSection({ now, then, zone }: Known): HandOverSection {
  const items = now.waiting.items.map((upgrade) => ({
    ...upgradeItem(upgrade),
    says: `${stepText(upgrade)}${upgrade.since === null ? '' : `, since ${formatMoment(msOf(upgrade.since), zone)}`}${
      upgrade.installPlan === null ? '' : `, plan ${upgrade.installPlan}`
    }`,
  }))
  return section('Pending approval', now.waiting.count, then?.waiting.count, '', items)
}

function firingSection({ alerts, runs, now, then, zone }: Known): HandOverSection {
  const byRun = new Map(runs?.runs.map(({ fingerprint, acknowledgedBy }) => [fingerprint, acknowledgedBy]))
  const firing = (alerts ?? []).filter(({ state }) => state === 'firing')
  const groups = groupBy(firing, ({ alertname }) => alertname)
  const rank = (group: readonly AlertItem[]): number =>
    Math.min(...group.map(({ severity }) => SEVERITIES.indexOf(toSeverity(severity))))
  const sorted = [...groups].sort(([, a], [, b]) => rank(a) - rank(b) || b.length - a.length)
  const items = sorted.map(([name, group]) => {
    const seen = group.flatMap(({ fingerprint, marks }) => marks?.acknowledged?.by ?? byRun.get(fingerprint) ?? [])
    const silenced = group.filter(({ marks }) => (marks?.silencedBy.length ?? 0) > 0).length
    const firstMs = Math.min(...group.map(({ firedAtMs, activeAtMs }) => firedAtMs ?? activeAtMs))
    const clusters = [...new Set(group.map(({ cluster }) => cluster))]
    return {
      name,
      path: alertsPath({ alertname: name, states: ['firing'] }),
      says: [
        SEVERITIES[rank(group)] ?? '',
        clusters.length === 1 ? (clusters[0] ?? '') : countOf(clusters.length, 'cluster'),
        `since ${formatMoment(firstMs, zone)}`,
        seenWords(seen, group.length),
        silenced === 0 ? '' : `${formatCount(silenced)} silenced`,
      ]
        .filter(Boolean)
        .join(', '),
    }
  })
  const total = (of: Now): number => of.firing.critical + of.firing.warning + of.firing.info + of.firing.none
  const says = alerts === undefined ? 'The list of firing alerts could not be loaded.' : ''
  return section('Firing', total(now), then === undefined ? undefined : total(then), says, items)
}

function seenWords(seen: readonly string[], of: number): string {
  if (seen.length === 0) return 'not acknowledged'
  const names = [...new Set(seen)].join(', ')
  return `${seen.length === of ? '' : `${formatCount(seen.length)} of ${formatCount(of)} `}acknowledged by ${names}`
}

/** Silences that end within the length of a shift: their alerts notify again. */
function silencesSection({ silences, asOfMs, sinceMs, zone }: Known): HandOverSection {
  const title = `Silences that end within ${formatAge(asOfMs - sinceMs)}`
  if (silences === undefined) return section(title, null, undefined, NOT_READ, [])
  const untilMs = asOfMs + (asOfMs - sinceMs)
  const ending = silences
    .filter(({ startsAtMs, endsAtMs }) => startsAtMs <= asOfMs && endsAtMs > asOfMs && endsAtMs <= untilMs)
    .sort((a, b) => a.endsAtMs - b.endsAtMs)
  return section(
    title,
    ending.length,
    undefined,
    '',
    ending.map((silence) => ({
      name: formatMatchers(silence.matchers),
      path: silencesPath(silence.id),
      says: `ends ${formatMoment(silence.endsAtMs, zone)}, by ${silence.createdBy}: ${silence.comment}`,
    })),
  )
}

function silentSection({ now, then, zone }: Known): HandOverSection {
  const before = then === undefined ? undefined : new Set(then.silent.items.map(({ cluster }) => cluster))
  const items = now.silent.items.map(({ cluster, lastSeenAt, upgrade }) => ({
    name: cluster,
    path: clusterPath(cluster),
    says: `last seen ${formatMoment(msOf(lastSeenAt), zone)}${upgrade === null ? '' : `, in an upgrade to ${upgrade.to}`}`,
    isNew: before !== undefined && !before.has(cluster),
  }))
  return section('Silent clusters', now.silent.count, then?.silent.count, '', items)
}

/** The change in decommissioned clusters, if any. */
function goneSections({ now, then }: Known): readonly HandOverSection[] {
  const [count, before] = [now.clusters.gone, then?.clusters.gone]
  return before === undefined || before === count ? [] : [section('Decommissioned clusters', count, before, '', [])]
}

/** Successful upgrades are counted, others are listed. */
function endedSection({ ended, sinceMs, asOfMs, zone }: Known): HandOverSection {
  if (ended === undefined) return section('Ended upgrades', null, undefined, NOT_READ, [])
  const within = ended.upgrades.filter(({ endedAt }) => {
    const endedMs = endedAt === null ? -Infinity : msOf(endedAt)
    return endedMs >= sinceMs && endedMs <= asOfMs
  })
  const words = [...countBy(within, ({ state }) => state)].map(
    ([state, count]) => `${formatCount(count)} ${UPGRADE_STATE_WORDS[state]}`,
  )
  return section(
    'Ended upgrades',
    within.length,
    undefined,
    words.length === 0 ? '' : `${words.join(', ')}.`,
    within
      .filter(({ state }) => state !== 'succeeded')
      .map((upgrade) => ({
        ...upgradeItem(upgrade),
        says: `${stepText(upgrade)}, ${UPGRADE_STATE_WORDS[upgrade.state]}${
          upgrade.endedAt === null ? '' : ` ${formatMoment(msOf(upgrade.endedAt), zone)}`
        }${upgrade.blockedBy === null ? '' : `: ${upgrade.blockedBy.text}`}`,
      })),
  )
}

function resolvedSection({ runs, sinceMs, asOfMs }: Known): HandOverSection {
  if (runs === undefined) return section('Resolved alerts', null, undefined, NOT_READ, [])
  const over = runs.runs.filter(({ resolvedAtMs = Infinity }) => resolvedAtMs >= sinceMs && resolvedAtMs <= asOfMs)
  return section(
    'Resolved alerts',
    over.length,
    undefined,
    runs.nextCursor === undefined ? '' : 'The list is incomplete: more alerts resolved.',
    [...countBy(over, ({ alertname }) => alertname)]
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => ({ name, path: alertsPath({ alertname: name }), says: countOf(count, 'time') })),
  )
}

function upgradeItem({ cluster, id }: { readonly cluster: string; readonly id: string }) {
  return { name: cluster, path: upgradePath(id) } as const
}
