import { isNode, parseDocument } from 'yaml'

/**
 * The line of a value in a JSON or YAML text, from 1 on; of the nearest enclosing value that is found. Reads the whole text again,
 * so only for a message. @param path such as `nodes[3].version`
 */
export function lineOf(text: string, path: string): number {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '')
  let found = 0
  try {
    const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' })
    for (let count = 0; count <= keys.length; count++) {
      const at = keys.slice(0, count).map((key) => (/^\d+$/.test(key) ? Number(key) : key))
      const node = count === 0 ? document.contents : document.getIn(at, true)
      if (!isNode(node) || node.range == null) break
      found = node.range[0]
    }
  } catch {
    // Where the text cannot be read, its start is the place.
  }
  return text.slice(0, found).split('\n').length
}
