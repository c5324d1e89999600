import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { groupBy } from '../../base/group-by.ts'
import {
  DeprecatedApisAnswer,
  KvmStackAnswer,
  TargetQuery,
  type DeprecatedApiItem,
  type MachineTypeUseItem,
  type MigrationItem,
} from '../../contract/fleet-configuration.ts'
import { deprecatedApis, type DeprecatedApi, type RequestedApi } from '../../fleet/configuration/deprecated-apis.ts'
import { kubevirtOf, migrationStep, stackOf } from '../../fleet/configuration/kvm-stack.ts'
import {
  machineTypesInUse,
  machineTypeState,
  removalOf,
  type MachineTypeItem,
  type MachineTypeUse,
} from '../../fleet/configuration/machine-types.ts'
import { hcoReleaseOf } from '../../fleet/derive/hco-release.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { compareReleases, compareTexts, newestOf } from '../../fleet/version-order.ts'
import type { ClusterStack } from '../../fleet/configuration/configuration-answers.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'

/** What is in use by metrics, at a time. */
export interface ApiUsage {
  machineTypes(timeMs: number): Promise<MachineTypeUse>
  requestedApis(timeMs: number): Promise<readonly RequestedApi[]>
}

const NAMES_MAX = 20
const CLIENTS_MAX = 50
const APIS_MAX = 500

/** QEMU and libvirt in the fleet, machine types of VMs, and deprecated versions of APIs. */
export function registerFleetKvmStack(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews; readonly usage: ApiUsage }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/kvm-stack', {
    summary: 'QEMU and libvirt by version of KubeVirt, machine types of VMs, and hazards of migrations to a target.',
    query: TargetQuery,
    answer: KvmStackAnswer,
    handler: async ({ query: { target, at }, request }) => {
      const { fleet, usage } = ports(request)
      const { view, nowMs, listHead } = fleetAt(fleet, clock, at)
      const kubevirt = target === undefined ? undefined : kubevirtOfTarget(target)
      const [clusters, use, head] = await Promise.all([
        view.stacks(),
        usage.machineTypes(nowMs),
        listHead(UNAVAILABLE.kvmStack),
      ])
      const byMinor = [...groupBy(clusters, ({ kubevirt: own }) => minorOfKubevirt(own))]
        .filter(([minor]) => minor !== '')
        .sort(([a], [b]) => compareReleases(b, a))
      const stacks = byMinor.map(([minor, own]) => ({ ...stackOf(minor), clusters: clustersItem(own.map(nameOf)) }))
      const known = new Map(clusters.map((one) => [one.cluster, one]))
      const inUse = machineTypesInUse(use, clusters)
      return {
        ...head,
        stacks,
        reporting: new Set(inUse.flatMap((item) => item.clusters)).size,
        machineTypes: inUse.map((item) => machineTypeItem(item, known, kubevirt)),
        target: kubevirt === undefined ? null : stackOf(kubevirt),
        migrations:
          kubevirt === undefined ? [] : byMinor.flatMap(([minor, own]) => migrationItem(minor, kubevirt, own)),
      }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/deprecated-apis', {
    summary:
      'Requested versions of APIs that are deprecated: clusters, clients, and what breaks with a target version.',
    query: TargetQuery,
    answer: DeprecatedApisAnswer,
    handler: async ({ query: { target, at }, request }) => {
      if (target !== undefined) checkTarget(target)
      const { fleet, usage } = ports(request)
      const { view, nowMs, listHead } = fleetAt(fleet, clock, at)
      const [clusters, requested, head] = await Promise.all([
        view.stacks(),
        usage.requestedApis(nowMs),
        listHead(UNAVAILABLE.deprecatedApis),
      ])
      const apis = deprecatedApis(requested, clusters, target)
      return {
        ...head,
        withClients: clusters.filter(({ apiClients }) => apiClients !== undefined).length,
        total: apis.length,
        apis: apis.slice(0, APIS_MAX).map(apiItem),
      }
    },
  })
}

function checkTarget(target: string): void {
  if (hcoReleaseOf(target) !== undefined) return
  throw new FleetError(
    'bad_request',
    `target: got ${JSON.stringify(target)}, want a version of HCO such as 1.18.1 or 4.22.1`,
  )
}

function kubevirtOfTarget(target: string): string {
  checkTarget(target)
  const kubevirt = kubevirtOf(target)
  if (kubevirt !== undefined) return kubevirt
  throw new FleetError('bad_request', `target: got ${JSON.stringify(target)}, whose version of KubeVirt is not known`, {
    hint: 'releases until this program was built are known',
  })
}

function minorOfKubevirt(version: string | undefined): string {
  return version === undefined ? '' : stackOf(version).kubevirt
}

function nameOf({ cluster }: ClusterStack): string {
  return cluster
}

function clustersItem(names: readonly string[]): { readonly count: number; readonly names: readonly string[] } {
  return { count: names.length, names: [...names].sort(compareTexts).slice(0, NAMES_MAX) }
}

/** Without a target in the newest version that clusters with the type run. */
function machineTypeItem(
  { machineType, vms, clusters, deprecatedOn }: MachineTypeItem,
  known: ReadonlyMap<string, ClusterStack>,
  target: string | undefined,
): MachineTypeUseItem {
  const newest = newestOf(clusters.flatMap((cluster) => known.get(cluster)?.kubevirt ?? []))
  const version = target ?? newest
  const removal = removalOf(machineType)
  return {
    ...{ machineType, vms, deprecatedOn },
    clusters: clustersItem(clusters),
    state: machineTypeState(machineType, version === undefined ? null : stackOf(version).base),
    removedIn: removal?.base ?? null,
    sources: removal?.sources ?? [],
  }
}

/** Nothing for clusters that are at the target or beyond. */
function migrationItem(minor: string, target: string, stacks: readonly ClusterStack[]): readonly MigrationItem[] {
  if (compareReleases(minor, stackOf(target).kubevirt) >= 0) return []
  const { from, to, backward, skipsMinors, known } = migrationStep(minor, target)
  return [
    {
      from: from.kubevirt,
      to: to.kubevirt,
      clusters: clustersItem(stacks.map(nameOf)),
      qemuFrom: from.qemu,
      qemuTo: to.qemu,
      ...{ backward, skipsMinors, known },
    },
  ]
}

function apiItem({
  group,
  version,
  resource,
  removals,
  clusters,
  clients,
  breaksOn,
}: DeprecatedApi): DeprecatedApiItem {
  return {
    ...{ group, version, resource },
    removals: removals.map(({ by, release, source }) => ({ by, release, source: source ?? null })),
    clusters: clustersItem(clusters),
    clients: clients.slice(0, CLIENTS_MAX).map(({ client, clusters: on }) => ({ client, clusters: clustersItem(on) })),
    breaksOn: clustersItem(breaksOn),
  }
}
