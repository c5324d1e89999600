/**
 * The file of `bundle.redaction`: what evidence bundles leave out or replace. YAML, checked as a whole; a profile that is
 * absent is the built-in one:
 *
 *     allow: [default, strict]               # without `none`
 *     pseudonymKeyFile: /etc/daytwo/bundle.key
 *     default:
 *       pseudonyms: [clusters, addresses, emails]
 *       secrets: true
 *       labels: { drop: ['pod_ip'] }         # RE2 patterns of whole names
 *       mask: [{ name: ticket, pattern: 'OPS-[0-9]+' }]
 */
import { readFileSync } from 'node:fs'
import { parse as parseYaml } from 'yaml'
import { FleetError, messageOf } from '../base/errors.ts'
import { compileAnchoredRegex, compileRegex } from '../model/regex.ts'
import {
  DEFAULT_REDACTION,
  PSEUDONYMS,
  REDACTION_NAMES,
  type PseudonymKind,
  type RedactionName,
  type RedactionPolicy,
  type RedactionProfile,
} from '../model/redaction.ts'
import { fieldsOf, listOf, textOf } from './file-fields.ts'

/** Of one list: each text of a bundle is searched for all of its patterns. */
const PATTERNS_MAX = 50
const KEY_CHARS_MIN = 16

/** @param path empty: the built-in policy. Throws FleetError `config_invalid`. */
export function readRedactionPolicy(path: string): RedactionPolicy {
  if (path === '') return DEFAULT_REDACTION
  try {
    return redactionPolicyOf(parseYaml(readFileSync(path, 'utf8')) ?? {}, (file) => readFileSync(file, 'utf8'))
  } catch (thrown) {
    throw new FleetError('config_invalid', `cannot use the redaction policy in ${path}: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  }
}

/** Throws an error that names the field, what it has, and what is expected. */
export function redactionPolicyOf(tree: unknown, readFile: (path: string) => string): RedactionPolicy {
  const top = fieldsOf('the file', tree, ['allow', 'pseudonymKeyFile', 'default', 'strict'])
  const { profiles } = DEFAULT_REDACTION
  const profile = (name: 'default' | 'strict'): RedactionProfile =>
    top.has(name) ? profileOf(name, top.get(name), profiles[name]) : profiles[name]
  const keyFile = top.get('pseudonymKeyFile')
  return {
    profiles: { default: profile('default'), strict: profile('strict'), none: profiles.none },
    allowed: top.has('allow') ? allowedOf(top.get('allow')) : DEFAULT_REDACTION.allowed,
    ...(keyFile === undefined ? {} : { pseudonymKey: keyOf(readFile(textOf('pseudonymKeyFile', keyFile))) }),
  }
}

function allowedOf(tree: unknown): readonly RedactionName[] {
  const names = wordsOf('allow', tree, REDACTION_NAMES)
  if (names.length === 0) throw new Error('allow: got no profile, want at least one')
  return names
}

function keyOf(text: string): string {
  const key = text.trim()
  if (key.length >= KEY_CHARS_MIN) return key
  throw new Error(`pseudonymKeyFile: got a key of ${key.length} characters, want at least ${KEY_CHARS_MIN}`)
}

function profileOf(name: string, tree: unknown, builtIn: RedactionProfile): RedactionProfile {
  const fields = fieldsOf(name, tree ?? {}, ['pseudonyms', 'secrets', 'labels', 'mask'])
  const labels = fieldsOf(`${name}.labels`, fields.get('labels') ?? {}, ['drop'])
  return {
    pseudonyms: fields.has('pseudonyms')
      ? new Set<PseudonymKind>(wordsOf(`${name}.pseudonyms`, fields.get('pseudonyms'), PSEUDONYMS))
      : builtIn.pseudonyms,
    masksSecrets: fields.has('secrets') ? flagOf(`${name}.secrets`, fields.get('secrets')) : builtIn.masksSecrets,
    dropLabels: patternsOf(`${name}.labels.drop`, labels.get('drop')).map(([what, item]) => {
      const pattern = textOf(what, item)
      checked(what, () => compileAnchoredRegex(pattern))
      return pattern
    }),
    masks: patternsOf(`${name}.mask`, fields.get('mask')).map(([what, item]) => maskOf(what, item)),
  }
}

function maskOf(what: string, tree: unknown): RedactionProfile['masks'][number] {
  const fields = fieldsOf(what, tree, ['name', 'pattern'])
  const [name, pattern] = [textOf(`${what}.name`, fields.get('name')), textOf(`${what}.pattern`, fields.get('pattern'))]
  if (!/^[a-z][a-z0-9_-]{0,39}$/.test(name)) {
    throw new Error(`${what}.name: got ${JSON.stringify(name)}, want lower-case letters, digits, - and _`)
  }
  const regex = checked(`${what}.pattern`, () => compileRegex(pattern))
  if (regex.test('')) throw new Error(`${what}.pattern: ${JSON.stringify(pattern)} matches the empty text`)
  return { name, pattern }
}

function patternsOf(what: string, tree: unknown): readonly (readonly [what: string, item: unknown])[] {
  return listOf(what, tree, PATTERNS_MAX).map((item, i) => [`${what}[${i}]`, item])
}

function checked<T>(what: string, compile: () => T): T {
  try {
    return compile()
  } catch (thrown) {
    throw new Error(`${what}: ${messageOf(thrown)}`, { cause: thrown })
  }
}

function wordsOf<T extends string>(what: string, tree: unknown, known: readonly T[]): readonly T[] {
  return listOf(what, tree, known.length).map((item) => {
    const word = known.find((one) => one === item)
    if (word === undefined) throw new Error(`${what}: got ${JSON.stringify(item)}, want ${known.join(', ')}`)
    return word
  })
}

function flagOf(what: string, tree: unknown): boolean {
  if (typeof tree === 'boolean') return tree
  throw new Error(`${what}: got ${JSON.stringify(tree)}, want true or false`)
}
