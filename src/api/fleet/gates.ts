import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { groupBy } from '../../base/group-by.ts'
import { PAGE_DEFAULT } from '../../contract/fleet-common.ts'
import {
  GateQuery,
  GatesQuery,
  type GateDetail,
  type GateItem,
  type GateItems,
  type GateUseItem,
} from '../../contract/fleet-gates.ts'
import { rankOfUse } from '../../fleet/clusters/gate-uses.ts'
import { pageOf } from '../../fleet/past/keyset.ts'
import { compareVersions } from '../../fleet/version-order.ts'
import type { Gate, GateUse } from '../../model/gate-use.ts'
import { cutPage, readCursor, writeCursor } from './cursor.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { coverageItem, timeOf } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { readQuery } from './query.ts'

/** The use of feature gates, and which clusters set them by JSON patch. */
export function registerFleetGates(app: FastifyInstance, fleet: FleetViews, clock: Clock): void {
  const config = { access: 'viewer', dialect: 'own' } as const

  app.get('/api/fleet/v1/gates', { config }, async (request): Promise<GateItems> => {
    const { at } = readQuery(GatesQuery, request)
    const { view, nowMs, past } = fleetAt(fleet, clock, at)
    const [{ telling, gates }, coverage] = await Promise.all([view.gates(), view.coverage()])
    return {
      asOf: timeOf(nowMs),
      ...(await past(UNAVAILABLE.gates)),
      coverage: coverageItem(coverage),
      telling,
      gates: gates.map(gateItem),
    }
  })

  app.get<{ Params: { gate: string } }>('/api/fleet/v1/gates/:gate', { config }, async (request) => {
    const { gate: name } = request.params
    const params = readQuery(GateQuery, request)
    const { limit = PAGE_DEFAULT, cursor, source, on } = params
    const list = { ...params, gate: name }
    const after = cursor === undefined ? undefined : readCursor('gate', list, cursor)
    const { view, nowMs, past } = fleetAt(fleet, clock, params.at)
    const [known, coverage] = await Promise.all([view.gates(name), view.coverage()])
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
    const { shown, last } = cutPage(found, limit)
    const detail: GateDetail = {
      asOf: timeOf(nowMs),
      ...(await past(UNAVAILABLE.gates)),
      coverage: coverageItem(coverage),
      telling: known.telling,
      ...gateItem(gate),
      total: fitting.length,
      versions: versionsOf(gate),
      uses: shown.map(useItem),
      nextCursor: last === undefined ? null : writeCursor('gate', list, { key: rankOfUse(last), id: idOf(last) }),
    }
    return detail
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
  }
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

function useItem({ cluster, version, isOn, source, gate, component, sinceMs }: GateUse): GateUseItem {
  return {
    cluster,
    version: version ?? null,
    on: isOn,
    source,
    spelled: gate,
    component: component ?? null,
    since: timeOf(sinceMs),
  }
}
