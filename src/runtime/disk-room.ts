/** The measured free space of the store's disk, which other programs may fill too. */
import { statfs } from 'node:fs/promises'
import type { OwnMetrics } from '../base/metrics.ts'

export interface DiskRoom {
  /** Available to this process; root may use more. */
  readonly freeBytes: number
  readonly sizeBytes: number
}

/**
 * Measures the disk and sets both gauges.
 *
 * @param folder any folder on the disk
 * @throws the error of the operating system when the folder no longer exists
 */
export async function measureDisk(folder: string, metrics: OwnMetrics): Promise<DiskRoom> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const room = { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
  metrics.storeDiskFreeBytes.set(room.freeBytes)
  metrics.storeDiskSizeBytes.set(room.sizeBytes)
  return room
}
