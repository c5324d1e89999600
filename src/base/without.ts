/** A copy without one field. */
export function without<T extends object, K extends keyof T & string>(value: T, field: K): Omit<T, K> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== field)) as Omit<T, K>
}
