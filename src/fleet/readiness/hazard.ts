/**
 * What a hazard of an upgrade is, and what its files share. A hazard is a pure function of the facts of a cluster and a
 * target. It answers `unknown` when its signal is missing: a missing signal never rules a hazard out.
 */
import { quoteShellWord } from '../../base/quoting.ts'
import type { ClusterRecord, Modification } from '../../model/cluster-record.ts'
import type { HazardFacts, Observed } from '../../model/hazard-facts.ts'
import type { ObjectKind } from '../../model/object-facts.ts'
import type { PatchFinding } from '../../model/patch-analysis.ts'
import type {
  HazardEvidence,
  HazardFinding,
  HazardFix,
  HazardId,
  PresentHazard,
  RiskAlert,
  RiskVerdict,
  Target,
} from '../../model/readiness.ts'
import type { Evidence } from '../../model/upgrade.ts'
import type { HcoRelease } from '../derive/hco-release.ts'

/** One cluster, as hazards read it. */
export interface HazardCluster {
  readonly record: ClusterRecord
  readonly facts: HazardFacts
  /** `undefined`: the version of HCO is not reported. */
  readonly release: HcoRelease | undefined
  readonly platformMinor: number | undefined
  readonly platformPatch: number | undefined
  /** JSON patches in effect, and out-of-band modifications of the last 30 days. */
  readonly modifications: readonly Modification[]
  /** Firing alerts; `undefined`: not known, because the cluster sends no metrics. */
  readonly alerts: readonly RiskAlert[] | undefined
  /** An upgrade of HCO or of the platform is in progress, since. */
  readonly open: readonly { readonly operator: string; readonly to: string; readonly startedMs?: number }[]
  readonly patchFindings: PatchFindings | undefined
  readonly nowMs: number
}

/** Analyses a JSON patch for the way between two versions of HCO. @param apiVersion the layout of HyperConverged */
export type PatchFindings = (
  patch: Modification,
  installed: string,
  target: string,
  apiVersion: string | undefined,
) => readonly PatchFinding[]

export interface Hazard {
  readonly id: HazardId
  /** A noun phrase. */
  readonly title: string
  /** Objects and metrics that it is read from: any of them is enough unless the text says otherwise. */
  readonly signals: string
  readonly consequence: string
  /** The alert whose runbook helps. */
  readonly runbook: string
  /** Where the hazard is described. */
  readonly sources: readonly string[]
  /** What a cluster with the hazard gets, by what is upgraded; without an entry the hazard does not apply. */
  readonly verdicts: Partial<Readonly<Record<Target['operator'], RiskVerdict>>>
  /** One finding for all targets of an operator; with `byTarget` it depends on the version too. */
  readonly byTarget?: true
  /** @param target of a hazard without `byTarget` only the operator matters */
  evaluate(cluster: HazardCluster, target: Target): Evaluated
}

export const ABSENT: Evaluated = { state: 'absent' }
export const NOT_APPLICABLE: Evaluated = { state: 'not_applicable' }

const UNKNOWN = new Map<string, Evaluated>()

/** @param text what is not reported: one of a few fixed texts */
export function notReported(text: string): Evaluated {
  let known = UNKNOWN.get(text)
  if (known === undefined) UNKNOWN.set(text, (known = { state: 'unknown', text: `Not reported: ${text}.` }))
  return known
}

/** What was found, in words: most findings are only counted. */
export type Describe = () => Omit<PresentHazard, 'state' | 'verdict'>

/** A finding that is not described yet. */
export type Evaluated =
  | Exclude<HazardFinding, PresentHazard>
  | { readonly state: 'present'; readonly verdict: RiskVerdict; readonly describe: Describe }

/** The hazard is there. @param verdict absent: that of the hazard */
export function found(
  hazard: Pick<Hazard, 'verdicts'>,
  { operator }: Target,
  describe: Describe,
  verdict: RiskVerdict = hazard.verdicts[operator] ?? 'at_risk',
): Evaluated {
  return { state: 'present', verdict, describe }
}

export function described(finding: Evaluated): HazardFinding {
  if (finding.state !== 'present') return finding
  const { state, verdict, describe } = finding
  return { state, verdict, ...describe() }
}

export function isReported({ record }: HazardCluster, kind: ObjectKind): boolean {
  return record.coverage.kinds.includes(kind)
}

/** An observed value as evidence. */
export function evidenceOf({ source, sinceMs, ref }: Observed<unknown>, text: string): Evidence {
  return { source, atMs: sinceMs, text, ref }
}

/** Evidence of the record, which has no time of its own. */
export function evidenceNow({ record }: HazardCluster, ref: string, text: string): HazardEvidence {
  return { source: record.coverage.objectsLastMs === undefined ? 'metrics' : 'objects', text, ref }
}

export function alertNamed(cluster: HazardCluster, ...names: readonly string[]): RiskAlert | undefined {
  return cluster.alerts?.find(({ alertname }) => names.includes(alertname))
}

export function alertEvidence({ alertname, severity, firedAtMs }: RiskAlert): Evidence {
  const text = `Alert ${alertname}${severity === '' ? '' : ` (${severity})`} fires.`
  return { source: 'metrics', atMs: firedAtMs, text, ref: `ALERTS{alertname="${alertname}"}` }
}

export const fix = (text: string, command?: string): HazardFix => ({
  text,
  ...(command === undefined ? {} : { command }),
})

/** Where HCO is installed, by the product. */
export function installNamespaceOf({ record }: HazardCluster): string {
  return record.flavour === 'openshift' ? 'openshift-cnv' : 'kubevirt-hyperconverged'
}

/** `oc` on OpenShift, `kubectl` elsewhere. */
export function clientOf({ record }: HazardCluster): string {
  return record.platform?.kind === 'openshift' ? 'oc' : 'kubectl'
}

/** Patches HyperConverged. The patch is JSON of ours, with values of the cluster escaped by JSON and quoted for the shell. */
export function patchHyperConverged(cluster: HazardCluster, patch: unknown, type: 'merge' | 'json' = 'merge'): string {
  const target = `hyperconverged kubevirt-hyperconverged -n ${quoteShellWord(installNamespaceOf(cluster))}`
  return `${clientOf(cluster)} patch ${target} --type ${type} -p ${quoteShellWord(JSON.stringify(patch))}`
}

/** The path of a setting of HyperConverged, which v1 has below `virtualization`. */
export function inVirtualization(cluster: HazardCluster, settings: unknown): unknown {
  const isV1 = cluster.record.settings.apiVersion?.endsWith('/v1') === true
  return { spec: isV1 ? { virtualization: settings } : settings }
}

/** The minor of HCO goes from below to at least this one. */
export function crosses({ release }: HazardCluster, target: Target, minor: number): boolean {
  return release !== undefined && release.minor < minor && target.minor >= minor
}

export const FACTS =
  'https://github.com/kubevirt/hyperconverged-cluster-operator/blob/main/docs/cluster-configuration.md'
export const DAY_MS = 24 * 3_600_000
