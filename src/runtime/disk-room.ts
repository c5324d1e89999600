/** How much room the disk of the store has, measured: what is left when somebody else fills it shows here too. */
import { statfs } from 'node:fs/promises'
import type { OwnMetrics } from '../base/metrics.ts'

export interface DiskRoom {
  /** What this process may use, which is less than what root may. */
  readonly freeBytes: number
  readonly sizeBytes: number
}

/**
 * Measures, and sets both gauges.
 *
 * @param folder any folder on that disk
 * @throws what the operating system says when the folder is not there any more
 */
export async function measureDisk(folder: string, metrics: OwnMetrics): Promise<DiskRoom> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const room = { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
  metrics.storeDiskFreeBytes.set(room.freeBytes)
  metrics.storeDiskSizeBytes.set(room.sizeBytes)
  return room
}
