import type { ApiFleetFacts } from '../../src/api/fleet/facts.ts'
import { fillFleetBook, fleetCalls, fleetFactsOf } from '../../src/threads/fleet-calls.ts'
import type { SaidPorts } from '../../src/threads/fleet-calls.ts'
import { createFleetBook } from '../../src/fleet/clusters/fleet-book.ts'
import type { FleetBook } from '../../src/fleet/clusters/fleet-book.ts'
import type { FleetFactsReader } from '../../src/model/fleet-facts.ts'

const NOTHING_SAID: SaidPorts = { list: () => Promise.resolve([]), changed: () => undefined }
const NOTHING_WAITS = { caughtUpMs: 0, waiting: 0, daysLeft: 0 }

/** The fleet's facts as the API asks for them, without threads: what is kept by `reader`, and the book over it. */
export async function fleetFactsOver(
  reader: FleetFactsReader,
  goneAfterMs?: number,
): Promise<{ readonly facts: ApiFleetFacts; readonly book: FleetBook }> {
  const book = await fillFleetBook(createFleetBook(goneAfterMs), reader, NOTHING_SAID)
  return { facts: fleetFactsOf(fleetCalls(reader, Promise.resolve(book), () => NOTHING_WAITS, NOTHING_SAID)), book }
}

/** Of a fleet of which nothing is known. */
export function emptyFleetFacts(): ApiFleetFacts {
  const none = (): Promise<never[]> => Promise.resolve([])
  const nobody = (): Promise<undefined> => Promise.resolve(undefined)
  const reader: FleetFactsReader = {
    clusters: none,
    cluster: nobody,
    upgrades: none,
    upgrade: nobody,
    openUpgrades: none,
    modifications: none,
    intervals: none,
    intervalsAt: none,
  }
  return fleetFactsOf(fleetCalls(reader, Promise.resolve(createFleetBook()), () => NOTHING_WAITS, NOTHING_SAID))
}
