/** How much room the disk of the store has, measured: what is left when somebody else fills it shows here too. */
import { statfs } from 'node:fs/promises'
import type { OwnMetrics } from './base/metrics.ts'

/**
 * Sets both gauges. Free is what this process may use, which is less than what root may.
 *
 * @param folder any folder on that disk
 * @throws what the operating system says when the folder is not there any more
 */
export async function measureDisk(folder: string, metrics: OwnMetrics): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder)
  metrics.storeDiskFreeBytes.set(bavail * bsize)
  metrics.storeDiskSizeBytes.set(blocks * bsize)
}
