import { useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Search } from '../lib/address.ts'
import type { ViewCodec } from '../lib/view-codec.ts'

interface AddressView<V> {
  readonly view: V
  /** Changes fields in the address. The history has one entry for a page, unless the change `isNewEntry`. */
  readonly change: (part: Partial<V>, isNewEntry?: boolean) => void
  /** The handler of a control that sets one field. */
  readonly set: <K extends keyof V>(name: K) => (value: V[K]) => void
}

/** The state of a page in its address. @param pathOf the page with a query string */
export function useView<V extends object>(codec: ViewCodec<V>, pathOf: (search: Search) => string): AddressView<V> {
  const search = useSearch()
  const view = useMemo(() => codec.parse(search), [codec, search])
  const [, navigate] = useLocation()
  const change = (part: Partial<V>, isNewEntry = false): void => {
    navigate(pathOf(codec.searchOf({ ...view, ...part })), { replace: !isNewEntry })
  }
  return {
    view,
    change,
    set: (name) => (value) => {
      change({ [name]: value } as unknown as Partial<V>)
    },
  }
}
