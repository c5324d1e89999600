/**
 * Lists of records as they were at a past moment. A value that a filter or an order reads (a state, an end) may have been
 * another one then, so every record that may match is read, in portions, cut at the moment, and only the page is retained.
 */
import {
  modificationKeyOf,
  upgradeKeyOf,
  type ClusterFacts,
  type FleetFactsReader,
  type ModificationQuery,
  type UpgradeQuery,
} from '../../model/fleet-facts.ts'
import type { Modification } from '../../model/cluster-record.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import type { FleetSource } from '../fleet-view.ts'
import { eachItem, pageOf, type PageOrder, type PageQuery, type Place } from './keyset.ts'
import { modificationAt, recordAt } from './record-at.ts'

const PORTION = 500

/**
 * Records as they were at a moment.
 * @param openThen the upgrades that were open at that moment
 */
export function pastRecords(
  facts: FleetFactsReader,
  atMs: number,
  openThen: () => Promise<readonly UpgradeRecord[]>,
): FleetSource['records'] {
  return {
    cluster: async (name) => {
      const stored = await facts.cluster(name)
      return stored && historyAt(stored, atMs)
    },
    upgrades: (query) => pastUpgrades(facts, query, atMs, openThen),
    upgrade: async (id) => {
      const record = await facts.upgrade(id)
      return record === undefined ? undefined : recordAt(record, atMs)
    },
    modifications: (query) => pastModifications(facts, query, atMs),
  }
}

function historyAt({ intervals, upgrades, modifications }: ClusterFacts, atMs: number): Omit<ClusterFacts, 'cluster'> {
  return {
    intervals: intervals.flatMap(({ untilMs = Infinity, ...interval }) =>
      interval.fromMs > atMs ? [] : [{ ...interval, ...(untilMs > atMs ? {} : { untilMs }) }],
    ),
    upgrades: upgrades.flatMap((record) => recordAt(record, atMs) ?? []),
    modifications: modifications.flatMap((one) => modificationAt(one, atMs) ?? []),
  }
}

/** All upgrades that match, by cluster and id. */
export function eachUpgrade(
  facts: Pick<FleetFactsReader, 'upgrades'>,
  filter: Pick<UpgradeQuery, 'cluster' | 'operator' | 'from' | 'to' | 'states'>,
): AsyncIterable<UpgradeRecord> {
  const query = { ...filter, sort: 'cluster', isDescending: false, limit: PORTION } as const
  return eachItem<UpgradeRecord, Place>(
    PORTION,
    (after) => facts.upgrades({ ...query, ...after }),
    ({ upgrade }) => ({ key: upgrade.cluster, id: upgrade.id }),
  )
}

/**
 * As `FleetFactsReader.upgrades`, of the records cut at a moment.
 * @param openThen the upgrades that were open at that moment; without it all are read
 */
export async function pastUpgrades(
  facts: Pick<FleetFactsReader, 'upgrades'>,
  query: UpgradeQuery,
  atMs: number,
  openThen?: () => Promise<readonly UpgradeRecord[]>,
): Promise<readonly UpgradeRecord[]> {
  const { states, sort, isDescending, after, limit, operator, cluster, from, to } = query
  const newest = await newestStarted(facts, query, atMs)
  if (newest !== undefined) return newest
  const order: PageOrder<UpgradeRecord> = {
    keyOf: ({ upgrade }) => upgradeKeyOf(upgrade, sort),
    idOf: ({ upgrade }) => upgrade.id,
  }
  const found = topOf(order, { isDescending, limit, ...(after === undefined ? {} : { after }) })
  if (openThen !== undefined && states?.every((state) => state === 'in_progress') === true) {
    for (const record of await openThen()) if (fits(record, query)) found.put(record)
    return found.page()
  }
  const fitting = Object.entries({ operator, cluster, from, to, states: storedStates(states) })
  for await (const record of eachUpgrade(
    facts,
    Object.fromEntries(fitting.filter(([, value]) => value !== undefined)),
  )) {
    const cut = recordAt(record, atMs)
    if (cut !== undefined && fits(cut, query)) found.put(cut)
  }
  return found.page()
}

