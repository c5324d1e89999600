import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { PAGE_DEFAULT } from '../../contract/common.ts'
import {
  PatchDetailItem,
  PatchesQuery,
  PatchItems,
  PatchQuery,
  type PatchFindingItem,
  type PatchGroupItem,
  type PatchMemberItem,
} from '../../contract/fleet-patches.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { pageOf, type Place } from '../../fleet/past/keyset.ts'
import { rankOfPatch, type PatchGroup, type PatchMember } from '../../fleet/patches/fleet-patches.ts'
import { hcoReleaseOf } from '../../fleet/derive/hco-release.ts'
import { RELEASES } from '../../fleet/releases.ts'
import { PATCH_CLASSES, type PatchFinding, type PatchProposal } from '../../model/patch-analysis.ts'
import { invalidParam } from '../prometheus/params.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { pageAnswer, readCursor } from './cursor.ts'
import { knownOrNull, timeOf } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'

/** JSON patches of operands by what they mean for an upgrade. */
export function registerFleetPatches(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/patches', {
    summary: 'JSON patches of operands, equal ones together: what breaks in a target version, the worst class first.',
    query: PatchesQuery,
    answer: PatchItems,
    handler: async ({ query, request }) => {
      const { limit = PAGE_DEFAULT, cursor } = query
      const to = versionOf(query.to)
      const after = cursor === undefined ? undefined : readCursor('patches', query, cursor)
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const [groups, head] = await Promise.all([view.patches(to), listHead(UNAVAILABLE.patches)])
      const fitting = groups.filter((group) => isFitting(group, query))
      const order = { keyOf: keyOfGroup, idOf: ({ key }: PatchGroup) => key }
      const page = { isDescending: false, ...(after === undefined ? {} : { after }), limit: limit + 1 }
      const found = pageOf(fitting, order, page)
      const placeOf = (group: PatchGroup): Place => ({ key: keyOfGroup(group), id: group.key })
      const { shown, nextCursor } = pageAnswer('patches', query, found, limit, placeOf)
      return {
        ...head,
        to: to ?? null,
        targets: RELEASES.map(({ version, seenAt }) => ({ version, released: seenAt !== 'main' })).reverse(),
        counts: countsOf(groups),
        total: fitting.length,
        patches: shown.map(groupItem),
        nextCursor,
      }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/patches/:key', {
    summary: 'One JSON patch: its findings, what to set in HyperConverged instead, what it changes, and its clusters.',
    path: { key: 'Of the list.' },
    query: PatchQuery,
    answer: PatchDetailItem,
    handler: async ({ params: { key }, query, request }) => {
      const { limit = PAGE_DEFAULT, cursor } = query
      const to = versionOf(query.to)
      const list = { ...query, key }
      const after = cursor === undefined ? undefined : readCursor('patch', list, cursor)
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const [patch, head] = await Promise.all([view.patch(key, to), listHead(UNAVAILABLE.patches)])
      if (patch === undefined) {
        throw new FleetError('not_found', `no cluster has a JSON patch with the key ${JSON.stringify(key)}`, {
          hint: 'GET /api/fleet/v1/patches lists the patches in effect; an edited patch has another key',
        })
      }
      const idOf = ({ cluster, sinceMs = 0 }: PatchMember): string => JSON.stringify([cluster, sinceMs])
      const order = { keyOf: ({ cluster }: PatchMember) => cluster, idOf }
      const page = { isDescending: false, ...(after === undefined ? {} : { after }), limit: limit + 1 }
      const found = pageOf(patch.members, order, page)
      const placeOf = (member: PatchMember): Place => ({ key: member.cluster, id: idOf(member) })
      const { shown, nextCursor } = pageAnswer('patch', list, found, limit, placeOf)
      const { differencesOf: version } = patch
      return {
        ...head,
        ...groupFields(patch),
        variants: patch.variants.map((variant) => ({
          ...knownOrNull(variant, 'installed', 'target', 'apiVersion'),
          clusters: variant.clusters,
          findings: variant.findings.map(findingItem),
        })),
        proposal: proposalItem(patch.proposal),
        differences: patch.differences.map((one) => ({ path: one.path, ...knownOrNull(one, 'without', 'with') })),
        differencesOf: version === undefined ? null : { basis: 'defaults' as const, version },
        members: shown.map(memberItem),
        nextCursor,
      }
    },
  })
}

function versionOf(to: string | undefined): string | undefined {
  if (to !== undefined && hcoReleaseOf(to) === undefined) {
    throw invalidParam('to', `got ${JSON.stringify(to)}, want a version such as 1.19.0`)
  }
  return to
}

type Filter = {
  readonly class?: string
  readonly component?: string
  readonly cluster?: string
  readonly breaking?: boolean
}

function isFitting(group: PatchGroup, filter: Filter): boolean {
  const { classes, component, members } = group
  if (filter.class === 'none' && classes.length > 0) return false
  if (filter.class !== undefined && filter.class !== 'none' && !classes.some((one) => one === filter.class))
    return false
  if (filter.component !== undefined && component !== filter.component) return false
  if (filter.cluster !== undefined && !members.some(({ cluster }) => cluster === filter.cluster)) return false
  return filter.breaking === undefined || members.some(({ isBreaking }) => isBreaking) === filter.breaking
}

/** A number of clusters that no fleet has. */
const CLUSTERS_MOST = 1e9

/** The order of `fleetPatches`. */
function keyOfGroup(group: PatchGroup): number {
  return rankOfPatch(group) * CLUSTERS_MOST + (CLUSTERS_MOST - 1 - group.members.length)
}

function countsOf(groups: readonly PatchGroup[]): PatchItems['counts'] {
  return [...PATCH_CLASSES, null].map((one) => {
    const own = groups.filter(({ classes }) => (one === null ? classes.length === 0 : classes.includes(one)))
    const clusters = new Set(
      own.flatMap(({ members }) =>
        members.filter(({ classes }) => one === null || classes.includes(one)).map(({ cluster }) => cluster),
      ),
    )
    return { class: one, patches: own.length, clusters: clusters.size }
  })
}

function groupItem(group: PatchGroup): PatchGroupItem {
  const finding = group.variants[0]?.findings[0]
  return { ...groupFields(group), finding: finding === undefined ? null : findingItem(finding) }
}

function groupFields(group: PatchGroup) {
  const { key, component, text, members, classes } = group
  return {
    ...{ key, component, text, classes },
    ...knownOrNull(group, 'annotation', 'operations'),
    clusters: new Set(members.map(({ cluster }) => cluster)).size,
    breaking: members.filter(({ isBreaking }) => isBreaking).length,
  }
}

function findingItem(finding: PatchFinding): PatchFindingItem {
  const { class: kind, weight, at, text } = finding
  return {
    ...{ class: kind, weight, at, text },
    ...knownOrNull(finding, 'operation', 'gate', 'source'),
    proposal: proposalItem(finding.proposal),
  }
}

function proposalItem(proposal: PatchProposal | undefined): PatchFindingItem['proposal'] {
  if (proposal === undefined) return null
  const { apiVersion, from, yaml } = proposal
  return { apiVersion, from, yaml }
}

function memberItem(member: PatchMember): PatchMemberItem {
  const { cluster, classes, isBreaking, sinceMs } = member
  return {
    ...{ cluster, classes, breaking: isBreaking },
    ...knownOrNull(member, 'version', 'target', 'by'),
    since: timeOf(sinceMs),
  }
}
