import { expect, test } from 'vitest'
import { fewAtOnce } from '../../../src/api/fleet/few-at-once.ts'

test('so many run at a time; more is refused, also after one that failed there is room again', async () => {
  const limited = fewAtOnce(2, 'plans are computed')
  const ends: (() => void)[] = []
  const started = (): Promise<string> =>
    limited(
      () =>
        new Promise((resolve) => {
          ends.push(() => {
            resolve('done')
          })
        }),
    )
  const first = started()
  const failed = limited(() => Promise.reject(new Error('broken')))
  await expect(limited(() => Promise.resolve('third'))).rejects.toMatchObject({
    code: 'overloaded',
    message: '2 plans are computed; at most 2 at a time',
    hint: 'wait for one of them to end',
  })
  await expect(failed).rejects.toThrow('broken')
  expect(await limited(() => Promise.resolve('again'))).toBe('again')
  ends[0]!()
  expect(await first).toBe('done')
})
