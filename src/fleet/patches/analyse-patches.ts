/**
 * What a JSON patch means for an upgrade: its operations resolved against the operand's schema and against the operand as HCO makes
 * it, in the installed and in the target version of HCO. Pure; never throws, whatever the annotation holds.
 */
import type { Modification } from '../../model/cluster-record.ts'
import { PATCH_CLASSES, type FindingWeight, type PatchFinding } from '../../model/patch-analysis.ts'
import { gatesOfPatch } from '../clusters/gate-uses.ts'
import { hcoReleaseOf } from '../derive/hco-release.ts'
import { OPERATIONS_MAX, VALUE_DEPTH_MAX } from '../derive/json-patches.ts'
import { applyPatch, type AppliedPatch, type OperationOutcome, type PatchOperation } from './apply-patch.ts'
import { FEATURE_GATES, gateStageAt } from './feature-gates.ts'
import { HAZARD_PATHS } from './hazard-paths.ts'
import { hasGate, operandBase } from './operand-base.ts'
import { isObject, isShallow, nested, ordered, stepsOf, valueAt } from './pointer.ts'
import { proposalFor } from './proposal.ts'
import { isPlace } from './schema.ts'
import { kubevirtVersionOf, schemaVersionAt } from './schema-versions.ts'
import type { HcoApi } from './superseding.ts'

/** The patch of an operand, as a modification of kind `jsonpatch` has it. */
export type OperandPatch = Pick<Modification, 'component' | 'operations' | 'count' | 'text'>

const OPERAND_NAMES: ReadonlyMap<string, string> = new Map([
  ['kubevirt', 'KubeVirt'],
  ['cdi', 'CDI'],
  ['network-addons', 'NetworkAddonsConfig'],
  ['ssp', 'SSP'],
])

interface Context {
  readonly component: string
  readonly name: string
  readonly installed: string
  readonly target: string
  readonly api: HcoApi
}

/**
 * @param installedVersion of HCO, in either numbering
 * @param targetVersion of HCO; may be the installed one
 * @param apiVersion the layout of HyperConverged that the cluster uses
 */
export function analysePatches(
  patch: OperandPatch,
  installedVersion: string,
  targetVersion: string,
  apiVersion?: string,
): readonly PatchFinding[] {
  const { component } = patch
  const name = OPERAND_NAMES.get(component)
  const api: HcoApi = apiVersion === 'hco.kubevirt.io/v1' ? apiVersion : 'hco.kubevirt.io/v1beta1'
  if (patch.operations === undefined) return [unreadable(patch)]
  if (name === undefined) return [unknown(`There is no schema of ${component}.`)]
  const { length } = patch.operations
  if (length > OPERATIONS_MAX) {
    return [unknown(`The patch has ${length} operations, and ${OPERATIONS_MAX} at most are analysed.`)]
  }
  if (!patch.operations.every(({ value }) => isShallow(value, VALUE_DEPTH_MAX))) {
    return [unknown(`A value has more than ${VALUE_DEPTH_MAX} levels, which are not analysed.`)]
  }
  const operations = patch.operations.map((one) => ordered(one) as PatchOperation)
  const context: Context = { component, name, installed: installedVersion, target: targetVersion, api }
  const [installed, target] = [installedVersion, targetVersion].map((version) =>
    applyPatch(component, operations, version),
  )
  const missing = [installedVersion, targetVersion].filter((_, i) => [installed, target][i] === undefined)
  const unknowns = [...new Set(missing)].map((version) =>
    unknown(
      version === ''
        ? 'The installed version of HCO is not reported.'
        : `The schema of ${name} in HCO ${version} is not known.`,
    ),
  )
  return sorted([
    ...unknowns,
    ...operations.flatMap((operation, i) => findingsOf(operation, i, context, installed, target)),
  ])
}

/** Whether the upgrade makes a difference: an operation fails, or loses its effect, that has one today. */
export function breaksInTarget({ weight, at }: PatchFinding): boolean {
  return weight === 'breaks' && at === 'target'
}

