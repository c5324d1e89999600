import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { measureDisk } from '../../src/runtime/disk-room.ts'

async function valueOf(gauge: { get(): Promise<{ values: { value: number }[] }> }): Promise<number | undefined> {
  return (await gauge.get()).values[0]?.value
}

test('the room of a disk is some of its size', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daytwo-disk-'))
  const metrics = createOwnMetrics('0')
  await measureDisk(folder, metrics)
  rmSync(folder, { recursive: true })
  const [free, size] = [await valueOf(metrics.storeDiskFreeBytes), await valueOf(metrics.storeDiskSizeBytes)]
  expect(size).toBeGreaterThan(1024 * 1024)
  expect(free).toBeGreaterThan(0)
  expect(free).toBeLessThanOrEqual(size ?? 0)
})

test('a folder that is gone is an error, and the gauges stay as they were', async () => {
  const metrics = createOwnMetrics('0')
  metrics.storeDiskFreeBytes.set(7)
  await expect(measureDisk(join(tmpdir(), 'daytwo-no-such-folder'), metrics)).rejects.toThrow('ENOENT')
  expect(await valueOf(metrics.storeDiskFreeBytes)).toBe(7)
})