function fits({ upgrade }: UpgradeRecord, query: UpgradeQuery): boolean {
  const { states, fromMs = -Infinity, toMs = Infinity, operator, cluster, from, to } = query
  const startedKey = upgradeKeyOf(upgrade, 'started') as number
  return (
    (states === undefined || states.includes(upgrade.state)) &&
    (operator ?? upgrade.operator) === upgrade.operator &&
    (cluster ?? upgrade.cluster) === upgrade.cluster &&
    (from ?? upgrade.from) === upgrade.from &&
    (to ?? upgrade.to) === upgrade.to &&
    startedKey >= fromMs &&
    startedKey <= toMs
  )
}

/** The stored states of upgrades that may have had one of the queried states then. An end never becomes another end. */
function storedStates(states: UpgradeQuery['states']): UpgradeQuery['states'] {
  return states?.some((state) => state === 'in_progress' || state === 'unknown') === true ? undefined : states
}

/**
 * Newest first is also the order of the stored upgrades, because a start in the past does not change: only a page is read.
 * `undefined`: the query has another order, or the page needs upgrades without a start.
 */
async function newestStarted(
  facts: Pick<FleetFactsReader, 'upgrades'>,
  query: UpgradeQuery,
  atMs: number,
): Promise<readonly UpgradeRecord[] | undefined> {
  const { states, sort, isDescending, limit, toMs = Infinity, ...fitting } = query
  if (sort !== 'started' || !isDescending) return undefined
  const stored = storedStates(states)
  // An upgrade that matches may be anywhere among all others.
  if (states !== undefined && stored === undefined) return undefined
  const page: UpgradeRecord[] = []
  const portion = Math.min(limit, PORTION)
  const ofStates = stored === undefined ? {} : { states: stored }
  const records = eachItem<UpgradeRecord, Place>(
    portion,
    (after) =>
      facts.upgrades({
        ...fitting,
        ...ofStates,
        sort,
        isDescending,
        toMs: Math.min(toMs, atMs),
        limit: portion,
        ...after,
      }),
    ({ upgrade }) => ({ key: upgradeKeyOf(upgrade, sort), id: upgrade.id }),
  )
  for await (const record of records) {
    if (record.upgrade.startedMs === undefined) return undefined
    const cut = recordAt(record, atMs)
    if (cut !== undefined && fits(cut, query)) page.push(cut)
    if (page.length === limit) return page
  }
  return undefined
}

/** As `FleetFactsReader.modifications`, of the modifications cut at a moment. */
export async function pastModifications(
  facts: Pick<FleetFactsReader, 'modifications'>,
  { isOpen, after, limit, ...fitting }: ModificationQuery,
  atMs: number,
): Promise<readonly Modification[]> {
  const order: PageOrder<Modification> = { keyOf: modificationKeyOf, idOf: ({ id }) => id }
  const found = topOf(order, { isDescending: true, limit, ...(after === undefined ? {} : { after }) })
  for await (const then of eachModificationAt(facts, fitting, atMs)) {
    if (isOpen === undefined || isOpen === isActive(then)) found.put(then)
  }
  return found.page()
}

/** All modifications that match, cut at a moment, the newest first. */
export async function* eachModificationAt(
  facts: Pick<FleetFactsReader, 'modifications'>,
  query: Omit<ModificationQuery, 'isOpen' | 'after' | 'limit'>,
  atMs: number,
): AsyncGenerator<Modification> {
  const toMs = Math.min(query.toMs ?? Infinity, atMs)
  const all = eachItem<Modification, NonNullable<ModificationQuery['after']>>(
    PORTION,
    (place) => facts.modifications({ ...query, toMs, limit: PORTION, ...place }),
    (last) => ({ key: modificationKeyOf(last), id: last.id }),
  )
  for await (const one of all) {
    const then = modificationAt(one, atMs)
    if (then !== undefined) yield then
  }
}

/** An edit that was reverted at once is not active, although its end is not recorded. */
function isActive({ kind, endedMs }: Modification): boolean {
  return kind === 'jsonpatch' && endedMs === undefined
}

/** The first page of the items that are put, in order. Holds at most a portion and a page of them. */
function topOf<T>(
  order: PageOrder<T>,
  query: PageQuery,
): { readonly put: (one: T) => void; readonly page: () => readonly T[] } {
  let candidates: T[] = []
  const page = (): readonly T[] => pageOf(candidates, order, query)
  return {
    put: (one) => {
      candidates.push(one)
      if (candidates.length >= query.limit + PORTION) candidates = [...page()]
    },
    page,
  }
}
