/** Where a query is asked: here. A file that names another server is told so. */
import { partAt, tellUndone, textAt } from './part.ts'
import type { Part } from './part.ts'

/** A kind without a name means whatever is usual, which this server is. */
export function tellOtherSource(part: Part): void {
  const source = partAt(part, 'datasource', `the datasource of ${part.what}`, ['kind', 'name'])
  const name = textAt(source, 'name')
  if (name !== '') tellUndone(part, 'datasource', `it is asked of this server, not of ${name}`)
}
