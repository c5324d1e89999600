import type { FastifyRequest } from 'fastify'
import type { TSchema, Static } from 'typebox'
import { Value } from 'typebox/value'
import { FleetError } from '../../base/errors.ts'
import type { Decommissions } from '../../fleet/clusters/decommissions.ts'
import type { Alerts } from '../../notify/alerts.ts'
import type { UserActions } from '../../notify/user-actions.ts'

/** What the routes need of users' actions, and of alerts present and past; the wiring has it by shape. */
export interface ApiPeople
  extends UserActions, Pick<Alerts, 'external' | 'runs' | 'alerts' | 'withoutDuplicates' | 'duplicates'> {
  /** Clusters that users declare as switched off for good. */
  readonly decommissions: Decommissions
}

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
