import {
  ALL_VALUES,
  type DashboardModel,
  type ListVariable,
  type Variable,
  type VariableSort,
} from '../../../model/dashboard.ts'
import { variablesIn, type VariableValue } from './interpolate.ts'

/** Options, selections and the order of a dashboard's variables. Pure. */

export interface Option {
  readonly value: string
  readonly label: string
}

/** In the address: `var-cluster=a&var-cluster=b`. */
export const VARIABLE_PREFIX = 'var-'

/** Options of raw values: captured, sorted, without duplicates. */
export function toOptions(
  raw: readonly Option[],
  { capturingRegexp, sort }: Pick<ListVariable, 'capturingRegexp' | 'sort'>,
): readonly Option[] {
  const captured = capturingRegexp === '' ? raw : raw.flatMap((option) => capture(option, capturingRegexp))
  const once = [...new Map(captured.map((option) => [option.value, option])).values()]
  return once.sort(ORDERS[sort])
}

/** All groups of all matches joined, as in Perses; without groups the match. Own labels stay. */
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

/** The selection of the address, or else of the file, or else the first option. */
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

/** All values are replaced by `.+` above this number: a query must fit into an address. */
const ALL_LISTED_MAX = 200

/** The value of a selection in queries. */
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

/** The variables that a variable depends on. */
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

/** Dependencies first. Variables in a ring are last, and listed. */
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
