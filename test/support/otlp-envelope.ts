import fc from 'fast-check'
import type { OtlpResource, OtlpScope } from '../../src/wire/otlp/resource.ts'
import { FIXED32 } from '../../src/wire/protobuf.ts'
import { attributeList, attributes, bytesOf, each, entryJson, integer, message, text, type Write } from './otlp.ts'

/** What requests of traces and of logs have in common, as senders write it: resources and, in them, scopes with items. */
export interface Envelope<Scope extends { readonly scope: OtlpScope }> {
  readonly resource: OtlpResource
  readonly scopes: readonly Scope[]
}

/** @param items of a scope, each of them field 2 */
export function envelopeProtobuf<Scope extends { readonly scope: OtlpScope }>(
  resources: readonly Envelope<Scope>[],
  items: (scope: Scope) => Write,
): Uint8Array {
  return bytesOf(
    each(resources, ({ resource, scopes }) =>
      message(
        1,
        message(1, attributes(1, resource.attributes), integer(2, resource.droppedAttributes)),
        each(scopes, (one) => message(2, scopeMessage(one.scope), items(one), text(3, one.scope.schemaUrl))),
        text(3, resource.schemaUrl),
      ),
    ),
  )
}

function scopeMessage({ name, version, attributes: list, droppedAttributes }: OtlpScope): Write {
  return message(1, text(1, name), text(2, version), attributes(3, list), integer(4, droppedAttributes))
}

export const fixed32 =
  (field: number, value: number): Write =>
  (writer) => {
    if (value === 0) return
    writer.tag(field, FIXED32)
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    writer.raw(bytes)
  }

export const hex =
  (field: number, id: string): Write =>
  (writer) => {
    if (id !== '') writer.bytes(field, Buffer.from(id, 'hex'))
  }

/** One element of `resourceSpans` or `resourceLogs`. @param scopesKey `scopeSpans`, `scopeLogs` */
export function envelopeJson<Scope extends { readonly scope: OtlpScope }>(
  { resource, scopes }: Envelope<Scope>,
  scopesKey: string,
  items: (scope: Scope) => Readonly<Record<string, unknown>>,
): unknown {
  return {
    resource: { attributes: resource.attributes.map(entryJson), droppedAttributesCount: resource.droppedAttributes },
    schemaUrl: resource.schemaUrl,
    [scopesKey]: scopes.map((one) => ({
      scope: {
        name: one.scope.name,
        version: one.scope.version,
        attributes: one.scope.attributes.map(entryJson),
        // Numbers where others send texts, and the other way round.
        droppedAttributesCount: String(one.scope.droppedAttributes),
      },
      schemaUrl: one.scope.schemaUrl,
      ...items(one),
    })),
  }
}

const schemaUrl = fc.constantFrom('', 'https://schema.example/1')
const droppedAttributes = fc.nat(0xffffffff)

const arbitraryResource: fc.Arbitrary<OtlpResource> = fc.record({
  attributes: attributeList,
  droppedAttributes,
  schemaUrl,
})

const arbitraryScope: fc.Arbitrary<OtlpScope> = fc.record({
  name: fc.string({ maxLength: 5, unit: 'grapheme' }),
  version: fc.constantFrom('', '1'),
  attributes: attributeList,
  droppedAttributes,
  schemaUrl,
})

/** @param items of one scope, up to three */
export function arbitraryEnvelopes<Item>(
  item: fc.Arbitrary<Item>,
): fc.Arbitrary<readonly Envelope<{ readonly scope: OtlpScope; readonly items: readonly Item[] }>[]> {
  const scope = fc.record({ scope: arbitraryScope, items: fc.array(item, { maxLength: 3 }) })
  const resource = fc.record({ resource: arbitraryResource, scopes: fc.array(scope, { maxLength: 2 }) })
  return fc.array(resource, { maxLength: 2 })
}
