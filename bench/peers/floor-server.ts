/**
 * What HTTP costs on this machine before anything is asked: `node:http` that answers a constant, or answers it when
 * another thread has sent it over a MessagePort (`hop`). Whatever a server here takes, it takes this first.
 */
import { createServer } from 'node:http'
import { Worker } from 'node:worker_threads'

const [mode, port] = process.argv.slice(2)
const ECHO = `const { parentPort } = require('node:worker_threads')
parentPort.on('message', (message) => parentPort.postMessage(message))`

const waiting: ((text: string) => void)[] = []
const worker = mode === 'hop' ? new Worker(ECHO, { eval: true }) : undefined
worker?.on('message', (text: string) => waiting.shift()?.(text))

createServer((_request, response) => {
  const send = (text: string): void => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': text.length })
    response.end(text)
  }
  if (worker === undefined) {
    send('ok')
    return
  }
  waiting.push(send)
  worker.postMessage('ok')
}).listen(Number(port), '127.0.0.1')
