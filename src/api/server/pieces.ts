import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/**
 * Answers of any size. A small one is one text with a length. A large one leaves in pieces, so that its text is never
 * held whole and nobody else waits while millions of values are written on the thread that answers everybody.
 */

/** Up to this many values an answer is one text; a page's chart stays far below. */
const VALUES_AT_ONCE = 50_000
const PIECE_CHARS = 64 * 1024

/** Sends an answer of about `values` values. `pieces` is called once, and not to its end when the client leaves. */
export function sendInPieces(
  reply: FastifyReply,
  contentType: string,
  values: number,
  pieces: () => Iterable<string>,
): FastifyReply {
  // As bytes: Fastify adds a charset to texts, and clients know the bare type.
  void reply.header('content-type', contentType)
  if (values <= VALUES_AT_ONCE) return reply.send(Buffer.from([...pieces()].join('')))
  return reply.send(streamOf(pieces()))
}

/** The socket asks for the next piece when it has sent the last one; in between the thread is free. */
function streamOf(pieces: Iterable<string>): Readable {
  return Readable.from(gathered(pieces), { objectMode: false })
}

function* gathered(pieces: Iterable<string>): Generator<Buffer> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < PIECE_CHARS) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}
