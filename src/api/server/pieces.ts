import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Slice } from '../../base/thread-slices.ts'
import type { AnswerBytes } from './answer-bytes.ts'

/**
 * Responses of any size. A small one is one text with a content length. A large one is streamed, so that its text is
 * never in memory as a whole and other requests are served between its pieces.
 */

/** Up to this many values a response is one text; a chart of the UI has far fewer. */
const VALUES_AT_ONCE = 50_000
const PIECE_CHARS = 64 * 1024
/** An alert with its labels takes as much text and time as so many values. */
export const VALUES_OF_ALERT = 100

/** Sends a response of about `values` values. `pieces` is called once, and its iteration ends when the client leaves. */
export function sendInPieces(
  reply: FastifyReply,
  contentType: string,
  values: number,
  pieces: () => Iterable<string>,
): FastifyReply {
  // As bytes: Fastify adds a charset to texts, and clients expect the bare type.
  void reply.header('content-type', contentType)
  if (values <= VALUES_AT_ONCE) return reply.send(Buffer.from([...pieces()].join('')))
  return reply.send(streamOf(pieces()))
}

/** Sends an answer that is ready. Its parts are released one by one, as the client reads them. */
export function sendBytes(reply: FastifyReply, contentType: string, answer: AnswerBytes): FastifyReply {
  const parts = answer.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength))
  void reply.header('content-type', contentType)
  if (parts.length === 1) return reply.send(parts[0])
  return reply.send(Readable.from(released(parts), { objectMode: false }))
}

function* released(parts: Buffer[]): Generator<Buffer> {
  parts.reverse()
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) yield part
}

/**
 * The socket pulls a piece after it has sent the previous one. It may take pieces as fast as they are made, so the work has
 * slices of its own.
 */
function streamOf(pieces: Iterable<string>): Readable {
  return Readable.from(gathered(pieces), { objectMode: false })
}

async function* gathered(pieces: Iterable<string>): AsyncGenerator<Buffer> {
  const slice = new Slice()
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < PIECE_CHARS) continue
    yield Buffer.from(text)
    text = ''
    if (slice.isOver) await slice.next()
  }
  if (text !== '') yield Buffer.from(text)
}
