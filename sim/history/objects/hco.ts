import type { HyperConvergedFacts } from '../../../src/model/object-facts.ts'
import { productVersion } from '../../cluster-profile.ts'
import { isWithin } from '../../scenarios/window.ts'
import type { ClusterHistory, Component, HcoUpgrade } from '../cluster-history.ts'
import { failingOperandOf } from '../failing-operand.ts'
import { HCO_SPEC_WRITER, ownerOf } from '../managers.ts'
import { uidOf } from '../uid.ts'
import { gateWrites, settingsOf } from './hco-settings.ts'
import { settingWrites } from './planted-settings.ts'
import { conditionAt, finite, type SimObject, type Spell } from './sim-object.ts'

const OPERAND_REASONS: Readonly<Record<string, string>> = {
  kubevirt: 'KubevirtProgressing',
  cdi: 'CDIProgressing',
  'network-addons': 'NetworkAddonsConfigProgressing',
  ssp: 'SSPProgressing',
}

const ANNOTATION_OF: Readonly<Record<Component, string>> = {
  kubevirt: 'kubevirt.kubevirt.io/jsonpatch',
  cdi: 'containerizeddataimporter.kubevirt.io/jsonpatch',
  'network-addons': 'networkaddonsconfigs.kubevirt.io/jsonpatch',
  ssp: 'ssp.kubevirt.io/jsonpatch',
}

const MIGRATION = 'liveMigration.'

/** The HyperConverged object: settings, conditions, and the version that is really reached. */
export function hyperConverged(history: ClusterHistory): SimObject {
  const { profile, installedMs, upgrades, patches, telemetryOffMs = Infinity, uninstalledMs = Infinity } = history
  const progressing = upgrades.flatMap((upgrade) => progressSpells(history, upgrade))
  const degraded = [
    ...upgrades.flatMap(degradedSpells),
    ...upgrades.flatMap(failingSpells),
    ...(history.unwell ?? []).map((window): Spell => ({
      ...{
        ...window,
        status: 'True',
        reason: 'SSPDegraded',
        message: 'SSP is degraded: template validator is not available',
      },
    })),
  ]
  const unready = upgrades.flatMap(reconcileSpells)
  const closed = upgrades.flatMap((upgrade) => upgradeModeSpells(upgrade, 'False', 'AlreadyPerformingUpgrade', ''))
  const tainted = patches.map(({ fromMs, untilMs }): Spell => ({
    ...{ fromMs, untilMs, status: 'True', reason: 'UnsupportedFeatureAnnotation' },
    message: 'Unsupported feature was activated via an HCO annotation',
  }))
  const spells = [...progressing, ...degraded, ...unready, ...closed, ...tainted]
  const gates = gateWrites(history)
  const planted = settingWrites(history)
  const ends = new Set(upgrades.map(({ endMs }) => endMs))
  const patched = new Set(patches.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]))
  const done = { status: 'True', reason: 'ReconcileCompleted', message: 'Reconcile completed successfully' }
  const idle = { ...done, status: 'False' }
  return {
    uid: uidOf(profile.seed, 'hyperconverged'),
    name: 'kubevirt-hyperconverged',
    namespace: profile.installNamespace,
    createdMs: installedMs,
    goneMs: uninstalledMs,
    momentsMs: finite([
      telemetryOffMs,
      ...spells.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
      ...upgrades.map(({ endMs }) => endMs),
      ...history.updateMethods.map(({ fromMs }) => fromMs),
      ...gates.map(({ atMs }) => atMs),
      ...planted.map(({ atMs }) => atMs),
    ]),
    // Each of these moments is a write to settings or annotations; everywhere else HCO writes its status.
    writerAt(timeMs) {
      const gate = gates.find(({ atMs }) => atMs === timeMs)
      if (gate !== undefined) return gate.by
      const setting = planted.find(({ atMs }) => atMs === timeMs)
      if (setting !== undefined) return setting.by
      if (timeMs === telemetryOffMs) return ownerOf(profile, 'telemetry')
      if (timeMs === installedMs) return ownerOf(profile, 'installation')
      if (patched.has(timeMs)) return ownerOf(profile, 'JSON patches')
      return ends.has(timeMs) ? HCO_SPEC_WRITER : undefined
    },
    factsAt(timeMs): HyperConvergedFacts {
      const isDegraded = degraded.some((spell) => isWithin(spell, timeMs))
      const isBusy = progressing.some((spell) => isWithin(spell, timeMs))
      const version = reachedAt(history, timeMs)
      const ownGates = new Set(gates.filter(({ atMs }) => atMs <= timeMs).map(({ gate }) => gate))
      const methods = history.updateMethods.findLast(({ fromMs }) => fromMs <= timeMs)?.methods ?? ['LiveMigrate']
      const set = planted.filter(({ atMs }) => atMs <= timeMs)
      const settings = settingsOf(profile, version, ownGates)
      const migration = set.filter(({ setting }) => setting.startsWith(MIGRATION))
      const others = set.filter(({ setting }) => !setting.startsWith(MIGRATION))
      return {
        kind: 'hyperconvergeds',
        createdMs: installedMs,
        apiVersion: version.minor >= 18 ? 'hco.kubevirt.io/v1' : 'hco.kubevirt.io/v1beta1',
        operatorVersion: productVersion(profile, version),
        conditions: [
          conditionAt('ReconcileComplete', done, unready, timeMs, installedMs),
          conditionAt('Available', done, [], timeMs, installedMs),
          conditionAt('Progressing', idle, progressing, timeMs, installedMs),
          conditionAt('Degraded', idle, degraded, timeMs, installedMs),
          conditionAt('Upgradeable', done, closed, timeMs, installedMs),
          ...tainted
            .filter((spell) => isWithin(spell, timeMs))
            .map((spell) => conditionAt('TaintedConfiguration', idle, [spell], timeMs, installedMs)),
        ],
        systemHealth: isDegraded ? 'error' : isBusy ? 'warning' : 'healthy',
        generation: 3 + ownGates.size + set.length,
        observedGeneration: 3 + ownGates.size + set.length,
        workloadUpdateMethods: methods,
        ...(timeMs >= telemetryOffMs ? { allowedMetrics: ['none'] } : {}),
        ...settings,
        liveMigration: {
          ...settings.liveMigration,
          ...Object.fromEntries(migration.map(({ setting, value }) => [setting.slice(MIGRATION.length), value])),
        },
        ...(others.length === 0
          ? {}
          : {
              others: Object.fromEntries(
                others.map(({ setting, value }) => [setting, value] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
              ),
            }),
        jsonPatches: Object.fromEntries(
          patches
            .filter((patch) => isWithin(patch, timeMs))
            .map((patch) => [ANNOTATION_OF[patch.component], patch.text]),
        ),
      }
    },
  }
}

