/** OpenTelemetry's AnyValue (common.proto). An integer beyond +-2^53 is a bigint; the empty value is `undefined`. */
export type AttributeValue =
  | undefined
  | string
  | boolean
  | number
  | bigint
  | Uint8Array
  | readonly AttributeValue[]
  | { readonly entries: Attributes }

export interface KeyValue {
  readonly key: string
  readonly value: AttributeValue
}

/** As sent: in wire order, maybe with repeated keys. */
export type Attributes = readonly KeyValue[]

/** The text of an attribute, if it is a text. The last of repeated keys counts. */
export function textAttribute(attributes: Attributes, key: string): string | undefined {
  const value = attributes.findLast((attribute) => attribute.key === key)?.value
  return typeof value === 'string' ? value : undefined
}
