/**
 * The file of `privacy.config`: what is not stored of what senders report. YAML, checked as a whole:
 *
 *     metrics: { drop: ['go_.*'] }            # RE2 patterns of whole names; keep: only these
 *     labels: { drop: [pod_ip] }
 *     attributes: { drop: ['http\.request\.header\..*'] }
 *     objects:
 *       drop: [{ kind: nodes, paths: ['metadata.annotations["example.com/owner"]'] }]
 */
import { readFileSync } from 'node:fs'
import { parse as parseYaml } from 'yaml'
import { FleetError, messageOf } from '../base/errors.ts'
import {
  NO_PRIVACY_RULES,
  parseFieldPath,
  REQUIRED_FIELDS,
  type FieldRule,
  type KeepAndDrop,
  type PrivacyRules,
} from '../model/privacy.ts'
import { compileAnchoredRegex } from '../model/regex.ts'
import { fieldsOf, listOf, textOf } from './file-fields.ts'

/** @param path empty: there are no rules. Throws FleetError `config_invalid`. */
export function readPrivacyRules(path: string): PrivacyRules {
  if (path === '') return NO_PRIVACY_RULES
  try {
    return privacyRulesOf(parseYaml(readFileSync(path, 'utf8')) ?? {})
  } catch (thrown) {
    throw new FleetError('config_invalid', `cannot use the privacy rules in ${path}: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  }
}

/** Throws an error that names the field, what it has, and what is expected. */
export function privacyRulesOf(tree: unknown): PrivacyRules {
  const top = fieldsOf('the file', tree, ['metrics', 'labels', 'attributes', 'objects'])
  return {
    metrics: namesOf('metrics', top.get('metrics')),
    labels: namesOf('labels', top.get('labels')),
    attributes: namesOf('attributes', top.get('attributes')),
    objects: objectsOf(top.get('objects')),
  }
}

function namesOf(what: string, tree: unknown): KeepAndDrop {
  const fields = fieldsOf(what, tree ?? {}, ['keep', 'drop'])
  const patterns = (list: string): readonly string[] => {
    return listOf(`${what}.${list}`, fields.get(list)).map((item, i) => {
      const pattern = textOf(`${what}.${list}[${i}]`, item)
      try {
        compileAnchoredRegex(pattern)
      } catch (thrown) {
        throw new Error(`${what}.${list}[${i}]: ${messageOf(thrown)}`, { cause: thrown })
      }
      return pattern
    })
  }
  return { drop: patterns('drop'), ...(fields.has('keep') && { keep: patterns('keep') }) }
}

function objectsOf(tree: unknown): PrivacyRules['objects'] {
  const fields = fieldsOf('objects', tree ?? {}, ['keep', 'drop'])
  const rules = (list: string): readonly FieldRule[] =>
    listOf(`objects.${list}`, fields.get(list)).map((item, i) => fieldRuleOf(`objects.${list}[${i}]`, item))
  const drop = rules('drop')
  for (const path of drop.flatMap(({ paths }) => paths)) checkIsOptional(path)
  return { drop, ...(fields.has('keep') && { keep: rules('keep') }) }
}

function fieldRuleOf(what: string, tree: unknown): FieldRule {
  const fields = fieldsOf(what, tree, ['kind', 'paths'])
  const paths = listOf(`${what}.paths`, fields.get('paths')).map((item, i) => {
    const path = textOf(`${what}.paths[${i}]`, item)
    if (parseFieldPath(path) !== undefined) return path
    const wanted = 'a path such as metadata.annotations["x/y"] or spec.containers[*].env[*].value'
    throw new Error(`${what}.paths[${i}]: got ${JSON.stringify(path)}, want ${wanted}`)
  })
  if (paths.length === 0) throw new Error(`${what}: got no paths, want at least one`)
  return { paths, ...(fields.has('kind') && { kind: textOf(`${what}.kind`, fields.get('kind')) }) }
}

function checkIsOptional(path: string): void {
  const segments = parseFieldPath(path) ?? []
  const needed = REQUIRED_FIELDS.find((required) => segments.every((key, i) => key === '*' || key === required[i]))
  if (needed !== undefined)
    throw new Error(`objects.drop: ${path} includes ${needed.join('.')}, without which no object is stored`)
}
