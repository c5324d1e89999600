import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import { isAllowed, type Role } from '../../model/token.ts'
import { paramsOf } from '../prometheus/params.ts'

/**
 * `/sign-in?role=responder&to=/alerts`: makes a browser prompt for another token. A browser stores a password and sends
 * it with every request; only a refusal makes it prompt again. So a token with an insufficient role is refused here, and
 * a sufficient one is redirected.
 */
export function registerSignIn(app: FastifyInstance, { requiresToken }: { readonly requiresToken: boolean }): void {
  // Public: the handler checks the role itself and reveals nothing about the fleet.
  app.get('/sign-in', { config: { access: 'public', dialect: 'text' } }, (request, reply) => {
    const params = paramsOf(request)
    const role = requestedRole(params.get('role'))
    const { principal } = request
    void reply.header('cache-control', 'no-store')
    if (!requiresToken || isAllowed(principal?.role, role)) return reply.redirect(redirectTarget(params.get('to')), 302)
    throw new FleetError(
      'unauthenticated',
      principal === undefined
        ? `this needs a token with the role ${role}`
        : `token ${JSON.stringify(principal.name)} has role ${principal.role}, this needs ${role}`,
      { hint: `\`daytwo token add --role ${role}\` makes one` },
    )
  })
}

const PEOPLE: ReadonlySet<string> = new Set(['viewer', 'responder', 'admin'])

function requestedRole(text: string): Role {
  return PEOPLE.has(text) ? (text as Role) : 'viewer'
}

/** A path of this server, whatever was requested. */
export function redirectTarget(text: string): string {
  const here = 'http://here.invalid'
  if (!text.startsWith('/') || !URL.canParse(text, here)) return '/'
  const { origin, pathname, search } = new URL(text, here)
  // A browser takes a path with two slashes for another host.
  return origin === here && !pathname.startsWith('//') && !pathname.startsWith('/sign-in')
    ? `${pathname}${search}`
    : '/'
}
