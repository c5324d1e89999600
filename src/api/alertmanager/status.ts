import type { FastifyInstance } from 'fastify'
import type { PipelineView } from '../../notify/pipeline.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { sendJson, timeText } from './http.ts'

/** Alertmanager's `/api/v2/status` and `/api/v2/receivers`. */
export interface AlertmanagerStatusDeps {
  readonly ports: PortsOf<{ readonly pipeline?: PipelineView }>
  readonly startedAtMs: number
  readonly version: string
}

/** The Alertmanager whose answers these routes give, as the tests compare them: amtool warns about another one. */
export const ALERTMANAGER_VERSION = '0.25.0'

/** A configuration without receivers of messages; `amtool config routes` reads it. */
export const NO_CONFIG = `route:
  receiver: none
receivers:
- name: none
`

export function registerAlertmanagerStatus(scope: FastifyInstance, deps: AlertmanagerStatusDeps): void {
  const config = { access: 'viewer', dialect: 'alertmanager', scope: 'clusters' } as const

  scope.get('/api/v2/status', { config }, (request, reply) =>
    sendJson(reply, {
      // One process, no gossip.
      cluster: { peers: [], status: 'disabled' },
      config: { original: deps.ports(request).pipeline?.configText() ?? NO_CONFIG },
      uptime: timeText(deps.startedAtMs),
      versionInfo: {
        branch: 'daytwo',
        buildDate: '',
        buildUser: '',
        goVersion: '',
        revision: deps.version,
        version: ALERTMANAGER_VERSION,
      },
    }),
  )

  scope.get('/api/v2/receivers', { config }, (request, reply) =>
    sendJson(
      reply,
      (deps.ports(request).pipeline?.receivers() ?? []).map((name) => ({ name })),
    ),
  )
}
