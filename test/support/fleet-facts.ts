import { fillFleetIndex } from '../../src/fleet/clusters/fill-fleet-index.ts'
import { createFleetIndex, type FleetIndex } from '../../src/fleet/clusters/fleet-index.ts'
import { createFleetViews, type FleetViews } from '../../src/fleet/fleet-views.ts'
import type { FleetFactsReader } from '../../src/model/fleet-facts.ts'

const NOTHING_DECLARED = { list: () => Promise.resolve([]) }
/** No alert ever fired. */
export const NO_ALERTS = { firedOn: () => Promise.resolve([]) }
const NOTHING_WAITS = { caughtUpMs: 0, waiting: 0, daysLeft: 0 }

/** The fleet as the API asks for it, without threads: what `reader` reads, and the in-memory index of it. */
export async function fleetFactsOver(
  reader: FleetFactsReader,
  goneAfterMs?: number,
): Promise<{ readonly fleet: FleetViews; readonly index: FleetIndex }> {
  const index = await fillFleetIndex(createFleetIndex(goneAfterMs), reader, NOTHING_DECLARED)
  return { fleet: createFleetViews(reader, Promise.resolve(index), () => NOTHING_WAITS, NO_ALERTS), index }
}

/** Of a fleet of which nothing is known. */
export function emptyFleet(): FleetViews {
  const none = (): Promise<never[]> => Promise.resolve([])
  const nobody = (): Promise<undefined> => Promise.resolve(undefined)
  const reader: FleetFactsReader = {
    clusters: none,
    cluster: nobody,
    upgrades: none,
    upgrade: nobody,
    modifications: none,
    intervalsAt: none,
    values: () => Promise.resolve(new Map()),
  }
  return createFleetViews(reader, Promise.resolve(createFleetIndex()), () => NOTHING_WAITS, NO_ALERTS)
}
