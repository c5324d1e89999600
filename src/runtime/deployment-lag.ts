/** What the processes of a deployment lack of each other: for answers, for readiness and for the Now page. Pure. */
import { BEAT_EVERY_MS, LIVES_FOR_MS } from '../deployment/lease-holder.ts'
import type { DeploymentView, ProcessRecord } from '../model/lease.ts'
import type { ForwardReport } from '../model/process-report.ts'
import type { DeploymentFaults } from '../model/server-fault.ts'
import { LAG_SHOWN_SECONDS, type Lag, type ProcessLag } from '../remote/lag.ts'

/** Of this process, by its forwarder. */
export type OwnForward = Omit<ForwardReport, 'refused'> & { readonly isFailing: boolean }

/** @param own the forwarder of this process; absent: there is no metrics store. @param view absent: no others share the facts */
export function lagOf(own: OwnForward | undefined, view: DeploymentView | undefined, atMs: number): Lag {
  const processes = view?.processes ?? []
  const others = othersOf(processes)
  if (own === undefined) return { atMs, behind: [], apart: others.map(({ name }) => name) }
  const name = processes.find(({ isSelf }) => isSelf)?.name ?? ''
  const { lagSamples: samples, lagSeconds: seconds } = own
  const gap = gapOf(own, others)
  const common = { atMs, ...(gap !== undefined && { gap }) }
  const behind: ProcessLag[] = samples === 0 ? [] : [{ name, isOwn: true, samples, seconds }]
  if (view === undefined) return { ...common, behind }
  behind.push(...others.flatMap((other) => lagOfOther(other, view.unheardMs)))
  const isUnknown = others.length > 0 && view.unheardMs >= LIVES_FOR_MS
  return { ...common, behind, ...(isUnknown && { unknownSeconds: view.unheardMs / 1000 }) }
}

/** One that saw another start of the store last has not sent again what that one lost, or knows of a restart that this one does not. */
function gapOf(own: OwnForward, others: readonly ProcessRecord[]): Lag['gap'] {
  if (own.isFailing) return 'away'
  const running = others.flatMap(({ state, report }) => (state === 'running' ? (report?.forward ?? []) : []))
  const isBehind = [own, ...running].some(
    ({ isComplete, lagSeconds, storeStart = own.storeStart }) =>
      !isComplete || lagSeconds >= LAG_SHOWN_SECONDS || storeStart !== (own.storeStart ?? storeStart),
  )
  return isBehind ? 'behind' : undefined
}

/** @param hasMetricsStore the samples are shared, too */
export function faultsOf(view: DeploymentView | undefined, hasMetricsStore: boolean): DeploymentFaults {
  if (view === undefined) return {}
  const { processes, unheardMs, fault } = view
  const silent = processes.filter(({ state }) => state === 'silent')
  const apart = hasMetricsStore ? [] : othersOf(processes).map(({ name }) => name)
  return {
    ...(fault !== undefined && { postgres: { message: fault, unheardMs } }),
    ...(silent.length > 0 && {
      silentProcesses: silent.map(({ name, silentMs, report }) => {
        return { name, silentMs: silentMs + unheardMs, lagSamples: report?.forward?.lagSamples }
      }),
    }),
    ...(apart.length > 0 && { apart }),
  }
}

/** Those that receive samples, besides this one. */
function othersOf(processes: readonly ProcessRecord[]): readonly ProcessRecord[] {
  return processes.filter(({ isSelf, roles }) => !isSelf && roles.includes('collect'))
}

function lagOfOther({ name, state, silentMs, report }: ProcessRecord, unheardMs: number): ProcessLag[] {
  const { lagSamples: samples = 0, lagSeconds = 0 } = report?.forward ?? {}
  const agoSeconds = (silentMs + unheardMs) / 1000
  if (state === 'running')
    return samples === 0 ? [] : [{ name, isOwn: false, samples, seconds: lagSeconds + agoSeconds }]
  // One that ended in order has said what it has. Of one that was killed, what it received after its last heartbeat is unknown.
  if (state === 'ended' && samples === 0) return []
  const seconds = agoSeconds + (samples === 0 ? BEAT_EVERY_MS / 1000 : lagSeconds)
  return [{ name, isOwn: false, samples, seconds, stoppedSeconds: agoSeconds }]
}
