import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { groupBy } from '../../base/group-by.ts'
import { PAGE_DEFAULT } from '../../contract/common.ts'
import {
  GateDetail,
  GateItems,
  GateQuery,
  GatesQuery,
  type GateItem,
  type GateUseItem,
} from '../../contract/fleet-gates.ts'
import { rankOfUse } from '../../fleet/clusters/gate-uses.ts'
import { pageOf } from '../../fleet/past/keyset.ts'
import { compareVersions } from '../../fleet/version-order.ts'
import type { Gate, GateUse } from '../../model/gate-use.ts'
import { pageAnswer, readCursor } from './cursor.ts'
import { knownOrNull, timeOf } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { ownRoute } from '../server/own-route.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** The use of feature gates, and which clusters set them by JSON patch. */
export function registerFleetGates(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/gates', {
    summary: 'Feature gates that are set: on, off, and by JSON patch.',
    query: GatesQuery,
    answer: GateItems,
    handler: async ({ query, request }) => {
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const [{ telling, gates }, head] = await Promise.all([view.gates(), listHead(UNAVAILABLE.gates)])
      return { ...head, telling, gates: gates.map(gateItem) }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/gates/:gate', {
    summary: 'One feature gate: the clusters that set it, in HyperConverged or by JSON patch.',
    path: { gate: 'Name, case-insensitive.' },
    query: GateQuery,
    answer: GateDetail,
    handler: async ({ params: { gate: name }, query, request }) => {
      const { limit = PAGE_DEFAULT, cursor, source, on } = query
      const list = { ...query, gate: name }
      const after = cursor === undefined ? undefined : readCursor('gate', list, cursor)
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const [known, head] = await Promise.all([view.gates(name), listHead(UNAVAILABLE.gates)])
      const [gate] = known.gates
      if (gate === undefined) {
        throw new FleetError('not_found', `no cluster is known to set a feature gate ${JSON.stringify(name)}`, {
          hint: 'GET /api/fleet/v1/gates lists those that are set',
        })
      }
      const fitting = gate.uses.filter(
        (use) => (source === undefined || use.source === source) && (on === undefined || use.isOn === on),
      )
      const found = pageOf(
        fitting,
        { keyOf: rankOfUse, idOf },
        { isDescending: false, ...(after === undefined ? {} : { after }), limit: limit + 1 },
      )
      const placeOf = (use: GateUse) => ({ key: rankOfUse(use), id: idOf(use) })
      const { shown, nextCursor } = pageAnswer('gate', list, found, limit, placeOf)
      return {
        ...head,
        telling: known.telling,
        ...gateItem(gate),
        total: fitting.length,
        versions: versionsOf(gate),
        uses: shown.map(useItem),
        nextCursor,
      }
    },
  })
}

const idOf = ({ cluster, source, component = '', gate, sinceMs = 0 }: GateUse): string =>
  JSON.stringify([cluster, source, component, gate, sinceMs])

function gateItem({ gate, uses }: Gate): GateItem {
  const own = uses.filter(({ source }) => source === 'hyperconverged')
  return {
    gate,
    on: clustersOf(own.filter(({ isOn }) => isOn)),
    off: clustersOf(own.filter(({ isOn }) => !isOn)),
    patched: clustersOf(uses.filter(({ source }) => source === 'jsonpatch')),
    managers: managersOf(uses),
    ...writesOf(uses),
  }
}

const MANAGERS_MAX = 3

function managersOf(uses: readonly GateUse[]): GateItem['managers'] {
  return [...groupBy(uses, ({ by }) => by ?? null)]
    .map(([manager, own]) => ({ manager, places: own.length }))
    .sort((a, b) => b.places - a.places || ((a.manager ?? '') < (b.manager ?? '') ? -1 : 1))
    .slice(0, MANAGERS_MAX)
}

function writesOf(uses: readonly GateUse[]): Pick<GateItem, 'firstSet' | 'lastSet'> {
  let [first, last] = [Infinity, -Infinity]
  for (const { sinceMs } of uses) {
    if (sinceMs === undefined) continue
    first = Math.min(first, sinceMs)
    last = Math.max(last, sinceMs)
  }
  const isKnown = first <= last
  return { firstSet: timeOf(isKnown ? first : undefined), lastSet: timeOf(isKnown ? last : undefined) }
}

function clustersOf(uses: readonly GateUse[]): number {
  return new Set(uses.map(({ cluster }) => cluster)).size
}

function versionsOf({ uses }: Gate): GateDetail['versions'] {
  const byVersion = groupBy(
    uses.filter(({ isOn }) => isOn),
    ({ version }) => version ?? null,
  )
  return [...byVersion]
    .map(([version, own]) => ({ version, clusters: clustersOf(own) }))
    .sort((a, b) => compareVersions(b.version ?? '', a.version ?? ''))
}

function useItem(use: GateUse): GateUseItem {
  const { cluster, isOn, source, gate, sinceMs } = use
  const known = knownOrNull(use, 'version', 'component', 'by')
  return { cluster, ...known, on: isOn, source, spelled: gate, since: timeOf(sinceMs) }
}
