import ts from 'typescript'

/** A text of a source file that a person may read, with the line on which it starts. `…` stands for an inserted value. */
export interface SourceText {
  readonly line: number
  readonly text: string
}

/** Attributes whose values programs read. */
const PROGRAM_ATTRIBUTES = new Set('className d href htmlFor id key list name role to type viewBox'.split(' '))
const SQL =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|WITH|PRAGMA|BEGIN|FROM|WHERE|AND|UNION|REPLACE|VALUES|(?:LEFT )?JOIN)\b/
/** Stored JSON that a compressor knows. */
const JSON_TEXT = /^\{"/
/** Tables from values to the words that pages show for them. */
const WORD_TABLE = /_(?:WORDS|NAMES|LABELS|TEXTS|TITLES|MEANINGS)$/

/**
 * String literals, templates and the text of JSX. A literal of one word is a value for programs, unless the JSX around it or
 * a table of words shows it.
 */
export function textsOf(path: string, source: string): SourceText[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, false)
  const found: SourceText[] = []
  const add = (node: ts.Node, text: string, isShown: boolean): void => {
    const isWords = isShown || /\S\s+\S/.test(text)
    if (!isWords || SQL.test(text) || JSON_TEXT.test(text)) return
    found.push({ line: file.getLineAndCharacterOfPosition(node.end).line + 1, text })
  }
  const visit = (node: ts.Node, isShown: boolean): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return
    if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) {
      add(node, node.text, isShown || ts.isJsxText(node))
    } else if (ts.isTemplateExpression(node)) {
      add(
        node,
        [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('…'),
        isShown,
      )
      for (const { expression } of node.templateSpans) visit(expression, isShown)
    } else if (ts.isJsxAttribute(node)) {
      const isForProgram = ts.isIdentifier(node.name) && PROGRAM_ATTRIBUTES.has(node.name.text)
      if (node.initializer !== undefined && !isForProgram) visit(node.initializer, true)
    } else if (ts.isJsxExpression(node)) {
      if (node.expression !== undefined) visit(node.expression, true)
    } else if (ts.isVariableDeclaration(node)) {
      const isTable = ts.isIdentifier(node.name) && WORD_TABLE.test(node.name.text)
      ts.forEachChild(node, (child) => {
        visit(child, isTable)
      })
    } else {
      const passesOn = [
        ts.isObjectLiteralExpression,
        ts.isPropertyAssignment,
        ts.isParenthesizedExpression,
        ts.isConditionalExpression,
      ].some((is) => is(node))
      ts.forEachChild(node, (child) => {
        visit(child, isShown && passesOn)
      })
    }
  }
  visit(file, false)
  return found
}
