import type { ClusterPage, ClusterQuery, ClusterView } from '../../fleet/clusters/cluster-book.ts'
import type { HeardName } from '../../fleet/clusters/fleet-book.ts'
import type { FleetCoverage } from '../../fleet/clusters/fleet-coverage.ts'
import type { OpenUpgrade } from '../../fleet/clusters/cluster-states.ts'
import type { EdgeReader } from '../../fleet/edges/edge-book.ts'
import type { Gone } from '../../fleet/clusters/gone.ts'
import type { FleetNow } from '../../fleet/now/now.ts'
import type { ClusterFacts, ModificationQuery, UpgradeQuery } from '../../model/fleet-facts.ts'
import type { Modification } from '../../model/cluster-record.ts'
import type { GateBook } from '../../model/gate-use.ts'
import type { StrandedVersion } from '../../model/stranded.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'

/** What the routes of the fleet's facts ask: the facts as they are kept, and what is to be thought of them at a time. */
export interface ApiFleetFacts extends FleetView {
  /** The same of a moment that is over; `askedMs` is now. */
  past(moment: { readonly atMs: number; readonly askedMs: number }): PastFleetView
  /** Clusters by name, also those that are only heard of, or by another name; `undefined`: nobody knows it. */
  heard(names: readonly string[]): Promise<readonly (HeardName | undefined)[]>
}

export interface PastFleetView extends FleetView {
  /** When anything was first heard of any cluster; `undefined`: none is known. */
  knownFrom(): Promise<number | undefined>
}

/** The fleet, of the present or of a moment. */
export interface FleetView extends EdgeReader {
  /** How the fleet stands. `listMax`: of each list; counts are of all. */
  now(nowMs: number, listMax: number): Promise<FleetNow & { readonly derivation: DerivationProgress }>
  clusters(query: ClusterQuery, nowMs: number): Promise<ClusterPage>
  /** By name, or by another name it goes by. */
  cluster(name: string, nowMs: number): Promise<ClusterWithFacts | undefined>
  coverage(nowMs: number): Promise<FleetCoverage>
  upgrades(query: UpgradeQuery): Promise<readonly UpgradeRecord[]>
  upgrade(id: string): Promise<UpgradeRecord | undefined>
  /** Upgrades that run or whose machines still follow. */
  open(nowMs: number): Promise<readonly OpenUpgrade[]>
  /** `undefined`: it is over. */
  judge(upgradeId: string, nowMs: number): Promise<StuckVerdict | undefined>
  modifications(query: ModificationQuery): Promise<readonly Modification[]>
  /** The most clusters first. */
  stranded(nowMs: number): Promise<readonly StrandedVersion[]>
  /** Feature gates that are set, and by whom; `gate`: of this one alone, in any case of its letters. */
  gates(nowMs: number, gate?: string): Promise<GateBook>
  /** Clusters that are gone, by name. */
  gone(nowMs: number): Promise<ReadonlyMap<string, Gone>>
}

export interface ClusterWithFacts {
  readonly view: ClusterView
  readonly facts: ClusterFacts
}

/** How far what was received is derived. */
export interface DerivationProgress {
  /** All that was received until then is; absent: not yet since the start. */
  readonly caughtUpMs?: number
  /** Clusters that sent something that is not. */
  readonly waiting: number
  /** Days of adoption that are still to be counted, or anew. */
  readonly daysLeft: number
}
