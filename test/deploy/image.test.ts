import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readServeArguments } from '../../src/cli/serve-options.ts'
import { VERSION } from '../../src/config/version.ts'
import { ROOT } from '../content/content.ts'

// The Dockerfile as what builds it reads it. That it builds can only be seen where there is a container runtime.

interface Instruction {
  readonly name: string
  readonly text: string
}

function instructionsOf(text: string): readonly Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.trim().startsWith('#'))
    .join('\n')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    return { name, text: rest.replace(/\s+/g, ' ') }
  })
}

const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
const instructions = instructionsOf(text)
const all = (name: string): string[] => instructions.filter((one) => one.name === name).map((one) => one.text)
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'))
const ofLast = (name: string): string[] => lastStage.filter((one) => one.name === name).map((one) => one.text)
const words = (json: string): string[] => JSON.parse(json) as string[]

const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
const offered = new Set(ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1)))

test('every line is an instruction', () => {
  expect(instructions.filter(({ name }) => name === '')).toEqual([])
})

describe('the base images', () => {
  const images = all('FROM').map((from) => from.split(' ')[0]!)
  test('are pinned to one version of Node, which the program accepts, on one Debian, from no named registry', () => {
    expect(images).toHaveLength(2)
    const [, version, debian] = /^node:(\d+\.\d+\.\d+)-(\w+)$/.exec(images[0]!) ?? []
    expect(images[1]).toBe(`node:${version!}-${debian!}-slim`)
    expect(images.join(' ')).not.toMatch(/[/@]|latest/)
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } }
    const [least, got] = [engines.node.replace('>=', ''), version!].map((one) => one.split('.').map(Number))
    expect(got![0]! * 1000 + got![1]!).toBeGreaterThanOrEqual(least![0]! * 1000 + least![1]!)
  })
})

describe('what is copied', () => {
  const sources = all('COPY')
    .filter((copy) => !copy.startsWith('--from='))
    .flatMap((copy) => copy.split(' ').slice(0, -1))
  test('exists, and the build context offers it', () => {
    expect(sources.length).toBeGreaterThan(8)
    for (const source of sources) {
      expect(existsSync(join(ROOT, source)), source).toBe(true)
      expect([...offered], source).toContain(source.split('/')[0])
    }
    expect(ignored.find((line) => line !== '' && !line.startsWith('#'))).toBe('*')
  })

  test('is all that the build offers', () => {
    const copied = new Set(sources.map((source) => source.split('/')[0]))
    expect([...offered].filter((path) => !copied.has(path))).toEqual([])
  })

  test('has every folder that the server reads by default', () => {
    const { config } = readServeArguments([])
    const kept = ofLast('COPY').flatMap((copy) => copy.split(' '))
    for (const folder of [config.rules, config.runbooks, config.dashboards])
      expect(kept).toContain(`${folder.slice(ROOT.length + 1)}/`)
    expect(kept).toContain('docs/')
    // The version and the root of the program are found by it.
    expect(kept).toContain('package.json')
  })
})

describe('the running image', () => {
  test('is not root, and a number says so', () => {
    const [user] = ofLast('USER')
    expect(user).toMatch(/^[1-9]\d+:[1-9]\d+$/)
    expect(ofLast('RUN').join(' ')).toContain(`--owner ${user!.split(':')[0]!}`)
  })

  test('starts the server without a shell, with options that exist, on the port it exposes', () => {
    expect(words(ofLast('ENTRYPOINT')[0]!)).toEqual(['node', 'dist/main.js'])
    const [command, ...options] = words(ofLast('CMD')[0]!)
    expect(command).toBe('serve')
    const { config } = readServeArguments(options)
    expect(String(config.listen.port)).toBe(ofLast('EXPOSE')[0])
    expect(config.data).toBe(ofLast('VOLUME')[0])
    expect(ofLast('STOPSIGNAL')).toEqual(['SIGTERM'])
  })

  test('has a health check without a shell', () => {
    const [check = ''] = ofLast('HEALTHCHECK')
    expect(words(check.slice(check.indexOf('CMD ') + 4))).toEqual(['node', 'dist/main.js', 'check', 'healthy'])
  })

  test('has no package manager and no development dependencies', () => {
    expect(ofLast('RUN').join(' ')).toMatch(/rm -rf .*\/npm /)
    expect(all('RUN').join(' ')).toContain('npm prune --omit=dev')
  })
})

test('the tag in its example is the version of the program', () => {
  expect([...text.matchAll(/\bdaytwo:([\w.]+)/g)].map(([, tag]) => tag)).not.toHaveLength(0)
  for (const [, tag] of text.matchAll(/\bdaytwo:(\d[\w.]+)/g)) expect(tag).toBe(VERSION)
})
