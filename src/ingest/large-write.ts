import { announcedBytes } from '../wire/snappy.ts'

/** After decompression. Relays of 10,000 samples have 5 MiB, and take 100 ms at most. */
const LARGE_DECODED_BYTES = 8 * 1024 * 1024

/** Whether a remote write request is written in steps, by what its body announces. @param pieces of the body, as received */
export function isLargeWrite(pieces: readonly Uint8Array[]): boolean {
  return announcedBytes(pieces) >= LARGE_DECODED_BYTES
}
