import type { FastifyInstance } from 'fastify'
import type { OwnMetrics } from '../../base/metrics.ts'
import { FleetError } from '../../base/errors.ts'
import type { UiSettings } from '../../contract/ui.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { formatSelectors, isWhole } from '../../model/cluster-scope.ts'
import { clustersOf, isAllowed, LADDER, type Principal } from '../../model/token.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { faultTexts, threadFaultText, type ServerFaults } from '../../model/server-fault.ts'

/** Health, readiness, the settings of the UI, and the server's own metrics. */
interface StatusOptions {
  readonly metrics: OwnMetrics
  /** `ready`, or one sentence with the reason why requests cannot be served. */
  readonly readiness: () => string
  /** A server that cannot write is ready, because it serves and raises alerts; the response says what is missing. */
  readonly faults: () => ServerFaults
  readonly nowMs: () => number
  readonly ports: PortsOf<{ readonly fleet: FleetViews }>
  readonly ui: UiSettings
}

export function registerStatusRoutes(app: FastifyInstance, options: StatusOptions): void {
  const health = { access: 'public', dialect: 'text' } as const
  /** Throws `not_ready` with the workers that do not serve. */
  const checkThreads = (): void => {
    const faults = options.faults().threads.filter(({ isServing }) => !isServing)
    if (faults.length === 0) return
    throw new FleetError('not_ready', faults.map((fault) => threadFaultText(fault, options.nowMs())).join('; '))
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: '/-/healthy',
    config: health,
    handler: (_request, reply) => {
      checkThreads()
      return reply.type('text/plain; charset=utf-8').send('Daytwo is Healthy.\n')
    },
  })

  app.route({
    method: ['GET', 'HEAD'],
    url: '/-/ready',
    config: health,
    handler: (_request, reply) => {
      const readiness = options.readiness()
      if (readiness !== 'ready') throw new FleetError('not_ready', readiness)
      checkThreads()
      const missing = faultTexts(options.faults()).map((text) => `${text}\n`)
      return reply.type('text/plain; charset=utf-8').send(`Daytwo is Ready.\n${missing.join('')}`)
    },
  })

  app.get('/metrics', { config: { access: 'viewer', dialect: 'text', scope: 'fleet' } }, async (_request, reply) => {
    const { registry } = options.metrics
    return reply.type(registry.contentType).send(await registry.metrics())
  })

  app.get(
    '/api/ui/v1/settings',
    { config: { access: 'viewer', dialect: 'own', scope: 'clusters' } },
    async (request): Promise<UiSettings> => {
      const { principal, scope } = request
      if (principal === undefined) return options.ui
      const { name, role, via } = principal
      const signedIn = { name, role, via: via === 'session' || via === 'proxy' ? via : ('token' as const) }
      if (principal.scopes === undefined) return { ...options.ui, signedIn }
      const scopes = scopeTextsOf(principal)
      const coverage = isWhole(scope)
        ? undefined
        : await options.ports(request).fleet({ nowMs: options.nowMs() }).coverage()
      return { ...options.ui, signedIn: { ...signedIn, scopes, ...(coverage && { clusters: coverage.clusters }) } }
    },
  )
}

/** The clusters of each role that a person has; of all clusters: empty. */
function scopeTextsOf(principal: Principal): NonNullable<NonNullable<UiSettings['signedIn']>['scopes']> {
  return LADDER.filter((role) => isAllowed(principal.role, role)).map((role) => {
    return { role, clusters: formatSelectors(clustersOf(principal, role) ?? []) }
  })
}
