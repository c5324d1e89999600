import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** A JavaScript file (`compiled`) as a process of its own, whose lines on stdout are read one by one. */
export interface Child {
  /** The next line, or `undefined` when the process has ended. */
  line(): Promise<string | undefined>
  /** SIGKILL; resolves when the process is gone. Lines it had written can still be read. */
  kill(): Promise<void>
  /** Exit code and what it wrote on stderr; for a process that ends by itself. */
  ended(): Promise<{ readonly code: number | null; readonly stderr: string }>
}

export function startChild(file: string, args: readonly string[]): Child {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(process.execPath, [file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'close') as Promise<[number | null]>
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  return {
    async line() {
      const next = await lines.next()
      return next.done === true ? undefined : next.value
    },
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit').catch(() => undefined)
    },
    async ended() {
      const [code] = await exited
      return { code, stderr }
    },
  }
}
