import type { FastifyInstance } from 'fastify'
import type { OwnMetrics } from '../base/metrics.ts'
import { FleetError } from '../base/errors.ts'
import type { UiSettings } from '../contract/ui.ts'
import { sendSuccess } from './prometheus-json.ts'

/** What the server says about itself: whether it lives, whether it is ready, what it is, and its own metrics. */
export interface StatusOptions {
  readonly metrics: OwnMetrics
  readonly version: string
  /** Why requests cannot be served yet, in one sentence, or `ready`. */
  readonly readiness: () => string
  readonly ui: UiSettings
}

/**
 * The Prometheus whose HTTP API and PromQL this is: clients switch features on by it. Our own version stands beside it
 * as `revision`, and in `daytwo_build_info`.
 */
export const PROMETHEUS_VERSION = '3.14.0'

export function registerStatusRoutes(app: FastifyInstance, options: StatusOptions): void {
  const health = { access: 'public', speaks: 'text' } as const

  app.route({
    method: ['GET', 'HEAD'],
    url: '/-/healthy',
    config: health,
    handler: (_request, reply) => reply.type('text/plain; charset=utf-8').send('Daytwo is Healthy.\n'),
  })

  app.route({
    method: ['GET', 'HEAD'],
    url: '/-/ready',
    config: health,
    handler: (_request, reply) => {
      const readiness = options.readiness()
      if (readiness !== 'ready') throw new FleetError('not_ready', readiness)
      return reply.type('text/plain; charset=utf-8').send('Daytwo is Ready.\n')
    },
  })

  app.get('/metrics', { config: { access: 'viewer', speaks: 'text' } }, async (_request, reply) => {
    const { registry } = options.metrics
    return reply.type(registry.contentType).send(await registry.metrics())
  })

  const prometheus = { access: 'viewer', speaks: 'prometheus' } as const
  app.get('/api/v1/status/buildinfo', { config: prometheus }, (_request, reply) => {
    // No `features`: Grafana takes a server that has some for a Mimir with a ruler.
    const buildInfo = {
      version: PROMETHEUS_VERSION,
      revision: `daytwo ${options.version}`,
      branch: '',
      buildUser: '',
      buildDate: '',
      goVersion: '',
    }
    return sendSuccess(reply, JSON.stringify(buildInfo))
  })

  app.get('/api/ui/v1/settings', { config: { access: 'viewer', speaks: 'own' } }, () => options.ui)
}
