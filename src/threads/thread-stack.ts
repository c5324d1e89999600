/**
 * What a thread that does not answer is doing, by V8's inspector: its requests interrupt a running loop. The thread is
 * paused for a moment, and goes on when this is done.
 */
import { Session } from 'node:inspector'
import type { Worker } from 'node:worker_threads'

export type ThreadLook =
  /** It runs JavaScript. `stack`: innermost call first; empty when it could not be paused, as in a long built-in call. */
  | { readonly kind: 'javascript'; readonly stack: readonly string[] }
  /** It does not run JavaScript: it waits for the disk or the operating system, and nothing ends such a call. */
  | { readonly kind: 'native' }
  /** This Node has no inspector, or it does not know the thread. */
  | { readonly kind: 'unknown' }

/** How long each answer of the inspector may take: milliseconds, but for a machine that others use. */
const ANSWER_WITHIN_MS = 4000
const FRAMES_MAX = 30

/** A thread in a debugger. */
interface Debuggee {
  /** Resolves when the thread has answered; it may never. */
  readonly send: (method: string) => Promise<void>
  readonly paused: Promise<readonly string[]>
}

/** From the thread that started the worker. */
export function lookAtWorker(worker: Worker, answerWithinMs = ANSWER_WITHIN_MS): Promise<ThreadLook> {
  return withSession(
    (session) => {
      session.connect()
    },
    (session) => attach(session, worker.threadId),
    answerWithinMs,
  )
}

/** From another thread than main. */
export function lookAtMain(): Promise<ThreadLook> {
  return withSession(
    (session) => {
      session.connectToMainThread()
    },
    (session) => {
      const scripts = new Scripts()
      session.on('Debugger.scriptParsed', ({ params }) => {
        scripts.add(params)
      })
      const paused = new Promise<readonly string[]>((resolve) => {
        session.on('Debugger.paused', ({ params }) => {
          resolve(params.callFrames.map((frame) => scripts.textOf(frame)))
        })
      })
      const send = (method: string): Promise<void> =>
        new Promise((resolve) => {
          session.post(method, (failure) => {
            if (failure === null) resolve()
          })
        })
      return Promise.resolve({ send, paused })
    },
  )
}

async function withSession(
  connect: (session: Session) => void,
  debuggeeOf: (session: Session) => Promise<Debuggee | undefined>,
  answerWithinMs = ANSWER_WITHIN_MS,
): Promise<ThreadLook> {
  const session = new Session()
  const attached: string[] = []
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    attached.push(sessionId)
  })
  try {
    connect(session)
    const debuggee = await debuggeeOf(session)
    return debuggee === undefined ? { kind: 'unknown' } : await look(debuggee, answerWithinMs)
  } catch {
    return { kind: 'unknown' }
  } finally {
    // The end of the session detaches nothing: a debugger that stays in a thread keeps the next one from letting it go on.
    for (const sessionId of attached) session.post('NodeWorker.detach', { sessionId })
    session.disconnect()
  }
}

async function look({ send, paused }: Debuggee, withinMs: number): Promise<ThreadLook> {
  const enabled = send('Debugger.enable').then(() => true)
  if ((await within(withinMs, enabled)) === undefined) return { kind: 'native' }
  void send('Debugger.pause')
  const stack = await within(withinMs, paused)
  // A thread that is paused can neither go on nor be ended. Disabling is not enough where another debugger is attached.
  void send('Debugger.resume')
  await within(withinMs, send('Debugger.disable'))
  return { kind: 'javascript', stack: stack ?? [] }
}

/** The worker among those of this thread; its messages travel inside of messages. `undefined`: it is not among them. */
function attach(session: Session, threadId: number): Promise<Debuggee | undefined> {
  return new Promise((resolve) => {
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      if (!workerInfo.title.startsWith(`[worker ${threadId}]`)) return
      const scripts = new Scripts()
      const answered = new Map<number, () => void>()
      let lastId = 0
      const paused = new Promise<readonly string[]>((resolvePaused) => {
        session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
          if (params.sessionId !== sessionId) return
          const message = JSON.parse(params.message) as WorkerMessage
          if ('id' in message) answered.get(message.id)?.()
          else if (message.method === 'Debugger.scriptParsed') scripts.add(message.params as Script)
          else if (message.method === 'Debugger.paused') {
            const { callFrames } = message.params as Paused
            resolvePaused(callFrames.map((frame) => scripts.textOf(frame)))
          }
        })
      })
      const send = (method: string): Promise<void> =>
        new Promise((resolveSent) => {
          const id = ++lastId
          answered.set(id, resolveSent)
          session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method }) })
        })
      resolve({ send, paused })
    })
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, () => {
      // After the workers, each of which was told of before.
      resolve(undefined)
    })
  })
}

interface Script {
  readonly scriptId: string
  readonly url: string
}

interface CallFrame {
  readonly functionName: string
  readonly location: {
    readonly scriptId: string
    readonly lineNumber: number
    readonly columnNumber?: number | undefined
  }
}

interface Paused {
  readonly callFrames: readonly CallFrame[]
}

/** An answer, or an event, of which there are many kinds. */
type WorkerMessage = { readonly id: number } | { readonly method: string; readonly params: unknown }

/** The scripts of a thread, each told of when its debugger is enabled: a call names its script by number. */
class Scripts {
  readonly #urls = new Map<string, string>()

  add({ scriptId, url }: Script): void {
    this.#urls.set(scriptId, url)
  }

  /** As in the stack of an error. The inspector counts from 0. */
  textOf({ functionName, location: { scriptId, lineNumber, columnNumber = 0 } }: CallFrame): string {
    const name = functionName === '' ? '<anonymous>' : functionName
    const url = this.#urls.get(scriptId) ?? ''
    return `at ${name} (${url === '' ? 'eval' : url}:${lineNumber + 1}:${columnNumber + 1})`
  }
}

/** `undefined` when it takes too long. */
async function within<T>(ms: number, answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined)
    }, ms)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The stack as a log line has it, or why there is none. */
export function lookText(look: ThreadLook): string {
  if (look.kind === 'unknown') return 'not known'
  if (look.kind === 'native') return 'not in JavaScript: it waits for the disk or the operating system'
  return look.stack.length === 0 ? 'in a long call of JavaScript itself' : look.stack.slice(0, FRAMES_MAX).join('\n')
}
