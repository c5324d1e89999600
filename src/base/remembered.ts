/** A function of an object that is computed once for each, and forgotten with it. */
export function remembered<K extends object, T>(compute: (key: K) => T): (key: K) => T {
  const known = new WeakMap<K, { readonly value: T }>()
  return (key) => {
    let found = known.get(key)
    if (found === undefined) known.set(key, (found = { value: compute(key) }))
    return found.value
  }
}
