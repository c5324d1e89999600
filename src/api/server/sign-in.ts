import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import { isAllowed } from '../../model/token.ts'
import type { Role } from '../../model/token.ts'
import { paramsOf } from '../prometheus/params.ts'

/**
 * `/sign-in?role=responder&to=/alerts`: asks a browser for another token. A browser keeps the password it was given and
 * sends it for ever; only a refusal makes it ask its reader again, so one whose token may too little is refused here,
 * and whoever may enough is sent on.
 */
export function registerSignIn(app: FastifyInstance, { requiresToken }: { readonly requiresToken: boolean }): void {
  // Public: it decides itself, and says nothing about the fleet.
  app.get('/sign-in', { config: { access: 'public', speaks: 'text' } }, (request, reply) => {
    const params = paramsOf(request)
    const role = roleAsked(params.get('role'))
    const { principal } = request
    void reply.header('cache-control', 'no-store')
    if (!requiresToken || isAllowed(principal?.role, role)) return reply.redirect(placeAsked(params.get('to')), 302)
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

function roleAsked(text: string): Role {
  return PEOPLE.has(text) ? (text as Role) : 'viewer'
}

/** Where to go on: a place of this server, whatever was asked for. */
export function placeAsked(text: string): string {
  const here = 'http://here.invalid'
  if (!text.startsWith('/') || !URL.canParse(text, here)) return '/'
  const { origin, pathname, search } = new URL(text, here)
  // A path with two slashes would be another host for the browser that is sent there.
  return origin === here && !pathname.startsWith('//') && !pathname.startsWith('/sign-in')
    ? `${pathname}${search}`
    : '/'
}
