import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import {
  EXPOSED_NAMED_MAX,
  UpdateGraphAnswer,
  UpdateGraphQuery,
  type GraphImportItem,
  type GraphPathItem,
  type GraphRiskItem,
} from '../../contract/update-graph.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { RiskFacts } from '../../fleet/graph/graph-facts.ts'
import type { ImportFacts } from '../../fleet/graph/update-graphs.ts'
import type { UpdatePath } from '../../fleet/graph/update-path.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { ownRoute } from '../server/own-route.ts'
import { knownOrNull, timeOf } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { pick } from './query.ts'

/** The update graph with the fleet on it. */
export function registerUpdateGraph(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/update-graph', {
    summary: 'Update graph: versions with their clusters, offered updates, success, conditional risks and paths.',
    query: UpdateGraphQuery,
    answer: UpdateGraphAnswer,
    handler: async ({ query, request }) => {
      const { operator = 'kubevirt-hyperconverged' } = query
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const [facts, head] = await Promise.all([
        view.updateGraph({ operator, ...pick(query, 'channel', 'from', 'to', 'cluster') }),
        listHead(UNAVAILABLE.updateGraph),
      ])
      return {
        ...head,
        operator,
        imports: facts.imports.map(importItem),
        channels: facts.channels.map((one) => ({ ...one, ...knownOrNull(one, 'deprecated', 'head') })),
        versions: facts.versions.map(({ isInGraph, isDeadEnd, ...one }) => ({
          ...one,
          ...knownOrNull(one, 'deprecated', 'maxOpenShiftVersion', 'stranded', 'verdict'),
          ...{ inGraph: isInGraph, deadEnd: isDeadEnd },
        })),
        edges: facts.links.map((one) => ({ ...one, ...knownOrNull(one, 'success') })),
        edgesTotal: facts.linksTotal,
        risks: facts.risks.map(riskItem),
        path: facts.path === undefined ? null : pathItem(facts.path),
      }
    },
  })
}

export function importItem({ importedMs, ...one }: ImportFacts): GraphImportItem {
  return { ...one, ...knownOrNull(one, 'arch'), importedAt: timeOf(importedMs) }
}

function riskItem({ risk, counts, exposed, notes }: RiskFacts): GraphRiskItem {
  const { name, message, url, matchingRules } = risk
  return {
    ...{ name, message, url, notes },
    clusters: { exposed: counts.exposed, notExposed: counts.not_exposed, unknown: counts.unknown },
    exposed: exposed.slice(0, EXPOSED_NAMED_MAX),
    promql: matchingRules.flatMap(({ promql }) => promql?.promql ?? []),
  }
}

function pathItem({ from, to, isRecommended, isInChannel, ...path }: UpdatePath): GraphPathItem {
  return {
    ...{ from, to, ...knownOrNull(path, 'cluster', 'channel', 'steps') },
    ...{ recommended: isRecommended, inChannel: isInChannel },
  }
}