function sorted(findings: readonly PatchFinding[]): readonly PatchFinding[] {
  const rank = (finding: PatchFinding): number => PATCH_CLASSES.indexOf(finding.class)
  return findings.toSorted((a, b) => rank(a) - rank(b) || (a.operation ?? -1) - (b.operation ?? -1))
}

function unreadable({ count, text }: OperandPatch): PatchFinding {
  // Metrics count operations, and do not report them.
  if (count > 0)
    return unknown('Only the number of operations is reported. Collect the HyperConverged object to see them.')
  return {
    ...{ class: 'broken', weight: 'breaks', at: 'both' },
    text: `HCO cannot read the annotation and does not reconcile: ${text}.`,
  }
}

function unknown(text: string): PatchFinding {
  return { class: 'unknown', weight: 'check', at: 'both', text }
}

function findingsOf(
  operation: PatchOperation,
  index: number,
  context: Context,
  installed: AppliedPatch | undefined,
  target: AppliedPatch | undefined,
): readonly PatchFinding[] {
  const now = installed?.outcomes[index] ?? {}
  const then = target?.outcomes[index] ?? {}
  const findings = [
    ...brokenFindings(operation, context, now, then),
    ...hazardFindings(operation, context),
    ...lostFindings(context, now, then),
    ...fragileFindings(operation, now, then),
    ...gateFindings(operation, context),
    ...supersededFindings(operation, context),
    ...redundantFindings(operation, context, now, then),
    ...(now.isOpen === true || then.isOpen === true ? [unknown('The schema has no fields below this path.')] : []),
  ]
  return findings.map((finding) => ({ ...finding, operation: index }))
}

/** In which of the two versions something holds. */
function when(now: unknown, then: unknown): PatchFinding['at'] {
  return now === undefined ? 'target' : then === undefined ? 'installed' : 'both'
}

function brokenFindings(
  { op, path }: PatchOperation,
  { name, installed, target }: Context,
  now: OperationOutcome,
  then: OperationOutcome,
): readonly PatchFinding[] {
  if (now.broken === undefined && then.broken === undefined) return []
  const at = when(now.broken, then.broken)
  const versions = at === 'both' ? `HCO ${installed} and ${target}` : `HCO ${at === 'target' ? target : installed}`
  const advice =
    at === 'installed'
      ? 'The target version has the field: the operation takes effect with the upgrade.'
      : 'Remove the operation before the upgrade.'
  return [
    {
      ...{ class: 'broken', weight: at === 'installed' ? 'check' : 'breaks', at },
      text: `${op} ${path} in ${name} of ${versions}: ${then.broken ?? now.broken ?? ''} ${advice}`,
    },
  ]
}

function hazardFindings({ op, path, value }: PatchOperation, { component }: Context): readonly PatchFinding[] {
  if (op === 'test' || !path.startsWith('/spec/')) return []
  const steps = stepsOf(path).slice(1)
  const whole = nested(steps, op === 'remove' ? null : value)
  return HAZARD_PATHS.flatMap((hazard): PatchFinding[] => {
    if (hazard.component !== component) return []
    const isBelow = hazard.steps.length <= steps.length && hazard.steps.every((step, i) => step === steps[i])
    const found = isBelow ? (value ?? null) : valueAt(whole, hazard.steps)
    if (found === undefined || (hazard.isFor !== undefined && !hazard.isFor(found))) return []
    return [{ class: hazard.class, weight: 'check', at: 'both', text: `${hazard.text} (spec.${hazard.path})` }]
  })
}

/** Fields of HCO that the operation removes: feature gates, limits of migrations, and what the next version adds to them. */
function lostFindings({ component }: Context, now: OperationOutcome, then: OperationOutcome): readonly PatchFinding[] {
  const lost = then.lost ?? now.lost ?? []
  if (lost.length === 0) return []
  const isDangerous = lost.some((path) => isOfConcern(component, path))
  const shown = lost.slice(0, LOST_SHOWN).map((path) => path.slice(1).replaceAll('/', '.'))
  const more = lost.length > shown.length ? ` and ${lost.length - shown.length} more` : ''
  return [
    {
      class: isDangerous ? 'dangerous' : 'fragile',
      ...{ weight: 'check', at: when(now.lost, then.lost) },
      text: `The operation removes what HCO sets there: ${shown.join(', ')}${more}. Set single fields instead of the whole object or list.`,
    },
  ]
}

