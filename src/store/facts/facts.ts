import type Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import type { AdoptionReader } from '../../model/adoption.ts'
import type { AlertStateStore } from '../../model/alert.ts'
import type { AlertRunReader, FiredAlertReader } from '../../model/alert-run.ts'
import type { DeliveryReader, DeliveryStore } from '../../model/delivery.ts'
import type { FleetFactsReader } from '../../model/fleet-facts.ts'
import type { NotificationLogStore } from '../../model/notification-log.ts'
import { failureOf, openDatabase, openDatabaseForReading } from '../database.ts'
import { ConnectionLock } from '../connection-lock.ts'
import { SqlAcknowledgements, type AcknowledgementStore } from './acknowledgements.ts'
import { SqlAdoption, type AdoptionStore } from './adoption.ts'
import { SqlAlertRuns, type AlertRunStore } from './alert-runs.ts'
import { SqlAlertStates } from './alert-states.ts'
import { SqlAudit, type AuditStore } from './audit.ts'
import { SqlExternalAlerts, type ExternalAlertStore } from './external-alerts.ts'
import { SqlDecommissions, type DecommissionStore } from './decommissions.ts'
import { SqlDeliveries } from './deliveries.ts'
import { SqlNotificationLog } from './notification-log.ts'
import { SqlFleetFacts, type FleetFactsStore } from './fleet-facts.ts'
import { SqlMeta, type MetaStore } from './meta.ts'
import { FactsDialect } from './facts-dialect.ts'
import type { RunFacts } from './facts-tables.ts'
import type { FactsSchema } from './schema.ts'
import { SqlSilences, type SilenceStore } from './silences.ts'
import { SqlTokens, type TokenStore } from './tokens.ts'

/** All stored data except samples: small, and later possibly in PostgreSQL, hence Kysely. */
export interface Facts {
  readonly alertStates: AlertStateStore
  readonly tokens: TokenStore
  readonly meta: MetaStore
  readonly silences: SilenceStore
  readonly acknowledgements: AcknowledgementStore
  readonly audit: AuditStore
  readonly alertRuns: AlertRunStore
  readonly externalAlerts: ExternalAlertStore
  readonly notificationLog: NotificationLogStore
  readonly deliveries: DeliveryStore
  readonly fleet: FleetFactsStore
  readonly adoption: AdoptionStore
  readonly decommissions: DecommissionStore
}

/** Facts on a shared connection; `lock` serialises its users. */
export function createFacts(database: Database.Database, lock: ConnectionLock): Facts {
  const run = createRunFacts(database, lock)
  return {
    alertStates: new SqlAlertStates(run),
    tokens: new SqlTokens(run),
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
  }
}

function createRunFacts(database: Database.Database, lock: ConnectionLock): RunFacts {
  const db = new Kysely<FactsSchema>({ dialect: new FactsDialect(database) })
  return async (what, work) => {
    try {
      return await lock.run(() => work(db))
    } catch (thrown) {
      throw failureOf(what, thrown)
    }
  }
}

/** What of the facts is read on the thread that reads, past the writer. */
export interface FactsReader {
  readonly alertRuns: AlertRunReader & FiredAlertReader
  readonly audit: Pick<AuditStore, 'list'>
  readonly deliveries: DeliveryReader
  readonly fleet: FleetFactsReader
  readonly adoption: AdoptionReader
  readonly meta: Pick<MetaStore, 'get'>
  readonly decommissions: Pick<DecommissionStore, 'list'>
  close(): void
}

/** Opens what a writer made. Throws FleetError. */
export function openFactsForReading(dir: string): FactsReader {
  const database = openDatabaseForReading(dir)
  const { alertRuns, audit, deliveries, fleet, adoption, meta, decommissions } = createFacts(
    database,
    new ConnectionLock(),
  )
  return {
    alertRuns,
    audit,
    deliveries,
    fleet,
    adoption,
    meta,
    decommissions,
    close() {
      database.close()
    },
  }
}

/**
 * Only the facts of a data directory, for short commands; a server may be running on it. Makes the directory when it
 * is absent. Throws FleetError.
 */
export function openFacts(dir: string): Facts & { close(): void } {
  const database = openDatabase(dir)
  return {
    ...createFacts(database, new ConnectionLock()),
    close() {
      database.close()
    },
  }
}
