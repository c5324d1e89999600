import type { Page } from 'playwright-core'

/**
 * Pictures of pages, reduced until another machine's smoothing of letters is gone from them, and how two of them differ.
 * Reading and writing PNG is the browser's work; all else is plain arithmetic.
 */
export interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green and blue of each pixel, 0 to 255, row by row. */
  readonly tones: Uint8Array
}

/** A pixel of a reduced picture is the mean of so many by so many of the page. */
export const REDUCED_BY = 4

/** Reads a PNG on a page of no server: pages of our own forbid pictures from elsewhere. */
export async function readPng(blank: Page, png: Buffer, reduceBy = 1): Promise<Picture> {
  const { width, height, base64 } = await blank.evaluate(
    async ({ source, factor }) => {
      const bytes = Uint8Array.from(atob(source), (letter) => letter.charCodeAt(0))
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!
      context.drawImage(bitmap, 0, 0)
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
      const [wide, high] = [Math.floor(bitmap.width / factor), Math.floor(bitmap.height / factor)]
      let text = ''
      for (let y = 0; y < high; y++) {
        for (let x = 0; x < wide; x++) {
          for (let tone = 0; tone < 3; tone++) {
            let sum = 0
            for (let j = 0; j < factor; j++) {
              for (let i = 0; i < factor; i++) {
                sum += data[4 * ((y * factor + j) * bitmap.width + x * factor + i) + tone]!
              }
            }
            text += String.fromCharCode(Math.round(sum / factor ** 2))
          }
        }
      }
      return { width: wide, height: high, base64: btoa(text) }
    },
    { source: png.toString('base64'), factor: reduceBy },
  )
  return { width, height, tones: new Uint8Array(Buffer.from(base64, 'base64')) }
}

export async function writePng(blank: Page, { width, height, tones }: Picture): Promise<Buffer> {
  const base64 = await blank.evaluate(
    async ({ wide, high, source }) => {
      const canvas = new OffscreenCanvas(wide, high)
      const context = canvas.getContext('2d')!
      const image = context.createImageData(wide, high)
      const bytes = atob(source)
      for (let i = 0; i < wide * high; i++) {
        for (let tone = 0; tone < 3; tone++) image.data[4 * i + tone] = bytes.charCodeAt(3 * i + tone)
        image.data[4 * i + 3] = 255
      }
      context.putImageData(image, 0, 0)
      const blob = await canvas.convertToBlob({ type: 'image/png' })
      return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(''))
    },
    { wide: width, high: height, source: Buffer.from(tones).toString('base64') },
  )
  return Buffer.from(base64, 'base64')
}

/** Fewer tones: the file is half as large, and no eye sees it. */
export function plainer(picture: Picture): Picture {
  return { ...picture, tones: picture.tones.map((tone) => Math.min(255, Math.round(tone / TONE_STEP) * TONE_STEP)) }
}

const TONE_STEP = 4

/** What letters differ by on another machine, after all averaging, of 255. */
const LETTER_TONES = 16
/** So few pixels may differ by more: the end of a rounded corner. */
const LETTER_PIXELS = 16
/** A surface is one tone everywhere, so it differs by less when it is another one. */
const SURFACE_TONES = 5
/** Of all pixels; letters cover less. */
const SURFACE_SHARE = 0.08

export interface Difference {
  readonly isSame: boolean
  /** In words, with numbers. */
  readonly says: string
  /** The picture as it is now, pale, and what differs in red. */
  readonly shown: Picture
}

/** Compares means of three by three reduced pixels, so a letter that sits a fraction of a pixel further is the same. */
export function differenceOf(now: Picture, before: Picture): Difference {
  const { width, height } = now
  if (width !== before.width || height !== before.height) {
    const says = `${width} × ${height} pixels, and the baseline has ${before.width} × ${before.height}`
    return { isSame: false, says, shown: now }
  }
  const [a, b] = [softened(now), softened(before)]
  const tones = new Uint8Array(a.length)
  let [strong, weak] = [0, 0]
  for (let i = 0; i < width * height; i++) {
    const most = Math.max(...[0, 1, 2].map((tone) => Math.abs(a[3 * i + tone]! - b[3 * i + tone]!)))
    if (most > LETTER_TONES) strong++
    if (most > SURFACE_TONES) weak++
    for (let tone = 0; tone < 3; tone++) {
      tones[3 * i + tone] = most > SURFACE_TONES ? (tone === 0 ? 220 : 0) : 160 + now.tones[3 * i + tone]! * 0.37
    }
  }
  const share = weak / (width * height)
  return {
    isSame: strong <= LETTER_PIXELS && share <= SURFACE_SHARE,
    says: `${strong} pixels differ by more than ${LETTER_TONES} of 255 (${LETTER_PIXELS} may), ${(100 * share).toFixed(1)} % by more than ${SURFACE_TONES} (${100 * SURFACE_SHARE} % may)`,
    shown: { width, height, tones },
  }
}

function softened({ width, height, tones }: Picture): Float32Array {
  const soft = new Float32Array(tones.length)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let tone = 0; tone < 3; tone++) {
        let [sum, count] = [0, 0]
        for (let j = Math.max(0, y - 1); j <= Math.min(height - 1, y + 1); j++) {
          for (let i = Math.max(0, x - 1); i <= Math.min(width - 1, x + 1); i++) {
            sum += tones[3 * (j * width + i) + tone]!
            count++
          }
        }
        soft[3 * (y * width + x) + tone] = sum / count
      }
    }
  }
  return soft
}