const LOST_SHOWN = 6

/** Gates switch features of migration and security; the other fields are those of the table. */
function isOfConcern(component: string, pointer: string): boolean {
  const steps = stepsOf(pointer).slice(1)
  if (steps.includes('featureGates') || steps.includes('migrations')) return true
  return HAZARD_PATHS.some((one) => {
    return one.component === component && one.class === 'dangerous' && one.steps.every((step, i) => step === steps[i])
  })
}

function fragileFindings(
  operation: PatchOperation,
  now: OperationOutcome,
  then: OperationOutcome,
): readonly PatchFinding[] {
  const { op, path, from = '' } = operation
  const texts: string[] = []
  if ([path, from].some((pointer) => stepsOf(pointer).some((step) => step !== '-' && isPlace(step)))) {
    texts.push(`${op} ${path} names a list item by its index. After an upgrade, the index may refer to another item.`)
  }
  if (now.isConditional === true || then.isConditional === true) {
    texts.push(
      `${op} ${path} applies only while the settings of HyperConverged make HCO write that part. Otherwise HCO stops reconciling.`,
    )
  }
  texts.push(...containerPositions(operation))
  return texts.map((text) => ({ class: 'fragile', weight: 'check', at: 'both', text }))
}

const CONTAINER = /\/(?:containers|initContainers|volumes|env|args|command)\/\d+(?:\/|$)/

/** Patches of deployed objects that name a container, an argument or a volume by its position. */
function containerPositions({ path, value }: PatchOperation): readonly string[] {
  if (!path.startsWith('/spec/customizeComponents')) return []
  const found = valueAt(nested(stepsOf(path), value), ['spec', 'customizeComponents', 'patches'])
  const patches = Array.isArray(found) ? (found as readonly unknown[]) : isObject(found) ? Object.values(found) : []
  return patches.filter(isObject).flatMap(({ patch, resourceName }) => {
    if (typeof patch !== 'string' || !CONTAINER.test(patch)) return []
    const what = typeof resourceName === 'string' ? resourceName.slice(0, 100) : 'the object'
    return [`The patch of ${what} names a container or an argument by its position, which the next version may change.`]
  })
}

const GATES_MAX = 20

function gatesSet(operation: PatchOperation, component: string): ReturnType<typeof gatesOfPatch> {
  return component === 'kubevirt' ? gatesOfPatch([operation]).slice(0, GATES_MAX) : []
}

function gateFindings(operation: PatchOperation, { component, installed, target }: Context): readonly PatchFinding[] {
  return gatesSet(operation, component).flatMap(({ gate, isOn }): PatchFinding[] => {
    const row = FEATURE_GATES.get(gate)
    const versions = [installed, target].map(kubevirtVersionOf)
    const [before, after] = versions.map((version) => gateStageAt(gate, version)) as [GateStageOf, GateStageOf]
    const source = row === undefined ? {} : { source: row.source }
    const danger = isOn && row?.danger !== undefined ? [dangerOf(row.danger, row.dangerSource)] : []
    const { weight, text } = gateAdvice(gate, isOn, before, after, target)
    const kubevirt = versions[1] === undefined ? '' : ` in KubeVirt ${versions[1]}`
    return [
      {
        ...{ class: 'gate', weight, at: before === after ? 'both' : 'target' },
        text: `Feature gate ${gate}${kubevirt}: ${text}`,
        gate: { name: gate, installed: before, target: after },
        ...source,
      },
      ...danger,
    ]
  })
}

type GateStageOf = ReturnType<typeof gateStageAt>

