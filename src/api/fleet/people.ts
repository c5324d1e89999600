import type { FastifyRequest } from 'fastify'
import type { TSchema, Static } from 'typebox'
import { Value } from 'typebox/value'
import { FleetError } from '../../base/errors.ts'
import type { Decommissions } from '../../fleet/clusters/decommissions.ts'
import type { AlertRunReader } from '../../model/alert-run.ts'
import type { AuditDeed, AuditEntry } from '../../model/audit.ts'
import type { Acknowledgements } from '../../notify/acknowledgements.ts'
import type { ExternalAlert } from '../../notify/external-alert.ts'
import type { ExternalAlerts } from '../../notify/external-alerts.ts'
import type { Silences } from '../../notify/silences.ts'
import type { RuleAlert } from '../../rules/rule-status.ts'

/** What the routes need of people's commands and of what remains of alerts; the wiring has it by shape. */
export interface ApiPeople {
  readonly silences: Silences
  readonly acknowledgements: Acknowledgements
  readonly external: Pick<ExternalAlerts, 'post'>
  /** Clusters that people say were switched off for good. */
  readonly decommissions: Decommissions
  readonly runs: AlertRunReader
  /** Newest first; only entries with a smaller id than `before`. */
  audit(limit: number, before?: number): Promise<readonly AuditEntry[]>
  /** A deed that changes no fact, such as a reload. */
  noteDeed(deed: AuditDeed): Promise<void>
  /** Those of the rules and those of others; pending, firing, and resolved ones that are still kept. */
  alerts(): Promise<readonly AnyAlert[]>
  /** Without those that only repeat another. */
  speaking(alerts: readonly AnyAlert[]): readonly AnyAlert[]
  /** By fingerprint of an alert that only repeats another (notify/second-reports.ts), that one's. */
  repeats(): ReadonlyMap<string, string>
}

export type AnyAlert = RuleAlert | ExternalAlert

/** Whoever asks without a token: the server is open, and so on loopback. */
const SOMEBODY = 'somebody on loopback'
const NAME_CHARS_MAX = 200

/** Who does it: the token's name, which nobody can choose; else what the caller says. */
export function actorOf(request: FastifyRequest, said = ''): string {
  const name = request.principal?.name ?? said.trim().slice(0, NAME_CHARS_MAX)
  return name === '' ? SOMEBODY : name
}

/** The body, when it is of the contract's shape. Throws `bad_request` naming the first place that is not. */
export function bodyOf<T extends TSchema>(schema: T, request: FastifyRequest): Static<T> {
  const { body } = request
  if (Value.Check(schema, body)) return body
  const [first] = Value.Errors(schema, body)
  const place = first === undefined || first.instancePath === '' ? 'the body' : first.instancePath.slice(1)
  throw new FleetError('bad_request', `${place} ${first?.message ?? 'is missing'}`)
}
