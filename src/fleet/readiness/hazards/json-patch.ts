import { quoteShellWord } from '../../../base/quoting.ts'
import type { Modification } from '../../../model/cluster-record.ts'
import type { PatchFinding } from '../../../model/patch-analysis.ts'
import type { RiskVerdict } from '../../../model/readiness.ts'
import type { Evidence } from '../../../model/upgrade.ts'
import { breaksInTarget } from '../../patches/analyse-patches.ts'
import { ABSENT, clientOf, evidenceNow, fix, found, installNamespaceOf, notReported, type Hazard } from '../hazard.ts'

/** Hazard 1. Without an analysis of the patch its operations are the evidence: a patch may always fail to apply. */
export const jsonPatch: Hazard = {
  id: 'json_patch',
  title: 'JSON patches of operands',
  signals: 'hyperconvergeds (annotations, condition TaintedConfiguration), or kubevirt_hco_unsafe_modifications',
  consequence: 'A patch may no longer apply or may set removed fields; the result of the upgrade is not supported.',
  runbook: 'UnsupportedHCOModification',
  sources: [
    'https://github.com/kubevirt/hyperconverged-cluster-operator/blob/main/docs/cluster-configuration.md',
    'https://github.com/kubevirt/hyperconverged-cluster-operator/pull/1425',
  ],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk' },
  byTarget: true,
  evaluate: (cluster, target) => {
    const { record, modifications, patchFindings } = cluster
    const patches = modifications.filter(({ kind, endedMs }) => kind === 'jsonpatch' && endedMs === undefined)
    if (patches.length === 0) {
      if (record.isTainted === undefined) return notReported('HyperConverged and kubevirt_hco_unsafe_modifications')
      if (!record.isTainted) return ABSENT
      const evidence = [evidenceNow(cluster, 'hyperconvergeds', 'HyperConverged reports TaintedConfiguration.')]
      const text = 'HyperConverged is tainted by a JSON patch whose operations are not reported.'
      return found(jsonPatch, target, () => ({
        text,
        evidence,
        fix: fix('Remove the annotation, and verify the cluster without it.'),
      }))
    }
    const { hcoVersion } = record
    const findings = patches.flatMap((patch) =>
      patchFindings === undefined || hcoVersion === undefined
        ? []
        : patchFindings(patch, hcoVersion, target.version, record.settings.apiVersion).map((finding) => ({
            patch,
            finding,
          })),
    )
    const starts = patches.flatMap(({ startedMs }) => startedMs ?? [])
    return found(
      jsonPatch,
      target,
      () => ({
        text: `${patches.length === 1 ? 'An annotation patches' : `${patches.length} annotations patch`} ${componentsOf(patches)}.`,
        ...(starts.length === 0 ? {} : { sinceMs: Math.min(...starts) }),
        evidence: [
          ...patches.map((patch) => patchEvidence(patch, record.lastSeenMs)),
          ...findings.map(({ patch, finding }) => findingEvidence(patch, finding, record.lastSeenMs)),
        ],
        fix: fix(
          'Remove the annotation before the upgrade, and verify the cluster without it.',
          patches
            .flatMap(({ annotation }) => annotation ?? [])
            .map((annotation) => {
              const object = `hyperconverged kubevirt-hyperconverged -n ${quoteShellWord(installNamespaceOf(cluster))}`
              return `${clientOf(cluster)} annotate ${object} ${quoteShellWord(`${annotation}-`)}`
            })
            .join('\n') || undefined,
        ),
      }),
      worstOf(findings.map(({ finding }) => finding)),
    )
  },
}

function componentsOf(patches: readonly Modification[]): string {
  return [...new Set(patches.map(({ component }) => component))].sort().join(', ')
}

/** A patch that fails or loses its effect may stop the upgrade, and a dangerous one may take VMs down. */
function worstOf(findings: readonly PatchFinding[]): RiskVerdict {
  const isBad = findings.some((finding) => breaksInTarget(finding) || finding.class === 'dangerous')
  return isBad ? 'not_recommended' : 'at_risk'
}

const OPERATIONS_MAX = 5

function patchEvidence(
  { annotation, component, operations, startedMs, text, by }: Modification,
  seenMs: number,
): Evidence {
  const shown = (operations ?? []).slice(0, OPERATIONS_MAX).map(({ op, path }) => `${op} ${path}`)
  const more = (operations?.length ?? 0) > OPERATIONS_MAX ? ', …' : ''
  const what = shown.length === 0 ? text : `${component}: ${shown.join(', ')}${more}`
  return {
    source: operations === undefined ? 'metrics' : 'objects',
    atMs: startedMs ?? seenMs,
    text: by === undefined ? what : `${what} (set by ${by})`,
    ref: `hyperconvergeds, annotation ${annotation ?? component}`,
  }
}

function findingEvidence(
  { annotation, component }: Modification,
  { class: is, text }: PatchFinding,
  atMs: number,
): Evidence {
  return {
    source: 'objects',
    atMs,
    text: `${is}: ${text}`,
    ref: `hyperconvergeds, annotation ${annotation ?? component}`,
  }
}
