import type Database from 'better-sqlite3'
import type { AdoptionReader } from '../../model/adoption.ts'
import type { AlertRunReader, FiredAlertReader } from '../../model/alert-run.ts'
import type { ErasedCluster } from '../../model/erasure.ts'
import type { DeliveryReader } from '../../model/delivery.ts'
import type { FleetFactsReader } from '../../model/fleet-facts.ts'
import type { RunbookWorkReader } from '../../model/runbook-work.ts'
import { closeDatabase, isWritable, openDatabase, openDatabaseForReading, openReadOnly } from '../database.ts'
import { ConnectionLock } from '../connection-lock.ts'
import { eraseFactsIn } from '../postgres/erase-facts.ts'
import { SqlElections } from '../postgres/elections.ts'
import { SqlLeases, type ProcessIdentity } from '../postgres/leases.ts'
import { SqlNotificationClaims } from '../postgres/notification-claims.ts'
import type { PostgresOptions } from '../postgres/options.ts'
import { SqlGroupStatus } from '../postgres/rule-status.ts'
import { SqlSharedErasures } from '../postgres/shared-erasures.ts'
import { openPostgres } from '../postgres/run-facts.ts'
import { SqlAcceptedRisks } from './accepted-risks.ts'
import { SqlAcknowledgements } from './acknowledgements.ts'
import { SqlAdoption } from './adoption.ts'
import { SqlAlertRuns } from './alert-runs.ts'
import { SqlAlertStates } from './alert-states.ts'
import { SqlAudit } from './audit.ts'
import { SqlExternalAlerts } from './external-alerts.ts'
import { SqlConfigurationBaseline } from './configuration-baseline.ts'
import { SqlDecommissions } from './decommissions.ts'
import { SqlDeliveries } from './deliveries.ts'
import { SqlNotificationLog } from './notification-log.ts'
import { SqlFleetFacts } from './fleet-facts.ts'
import { SqlMeta } from './meta.ts'
import { createRunFacts, type RunFacts } from './facts-tables.ts'
import { SqlRunbookWork } from './runbook-work.ts'
import { SqlSessions } from './sessions.ts'
import { SqlSilences } from './silences.ts'
import { SqlTokens } from './tokens.ts'
import { SqlUpdateGraphs } from './update-graphs.ts'

/** All stored data except samples: small, and in SQLite or PostgreSQL, hence Kysely. */
export type Facts = ReturnType<typeof factsOf>

/** Facts on a shared connection; `lock` serialises its users. */
export function createFacts(database: Database.Database, lock: ConnectionLock): Facts {
  return factsOf(createRunFacts(database, lock))
}

function factsOf(run: RunFacts) {
  return {
    alertStates: new SqlAlertStates(run),
    tokens: new SqlTokens(run),
    sessions: new SqlSessions(run),
    meta: new SqlMeta(run),
    silences: new SqlSilences(run),
    acknowledgements: new SqlAcknowledgements(run),
    audit: new SqlAudit(run),
    alertRuns: new SqlAlertRuns(run),
    externalAlerts: new SqlExternalAlerts(run),
    notificationLog: new SqlNotificationLog(run),
    deliveries: new SqlDeliveries(run),
    fleet: new SqlFleetFacts(run),
    adoption: new SqlAdoption(run),
    decommissions: new SqlDecommissions(run),
    acceptedRisks: new SqlAcceptedRisks(run),
    configurationBaseline: new SqlConfigurationBaseline(run),
    updateGraphs: new SqlUpdateGraphs(run),
    runbookWork: new SqlRunbookWork(run),
  }
}

/** Facts that several processes share. */
export type SharedFacts = Facts & {
  /** What this process does alone. */
  leasesOf(self: ProcessIdentity): SqlLeases
  claimsOf(instance: string): SqlNotificationClaims
  readonly elections: SqlElections
  readonly groupStatus: SqlGroupStatus
  readonly erasures: SqlSharedErasures
  /** Removes what is stored about a cluster; returns how many rows. What is written meanwhile is left. */
  erase(cluster: ErasedCluster): Promise<number>
  close(): Promise<void>
}

/** What of the facts is read on the thread that reads, past the writer. */
export interface FactsReader {
  readonly alertRuns: AlertRunReader & FiredAlertReader
  readonly audit: Pick<SqlAudit, 'list'>
  readonly deliveries: DeliveryReader
  readonly fleet: FleetFactsReader
  readonly adoption: AdoptionReader
  readonly meta: Pick<SqlMeta, 'get'>
  readonly decommissions: Pick<SqlDecommissions, 'list'>
  readonly acceptedRisks: Pick<SqlAcceptedRisks, 'list'>
  readonly configurationBaseline: Pick<SqlConfigurationBaseline, 'read'>
  readonly updateGraphs: Pick<SqlUpdateGraphs, 'list'>
  readonly runbookWork: RunbookWorkReader
  close(): void | Promise<void>
}

/** Opens what a writer made. Throws FleetError. */
export function openFactsForReading(dir: string): Omit<FactsReader, 'close'> & { close(): void } {
  const db = openDatabaseForReading(dir)
  return withClose(db, () => {
    db.close()
  })
}

/**
 * Only the facts of a data directory, for short commands; a server may be running on it. Makes the directory when it
 * is absent. On a read-only directory what they write is refused. Throws FleetError.
 */
export function openFacts(dir: string): Facts & { close(): void } {
  if (!isWritable(dir)) {
    const readOnly = openReadOnly(dir)
    return withClose(readOnly, () => {
      readOnly.close()
    })
  }
  const db = openDatabase(dir)
  return withClose(db, () => {
    closeDatabase(db, dir, 'PASSIVE')
  })
}

/** The facts in PostgreSQL, which several processes share. Throws FleetError. */
export async function openFactsIn(options: PostgresOptions): Promise<SharedFacts> {
  const postgres = await openPostgres(options)
  return {
    ...factsOf(postgres.run),
    leasesOf: (self) => new SqlLeases(postgres.run, self),
    claimsOf: (instance) => new SqlNotificationClaims(postgres.run, instance),
    elections: new SqlElections(postgres.run),
    groupStatus: new SqlGroupStatus(postgres.run),
    erasures: new SqlSharedErasures(postgres.run),
    erase: (cluster) => eraseFactsIn(postgres.run, cluster),
    close: () => postgres.close(),
  }
}

function withClose(database: Database.Database, close: () => void): Facts & { close(): void } {
  return { ...createFacts(database, new ConnectionLock()), close }
}
