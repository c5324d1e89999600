type Column = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

/** A copy of a typed array with room for `length` numbers; those behind the copied ones are 0. */
export function grown<T extends Column>(column: T, length: number): T {
  const larger = new (column.constructor as new (length: number) => T)(length)
  larger.set(column)
  return larger
}
