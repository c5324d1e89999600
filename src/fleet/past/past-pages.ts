/**
 * Lists of what stood at a moment of the past. What a filter or an order asks of (a state, an end) may have been otherwise
 * then, so all that may fit is read, in portions, cut, and only the page is held.
 */
import { modificationKeyOf, upgradeKeyOf } from '../../model/fleet-facts.ts'
import type { ClusterFacts, FleetFactsReader, ModificationQuery, UpgradeQuery } from '../../model/fleet-facts.ts'
import type { Modification } from '../../model/cluster-record.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import type { FleetSource } from '../fleet-view.ts'
import { pageOf } from './keyset.ts'
import type { PageAsked, PageOrder } from './keyset.ts'
import { modificationAt, recordAt } from './record-at.ts'

const PORTION = 500

/**
 * Records as they stood at a moment.
 * @param openThen what was open at that moment
 */
export function pastRecords(
  facts: FleetFactsReader,
  atMs: number,
  openThen: () => Promise<readonly UpgradeRecord[]>,
): FleetSource['records'] {
  return {
    cluster: async (name) => {
      const kept = await facts.cluster(name)
      return kept === undefined ? undefined : historyAt(kept, atMs)
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

/** All upgrades that fit, by cluster and id. */
export async function* eachUpgrade(
  facts: Pick<FleetFactsReader, 'upgrades'>,
  fitting: Pick<UpgradeQuery, 'cluster' | 'operator' | 'from' | 'to' | 'states'>,
): AsyncIterable<UpgradeRecord> {
  let after: NonNullable<UpgradeQuery['after']> | undefined
  for (;;) {
    const page = { ...fitting, sort: 'cluster', isDescending: false, limit: PORTION } as const
    const records = await facts.upgrades(after === undefined ? page : { ...page, after })
    yield* records
    const last = records.at(-1)
    if (last === undefined || records.length < PORTION) return
    after = { key: last.upgrade.cluster, id: last.upgrade.id }
  }
}

/**
 * As `FleetFactsReader.upgrades`, of the records cut at a moment.
 * @param openThen what was open at that moment; without it all is read
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
  const fitting = Object.entries({ operator, cluster, from, to, states: keptStates(states) })
  for await (const record of eachUpgrade(
    facts,
    Object.fromEntries(fitting.filter(([, asked]) => asked !== undefined)),
  )) {
    const cut = recordAt(record, atMs)
    if (cut !== undefined && fits(cut, query)) found.put(cut)
  }
  return found.page()
}

function fits({ upgrade }: UpgradeRecord, asked: UpgradeQuery): boolean {
  const { states, fromMs = -Infinity, toMs = Infinity, operator, cluster, from, to } = asked
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

/** What is kept as one of these states may have been one of those asked for. An end alone never becomes another end. */
function keptStates(states: UpgradeQuery['states']): UpgradeQuery['states'] {
  return states?.some((state) => state === 'in_progress' || state === 'unknown') === true ? undefined : states
}

/**
 * The newest first is the order of what is kept, too: a start that is over stays where it is. So no more is read than the
 * page has. `undefined`: another order is asked for, or the page would need those that have no start.
 */
async function newestStarted(
  facts: Pick<FleetFactsReader, 'upgrades'>,
  query: UpgradeQuery,
  atMs: number,
): Promise<readonly UpgradeRecord[] | undefined> {
  const { states, sort, isDescending, limit, toMs = Infinity, ...fitting } = query
  if (sort !== 'started' || !isDescending) return undefined
  const kept = keptStates(states)
  // One that is asked for may be anywhere among all others.
  if (states !== undefined && kept === undefined) return undefined
  const page: UpgradeRecord[] = []
  let place = query.after
  for (;;) {
    const records = await facts.upgrades({
      ...fitting,
      ...(kept === undefined ? {} : { states: kept }),
      ...{ sort, isDescending, toMs: Math.min(toMs, atMs), limit: Math.min(limit, PORTION) },
      ...(place === undefined ? {} : { after: place }),
    })
    for (const record of records) {
      if (record.upgrade.startedMs === undefined) return undefined
      const cut = recordAt(record, atMs)
      if (cut !== undefined && fits(cut, query)) page.push(cut)
      if (page.length === limit) return page
    }
    const last = records.at(-1)
    if (last === undefined || records.length < Math.min(limit, PORTION)) return undefined
    place = { key: upgradeKeyOf(last.upgrade, sort), id: last.upgrade.id }
  }
}

/** As `FleetFactsReader.modifications`, as they stood at a moment. */
export async function pastModifications(
  facts: Pick<FleetFactsReader, 'modifications'>,
  { isOpen, after, limit, ...fitting }: ModificationQuery,
  atMs: number,
): Promise<readonly Modification[]> {
  const order: PageOrder<Modification> = { keyOf: modificationKeyOf, idOf: ({ id }) => id }
  const found = topOf(order, { isDescending: true, limit, ...(after === undefined ? {} : { after }) })
  const toMs = Math.min(fitting.toMs ?? Infinity, atMs)
  let place: ModificationQuery['after']
  for (;;) {
    const page = await facts.modifications({
      ...fitting,
      toMs,
      limit: PORTION,
      ...(place === undefined ? {} : { after: place }),
    })
    for (const one of page) {
      const then = modificationAt(one, atMs)
      if (then !== undefined && (isOpen === undefined || isOpen === stands(then))) found.put(then)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PORTION) return found.page()
    place = { key: modificationKeyOf(last), id: last.id }
  }
}

/** An edit that was changed back at once does not stand, though nobody said when it ended. */
function stands({ kind, endedMs }: Modification): boolean {
  return kind === 'jsonpatch' && endedMs === undefined
}

/** The first of what is put, in order; holds no more than twice what a portion and a page have. */
function topOf<T>(
  order: PageOrder<T>,
  asked: PageAsked,
): { readonly put: (one: T) => void; readonly page: () => readonly T[] } {
  let held: T[] = []
  const page = (): readonly T[] => pageOf(held, order, asked)
  return {
    put: (one) => {
      held.push(one)
      if (held.length >= asked.limit + PORTION) held = [...page()]
    },
    page,
  }
}
