/**
 * Templates in alert labels and annotations: the part of Go's text/template that rule files use, with Prometheus'
 * functions. Syntax errors and unknown functions are reported when a file is loaded; a later failure becomes text in the
 * annotation, because an alert with a bad summary must still be delivered.
 */
import { messageOf } from '../base/errors.ts'
import type { QueryValue } from '../promql/query-engine.ts'
import type { TemplateTree } from '../template/ast.ts'
import { evaluateTemplate } from '../template/evaluate.ts'
import { GO_FUNCTIONS } from '../template/go-functions.ts'
import { TemplateSyntaxError } from '../template/lexer.ts'
import { parseTemplate } from '../template/parse.ts'
import { TemplateError, labelMap, type ListValue, type SampleValue, type Value } from '../template/value.ts'
import { PROMETHEUS_FUNCTIONS, type FunctionContext } from './template-functions.ts'

const FUNCTIONS = { ...GO_FUNCTIONS, ...PROMETHEUS_FUNCTIONS }
const FUNCTION_NAMES: ReadonlySet<string> = new Set(Object.keys(FUNCTIONS))
const VARIABLES = ['$labels', '$externalLabels', '$externalURL', '$value'] as const

/** Maximum number of queries of one expansion. */
const QUERIES_MAX = 50

export interface Template {
  readonly text: string
  /** `undefined`: nothing to expand, the text is the result. */
  readonly tree: TemplateTree | undefined
}

interface TemplateProblem {
  readonly message: string
  readonly help: string | undefined
  /** Offsets into the template's text, `to` exclusive. */
  readonly from: number
  readonly to: number
}

/** The data of a template: one sample of an alert's expression. */
export interface TemplateSubject {
  readonly labels: Readonly<Record<string, string>>
  /** A native histogram is passed in Prometheus' text form. */
  readonly value: number | string
}

export interface TemplateScope {
  readonly nowMs: number
  /** Without a trailing slash. */
  readonly externalUrl: string
  readonly externalLabels: Readonly<Record<string, string>>
  /** An instant query at `nowMs`. */
  readonly query: (expr: string) => Promise<QueryValue>
  /** Results so far. Shared by the templates of one evaluation, so that equal queries run once. */
  readonly answers: Map<string, QueryAnswer>
}

export type QueryAnswer = { readonly list: ListValue } | { readonly error: string }

/** Parses a template; text without `{{` is not parsed. */
export function compileTemplate(text: string): Template | TemplateProblem {
  if (!text.includes('{{')) return { text, tree: undefined }
  try {
    return { text, tree: parseTemplate(text, FUNCTION_NAMES, VARIABLES) }
  } catch (thrown) {
    if (!(thrown instanceof TemplateSyntaxError)) throw thrown
    const { message, help, from, to } = thrown
    return { message, help, from, to }
  }
}

export function isTemplate(compiled: Template | TemplateProblem): compiled is Template {
  return 'tree' in compiled
}

/** Whether the template may expand to another text at another time for the same subject. */
export function isVolatile(template: Template): boolean {
  const functions = template.tree?.functions
  return functions !== undefined && (functions.has('query') || functions.has('now'))
}

/** The expanded text. Never rejects: a failure becomes `<error expanding template: ...>`, as in Prometheus. */
export async function expandTemplate(
  template: Template,
  subject: TemplateSubject,
  scope: TemplateScope,
): Promise<string> {
  for (let queries = 0; queries <= QUERIES_MAX; queries++) {
    const result = runTemplate(template, subject, scope)
    if (typeof result === 'string') return result
    scope.answers.set(result.expr, await answer(result.expr, scope))
  }
  return failureText(`more than ${QUERIES_MAX} queries`)
}

/** The expanded text, or the query that has to run first. */
function runTemplate(template: Template, subject: TemplateSubject, scope: TemplateScope): string | PendingQuery {
  if (template.tree === undefined) return template.text
  const labels = labelMap(subject.labels)
  const externalLabels = labelMap(scope.externalLabels)
  const { externalUrl } = scope
  const fields: Readonly<Record<string, Value>> = {
    Labels: labels,
    ExternalLabels: externalLabels,
    ExternalURL: externalUrl,
    Value: subject.value,
  }
  const variables = {
    $labels: labels,
    $externalLabels: externalLabels,
    $externalURL: externalUrl,
    $value: subject.value,
  }
  try {
    const context: FunctionContext = { nowMs: scope.nowMs, externalUrl, query: (expr) => answerOf(expr, scope.answers) }
    return evaluateTemplate({
      tree: template.tree,
      functions: FUNCTIONS,
      context,
      root: { kind: 'root', fields },
      variables,
    })
  } catch (thrown) {
    if (thrown instanceof PendingQuery) return thrown
    if (thrown instanceof TemplateError) return failureText(thrown.message)
    throw thrown
  }
}

/** Stops an expansion: the template needs a query that has not run yet. */
class PendingQuery extends Error {
  override readonly name = 'PendingQuery'
  readonly expr: string

  constructor(expr: string) {
    super('the template waits for a query')
    this.expr = expr
  }
}

function answerOf(expr: string, answers: ReadonlyMap<string, QueryAnswer>): ListValue {
  const found = answers.get(expr)
  if (found === undefined) throw new PendingQuery(expr)
  if ('error' in found) throw new TemplateError(found.error)
  return found.list
}

async function answer(expr: string, scope: TemplateScope): Promise<QueryAnswer> {
  try {
    const value = await scope.query(expr)
    return { list: { kind: 'list', items: samplesOf(value) } }
  } catch (thrown) {
    return { error: messageOf(thrown) }
  }
}

function samplesOf(value: QueryValue): SampleValue[] {
  const sample = (record: Readonly<Record<string, string>>, number: number): SampleValue => {
    return { kind: 'sample', labels: labelMap(record), value: number }
  }
  switch (value.type) {
    case 'vector':
      // As in Prometheus, the value of a native histogram is 0 here.

      return value.samples.map(({ labels, value: number, histogram }) =>
        sample(labels.toObject(), histogram === undefined ? number : 0),
      )
    case 'scalar':
      return [sample({}, value.value)]
    case 'string':
      return [sample({ __value__: value.value }, 0)]
    case 'matrix':
      throw new TemplateError('query returned a range vector; want an instant vector')
  }
}

function failureText(message: string): string {
  return `<error expanding template: ${message}>`
}
