import type { EventFacts } from '../../../src/model/object-facts.ts'
import { productVersion } from '../../cluster-profile.ts'
import type { ClusterHistory } from '../cluster-history.ts'
import { isWithin } from '../../scenarios/window.ts'
import { RESTART_MS } from '../hco-processes.ts'
import { uidOf } from '../uid.ts'
import type { SimObject } from './sim-object.ts'

const OPERAND_NAMES: Readonly<Record<string, readonly [kind: string, name: string]>> = {
  kubevirt: ['KubeVirt', 'kubevirt-kubevirt-hyperconverged'],
  cdi: ['CDI', 'cdi-kubevirt-hyperconverged'],
  'network-addons': ['NetworkAddonsConfig', 'cluster'],
  ssp: ['SSP', 'ssp-kubevirt-hyperconverged'],
}

type EventText = Pick<EventFacts, 'reason' | 'type' | 'message'>

/** Events: begin and end of an upgrade to the second, what HCO changed back, what it cannot do. They live for an hour. */
export function eventObjects(history: ClusterHistory): readonly SimObject[] {
  const { upgrades, edits, profile } = history
  const events: SimObject[] = []
  const add = (atMs: number, kind: string, name: string, text: EventText, count = 1): void => {
    if (atMs < Infinity) events.push(eventObject(history, events.length, atMs, kind, name, text, count))
  }
  const onHco = (atMs: number, text: EventText, count = 1): void => {
    add(atMs, 'HyperConverged', 'kubevirt-hyperconverged', text, count)
  }
  for (const upgrade of upgrades) {
    const version = productVersion(profile, upgrade.to)
    const message = `Upgrading the HyperConverged to version ${version}`
    const begins = (atMs: number): void => {
      onHco(atMs, { reason: 'UpgradeHCO', type: 'Normal', message })
    }
    begins(upgrade.hcoStartMs)
    onHco(upgrade.endMs, {
      reason: 'UpgradeHCO',
      type: 'Normal',
      message: `Successfully upgraded to version ${version}`,
    })
    // It finds itself newer than what was reached, and says so again.
    for (const { atMs } of history.hcoRestarts ?? []) {
      if (isWithin({ fromMs: upgrade.hcoStartMs, untilMs: upgrade.endMs }, atMs)) begins(atMs + RESTART_MS)
    }
    const { stall } = upgrade
    if (stall?.kind === 'reconcile') {
      const message = 'admission webhook "validate-hco.kubevirt.io" denied the request: jsonpatch does not apply'
      onHco(stall.fromMs + 5000, { reason: 'ReconcileError', type: 'Warning', message })
    }
    if (stall?.kind === 'canary') {
      const message = 'daemonSet virt-handler rollout failed'
      add(stall.fromMs + 120_000, 'KubeVirt', 'kubevirt-kubevirt-hyperconverged', {
        reason: 'FailedUpdate',
        type: 'Warning',
        message,
      })
    }
  }
  for (const { atMs, component } of edits) {
    const [kind, name] = OPERAND_NAMES[component]!
    onHco(atMs, { reason: 'Overwritten', type: 'Warning', message: `Overwritten ${kind} ${name}` })
  }
  return events
}

function eventObject(
  history: ClusterHistory,
  index: number,
  atMs: number,
  objectKind: string,
  objectName: string,
  text: EventText,
  count: number,
): SimObject {
  const { profile } = history
  const uid = uidOf(profile.seed, 'event', atMs, index)
  return {
    uid,
    name: `${objectName}.${uid.slice(0, 8)}`,
    namespace: profile.installNamespace,
    createdMs: atMs,
    goneMs: atMs + 3_600_000,
    isForgotten: true,
    momentsMs: [],
    factsAt: () => ({
      kind: 'events',
      createdMs: atMs,
      ...text,
      count,
      firstMs: atMs,
      lastMs: atMs,
      objectKind,
      objectName,
      objectNamespace: profile.installNamespace,
    }),
  }
}
