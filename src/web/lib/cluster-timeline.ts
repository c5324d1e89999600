import type { AlertRun } from '../../contract/alert-history.ts'
import type { DecommissionItem } from '../../contract/decommissions.ts'
import type { ObjectChangeItem } from '../../contract/fleet-changes.ts'
import type { ModificationItem } from '../../contract/fleet-modifications.ts'
import type { UpgradeItem } from '../../contract/fleet-upgrades.ts'
import { UPGRADE_STATE_WORDS, stepText } from './fleet-names.ts'
import { upgradePath, alertPath } from './paths.ts'

/** What changed on a cluster, from all that tells of it, newest first. Pure. */
export interface TimelineItem {
  readonly key: string
  readonly atMs: number
  readonly kind: TimelineKind
  readonly title: string
  /** One line each. */
  readonly lines: readonly string[]
  /** Where there is more. */
  readonly path?: string
}

export const TIMELINE_KINDS = ['objects', 'upgrades', 'alerts', 'modifications', 'cluster'] as const
export type TimelineKind = (typeof TIMELINE_KINDS)[number]

interface TimelineSources {
  /** When the cluster was first heard of: objects met then were there before. */
  readonly firstSeenMs: number
  readonly changes: readonly ObjectChangeItem[]
  readonly upgrades: readonly UpgradeItem[]
  readonly modifications: readonly ModificationItem[]
  readonly runs: readonly AlertRun[]
  readonly decommissions: readonly DecommissionItem[]
}

export function timelineOf(sources: TimelineSources): readonly TimelineItem[] {
  const { firstSeenMs, changes, upgrades, modifications, runs, decommissions } = sources
  return [
    ...changes.filter((change) => isTelling(change, firstSeenMs)).map(itemOfChange),
    ...upgrades.flatMap(itemsOfUpgrade),
    ...modifications.flatMap(itemsOfModification),
    ...runs.flatMap(itemsOfRun),
    ...decommissions.flatMap(itemsOfDecommission),
  ].sort((a, b) => b.atMs - a.atMs || (a.key < b.key ? -1 : 1))
}

/** All of a cluster is listed in this time, when it is first heard of. */
const FIRST_LIST_MS = 10 * 60_000

/** An object that is only listed again, or first met in a list, says nothing new. */
function isTelling({ at, change, isFirst, fields }: ObjectChangeItem, firstSeenMs: number): boolean {
  if (change === 'deleted' || fields.length > 0) return true
  return change === 'added' && isFirst && Date.parse(at) > firstSeenMs + FIRST_LIST_MS
}

function itemOfChange(change: ObjectChangeItem): TimelineItem {
  const { at, kind, name, fields, uid, resourceVersion } = change
  return {
    key: `object ${at} ${uid} ${resourceVersion} ${change.change}`,
    atMs: Date.parse(at),
    kind: 'objects',
    title: `${kind}/${name}${change.change === 'modified' || change.change === 'listed' ? '' : ` ${change.change}`}`,
    lines: tellingFields(fields).map(
      ({ field, before, after }) => `${field}: ${fieldWord(before)} → ${fieldWord(after)}`,
    ),
  }
}

/** A time only repeats that something changed; what it changed to is said before why. */
export function tellingFields(fields: ObjectChangeItem['fields']): ObjectChangeItem['fields'] {
  const telling = fields.filter(({ field }) => !/\.(?:lastTransition|lastUpdate)$/.test(field))
  const weight = (field: string): number =>
    /(?:^|\.)(?:status|phase)$/.test(field) ? 0 : field.endsWith('message') ? 2 : 1
  return [...(telling.length === 0 ? fields : telling)].sort((a, b) => weight(a.field) - weight(b.field))
}

export function fieldWord(value: string | number | boolean | null): string {
  return value === null ? 'none' : value === '' ? '(empty)' : String(value)
}

function itemsOfUpgrade({ id, operator, from, to, state, startedAt, endedAt }: UpgradeItem): readonly TimelineItem[] {
  const what = stepText({ operator, from, to })
  const item = (at: string, moment: string, word: string): TimelineItem => ({
    key: `upgrade ${id} ${moment}`,
    atMs: Date.parse(at),
    kind: 'upgrades',
    title: `${what} ${word}`,
    lines: [],
    path: upgradePath(id),
  })
  return [
    ...(startedAt === null ? [] : [item(startedAt, 'start', 'began')]),
    ...(endedAt === null ? [] : [item(endedAt, 'end', UPGRADE_STATE_WORDS[state])]),
  ]
}

function itemsOfModification(modification: ModificationItem): readonly TimelineItem[] {
  const { id, startedAt, endedAt, kind, component, text } = modification
  const item = (at: string, moment: string, title: string, lines: readonly string[]): TimelineItem => {
    return { key: `modification ${id} ${moment}`, atMs: Date.parse(at), kind: 'modifications', title, lines }
  }
  const name = kind === 'jsonpatch' ? `JSON patch of ${component}` : `${component} edited past HyperConverged`
  return [
    ...(startedAt === null ? [] : [item(startedAt, 'start', name, [text])]),
    ...(endedAt === null || kind === 'out_of_band' ? [] : [item(endedAt, 'end', `${name} removed`, [])]),
  ]
}

/** That somebody said it is gone, and how that ended. */
function itemsOfDecommission({
  id,
  by,
  reason,
  saidAt,
  state,
  endedAt,
  endedBy,
}: DecommissionItem): readonly TimelineItem[] {
  const item = (at: string, moment: string, title: string, lines: readonly string[]): TimelineItem => {
    return { key: `decommission ${id} ${moment}`, atMs: Date.parse(at), kind: 'cluster', title, lines }
  }
  return [
    item(saidAt, 'said', 'Said to be decommissioned', [`${by}: ${reason}`]),
    ...(endedAt === null
      ? []
      : state === 'returned'
        ? [item(endedAt, 'end', 'Reports again', ['it counts again, though it was said to be decommissioned'])]
        : [
            item(endedAt, 'end', 'That it was decommissioned is taken back', endedBy === null ? [] : [`by ${endedBy}`]),
          ]),
  ]
}

function itemsOfRun({ fingerprint, alertname, severity, firedAtMs, resolvedAtMs }: AlertRun): readonly TimelineItem[] {
  const item = (atMs: number, word: string): TimelineItem => ({
    key: `alert ${fingerprint} ${atMs} ${word}`,
    atMs,
    kind: 'alerts',
    title: `${alertname} ${word}`,
    lines: word === 'fired' ? [severity] : [],
    path: alertPath(fingerprint),
  })
  return [item(firedAtMs, 'fired'), ...(resolvedAtMs === undefined ? [] : [item(resolvedAtMs, 'resolved')])]
}
