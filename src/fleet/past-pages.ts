/**
 * Lists of what stood at a moment of the past. What a filter or an order asks of (a state, an end) may have been otherwise
 * then, so all that may fit is read, in portions, cut, and only the page is held.
 */
import { modificationKeyOf, upgradeKeyOf } from '../model/fleet-facts.ts'
import type { FleetFactsReader, ModificationQuery, UpgradeQuery } from '../model/fleet-facts.ts'
import type { Modification } from '../model/cluster-record.ts'
import type { UpgradeRecord } from '../model/upgrade.ts'
import { pageOf } from './keyset.ts'
import type { PageAsked, PageOrder } from './keyset.ts'
import { modificationAt, recordAt } from './record-at.ts'

const PORTION = 500

/** All upgrades that fit, by cluster and id. */
export async function* eachUpgrade(
  facts: Pick<FleetFactsReader, 'upgrades'>,
  fitting: Pick<UpgradeQuery, 'cluster' | 'operator' | 'from' | 'to'>,
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

/** As `FleetFactsReader.upgrades`, of the records cut at a moment. */
export async function pastUpgrades(
  facts: Pick<FleetFactsReader, 'upgrades'>,
  query: UpgradeQuery,
  atMs: number,
): Promise<readonly UpgradeRecord[]> {
  const { states, fromMs = -Infinity, toMs = Infinity, sort, ...rest } = query
  const { isDescending, after, limit, ...fitting } = rest
  const order: PageOrder<UpgradeRecord> = {
    keyOf: ({ upgrade }) => upgradeKeyOf(upgrade, sort),
    idOf: ({ upgrade }) => upgrade.id,
  }
  const found = topOf(order, { isDescending, limit, ...(after === undefined ? {} : { after }) })
  for await (const record of eachUpgrade(facts, fitting)) {
    const cut = recordAt(record, atMs)
    if (cut === undefined || (states !== undefined && !states.includes(cut.upgrade.state))) continue
    const startedKey = upgradeKeyOf(cut.upgrade, 'started') as number
    if (startedKey >= fromMs && startedKey <= toMs) found.put(cut)
  }
  return found.page()
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