export function reachedAt(history: ClusterHistory, timeMs: number): ClusterHistory['firstCsv']['release'] {
  return history.upgrades.findLast(({ endMs }) => endMs <= timeMs)?.to ?? history.firstCsv.release
}

function upgradeModeSpells(
  { hcoStartMs, endMs }: HcoUpgrade,
  status: string,
  reason: string,
  message: string,
): Spell[] {
  return hcoStartMs === Infinity ? [] : [{ fromMs: hcoStartMs, untilMs: endMs, status, reason, message }]
}

/** HCOUpgrading; when KubeVirt is done and another operand is not, that one is what it names. */
function progressSpells(history: ClusterHistory, upgrade: HcoUpgrade): Spell[] {
  const message = `HCO is now upgrading to version ${productVersion(history.profile, upgrade.to)}`
  const spells = upgradeModeSpells(upgrade, 'True', 'HCOUpgrading', message)
  const failing = failingOperandOf(upgrade)
  const late = upgrade.components.find(({ name }) => name === failing?.component)
  if (late === undefined || failing === undefined) return spells
  const named: Spell = {
    fromMs: failing.fromMs + 15_000,
    untilMs: failing.untilMs,
    status: 'True',
    reason: OPERAND_REASONS[late.name]!,
    message: `${late.name} is progressing: upgrading to ${late.to}`,
  }
  const [whole] = spells
  return [{ ...whole!, untilMs: named.fromMs }, named, { ...whole!, fromMs: named.untilMs }]
}

/** virt-operator calls itself degraded for as long as it updates, and HCO repeats it: no fault. */
function degradedSpells({ rollout, components }: HcoUpgrade): Spell[] {
  const kubevirt = components.find(({ name }) => name === 'kubevirt')
  if (rollout === undefined || kubevirt === undefined) return []
  return [
    {
      fromMs: rollout.startMs,
      untilMs: kubevirt.endMs,
      status: 'True',
      reason: 'KubevirtDegraded',
      message: `KubeVirt is degraded: Transitioning from previous version ${kubevirt.from}`,
    },
  ]
}

/** An operand's own word, repeated. */
function failingSpells(upgrade: HcoUpgrade): Spell[] {
  const failing = failingOperandOf(upgrade)
  if (failing === undefined) return []
  const reason = OPERAND_REASONS[failing.component]!.replace('Progressing', 'Degraded')
  const message = `${failing.component} is degraded: deployment has not become available: ImagePullBackOff`
  return [{ fromMs: failing.fromMs, untilMs: failing.untilMs, status: 'True', reason, message }]
}

function reconcileSpells({ stall }: HcoUpgrade): Spell[] {
  if (stall?.kind !== 'reconcile') return []
  return [
    {
      ...{ fromMs: stall.fromMs + 5000, untilMs: stall.untilMs, status: 'False', reason: 'ReconcileFailed' },
      message: 'admission webhook "validate-hco.kubevirt.io" denied the request: jsonpatch does not apply',
    },
  ]
}
