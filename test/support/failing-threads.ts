/**
 * Makes worker threads of this process fail, from outside: the program has no hook for it. Node tells of each worker that is
 * started, and the inspector runs an expression in a thread.
 */
import { Session } from 'node:inspector'
import type { Worker } from 'node:worker_threads'

export type WorkerFile = 'ingest-worker' | 'query-worker'

export interface FailingThreads {
  /** Ends it in the middle of whatever it does. */
  kill(file: WorkerFile): Promise<void>
  /** It turns in a loop from now on, in a function `endlessLoop`. */
  hang(file: WorkerFile): Promise<void>
  /** It waits for another program for some time. */
  block(file: WorkerFile, ms: number): Promise<void>
  /** It throws what nobody catches. */
  fault(file: WorkerFile): Promise<void>
  stop(): void
}

/** Call it before the workers are started. */
export function failingThreads(): FailingThreads {
  const workers = new Map<number, Worker>()
  const onWorker = (worker: Worker): void => {
    const { threadId } = worker
    // Not before: one that is still being started loses what the inspector asks of it.
    worker.once('online', () => workers.set(threadId, worker))
    worker.once('exit', () => workers.delete(threadId))
  }
  process.on('worker', onWorker)

  /** Runs `work` with the newest thread of a file. */
  async function onThread(
    file: WorkerFile,
    work: (threadId: number, evaluate: (expression: string) => Promise<void>) => Promise<unknown>,
  ): Promise<void> {
    const session = new Session()
    const attached: string[] = []
    session.connect()
    try {
      const found = new Map<number, string>()
      session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
        const [, threadId, name] = /^\[worker (\d+)\] (.*)$/.exec(workerInfo.title) ?? []
        attached.push(sessionId)
        if (name === file && workers.has(Number(threadId))) found.set(Number(threadId), sessionId)
      })
      await new Promise<void>((resolve) => {
        session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, () => {
          resolve()
        })
      })
      const threadId = Math.max(...found.keys())
      const sessionId = found.get(threadId)
      if (sessionId === undefined) throw new Error(`no thread ${file} runs`)
      await work(threadId, (expression) => {
        const answered = new Promise<void>((resolve, reject) => {
          session.on('NodeWorker.detachedFromWorker', ({ params }) => {
            if (params.sessionId === sessionId) reject(new Error(`the thread ${file} ended`))
          })
          session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
            if (params.sessionId === sessionId) resolve()
          })
        })
        const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } })
        session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
        return answered
      })
    } finally {
      for (const sessionId of attached) session.post('NodeWorker.detach', { sessionId })
      session.disconnect()
    }
  }
  /** Soon, and not while the inspector is there: a thread that runs what the inspector asked for cannot be looked at. */
  const soon = (file: WorkerFile, statement: string): Promise<void> =>
    onThread(file, (_, evaluate) => evaluate(`setTimeout(function endlessLoop() { ${statement} }, 20)`))
  return {
    kill: (file) => onThread(file, (threadId) => workers.get(threadId)!.terminate()),
    hang: (file) => soon(file, 'for (;;);'),
    block: (file, ms) =>
      soon(file, `process.getBuiltinModule('node:child_process').execFileSync('sleep', ['${ms / 1000}'])`),
    fault: (file) => soon(file, "throw new Error('a fault of the test')"),
    stop: () => process.off('worker', onWorker),
  }
}
