/** What makes two patches the same: the operand and the operations, however the annotation is written. */
import type { Modification } from '../../model/cluster-record.ts'
import { idOf } from '../derive/id.ts'
import { isShallow, canonicalText } from './pointer.ts'
import { VALUE_DEPTH_MAX } from '../derive/json-patches.ts'

/** 16 hex digits. Patches whose operations are not known are one per text and operand. */
export function patchKeyOf({
  component,
  operations,
  text,
}: Pick<Modification, 'component' | 'operations' | 'text'>): string {
  if (operations === undefined) return idOf(component, text).slice(0, 16)
  const isReadable = operations.every(({ value }) => isShallow(value, VALUE_DEPTH_MAX))
  return idOf(component, isReadable ? canonicalText(operations) : JSON.stringify(operations)).slice(0, 16)
}
