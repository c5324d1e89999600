/**
 * The value of a record's own property. Names of senders are foreign: of a plain object `record['constructor']` is a function
 * that is not in the table. Tables of the program are Maps instead; test/foreign-keys.test.ts reports every other look-up.
 */
export function ownValue<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
