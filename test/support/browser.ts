import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { chromium, type Browser } from 'playwright-core'

/**
 * A real browser for tests, with no manual step: `DAYTWO_CHROMIUM`, else the one that comes as a development dependency,
 * else an installed Chromium. The caller closes it.
 */

const INSTALLED = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
]

/** Plain flags: the packed browser's own list holds --single-process, under which pages share their faults. */
const FLAGS = [
  '--no-sandbox',
  '--headless',
  '--disable-gpu',
  // Letters as their font draws them, on whatever machine: the pictures of pages were made so.
  '--font-render-hinting=none',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** @param env added to the environment of the browser */
export async function launchBrowser(env: Readonly<Record<string, string>> = {}): Promise<Browser> {
  const executablePath = await findChromium()
  return chromium.launch({
    executablePath,
    args: FLAGS,
    // Under LANG=C Chromium calls its locale `en-US@posix`, which is no language tag.
    env: { ...process.env, LANG: 'en_US.UTF-8', ...env },
  })
}

let shared: Promise<Browser> | undefined

/** One browser for all files of tests that run in this process. It ends with the process, so nobody closes it. */
export async function sharedBrowser(): Promise<Browser> {
  const running = await shared
  if (running?.isConnected() === true) return running
  shared = launchBrowser()
  return shared
}

async function findChromium(): Promise<string> {
  const asked = process.env['DAYTWO_CHROMIUM']
  if (asked !== undefined && asked !== '') {
    if (!existsSync(asked)) throw new Error(`DAYTWO_CHROMIUM names ${asked}, and there is no such file`)
    return asked
  }
  // Chromium's shell without windows: a page takes a third less of it than of a whole browser that shows none.
  if (process.platform === 'linux' && process.arch === 'x64') return unpackChromium()
  const installed = INSTALLED.find((path) => existsSync(path))
  if (installed === undefined) {
    throw new Error('the packed Chromium is for linux-x64: install a Chromium, or name one in DAYTWO_CHROMIUM')
  }
  return installed
}

/** Where the packed browser goes: one folder per version, so that two versions never share their libraries. */
const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/chromium-147')

/** Stands there when all of it is unpacked: from then on nobody need wait for anybody. */
const UNPACKED = `${CACHE}/unpacked`

async function unpackChromium(): Promise<string> {
  await mkdir(CACHE, { recursive: true })
  const unlock = existsSync(UNPACKED) ? undefined : await lock()
  // Read when the module is loaded: it then brings its own NSS libraries, for hosts without any.
  process.env['VERCEL'] = '1'
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = CACHE
  try {
    const { default: packed } = await import('@sparticuz/chromium')
    const path = await packed.executablePath()
    await useFonts(`${CACHE}/fonts`)
    await writeFile(UNPACKED, '')
    return path
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    await unlock?.()
  }
}

const MACHINE_FONTS = '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>'

/**
 * The packed fontconfig file looks for fonts in /tmp/fonts, wherever they were unpacked. A page without any font has no
 * text, not even for `innerText`. What a page's own fonts lack, an arrow, comes from those the machine prefers.
 */
async function useFonts(folder: string): Promise<void> {
  const config = `${CACHE}/fontconfig`
  await mkdir(config, { recursive: true })
  const dirs = [folder, '/usr/share/fonts'].map((dir) => `<dir>${dir}</dir>`).join('')
  const text = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${MACHINE_FONTS}${dirs}<cachedir>${config}/cache</cachedir></fontconfig>`
  // In one step: the browser of another process may read it just now.
  const own = `${config}/fonts.conf.${process.pid}`
  await writeFile(own, text)
  await rename(own, `${config}/fonts.conf`)
  process.env['FONTCONFIG_PATH'] = config
}

/** Two test workers must not unpack at once: the second would start a half-written program. */
async function lock(): Promise<() => Promise<void>> {
  const path = `${CACHE}.lock`
  for (let tries = 0; tries < 600; tries++) {
    try {
      await mkdir(path)
      return () => rm(path, { recursive: true, force: true })
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
      await setTimeout(100)
    }
  }
  throw new Error(`${path} is a minute old: remove it, the test run that made it is gone`)
}
