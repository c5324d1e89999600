import { expect, test } from 'vitest'
import { createCookies } from '../../../src/api/server/session-cookie.ts'

const read = (isSecure: boolean, cookie?: string) =>
  createCookies(isSecure).read({ headers: { cookie } } as never, 'session')

test.each([
  ['daytwo-session=abc', 'abc'],
  ['a=1; daytwo-session=abc; b=2', 'abc'],
  ['a=1;daytwo-session=a=b', 'a=b'],
  ['xdaytwo-session=abc', undefined],
  ['daytwo-session=', undefined],
  // One of the two is of somebody who could set cookies for this host: neither is taken.
  ['daytwo-session=abc; daytwo-session=abd', undefined],
  ['__Host-daytwo-session=abc', undefined],
  ['', undefined],
  [undefined, undefined],
])('of the cookies %j the session is %j', (cookie, value) => {
  expect(read(false, cookie)).toBe(value)
})

test('over https only a cookie counts that no other host can set', () => {
  expect(read(true, '__Host-daytwo-session=abc')).toBe('abc')
  expect(read(true, 'daytwo-session=abc')).toBeUndefined()
})

test('no script reads a cookie, and no page of another site sends it with a change', () => {
  const [plain, secure] = [createCookies(false), createCookies(true)]
  expect(plain.set('session', 'abc')).toBe('daytwo-session=abc; Path=/; HttpOnly; SameSite=Lax')
  expect(secure.set('sign-in', 'abc', 600)).toBe(
    '__Host-daytwo-sign-in=abc; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=600',
  )
  expect(secure.clear('session')).toBe('__Host-daytwo-session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0')
})
