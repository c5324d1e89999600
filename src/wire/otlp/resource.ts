import type { Attributes, KeyValue } from '../../model/attribute.ts'
import { messageField, textField, unsigned32Field, type JsonAttributes, type JsonObject } from './json.ts'
import { fieldBits, type OtlpReader } from './protobuf.ts'
import { LENGTH_DELIMITED, VARINT, tagOf } from '../protobuf.ts'

/** Who sent spans and log records: resource.proto and the scope of common.proto, in both encodings. */
export interface OtlpResource {
  readonly attributes: Attributes
  /** Number of attributes that the sender dropped because of its limits. */
  readonly droppedAttributes: number
  readonly schemaUrl: string
}

export interface OtlpScope {
  readonly name: string
  readonly version: string
  readonly attributes: Attributes
  readonly droppedAttributes: number
  readonly schemaUrl: string
}

/** While it is read: a message sent twice merges. */
interface ResourceParts extends OtlpResource {
  readonly attributes: KeyValue[]
  droppedAttributes: number
  schemaUrl: string
}

interface ScopeParts extends OtlpScope {
  name: string
  version: string
  readonly attributes: KeyValue[]
  droppedAttributes: number
  schemaUrl: string
}

export function emptyResource(): ResourceParts {
  return { attributes: [], droppedAttributes: 0, schemaUrl: '' }
}

export function emptyScope(): ScopeParts {
  return { name: '', version: '', attributes: [], droppedAttributes: 0, schemaUrl: '' }
}

const B1 = tagOf(1, LENGTH_DELIMITED)
const B2 = tagOf(2, LENGTH_DELIMITED)
const B3 = tagOf(3, LENGTH_DELIMITED)
const V2 = tagOf(2, VARINT)
const V4 = tagOf(4, VARINT)
const RESOURCE_FIELDS = fieldBits(1, 2)
const SCOPE_FIELDS = fieldBits(1, 2, 3, 4)

/** The content of a length-delimited field; `parentEnd` is where the message ends that has it. */
export function readResource(reader: OtlpReader, parentEnd: number, resource: ResourceParts): void {
  const end = reader.lengthDelimitedEnd(parentEnd)
  reader.fields(end, RESOURCE_FIELDS, (tag) => {
    if (tag === B1) resource.attributes.push(reader.keyValue(end))
    else if (tag === V2) resource.droppedAttributes = reader.varint32(end)
    else return false
    return true
  })
}

/** As `readResource`. */
export function readScope(reader: OtlpReader, parentEnd: number, scope: ScopeParts): void {
  const end = reader.lengthDelimitedEnd(parentEnd)
  reader.fields(end, SCOPE_FIELDS, (tag) => {
    if (tag === B1) scope.name = reader.text(end)
    else if (tag === B2) scope.version = reader.text(end)
    else if (tag === B3) scope.attributes.push(reader.keyValue(end))
    else if (tag === V4) scope.droppedAttributes = reader.varint32(end)
    else return false
    return true
  })
}

/** @param parent the message that has it: ResourceSpans, ResourceLogs */
export function resourceFromJson(parent: JsonObject, attributes: JsonAttributes): OtlpResource {
  const resource = messageField(parent, 'resource')
  return {
    attributes: attributes.read(resource),
    droppedAttributes: unsigned32Field(resource, 'droppedAttributesCount'),
    schemaUrl: textField(parent, 'schemaUrl'),
  }
}

/** @param parent the message that has it: ScopeSpans, ScopeLogs */
export function scopeFromJson(parent: JsonObject, attributes: JsonAttributes): OtlpScope {
  const scope = messageField(parent, 'scope')
  return {
    name: textField(scope, 'name'),
    version: textField(scope, 'version'),
    attributes: attributes.read(scope),
    droppedAttributes: unsigned32Field(scope, 'droppedAttributesCount'),
    schemaUrl: textField(parent, 'schemaUrl'),
  }
}
