/**
 * Reads Prometheus rule files (the format of Prometheus 3, `groups:` with recording and alerting rules) into checked
 * groups. A file with an error is refused whole; each diagnostic has its position, PromQL and templates included.
 */
import type { Node } from 'yaml'
import type { Diagnostic } from '../model/diagnostic.ts'
import { METRIC_NAME } from '../model/labels.ts'
import { diagnose } from '../promql/parse.ts'
import { STABLE_LANGUAGE, type ParseOptions } from '../promql/parse-options.ts'
import { DEFAULT_INTERVAL_MS, type Rule, type RuleGroup } from './rule.ts'
import { compileTemplate, isTemplate } from './template.ts'
import { YamlReader, type Entry, type Range } from '../yaml/yaml-reader.ts'
import type { YamlText } from '../yaml/yaml-text.ts'

export interface RuleFile {
  /** The path as the user gave it; shown, and part of a group's identity. */
  readonly path: string
  readonly text: string
}

interface LoadedRules {
  /** Groups of the files without errors, in the order of the files. */
  readonly groups: RuleGroup[]
  /** Errors and warnings of all files. */
  readonly diagnostics: Diagnostic[]
}

interface RuleFileOptions {
  /** Interval of groups without one. */
  readonly intervalMs?: number
  /** The language of expressions; the stable language by default. */
  readonly language?: ParseOptions
}

const GROUP_KEYS = ['name', 'interval', 'query_offset', 'limit', 'labels', 'rules']
const RULE_KEYS = ['record', 'alert', 'expr', 'for', 'keep_firing_for', 'labels', 'annotations']

/**
 * Names of labels and annotations. Prometheus 3 also accepts any UTF-8 name; an Alertmanager before 0.27 refuses such an
 * alert, so the name is refused here, where its author sees the error.
 */
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/
const RECORD_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/

export function loadRuleFiles(files: readonly RuleFile[], options: RuleFileOptions = {}): LoadedRules {
  const groups: RuleGroup[] = []
  const diagnostics: Diagnostic[] = []
  for (const file of files) {
    const loaded = loadRuleFile(file, options)
    groups.push(...loaded.groups)
    diagnostics.push(...loaded.diagnostics)
  }
  return { groups, diagnostics }
}

function loadRuleFile({ path, text }: RuleFile, options: RuleFileOptions): LoadedRules {
  const { intervalMs = DEFAULT_INTERVAL_MS, language = STABLE_LANGUAGE } = options
  const yaml = new YamlReader(path, text)
  const groups = yaml.hasErrors ? [] : new FileChecker(yaml, intervalMs, language).groups()
  const diagnostics = yaml.diagnostics.sort((a, b) => a.from - b.from)
  return { groups: yaml.hasErrors ? [] : groups, diagnostics }
}

/** A rule with the position of its name, for findings about more than one rule. */
interface ReadRule {
  readonly rule: Rule
  readonly at: Range
}

class FileChecker {
  readonly #yaml: YamlReader
  readonly #intervalMs: number
  readonly #language: ParseOptions

  constructor(yaml: YamlReader, intervalMs: number, language: ParseOptions) {
    this.#yaml = yaml
    this.#intervalMs = intervalMs
    this.#language = language
  }

  groups(): RuleGroup[] {
    const yaml = this.#yaml
    const whole = { from: 0, to: 1 }
    const root = yaml.fields(yaml.root, 'the rule file', whole, ['groups'])
    const list = root?.get('groups')
    const rules: ReadRule[] = []
    const names = new Set<string>()
    const groups = yaml.itemsAt(list).flatMap((node) => this.#group(node, list?.keyAt ?? whole, names, rules) ?? [])
    this.#warnRepeated(rules)
    return groups
  }

  #group(node: Node, at: Range, names: Set<string>, all: ReadRule[]): RuleGroup | undefined {
    const yaml = this.#yaml
    const { from } = yaml.rangeOf(node, at)
    const start = { from, to: from + 1 }
    const fields = yaml.fields(node, 'a rule group', start, GROUP_KEYS)
    if (fields === undefined) return undefined
    const nameText = this.#yaml.textAt(fields.get('name'), 'the name of a group')
    const name = nameText?.text ?? ''
    if (name === '') yaml.error(nameText ?? start, 'a group needs a name')
    else if (names.has(name))
      yaml.error(nameText ?? start, `group name ${JSON.stringify(name)} is repeated in this file`)
    names.add(name)

    const labels = this.#labels(fields.get('labels'), `group ${name}`, 'label', true)
    const intervalMs = this.#yaml.durationAt(fields.get('interval'))
    const list = fields.get('rules')
    const nodes = yaml.itemsAt(list, `rules of group ${name}`)
    const read = nodes.flatMap((rule) => this.#rule(rule, list?.keyAt ?? start, labels) ?? [])
    all.push(...read)
    return {
      file: yaml.file,
      name,
      intervalMs: intervalMs === 0 ? this.#intervalMs : intervalMs,
      limit: this.#limit(fields.get('limit')),
      queryOffsetMs: this.#yaml.durationAt(fields.get('query_offset')),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      rules: withKeys(read.map(({ rule }) => rule)),
    }
  }

  #rule(node: Node, at: Range, groupLabels: Readonly<Record<string, string>>): ReadRule | undefined {
    const yaml = this.#yaml
    const { from } = yaml.rangeOf(node, at)
    const start = { from, to: from + 1 }
    const fields = yaml.fields(node, 'a rule', start, RULE_KEYS)
    if (fields === undefined) return undefined
    const record = this.#yaml.textAt(fields.get('record'), 'record')
    const alert = this.#yaml.textAt(fields.get('alert'), 'alert')
    const named = [record, alert].filter((text) => text !== undefined && text.text !== '') as YamlText[]
    if (named.length > 1) yaml.error(fields.get('alert')!.keyAt, 'a rule has either record or alert, not both')
    const [nameText] = named
    if (nameText === undefined) {
      yaml.error(start, 'a rule needs record or alert')
      return undefined
    }
    const name = nameText.text
    const isAlert = nameText === alert
    const what = `${isAlert ? 'alert' : 'record'} ${name}`
    const expr = this.#expr(fields.get('expr'), what, nameText)
    const labels = { ...groupLabels, ...this.#labels(fields.get('labels'), what, 'label', isAlert) }
    const common = { name, ruleKey: '', expr, labels }
    if (!isAlert) {
      this.#checkRecording(name, nameText, fields)
      return { rule: { ...common, kind: 'recording' }, at: nameText }
    }
    const annotations = this.#labels(fields.get('annotations'), what, 'annotation', true)
    const forMs = this.#yaml.durationAt(fields.get('for'))
    const keepFiringForMs = this.#yaml.durationAt(fields.get('keep_firing_for'))
    return { rule: { ...common, kind: 'alerting', forMs, keepFiringForMs, annotations }, at: nameText }
  }

  #checkRecording(name: string, at: Range, fields: ReadonlyMap<string, Entry>): void {
    if (!RECORD_NAME.test(name)) this.#yaml.error(at, `${JSON.stringify(name)} is not a metric name`)
    for (const key of ['for', 'keep_firing_for', 'annotations']) {
      const entry = fields.get(key)
      if (entry !== undefined) this.#yaml.error(entry.keyAt, `a recording rule has no ${key}`)
    }
  }

