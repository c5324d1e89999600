import type { Search } from './address.ts'

/**
 * The state of a page in its query string, field by field. A default value is omitted, so equal views have equal links; an
 * invalid value reads as the default, so an old or hand-written link still opens. Pure.
 */
export interface ViewField<T> {
  readonly read: (params: URLSearchParams) => T
  readonly write: (value: T, view: { readonly sort?: unknown }) => Search
}

export interface ViewCodec<V> {
  /** Every field with its default. */
  readonly initial: V
  readonly parse: (search: string) => V
  readonly searchOf: (view: V) => Search
  /** Whether a field other than the sort differs from its default. */
  readonly isNarrowed: (view: V) => boolean
}

export type ViewOf<C> = C extends ViewCodec<infer V> ? V : never

type Fields<V> = { readonly [K in keyof V]: ViewField<V[K]> }

export function viewCodec<V extends object>(fields: Fields<V>): ViewCodec<V> {
  const names = Object.keys(fields) as (keyof V & string)[]
  const parse = (search: string): V => {
    const params = new URLSearchParams(search)
    return Object.fromEntries(names.map((name) => [name, fields[name].read(params)])) as V
  }
  const searchOf = (view: V): Search =>
    Object.fromEntries(names.flatMap((name) => Object.entries(fields[name].write(view[name], view))))
  const initial: V & { readonly sort?: unknown; readonly order?: unknown } = parse('')
  const { sort, order } = initial
  return {
    initial,
    parse,
    searchOf,
    isNarrowed: (view) => Object.values(searchOf({ ...view, sort, order })).some((value) => value.length > 0),
  }
}

/** Any text; empty by default. */
export function textField(name: string): ViewField<string> {
  return { read: (params) => params.get(name) ?? '', write: (value) => ({ [name]: value }) }
}

/** One of `values`; by default the first. */
export function choiceField<const T extends string>(
  name: string,
  values: readonly T[],
  initial: T = values[0]!,
): ViewField<T> {
  return {
    read: (params) => values.find((value) => value === params.get(name)) ?? initial,
    write: (value) => ({ [name]: value === initial ? '' : value }),
  }
}

/** Some of `values`, in their order. The parameter is repeated, or holds several values with commas between. */
export function choicesField<const T extends string>(name: string, values: readonly T[]): ViewField<readonly T[]> {
  return {
    read: (params) => {
      const asked = params.getAll(name).flatMap((value) => value.split(','))
      return values.filter((value) => asked.includes(value))
    },
    write: (value) => ({ [name]: value }),
  }
}

/** Different texts, at most `most`; the parameter is repeated. */
export function textsField(name: string, most = Infinity): ViewField<readonly string[]> {
  return {
    read: (params) => [...new Set(params.getAll(name))].filter((value) => value !== '').slice(0, most),
    write: (value) => ({ [name]: value }),
  }
}

/** Different ids, at most `most`, with commas between. */
export function idsField(name: string, most = Infinity): ViewField<readonly string[]> {
  return {
    read: (params) => [...new Set(params.get(name)?.split(','))].filter((id) => id !== '').slice(0, most),
    write: (value) => ({ [name]: value.join(',') }),
  }
}

/** False by default; true when the parameter is `word`. */
export function flagField(name: string, word = 'true'): ViewField<boolean> {
  return { read: (params) => params.get(name) === word, write: (value) => ({ [name]: value ? word : '' }) }
}

type Order = 'asc' | 'desc'

/**
 * The sort of a list. The column of names starts at the first name, other columns at the largest value.
 * @param sorts the first is the default
 */
export function sortFields<const S extends string>(
  sorts: readonly S[],
  nameSort: S,
): { readonly sort: ViewField<S>; readonly order: ViewField<Order> } {
  const sort = choiceField('sort', sorts)
  return {
    sort,
    order: {
      read: (params) => {
        const order = params.get('order')
        return order === 'asc' || order === 'desc' ? order : firstOrder(sort.read(params), nameSort)
      },
      write: (order, view) => ({ order: order === firstOrder(view.sort, nameSort) ? '' : order }),
    },
  }
}

function firstOrder(sort: unknown, nameSort: string): Order {
  return sort === nameSort ? 'asc' : 'desc'
}

/** The view after a click on the head of a column: its other direction, or another column. */
export function sortedBy<V extends { readonly sort: string; readonly order: Order }>(
  view: V,
  sort: V['sort'],
  nameSort: V['sort'],
): V {
  const turned = view.order === 'asc' ? 'desc' : 'asc'
  return { ...view, sort, order: sort === view.sort ? turned : firstOrder(sort, nameSort) }
}
