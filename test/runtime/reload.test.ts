import { expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import { silentLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { createReloader, type Reloadable } from '../../src/runtime/reload.ts'
import { FakeClock } from '../support/fake-clock.ts'

function reloaderOf(...reloadables: readonly Reloadable[]) {
  const clock = new FakeClock(5000)
  const metrics = createOwnMetrics('0')
  return { clock, metrics, reloader: createReloader({ reloadables, clock, metrics, log: silentLog }) }
}

/** Notes what is in use; `fault` refuses the next reading. */
function noting(name: string, seen: string[], fault?: () => string | undefined): Reloadable {
  return {
    name,
    places: ['/etc/daytwo', `/etc/${name}`],
    read: () => {
      const message = fault?.()
      if (message !== undefined) throw new FleetError('content_invalid', message)
      seen.push(`${name} read`)
      return () => {
        seen.push(`${name} used`)
      }
    },
  }
}

test('everything is read before anything is taken into use', async () => {
  const seen: string[] = []
  const { clock, metrics, reloader } = reloaderOf(noting('a', seen), noting('b', seen))
  expect(reloader.status()).toEqual({ isSuccessful: true, lastSuccessMs: 5000 })
  clock.set(9000)
  await reloader.reload('signal')
  expect(seen).toEqual(['a read', 'b read', 'a used', 'b used'])
  expect(reloader.status()).toEqual({ isSuccessful: true, lastSuccessMs: 9000, lastAttemptMs: 9000, cause: 'signal' })
  expect(reloader.places).toEqual(['/etc/daytwo', '/etc/a', '/etc/b'])
  const shown = await metrics.registry.metrics()
  expect(shown).toContain('daytwo_config_last_reload_successful 1')
  expect(shown).toContain('daytwo_config_last_reload_success_timestamp_seconds 9')
  expect(shown).toContain('daytwo_reloads_total{cause="signal",outcome="ok"} 1')
})

test('one bad file changes nothing, and all that is wrong is told', async () => {
  const seen: string[] = []
  const faults = new Map([
    ['b', 'b is bad'],
    ['c', 'c too'],
  ])
  const fault = (name: string) => () => faults.get(name)
  const { clock, metrics, reloader } = reloaderOf(
    noting('a', seen),
    noting('b', seen, fault('b')),
    noting('c', seen, fault('c')),
  )
  clock.set(9000)
  await expect(reloader.reload('request')).rejects.toMatchObject({
    code: 'content_invalid',
    message: 'b is bad\n\nc too',
  })
  expect(seen).toEqual(['a read'])
  expect(reloader.status()).toEqual({
    isSuccessful: false,
    lastSuccessMs: 5000,
    lastAttemptMs: 9000,
    cause: 'request',
    error: 'b is bad\n\nc too',
  })
  expect(await metrics.registry.metrics()).toContain('daytwo_config_last_reload_successful 0')

  faults.clear()
  await reloader.reload('files')
  expect(reloader.status()).toMatchObject({ isSuccessful: true, cause: 'files' })
  expect(reloader.status()).not.toHaveProperty('error')
})

test('reloads follow each other', async () => {
  const seen: string[] = []
  const { reloader } = reloaderOf(noting('a', seen))
  await Promise.all([reloader.reload('request'), reloader.reload('signal')])
  expect(seen).toEqual(['a read', 'a used', 'a read', 'a used'])
})
