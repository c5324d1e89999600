import { announcedBytes } from '../wire/snappy.ts'

/** After decompression. Relays of 10,000 samples have 5 MiB, and take 100 ms at most. */
const LARGE_DECODED_BYTES = 8 * 1024 * 1024

/** The decoded length of a remote write request, as its body announces. @param pieces of the body, as received */
export function decodedBytesOf(pieces: readonly Uint8Array[]): number {
  return announcedBytes(pieces)
}

/** Whether a remote write request is written in steps. @param decodedBytes as its body announces */
export function isLargeWrite(decodedBytes: number): boolean {
  return decodedBytes >= LARGE_DECODED_BYTES
}
