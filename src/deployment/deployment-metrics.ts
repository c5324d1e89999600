/**
 * What is known of all processes as metrics of this one: an alert about a process that cannot forward, or has stopped, must not
 * depend on what that process forwards. Each process has the figures of all.
 */
import type { OwnMetrics } from '../base/metrics.ts'
import { LEASE_KINDS, type DeploymentView, type Lease } from '../model/lease.ts'
import { LIVES_FOR_MS } from './lease-holder.ts'

export type DeploymentMetrics = Pick<
  OwnMetrics,
  | 'processes'
  | 'leases'
  | 'postgresUp'
  | 'processUp'
  | 'processSilentSeconds'
  | 'processForwardLagSeconds'
  | 'processForwardLagSamples'
  | 'processForwardRefused'
  | 'processShippingLagSeconds'
>

export function measureDeployment(
  { processes, unheardMs, fault }: DeploymentView,
  held: readonly Lease[],
  metrics: DeploymentMetrics,
): void {
  const isKnown = unheardMs < LIVES_FOR_MS
  metrics.postgresUp.set(fault === undefined ? 1 : 0)
  metrics.processes.set(processes.filter(({ state }) => state === 'running').length)
  for (const kind of LEASE_KINDS) metrics.leases.set({ kind }, held.filter((lease) => lease.kind === kind).length)
  const { processUp, processSilentSeconds, processForwardLagSeconds, processForwardLagSamples } = metrics
  const { processForwardRefused, processShippingLagSeconds } = metrics
  const gauges = [processUp, processSilentSeconds, processForwardLagSeconds, processForwardLagSamples]
  for (const gauge of [...gauges, processForwardRefused, processShippingLagSeconds]) gauge.reset()
  // What is not known any more is absent, not as it was.
  if (!isKnown) return
  for (const { name: process, state, silentMs, report } of processes) {
    processUp.set({ process }, state === 'running' ? 1 : 0)
    processSilentSeconds.set({ process }, state === 'silent' ? silentMs / 1000 : 0)
    const { forward, shipping } = report ?? {}
    if (shipping !== undefined) processShippingLagSeconds.set({ process }, shipping.lagSeconds)
    if (forward === undefined) continue
    // The samples of a process that has stopped become older while they wait.
    const sinceSeconds = forward.lagSamples === 0 || state === 'running' ? 0 : silentMs / 1000
    processForwardLagSeconds.set({ process }, forward.lagSeconds + sinceSeconds)
    processForwardLagSamples.set({ process }, forward.lagSamples)
    for (const [reason, samples] of Object.entries(forward.refused)) {
      processForwardRefused.set({ process, reason }, samples)
    }
  }
}
