import type { AlertRun } from '../../contract/alert-history.ts'
import type { DecommissionItem } from '../../contract/decommissions.ts'
import type { ObjectChangeItem } from '../../contract/fleet-changes.ts'
import type { ModificationItem } from '../../contract/fleet-modifications.ts'
import type { UpgradeItem } from '../../contract/fleet-upgrades.ts'
import { UPGRADE_STATE_WORDS, stepText } from './fleet-names.ts'
import { upgradePath, alertPath } from './paths.ts'

/** The changes of a cluster from all sources, newest first. Pure. */
export interface TimelineItem {
  readonly key: string
  readonly atMs: number
  readonly kind: TimelineKind
  readonly title: string
  /** One line each. */
  readonly lines: readonly string[]
  /** The page with details. */
  readonly path?: string
}

export const TIMELINE_KINDS = ['objects', 'upgrades', 'alerts', 'modifications', 'cluster'] as const
export type TimelineKind = (typeof TIMELINE_KINDS)[number]

interface TimelineSources {
  /** When the cluster was first seen: its objects are older than that. */
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
    ...changes.filter((change) => isChange(change, firstSeenMs)).map(itemOfChange),
    ...upgrades.flatMap(itemsOfUpgrade),
    ...modifications.flatMap(itemsOfModification),
    ...runs.flatMap(itemsOfRun),
    ...decommissions.flatMap(itemsOfDecommission),
  ].sort((a, b) => b.atMs - a.atMs || (a.key < b.key ? -1 : 1))
}

/** The time in which all objects of a new cluster are listed. */
const FIRST_LIST_MS = 10 * 60_000

/** Objects that are listed again, or listed for the first time with their cluster, did not change. */
function isChange({ at, change, isFirst, fields }: ObjectChangeItem, firstSeenMs: number): boolean {
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
    lines: relevantFields(fields).map(
      ({ field, before, after }) => `${field}: ${fieldWord(before)} → ${fieldWord(after)}`,
    ),
  }
}

/** Without timestamps, if there are other fields; the status before other fields, messages last. */
export function relevantFields(fields: ObjectChangeItem['fields']): ObjectChangeItem['fields'] {
  const relevant = fields.filter(({ field }) => !/\.(?:lastTransition|lastUpdate)$/.test(field))
  const weight = (field: string): number =>
    /(?:^|\.)(?:status|phase)$/.test(field) ? 0 : field.endsWith('message') ? 2 : 1
  return [...(relevant.length === 0 ? fields : relevant)].sort((a, b) => weight(a.field) - weight(b.field))
}

export function fieldWord(value: string | number | boolean | null): string {
  return value === null ? 'none' : value === '' ? '(empty)' : String(value)
}

function itemsOfUpgrade({ id, operator, from, to, state, startedAt, endedAt }: UpgradeItem): readonly TimelineItem[] {
  const step = stepText({ operator, from, to })
  const item = (at: string | null, moment: string, word: string): TimelineItem[] =>
    itemAt('upgrades', `upgrade ${id} ${moment}`, at, `${step} ${word}`, [], upgradePath(id))
  return [...item(startedAt, 'start', 'started'), ...item(endedAt, 'end', UPGRADE_STATE_WORDS[state])]
}

function itemsOfModification(modification: ModificationItem): readonly TimelineItem[] {
  const { id, startedAt, endedAt, kind, component, text } = modification
  const name = kind === 'jsonpatch' ? `JSON patch of ${component}` : `${component} modified out of band`
  const endAt = kind === 'out_of_band' ? null : endedAt
  return [
    ...itemAt('modifications', `modification ${id} start`, startedAt, name, [text]),
    ...itemAt('modifications', `modification ${id} end`, endAt, `${name} removed`),
  ]
}

/** The declaration that the cluster is decommissioned, and its end. */
function itemsOfDecommission(decommission: DecommissionItem): readonly TimelineItem[] {
  const { id, by, reason, saidAt, state, endedAt, endedBy } = decommission
  const [endTitle, endLines] =
    state === 'returned'
      ? ['Reports again', ['the cluster counts again, although it was declared decommissioned']]
      : ['Decommissioning reverted', endedBy === null ? [] : [`by ${endedBy}`]]
  return [
    ...itemAt('cluster', `decommission ${id} declared`, saidAt, 'Declared decommissioned', [`${by}: ${reason}`]),
    ...itemAt('cluster', `decommission ${id} end`, endedAt, endTitle, endLines),
  ]
}

function itemsOfRun({ fingerprint, alertname, severity, firedAtMs, resolvedAtMs }: AlertRun): readonly TimelineItem[] {
  const item = (atMs: number, word: string, lines: readonly string[]): TimelineItem => ({
    key: `alert ${fingerprint} ${atMs} ${word}`,
    atMs,
    kind: 'alerts',
    title: `${alertname} ${word}`,
    lines,
    path: alertPath(fingerprint),
  })
  return [
    item(firedAtMs, 'fired', [severity]),
    ...(resolvedAtMs === undefined ? [] : [item(resolvedAtMs, 'resolved', [])]),
  ]
}

/** No item without a time. */
function itemAt(
  kind: TimelineKind,
  key: string,
  at: string | null,
  title: string,
  lines: readonly string[] = [],
  path?: string,
): TimelineItem[] {
  return at === null ? [] : [{ key, atMs: Date.parse(at), kind, title, lines, ...(path !== undefined && { path }) }]
}
