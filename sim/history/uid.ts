import { hashOf } from '../random.ts'

/** A version 4 uuid of a name: the same object always has the same one. */
export function uidOf(...name: readonly (string | number)[]): string {
  const hex = [0, 1, 2, 3]
    .map((part) =>
      hashOf(...name, 'uid', part)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('')
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4]!
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
