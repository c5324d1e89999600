import type { Steps } from '../../base/thread-slices.ts'
import { fieldBits, type OtlpReader } from './protobuf.ts'
import { emptyResource, emptyScope, readResource, readScope, type OtlpResource, type OtlpScope } from './resource.ts'
import { LENGTH_DELIMITED, tagOf } from '../protobuf.ts'

/**
 * The common structure of requests for metrics, traces and logs in protobuf: resource, scope, and a list of items; the
 * fields have the same numbers in all three.
 */
interface EnvelopeParts<Item, Scope> {
  /** Reads one item, which ends there, in one step or more. */
  readonly item: (end: number) => Steps<Item>
  readonly scopeOf: (scope: OtlpScope, items: Item[]) => Scope
}

const B1 = tagOf(1, LENGTH_DELIMITED)
const B2 = tagOf(2, LENGTH_DELIMITED)
const B3 = tagOf(3, LENGTH_DELIMITED)
const REQUEST_FIELDS = fieldBits(1)
const LEVEL_FIELDS = fieldBits(1, 2, 3)

/** @throws DecodeError when it is not such a request, and what `item` throws */
export function* readEnvelope<Item, Scope>(
  reader: OtlpReader,
  end: number,
  parts: EnvelopeParts<Item, Scope>,
): Steps<{ readonly resource: OtlpResource; readonly scopes: Scope[] }[]> {
  const resources: { readonly resource: OtlpResource; readonly scopes: Scope[] }[] = []
  while (reader.position < end) {
    const tag = reader.tag(end)
    if (tag === B1) {
      resources.push(yield* readResourceItems(reader, reader.lengthDelimitedEnd(end), parts))
      yield false
    } else reader.skipUnknown(tag, end, REQUEST_FIELDS)
  }
  return resources
}

function* readResourceItems<Item, Scope>(
  reader: OtlpReader,
  end: number,
  parts: EnvelopeParts<Item, Scope>,
): Steps<{ readonly resource: OtlpResource; readonly scopes: Scope[] }> {
  const resource = emptyResource()
  const scopes: Scope[] = []
  while (reader.position < end) {
    const tag = reader.tag(end)
    if (tag === B1) readResource(reader, end, resource)
    else if (tag === B2) {
      scopes.push(yield* readScopeItems(reader, reader.lengthDelimitedEnd(end), parts))
      yield false
    } else if (tag === B3) resource.schemaUrl = reader.text(end)
    else reader.skipUnknown(tag, end, LEVEL_FIELDS)
  }
  return { resource, scopes }
}

function* readScopeItems<Item, Scope>(
  reader: OtlpReader,
  end: number,
  { item, scopeOf }: EnvelopeParts<Item, Scope>,
): Steps<Scope> {
  const scope = emptyScope()
  const items: Item[] = []
  while (reader.position < end) {
    const tag = reader.tag(end)
    if (tag === B1) readScope(reader, end, scope)
    else if (tag === B2) items.push(yield* item(reader.lengthDelimitedEnd(end)))
    else if (tag === B3) scope.schemaUrl = reader.text(end)
    else reader.skipUnknown(tag, end, LEVEL_FIELDS)
  }
  return scopeOf(scope, items)
}
