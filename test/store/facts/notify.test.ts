import { describe, expect, test } from 'vitest'
import type { DeliveryRecord } from '../../../src/model/delivery.ts'
import { DELIVERIES_MAX } from '../../../src/store/facts/deliveries.ts'
import { describeInBoth } from './in-both.ts'

describeInBoth('notifications', (open) => {
  describe('the notification log', () => {
    const entry = { key: '["g","r","webhook",0]', atMs: 1000, firing: ['a', 'b'], resolved: [], expiresAtMs: 5000 }

    test('keeps the last entry under each key, in the order of the keys', async () => {
      const { notificationLog } = await open()
      await notificationLog.put([entry, { ...entry, key: 'a' }])
      await notificationLog.put([{ ...entry, firing: [], resolved: ['a'], atMs: 2000 }])
      expect(await notificationLog.load()).toEqual([
        { ...entry, firing: [], resolved: ['a'], atMs: 2000 },
        { ...entry, key: 'a' },
      ])
    })

    test('forgets what has expired, not what expires now', async () => {
      const { notificationLog } = await open()
      await notificationLog.put([entry])
      await notificationLog.prune(5000)
      expect(await notificationLog.load()).toHaveLength(1)
      await notificationLog.prune(5001)
      expect(await notificationLog.load()).toEqual([])
    })

    test('takes none, and more than one statement holds', async () => {
      const { notificationLog } = await open()
      await notificationLog.put([])
      await notificationLog.put(Array.from({ length: 1201 }, (_, i) => ({ ...entry, key: String(i) })))
      expect(await notificationLog.load()).toHaveLength(1201)
    })
  })

  describe('deliveries', () => {
    const delivery: DeliveryRecord = {
      atMs: 1000,
      receiver: 'oncall',
      integration: 'webhook',
      target: 'http://h/…',
      groupKey: '{}:{}',
      alertnames: ['A'],
      fingerprints: ['00000000000000aa'],
      reason: 'first',
      outcome: 'delivered',
      attempt: 1,
      status: 200,
      latencyMs: 12.5,
      payload: '{"x":1}',
      answer: 'ok',
    }
    const failed: DeliveryRecord = {
      atMs: 2000,
      receiver: 'hco',
      integration: 'email',
      target: 'smtp://m:25',
      groupKey: '{}:{}',
      alertnames: [],
      fingerprints: ['00000000000000bb', '00000000000000aa'],
      reason: 'new_alerts',
      outcome: 'failed',
      attempt: 3,
      latencyMs: 1,
      error: 'nobody there',
      retryAtMs: 3000,
      payload: '',
    }

    test('lists are short, one is whole', async () => {
      const { deliveries } = await open()
      await deliveries.add([delivery, failed])
      const [newest, oldest] = await deliveries.list({ limit: 10 })
      expect(newest).toEqual({ ...failed, id: 2 })
      expect(oldest).toEqual({ ...delivery, id: 1, payload: '', answer: undefined })
      expect(await deliveries.get(1)).toEqual({ ...delivery, id: 1 })
      expect(await deliveries.get(7)).toBeUndefined()
    })

    test.each([
      [{ receiver: 'hco' }, [2]],
      [{ outcome: 'delivered' as const }, [1]],
      [{ fingerprint: '00000000000000aa' }, [2, 1]],
      [{ fingerprint: '00000000000000a' }, []],
      [{ before: 2 }, [1]],
      [{ receiver: 'hco', outcome: 'delivered' as const }, []],
    ])('those with %j', async (query, ids) => {
      const { deliveries } = await open()
      await deliveries.add([delivery, failed])
      expect((await deliveries.list({ ...query, limit: 10 })).map(({ id }) => id)).toEqual(ids)
    })

    test('the oldest go when there are too many', async () => {
      const { deliveries } = await open()
      for (let i = 0; i < 11; i++) await deliveries.add(Array.from({ length: 1000 }, () => delivery))
      const kept = await deliveries.list({ limit: 20_000 })
      expect(kept[0]?.id).toBe(11_000)
      expect(kept.length).toBeGreaterThanOrEqual(DELIVERIES_MAX)
      expect(kept.length).toBeLessThanOrEqual(DELIVERIES_MAX + 1000)
    })
  })
})
