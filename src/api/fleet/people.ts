import type { FastifyRequest } from 'fastify'
import type { Decommissions } from '../../fleet/clusters/decommissions.ts'
import type { Acceptances } from '../../fleet/readiness/acceptances.ts'
import type { BaselineChoice } from '../../fleet/configuration/baseline.ts'
import type { Alerts } from '../../notify/alerts.ts'
import type { AuditedAction } from '../../model/audit.ts'
import type { NewWorkEntry, RunbookWorkReader, WorkAdded } from '../../model/runbook-work.ts'
import type { UserActions } from '../../notify/user-actions.ts'

/** User actions and alerts, present and past, as the routes use them; the wiring satisfies it structurally. */
export interface ApiPeople
  extends UserActions, Pick<Alerts, 'external' | 'runs' | 'alerts' | 'withoutDuplicates' | 'duplicates'> {
  /** Clusters that users declare as switched off for good. */
  readonly decommissions: Decommissions
  /** Risks of upgrades that users accept. */
  readonly acceptances: Acceptances
  /** The cluster with whose configuration others are compared; its routes are of the whole fleet. */
  readonly baseline: Pick<BaselineChoice, 'choose' | 'remove'>
  readonly runbookWork: RunbookWork
}

/** What people record while they work through runbooks. */
export interface RunbookWork extends RunbookWorkReader {
  /** Durable when it resolves, with the entry of the audit. @param seen see `SqlRunbookWork.add` */
  add(entry: NewWorkEntry, seen: number | undefined, audited: AuditedAction): Promise<WorkAdded>
}

/** The actor of a request without a token, which only a server on loopback accepts. */
const ANONYMOUS = 'loopback client'
const NAME_CHARS_MAX = 200

/** The actor of an action: the token's name, which the client cannot choose; without a token the `declared` name. */
export function actorOf(request: FastifyRequest, declared = ''): string {
  const name = request.principal?.name ?? declared.trim().slice(0, NAME_CHARS_MAX)
  return name === '' ? ANONYMOUS : name
}