  #expr(entry: Entry | undefined, what: string, at: Range): string {
    const text = this.#yaml.textAt(entry, `expr of ${what}`)
    if (text === undefined || text.text.trim() === '') {
      if (entry === undefined || text !== undefined) this.#yaml.error(entry?.keyAt ?? at, `${what} has no expr`)
      return ''
    }
    for (const { severity, message, help, from, to } of diagnose(text.text, this.#language)) {
      const range = text.rangeOf(from, to)
      if (severity === 'error') this.#yaml.error(range, `${what}: ${message}`, help)
      else this.#yaml.warning(range, `${what}: ${message}`, help)
    }
    return text.text
  }

  /** Names and values of the labels or annotations of `what`; wrong names and broken templates are reported. */
  #labels(
    entry: Entry | undefined,
    what: string,
    kind: 'label' | 'annotation',
    areTemplates: boolean,
  ): Record<string, string> {
    if (entry === undefined) return {}
    const values: Record<string, string> = {}
    for (const { key, keyAt, value } of this.#yaml.mapping(entry.value, `${kind}s of ${what}`, entry.keyAt) ?? []) {
      if (!LABEL_NAME.test(key) || (kind === 'label' && key === METRIC_NAME)) {
        const help = 'letters, digits and _, not starting with a digit'
        this.#yaml.error(keyAt, `invalid ${kind} name ${JSON.stringify(key)}`, help)
      }
      const text = this.#yaml.text(value, `${kind} ${key}`, keyAt)
      if (text === undefined) continue
      if (/\p{Cs}/u.test(text.text)) this.#yaml.error(text, `the value of ${kind} ${key} is not valid Unicode`)
      if (areTemplates) this.#checkTemplate(text, `${kind} ${key} of ${what}`)
      values[key] = text.text
    }
    return values
  }

  #checkTemplate(text: YamlText, what: string): void {
    const compiled = compileTemplate(text.text)
    if (isTemplate(compiled)) return
    this.#yaml.error(text.rangeOf(compiled.from, compiled.to), `${what}: ${compiled.message}`, compiled.help)
  }

  #limit(entry: Entry | undefined): number {
    const text = this.#yaml.textAt(entry, 'limit')
    if (text === undefined || text.text === '') return 0
    if (!/^[+-]?\d+$/.test(text.text) || !Number.isSafeInteger(Number(text.text))) {
      this.#yaml.error(text, `limit ${JSON.stringify(text.text)} is not a whole number`)
      return 0
    }
    return Math.max(0, Number(text.text))
  }

  /** The same name with the same labels is legal, and nearly always a mistake. */
  #warnRepeated(rules: readonly ReadRule[]): void {
    const seen = new Set<string>()
    for (const { rule, at } of rules) {
      const key = JSON.stringify([rule.kind, rule.name, Object.entries(rule.labels).sort()])
      const help = 'merge them with `or`, or distinguish them by a label'
      if (seen.has(key)) this.#yaml.warning(at, `${rule.name} is repeated with the same labels`, help)
      seen.add(key)
    }
  }
}

/** Gives each rule its identity inside the group; see `ruleKey`. */
function withKeys(rules: readonly Rule[]): Rule[] {
  const counts = new Map<string, number>()
  return rules.map((rule) => {
    const { severity = '', kubernetes_operator_component: component = '' } = rule.labels
    const same = JSON.stringify([rule.name, severity, component])
    const nth = counts.get(same) ?? 0
    counts.set(same, nth + 1)
    return { ...rule, ruleKey: [rule.name, severity, component, nth].join('/') }
  })
}
