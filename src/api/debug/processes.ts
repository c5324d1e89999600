import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { DebugProcesses, ProcessItem, ProcessItems } from '../../contract/debug-processes.ts'
import type { DeploymentView, ProcessRecord } from '../../model/lease.ts'

/** `GET /debug/processes`: the processes that share the facts, with their heartbeats, leases and lags. */

export type ReadDeployment = () => DeploymentView

export function registerDebugProcesses(app: FastifyInstance, read: ReadDeployment, clock: Clock): void {
  app.get('/debug/processes', { config: { access: 'viewer', dialect: 'own', scope: 'fleet' } }, (): DebugProcesses => ({
    asOfMs: clock.nowMs(),
    ...processItems(read()),
  }))
}

export function processItems({ processes, unheardMs, fault }: DeploymentView): ProcessItems {
  return { processes: processes.map(processItem), unheardMs, ...(fault === undefined ? {} : { fault }) }
}

function processItem({ report, roles, ...record }: ProcessRecord): ProcessItem {
  const { leases, forward, shipping, faults = [] } = report ?? {}
  return {
    ...record,
    roles: [...roles],
    ...(leases && { leases: { ...leases } }),
    ...(forward && { forward: { lagSamples: forward.lagSamples, lagSeconds: forward.lagSeconds } }),
    ...(shipping && { shipping }),
    faults: [...faults],
  }
}
