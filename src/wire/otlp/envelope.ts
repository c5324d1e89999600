import { fieldBits, type OtlpReader } from './protobuf.ts'
import { emptyResource, emptyScope, readResource, readScope, type OtlpResource, type OtlpScope } from './resource.ts'
import { LENGTH_DELIMITED, tagOf } from '../protobuf.ts'

/**
 * The common structure of requests for metrics, traces and logs in protobuf: resource, scope, and a list of items; the
 * fields have the same numbers in all three.
 */
interface EnvelopeParts<Item, Scope> {
  /** Reads one item, which ends there. */
  readonly item: (end: number) => Item
  readonly scopeOf: (scope: OtlpScope, items: Item[]) => Scope
}

const B1 = tagOf(1, LENGTH_DELIMITED)
const B2 = tagOf(2, LENGTH_DELIMITED)
const B3 = tagOf(3, LENGTH_DELIMITED)
const REQUEST_FIELDS = fieldBits(1)
const LEVEL_FIELDS = fieldBits(1, 2, 3)

/** @throws DecodeError when it is not such a request, and what `item` throws */
export function readEnvelope<Item, Scope>(
  reader: OtlpReader,
  end: number,
  parts: EnvelopeParts<Item, Scope>,
): { readonly resource: OtlpResource; readonly scopes: Scope[] }[] {
  const resources: { readonly resource: OtlpResource; readonly scopes: Scope[] }[] = []
  reader.fields(end, REQUEST_FIELDS, (tag) => {
    if (tag !== B1) return false
    const resourceEnd = reader.lengthDelimitedEnd(end)
    const resource = emptyResource()
    const scopes: Scope[] = []
    reader.fields(resourceEnd, LEVEL_FIELDS, (inner) => {
      if (inner === B1) readResource(reader, resourceEnd, resource)
      else if (inner === B2) scopes.push(readScopeItems(reader, reader.lengthDelimitedEnd(resourceEnd), parts))
      else if (inner === B3) resource.schemaUrl = reader.text(resourceEnd)
      else return false
      return true
    })
    resources.push({ resource, scopes })
    return true
  })
  return resources
}

function readScopeItems<Item, Scope>(
  reader: OtlpReader,
  end: number,
  { item, scopeOf }: EnvelopeParts<Item, Scope>,
): Scope {
  const scope = emptyScope()
  const items: Item[] = []
  reader.fields(end, LEVEL_FIELDS, (tag) => {
    if (tag === B1) readScope(reader, end, scope)
    else if (tag === B2) items.push(item(reader.lengthDelimitedEnd(end)))
    else if (tag === B3) scope.schemaUrl = reader.text(end)
    else return false
    return true
  })
  return scopeOf(scope, items)
}
