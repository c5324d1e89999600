import { expect, test } from 'vitest'
import { createStateSeal } from '../../src/runtime/sealed-state.ts'

test('state comes back as it was, and tells nobody what it is', () => {
  const seal = createStateSeal<{ to: string }>()
  const text = seal.seal({ to: '/alerts?q=ü' })
  expect(seal.open(text)).toEqual({ to: '/alerts?q=ü' })
  expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('alerts')
  expect(seal.seal({ to: '/' })).not.toBe(seal.seal({ to: '/' }))
})

test('state that was changed, or that another process sealed, is none', () => {
  const seal = createStateSeal<{ to: string }>()
  const bytes = Buffer.from(seal.seal({ to: '/alerts' }), 'base64url')
  for (const place of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed[place]! ^= 1
    expect(seal.open(changed.toString('base64url'))).toBeUndefined()
  }
  expect(createStateSeal().open(bytes.toString('base64url'))).toBeUndefined()
  for (const text of ['', 'x', 'a'.repeat(38), '{}']) expect(seal.open(text)).toBeUndefined()
})
