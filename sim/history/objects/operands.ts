import type { Condition, OperandFacts } from '../../../src/model/object-facts.ts'
import { hashOf } from '../../random.ts'
import type { Release } from '../../release.ts'
import { isWithin } from '../../scenarios/window.ts'
import type { ClusterHistory, Component, ComponentLife } from '../cluster-history.ts'
import { failingOperandOf } from '../failing-operand.ts'
import { outdatedAt, outdatedMoments } from '../workloads.ts'
import { uidOf } from '../uid.ts'
import { conditionAt, finite, type SimObject, type Spell } from './sim-object.ts'

interface OperandKind {
  readonly kind: OperandFacts['kind']
  readonly component: Component
  readonly name: string
  readonly isNamespaced: boolean
  readonly versionOf: (release: Release) => string
  /** CNAO has no phase. */
  readonly hasPhase: boolean
}

const OPERANDS: readonly OperandKind[] = [
  operand('kubevirts', 'kubevirt', 'kubevirt-kubevirt-hyperconverged', true, (release) => release.kubevirt),
  operand('cdis', 'cdi', 'cdi-kubevirt-hyperconverged', false, (release) => release.cdi),
  operand('ssps', 'ssp', 'ssp-kubevirt-hyperconverged', true, (release) => release.ssp),
  {
    ...operand('networkaddonsconfigs', 'network-addons', 'cluster', false, (release) => release.cnao),
    hasPhase: false,
  },
]

function operand(
  kind: OperandKind['kind'],
  component: Component,
  name: string,
  isNamespaced: boolean,
  versionOf: OperandKind['versionOf'],
): OperandKind {
  return { kind, component, name, isNamespaced, versionOf, hasPhase: true }
}

/** KubeVirt, CDI, SSP, NetworkAddonsConfig: what they are asked to be, what they are, and what speaks against it. */
export function operandObjects(history: ClusterHistory): readonly SimObject[] {
  return OPERANDS.map((kind) => operandObject(history, kind))
}

function operandObject(history: ClusterHistory, operand: OperandKind): SimObject {
  const { profile, installedMs, upgrades } = history
  const lives = upgrades.flatMap((upgrade) => upgrade.components.filter(({ name }) => name === operand.component))
  const isKubevirt = operand.kind === 'kubevirts'
  const failing = upgrades.flatMap((upgrade) => {
    const window = failingOperandOf(upgrade)
    return window?.component === operand.component ? [window] : []
  })
  return {
    uid: uidOf(profile.seed, operand.kind),
    name: operand.name,
    namespace: operand.isNamespaced ? profile.installNamespace : '',
    createdMs: installedMs,
    goneMs: Infinity,
    momentsMs: finite([
      ...lives.flatMap(({ startMs, endMs }) => [startMs, endMs]),
      ...failing.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
      ...(isKubevirt ? outdatedMoments(history) : []),
    ]),
    factsAt(timeMs): OperandFacts {
      const first = operand.versionOf(history.firstCsv.release)
      const life = lives.findLast(({ startMs }) => startMs <= timeMs)
      const isMoving = life !== undefined && timeMs < life.endMs
      const isFailing = failing.some((window) => isWithin(window, timeMs))
      const target = life?.to ?? first
      const observed = isMoving ? life.from : target
      return {
        kind: operand.kind,
        createdMs: installedMs,
        ...(operand.hasPhase ? { phase: phaseOf(isKubevirt, isMoving, isFailing) } : {}),
        operatorVersion: target,
        targetVersion: target,
        observedVersion: observed,
        ...(isKubevirt ? kubevirtFields(history, target, observed, timeMs) : {}),
        conditions: conditionsAt(lives, failing, isKubevirt, timeMs, installedMs),
        generation: 1 + lives.filter(({ startMs }) => startMs <= timeMs).length,
      }
    },
  }
}

function phaseOf(isKubevirt: boolean, isMoving: boolean, isFailing: boolean): string {
  if (isKubevirt || !isMoving) return 'Deployed'
  return isFailing ? 'Error' : 'Upgrading'
}

function kubevirtFields(history: ClusterHistory, target: string, observed: string, timeMs: number) {
  const idOf = (version: string): string => hashOf(history.profile.seed, 'deployment', version).toString(16)
  return {
    targetDeploymentId: idOf(target),
    observedDeploymentId: idOf(observed),
    outdatedWorkloads: outdatedAt(history, timeMs),
  }
}

function conditionsAt(
  lives: readonly ComponentLife[],
  failing: readonly { readonly fromMs: number; readonly untilMs: number }[],
  isKubevirt: boolean,
  timeMs: number,
  firstMs: number,
): readonly Condition[] {
  const moving = lives.map(({ startMs, endMs, from, to }): Spell => ({
    ...{
      fromMs: startMs,
      untilMs: endMs,
      status: 'True',
      reason: isKubevirt ? 'UpdateInProgress' : 'UpgradeInProgress',
    },
    message: `Transitioning from previous version ${from} to ${to}`,
  }))
  const broken = failing.map((window): Spell => ({
    ...{ ...window, status: 'True', reason: 'DeploymentFailed' },
    message: 'deployment has not become available: ImagePullBackOff',
  }))
  const ready = { status: 'True', reason: 'AllComponentsReady', message: 'All components are ready.' }
  const still = { ...ready, status: 'False' }
  return [
    conditionAt('Available', ready, [], timeMs, firstMs),
    conditionAt('Progressing', still, moving, timeMs, firstMs),
    conditionAt('Degraded', still, isKubevirt ? moving : broken, timeMs, firstMs),
  ]
}