function dangerOf(text: string, source: string | undefined): PatchFinding {
  return {
    ...{ class: 'dangerous', weight: 'check', at: 'both' },
    text: `Security: ${text}`,
    ...(source === undefined ? {} : { source }),
  }
}

/** From 1.19 on, HCO switches off the beta gates that it does not manage: https://github.com/kubevirt/hyperconverged-cluster-operator/pull/4223. */
const BETA_OFF_MINOR = 19

function gateAdvice(
  gate: string,
  isOn: boolean,
  before: GateStageOf,
  after: GateStageOf,
  target: string,
): { readonly weight: FindingWeight; readonly text: string } {
  const was = before === after || before === 'unknown' ? '' : ` (installed: ${before})`
  switch (after) {
    case 'alpha':
      return {
        weight: 'check',
        text: `alpha${was}: off by default, may change or be removed. Keep it only while it is needed.`,
      }
    case 'beta': {
      const isInBoth = isOn && (hcoReleaseOf(target)?.minor ?? 0) >= BETA_OFF_MINOR
      const both = `This HCO lists beta gates that HyperConverged does not manage in disabledFeatureGates, so ${gate} is in both lists.`
      return { weight: 'check', text: `beta${was}. ${isInBoth ? both : 'Test it in the target version.'}` }
    }
    case 'ga':
      return {
        weight: isOn ? 'note' : 'check',
        text: `generally available${was}: ${isOn ? 'the gate has no effect. Remove the operation.' : 'it can no longer be switched off.'}`,
      }
    case 'deprecated':
      return { weight: 'check', text: `deprecated${was}: it is removed in a later version. Plan its replacement.` }
    case 'discontinued':
      return {
        weight: 'breaks',
        text: `discontinued${was}: the feature is removed, and VMs that use it are refused. Change the VMs, then remove the operation.`,
      }
    case 'absent':
      return { weight: 'check', text: `not known to this version${was}, which ignores it.` }
    case 'unknown':
      return { weight: 'check', text: `the stage is not known${was}. Check the release notes of KubeVirt.` }
  }
}

function supersededFindings(operation: PatchOperation, context: Context): readonly PatchFinding[] {
  const { op, path, value } = operation
  const { component, installed, target, api } = context
  if ((op !== 'add' && op !== 'replace') || value === undefined || !path.startsWith('/spec/')) return []
  const steps = stepsOf(path).slice(1)
  const found = proposalFor({ component, steps, value, gates: gatesSet(operation, component) }, api, {
    installed,
    target,
  })
  if (found === undefined) return []
  const { proposal, notes, source } = found
  const from = proposal.from === 'installed' ? '' : ` from HCO ${target} on`
  return [
    {
      ...{ class: 'superseded', weight: 'note', at: proposal.from === 'installed' ? 'both' : 'target' },
      text: [`HyperConverged has a field for ${path}${from}. Set the field, then remove the operation.`, ...notes].join(
        ' ',
      ),
      ...{ proposal, source },
    },
  ]
}

function redundantFindings(
  operation: PatchOperation,
  { component, name, installed, target }: Context,
  now: OperationOutcome,
  then: OperationOutcome,
): readonly PatchFinding[] {
  const gates = gatesSet(operation, component).filter(({ isOn }) => isOn)
  const areSetByHco = (version: string): true | undefined => {
    const base = operandBase(component, version)
    const list = ['configuration', 'developerConfiguration', 'featureGates']
    return base !== undefined && gates.length > 0 && gates.every(({ gate }) => hasGate(base, list, gate))
      ? true
      : undefined
  }
  const [before, after] = [now.isRedundant ?? areSetByHco(installed), then.isRedundant ?? areSetByHco(target)]
  if (before === undefined && after === undefined) return []
  const known = schemaVersionAt(target) === undefined ? before : after
  if (known === undefined) return []
  const at = when(before, after)
  const from = at === 'target' ? ` from HCO ${target} on` : ''
  return [
    {
      ...{ class: 'redundant', weight: 'note', at },
      text: `${operation.path} of ${name} has this value without the patch${from}. Remove the operation.`,
    },
  ]
}
