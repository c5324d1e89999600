/** What the server says of a fleet, read as anybody would: over its public APIs. */
import type { ClusterItem, ClusterItems } from '../../src/contract/fleet-clusters.ts'
import type { EdgeItem, EdgeItems } from '../../src/contract/fleet-edges.ts'
import type { ModificationItem, ModificationItems } from '../../src/contract/fleet-modifications.ts'
import type { StuckItems, UpgradeDetailItem, UpgradeItem, UpgradeItems } from '../../src/contract/fleet-upgrades.ts'
import type { UpgradePhase } from '../../src/model/upgrade.ts'
import type { ToldModification } from '../../sim/history/compare-modifications.ts'
import type { ToldUpgrade } from '../../sim/history/compare.ts'

/** An upgrade that was called stuck, at the moment of a question. */
export interface SaidStuck {
  readonly atMs: number
  readonly cluster: string
  readonly operator: string
  readonly to: string
  readonly phase: string
  readonly cause: string
}

/** A span as Jaeger's older API tells it; times in microseconds. */
export interface ToldSpan {
  readonly operationName: string
  readonly startTime: number
  readonly duration: number
}

export interface FleetApi {
  upgrades(): Promise<readonly ToldUpgrade[]>
  modifications(): Promise<readonly ToldModification[]>
  stuck(atMs: number): Promise<readonly SaidStuck[]>
  clusters(): Promise<readonly ClusterItem[]>
  edges(): Promise<readonly EdgeItem[]>
  /** Empty: there is no such trace. */
  trace(traceId: string): Promise<readonly ToldSpan[]>
  /** How many clusters wait to be derived. */
  waiting(): Promise<number>
}

/** Lists by their name in the answer, which is their name in the address. */
type Pages = Pick<UpgradeItems, 'upgrades'> &
  Pick<ClusterItems, 'clusters'> &
  Pick<EdgeItems, 'edges'> &
  Pick<ModificationItems, 'modifications'>
type Page = Pages & Pick<UpgradeItems, 'nextCursor'>

const WAITING = /^daytwo_fleet_waiting_clusters (\d+)/m

export function createReader(url: string): FleetApi {
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${url}${path}`)
    if (!answer.ok) throw new Error(`${path}: got ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const pages = async <K extends keyof Pages>(what: K): Promise<readonly Pages[K][number][]> => {
    const items: Pages[K][number][] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page: Page = await get<Page>(`/api/fleet/v1/${what}?limit=500${next}`)
      items.push(...page[what])
      cursor = page.nextCursor
    }
    return items
  }
  return {
    async upgrades() {
      const items = await pages('upgrades')
      return Promise.all(
        items.map(async (item) => {
          const detail = await get<UpgradeDetailItem>(`/api/fleet/v1/upgrades/${item.id}/detail`)
          return toldOf(item, detail.csv.uid)
        }),
      )
    },
    async modifications() {
      return (await pages('modifications')).map(toldModification)
    },
    async stuck(atMs) {
      const { stuck } = await get<StuckItems>('/api/fleet/v1/stuck')
      return stuck.map(({ upgrade, verdict }) => ({
        ...{ atMs, cluster: upgrade.cluster, operator: upgrade.operator, to: upgrade.to },
        ...{ phase: verdict.phase ?? 'nowhere', cause: verdict.causes[0]?.cause ?? 'none' },
      }))
    },
    clusters: () => pages('clusters'),
    edges: () => pages('edges'),
    async trace(traceId) {
      const answer = await fetch(`${url}/api/traces/${traceId}`)
      if (answer.status === 404) return []
      const { data } = (await answer.json()) as { data: readonly { readonly spans: readonly ToldSpan[] }[] }
      return data.flatMap(({ spans }) => spans)
    },
    async waiting() {
      const text = await (await fetch(`${url}/metrics`)).text()
      const [, count] = WAITING.exec(text) ?? []
      if (count === undefined) throw new Error('/metrics does not say how many clusters wait')
      return Number(count)
    },
  }
}

function toldModification({
  cluster,
  kind,
  component,
  startedAt,
  count,
  resolutionSeconds,
}: ModificationItem): ToldModification {
  const startedMs = startedAt === null ? {} : { startedMs: Date.parse(startedAt) }
  return {
    cluster,
    kind: kind === 'jsonpatch' ? kind : 'out_of_band',
    component,
    ...startedMs,
    count,
    resolutionSeconds,
  }
}

function toldOf(item: UpgradeItem, csvUid: string | null): ToldUpgrade {
  const { cluster, operator, from, to, state, startedAt, endedAt, phases, resolutionSeconds } = item
  return {
    upgrade: {
      ...{ cluster, operator, to, state, resolutionSeconds },
      ...(from === null ? {} : { from }),
      ...(startedAt === null ? {} : { startedMs: Date.parse(startedAt) }),
      ...(endedAt === null ? {} : { endedMs: Date.parse(endedAt) }),
      phases: phases.map((phase) => ({
        name: phase.name as UpgradePhase['name'],
        ...(phase.startedAt === null ? {} : { startedMs: Date.parse(phase.startedAt) }),
        ...(phase.endedAt === null ? {} : { endedMs: Date.parse(phase.endedAt) }),
        ...{ state: phase.state, resolutionSeconds: phase.resolutionSeconds, isReconstructed: phase.reconstructed },
      })),
    },
    detail: csvUid === null ? {} : { csvUid },
  }
}
