import type { PatchDetailItem, PatchFindingItem, PatchGroupItem, PatchItems } from '../../contract/fleet-patches.ts'
import type { ModificationItem } from '../../contract/fleet-modifications.ts'
import { PATCH_CLASSES, type PatchClass } from '../../model/patch-analysis.ts'
import type { Mark } from './dashboards/tone.ts'
import { operatorName } from './fleet-names.ts'
import { countOf } from './format-number.ts'
import { choiceField, flagField, textField, viewCodec } from './view-codec.ts'

/** JSON patches: their classes in words, and as Markdown for the owner of a cluster. Pure. */

export const PATCH_CLASS_WORDS: Readonly<Record<PatchClass, { readonly mark: Mark; readonly meaning: string }>> = {
  broken: {
    mark: { tone: 'critical', word: 'broken' },
    meaning: 'The path is removed, HCO cannot apply the operation, or the API server refuses the value.',
  },
  dangerous: {
    mark: { tone: 'warning', word: 'dangerous' },
    meaning: 'Security, eviction, migration, or the objects that the operator deploys.',
  },
  unknown: {
    mark: { tone: 'warning', word: 'unknown' },
    meaning: 'The operations or the schema of a version are not known.',
  },
  gate: {
    mark: { tone: 'none', word: 'feature gate' },
    meaning: 'A feature gate, with its stage in the target version.',
  },
  fragile: { mark: { tone: 'none', word: 'fragile' }, meaning: 'A list index, or a field that is not an interface.' },
  superseded: {
    mark: { tone: 'none', word: 'superseded' },
    meaning: 'HyperConverged has a field: set the field instead.',
  },
  redundant: {
    mark: { tone: 'none', word: 'redundant' },
    meaning: 'Already the default: the operation can be removed.',
  },
}

const OPERANDS = ['', 'kubevirt', 'cdi', 'network-addons', 'ssp'] as const

export const PATCHES_VIEW = viewCodec({
  /** Target version; empty: the next minor of each cluster. */
  to: textField('to'),
  class: choiceField('class', ['', ...PATCH_CLASSES, 'none']),
  component: choiceField('component', OPERANDS),
  cluster: textField('cluster'),
  isBreaking: flagField('breaking'),
})

export const PATCH_VIEW = viewCodec({ to: textField('to') })

type Operations = NonNullable<ModificationItem['operations']>

/** `add /spec/x = 1`; values are cut. */
export function operationText({ op, path, value, from }: Operations[number], valueMax = 80): string {
  if (from !== undefined) return `${op} ${from} to ${path}`
  if (value === undefined) return `${op} ${path}`
  const text = JSON.stringify(value)
  return `${op} ${path} = ${text.length > valueMax ? `${text.slice(0, valueMax)}…` : text}`
}

/** The command that removes the whole annotation. */
export function removeCommand(annotation: string): string {
  return `kubectl annotate hyperconverged kubevirt-hyperconverged -n kubevirt-hyperconverged ${annotation}-`
}

export function targetText(to: string | null): string {
  return to === null ? 'the next minor' : to
}

/** All that the owner of a cluster needs: findings, what to set instead, what changes, how to remove it. */
export function patchMarkdown(detail: PatchDetailItem, link: string): string {
  const { component, annotation, operations, variants, proposal, differences, differencesOf, members } = detail
  const names = [...new Set(members.map(({ cluster }) => cluster))]
  const rest = detail.clusters - names.length
  const lines = [
    `## JSON patch of ${operatorName(component)} on ${countOf(detail.clusters, 'cluster')}`,
    '',
    ...(operations === null ? [detail.text] : ['```json', JSON.stringify(operations, null, 2), '```']),
    ...variants.flatMap(({ installed, target, clusters, findings }) => [
      '',
      `### From HCO ${installed ?? '(not reported)'} to ${target ?? 'the next minor'}: ${countOf(clusters, 'cluster')}`,
      '',
      ...(findings.length === 0 ? ['Nothing was found.'] : findings.map(findingLine)),
    ]),
    ...(proposal === null
      ? []
      : ['', '### Set in HyperConverged instead', '', '```yaml', proposal.yaml.trimEnd(), '```']),
    ...(differencesOf === null || differences.length === 0
      ? []
      : [
          ...['', `### What the patch changes (defaults of HCO ${differencesOf.version})`, ''],
          ...['| Field | Without | With |', '|---|---|---|'],
          ...differences.map((one) => `| ${cell(one.path)} | ${cell(one.without ?? '–')} | ${cell(one.with ?? '–')} |`),
        ]),
    ...(annotation === null ? [] : ['', '### Remove the patch', '', '```sh', removeCommand(annotation), '```']),
    ...['', `Clusters: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`, '', link],
  ]
  return `${lines.join('\n')}\n`
}

/** The list as it is shown. */
export function patchListMarkdown({ patches, to, total }: PatchItems, link: string): string {
  const lines = [
    `## JSON patches, checked against ${targetText(to)}: ${countOf(total, 'patch', 'patches')}`,
    '',
    '| Operand | Operations | Classes | Clusters | Worst finding |',
    '|---|---|---|---|---|',
    ...patches.map(
      (group) =>
        `| ${operatorName(group.component)} | ${cell(operationsText(group))} | ${group.classes.join(', ') || 'none'} | ${group.clusters} | ${cell(group.finding?.text ?? 'Nothing was found.')} |`,
    ),
    '',
    link,
  ]
  return `${lines.join('\n')}\n`
}

export function operationsText({ operations, text }: Pick<PatchGroupItem, 'operations' | 'text'>): string {
  return operations === null ? text : operations.map((one) => operationText(one)).join('; ')
}

function findingLine({ class: kind, text, operation }: PatchFindingItem): string {
  return `- **${kind}**${operation === null ? '' : ` (operation ${operation + 1})`}: ${text}`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
