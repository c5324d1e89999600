import { describe, expect, test } from 'vitest'
import { differenceOf, plainer, type Picture } from './browser/picture.ts'

const WIDE = 120
const HIGH = 80

/** A pale page with a white card of grey lines: what is drawn where is a function of the place. */
function draw(toneAt: (x: number, y: number) => number): Picture {
  const tones = new Uint8Array(3 * WIDE * HIGH)
  for (let i = 0; i < WIDE * HIGH; i++) tones.fill(toneAt(i % WIDE, Math.floor(i / WIDE)), 3 * i, 3 * i + 3)
  return { width: WIDE, height: HIGH, tones }
}

/** Lines of letters are darker and lighter spots once they are reduced. */
function card(x: number, y: number): number {
  const isCard = x >= 10 && x < 100 && y >= 10 && y < 70
  if (!isCard) return 243
  const isLine = (y - 10) % 8 < 3 && x >= 14 && x < 80
  return isLine ? 150 + ((x * 37 + y * 11) % 70) : 255
}

const PAGE = draw(card)

test('a picture is like itself, also with fewer tones and with the letters of another machine', () => {
  expect(differenceOf(PAGE, PAGE)).toMatchObject({ isSame: true })
  expect(differenceOf(PAGE, plainer(PAGE)).isSame).toBe(true)
  const letters = draw((x, y) => {
    const tone = card(x, y)
    return tone > 240 ? tone : tone + (((x * 7 + y * 13) % 5) - 2) * 12
  })
  expect(differenceOf(letters, PAGE).isSame).toBe(true)
})

describe('is another one when', () => {
  test.each([
    ['a block stands 8 px further, which are 2 of its own', (x: number, y: number) => card(x - 2, y)],
    ['a block stands 8 px lower', (x: number, y: number) => card(x, y - 2)],
    ['a row is missing', (x: number, y: number) => (y >= 34 && y < 37 && x < 100 ? (x < 10 ? 243 : 255) : card(x, y))],
    ['a column is missing', (x: number, y: number) => (x >= 60 && x < 80 && card(x, y) < 240 ? 255 : card(x, y))],
    ['the ground is a tone darker', (x: number, y: number) => (card(x, y) === 243 ? 236 : card(x, y))],
    ['nothing is drawn', () => 255],
  ] as const)('%s', (_name, toneAt) => {
    expect(differenceOf(draw(toneAt), PAGE).isSame).toBe(false)
  })

  test('one mark has lost its colour', () => {
    const tones = Uint8Array.from(PAGE.tones)
    for (let y = 20; y < 25; y++) {
      for (let x = 84; x < 94; x++) tones.set([190, 30, 20], 3 * (y * WIDE + x))
    }
    expect(differenceOf(PAGE, { ...PAGE, tones }).isSame).toBe(false)
  })

  test('it has another size, and it says which', () => {
    const half = { width: WIDE, height: HIGH / 2, tones: PAGE.tones.slice(0, PAGE.tones.length / 2) }
    expect(differenceOf(half, PAGE)).toMatchObject({
      isSame: false,
      says: '120 × 40 pixels, and the baseline has 120 × 80',
    })
  })
})
