import {
  ALL_VALUES,
  type DashboardModel,
  type ListVariable,
  type Variable,
  type VariableSort,
} from '../../../model/dashboard.ts'
import { variablesIn, type VariableValue } from './interpolate.ts'

/** What can be chosen for a variable, what is chosen, and in which order variables have to be known. Pure. */

export interface Option {
  readonly value: string
  readonly label: string
}

/** In the address: `var-cluster=a&var-cluster=b`. */
export const VARIABLE_PREFIX = 'var-'

/** Options of values as they came: captured, sorted, each once. */
export function toOptions(
  raw: readonly Option[],
  { capturingRegexp, sort }: Pick<ListVariable, 'capturingRegexp' | 'sort'>,
): readonly Option[] {
  const captured = capturingRegexp === '' ? raw : raw.flatMap((option) => capture(option, capturingRegexp))
  const once = [...new Map(captured.map((option) => [option.value, option])).values()]
  return once.sort(ORDERS[sort])
}

/** All groups of all matches one after the other, as Perses has it; without groups what matches. Labels of their own stay. */
function capture({ value, label: own }: Option, capturingRegexp: string): Option[] {
  const matches = [...value.matchAll(new RegExp(capturingRegexp, 'g'))]
  const text = matches.flatMap((match) => (match.length === 1 ? match : match.slice(1))).join('')
  return text === '' ? [] : [{ value: text, label: own === value ? text : own }]
}

type Order = (a: Option, b: Option) => number

const byText =
  (textOf: (option: Option) => string): Order =>
  (a, b) =>
    textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0
const byNumber: Order = (a, b) => (parseFloat(a.value) || 0) - (parseFloat(b.value) || 0)
const reversed =
  (order: Order): Order =>
  (a, b) =>
    order(b, a)

const label = ({ label: text }: Option): string => text
const folded = ({ label: text }: Option): string => text.toLowerCase()

const ORDERS: Readonly<Record<VariableSort, Order>> = {
  none: () => 0,
  'alphabetical-asc': byText(label),
  'alphabetical-desc': reversed(byText(label)),
  'numerical-asc': byNumber,
  'numerical-desc': reversed(byNumber),
  'alphabetical-ci-asc': byText(folded),
  'alphabetical-ci-desc': reversed(byText(folded)),
}

/** What the address, or else the file, chooses. The first option where neither does. */
export function chosenOf(
  variable: ListVariable,
  search: URLSearchParams,
  options: readonly Option[],
): readonly string[] {
  const asked = search.getAll(`${VARIABLE_PREFIX}${variable.name}`)
  const chosen = asked.length > 0 ? asked : variable.defaultValues
  const kept = chosen.filter((value) => value !== ALL_VALUES || variable.allowsAll)
  if (kept.includes(ALL_VALUES)) return [ALL_VALUES]
  if (kept.length > 0) return variable.allowsMultiple ? kept : kept.slice(0, 1)
  if (variable.allowsAll) return [ALL_VALUES]
  return options.slice(0, 1).map(({ value }) => value)
}

/** All of more values than this are asked as the pattern of anything: a query must fit into an address. */
const ALL_LISTED_MAX = 200

/** What stands in the queries for what is chosen. */
export function valueOf(variable: ListVariable, chosen: readonly string[], options: readonly Option[]): VariableValue {
  if (!chosen.includes(ALL_VALUES)) return { values: chosen, isPattern: false }
  if (variable.customAllValue !== '') return { values: [variable.customAllValue], isPattern: true }
  if (options.length === 0 || options.length > ALL_LISTED_MAX) return { values: ['.+'], isPattern: true }
  return { values: options.map(({ value }) => value), isPattern: false }
}

export function textValueOf(variable: Extract<Variable, { kind: 'text' }>, search: URLSearchParams): VariableValue {
  const asked = variable.isConstant ? null : search.get(`${VARIABLE_PREFIX}${variable.name}`)
  return { values: [asked ?? variable.value], isPattern: true }
}

/** Names of variables that a variable's values depend on. */
export function dependenciesOf(variable: Variable): readonly string[] {
  if (variable.kind === 'text') return []
  const { source } = variable
  switch (source.kind) {
    case 'label-values':
      return [...new Set([source.labelName, ...source.matchers].flatMap(variablesIn))]
    case 'label-names':
      return [...new Set(source.matchers.flatMap(variablesIn))]
    case 'promql':
      return [...new Set([source.expr, source.labelName].flatMap(variablesIn))]
    case 'static':
    case 'unknown':
      return []
  }
}

/** Variables in an order in which each comes after those it depends on. Those of a ring are named, and come last. */
export function inOrder(variables: DashboardModel['variables']): {
  readonly ordered: readonly Variable[]
  readonly ring: readonly string[]
} {
  const names = new Set(variables.map(({ name }) => name))
  const ordered: Variable[] = []
  const known = new Set<string>()
  let waiting = [...variables]
  while (waiting.length > 0) {
    const ready = waiting.filter((one) => dependenciesOf(one).every((name) => known.has(name) || !names.has(name)))
    if (ready.length === 0) break
    for (const one of ready) known.add(one.name)
    ordered.push(...ready)
    waiting = waiting.filter((one) => !known.has(one.name))
  }
  return { ordered: [...ordered, ...waiting], ring: waiting.map(({ name }) => name) }
}
