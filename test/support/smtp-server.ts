import { createHmac } from 'node:crypto'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { TestCertificate } from './certificate.ts'

/** A mail server on loopback that speaks as much SMTP as a sender needs: EHLO, STARTTLS, AUTH, MAIL, RCPT, DATA. */
export interface SmtpServer {
  readonly port: number
  readonly mails: readonly ReceivedMail[]
  /** Every line a client said, without what followed DATA. */
  readonly said: readonly string[]
  stop(): Promise<void>
}

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body as sent. */
  readonly text: string
  readonly isEncrypted: boolean
  /** Who said it was, by which mechanism. */
  readonly login: string | undefined
}

export interface SmtpOptions {
  /** Offers STARTTLS. */
  readonly tls?: TestCertificate
  readonly users?: Readonly<Record<string, string>>
  readonly mechanisms?: readonly string[]
  /** Instead of accepting: by command, `RCPT` or `DATA`. */
  readonly refusals?: Readonly<Record<string, string>>
}

export async function startSmtp(options: SmtpOptions = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = []
  const said: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    serve(socket, false, options, mails, said)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    said,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => {
          resolve()
        })
      }),
  }
}

function serve(plain: Socket, isEncrypted: boolean, options: SmtpOptions, mails: ReceivedMail[], said: string[]): void {
  const { tls, users = {}, mechanisms = ['PLAIN', 'LOGIN'], refusals = {} } = options
  let socket = plain
  let buffer = ''
  let mail = { from: '', to: [] as string[] }
  let login: string | undefined
  /** What the next line answers, inside of AUTH; or the text of a mail. */
  let expects: ((line: string) => void) | undefined
  let data: string[] | undefined

  const say = (line: string): void => {
    socket.write(`${line}\r\n`)
  }
  const check = (user: string, isRight: boolean, how: string): void => {
    login = isRight ? `${how} ${user}` : undefined
    say(isRight ? '235 welcome' : '535 5.7.8 wrong user or password')
  }
  const auth = (line: string): void => {
    const [, how = '', first] = line.split(' ')
    const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf8')
    const plainLogin = (text: string): void => {
      const [identity = '', user = '', password = ''] = decode(text).split('\0')
      check(identity === '' ? user : `${identity} as ${user}`, users[user] === password, 'PLAIN')
    }
    if (how === 'PLAIN') {
      if (first !== undefined) plainLogin(first)
      else ask('334 ', plainLogin)
    } else if (how === 'LOGIN') {
      ask('334 VXNlcm5hbWU6', (user) => {
        ask('334 UGFzc3dvcmQ6', (password) => {
          check(decode(user), users[decode(user)] === decode(password), 'LOGIN')
        })
      })
    } else if (how === 'CRAM-MD5') {
      const challenge = '<1.2@daytwo.test>'
      ask(`334 ${Buffer.from(challenge).toString('base64')}`, (answer) => {
        const [user = '', digest = ''] = decode(answer).split(' ')
        const want = createHmac('md5', users[user] ?? '')
          .update(challenge)
          .digest('hex')
        check(user, digest === want, 'CRAM-MD5')
      })
    } else say('504 no such mechanism')
  }
  const ask = (line: string, then: (answer: string) => void): void => {
    expects = then
    say(line)
  }
  const command = (line: string): void => {
    said.push(line)
    const verb = line.slice(0, 4).toUpperCase()
    if (refusals[verb] !== undefined) {
      say(refusals[verb])
      return
    }
    if (verb === 'EHLO') {
      const offers = ['daytwo.test', ...(tls !== undefined && !isEncrypted ? ['STARTTLS'] : [])]
      if (Object.keys(users).length > 0) offers.push(`AUTH ${mechanisms.join(' ')}`)
      offers.forEach((offer, i) => {
        say(`250${i === offers.length - 1 ? ' ' : '-'}${offer}`)
      })
      return
    }
    if (verb === 'STAR' && tls !== undefined) {
      say('220 go ahead')
      socket.removeAllListeners('data')
      const secure = new TLSSocket(socket, { isServer: true, cert: tls.cert, key: tls.key })
      secure.on('error', () => socket.destroy())
      serveOn(secure)
      return
    }
    if (verb === 'AUTH') {
      auth(line)
      return
    }
    if (verb === 'MAIL') mail = { from: address(line), to: [] }
    if (verb === 'RCPT') mail.to.push(address(line))
    if (verb === 'DATA') {
      data = []
      say('354 go ahead')
      return
    }
    if (verb === 'QUIT') {
      say('221 bye')
      return void socket.end()
    }
    say('250 ok')
  }
  const take = (line: string): void => {
    if (data !== undefined) {
      if (line !== '.') return void data.push(line.replace(/^\.\./, '.'))
      mails.push({ ...mail, text: data.join('\n'), isEncrypted, login })
      data = undefined
      say('250 queued as 42')
      return
    }
    const then = expects
    expects = undefined
    if (then === undefined) command(line)
    else then(line)
  }
  const serveOn = (next: Socket): void => {
    if (next !== socket) isEncrypted = true
    socket = next
    buffer = ''
    next.on('data', (chunk: Buffer) => {
      buffer += chunk.toString('utf8')
      for (let end = buffer.indexOf('\r\n'); end !== -1; end = buffer.indexOf('\r\n')) {
        const line = buffer.slice(0, end)
        buffer = buffer.slice(end + 2)
        take(line)
      }
    })
    next.on('error', () => next.destroy())
  }
  serveOn(plain)
  say('220 daytwo.test')
}

function address(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? ''
}
