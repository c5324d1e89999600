/**
 * `/api/v1/parse_query`: a parsed expression as Prometheus' UI and Perses read it. Ranges, offsets, steps and fixed times
 * are milliseconds; `step` 0 is the engine's default. A type without a schema, because it is recursive.
 */
export type ExprNode =
  | { readonly type: 'numberLiteral' | 'stringLiteral'; readonly val: string }
  | ({ readonly type: 'vectorSelector' } & Selector)
  | ({ readonly type: 'matrixSelector'; readonly range: number } & Selector)
  | ({
      readonly type: 'subquery'
      readonly expr: ExprNode
      readonly range: number
      readonly offset: number
      readonly step: number
    } & At)
  | {
      readonly type: 'call'
      readonly func: {
        readonly name: string
        readonly argTypes: readonly ('scalar' | 'string' | 'vector' | 'matrix')[]
        /** 0: all arguments are required. n: the last is optional, or may occur up to n times. -1: any number of times. */
        readonly variadic: number
        readonly returnType: 'scalar' | 'string' | 'vector' | 'matrix'
      }
      readonly args: readonly ExprNode[]
    }
  | {
      readonly type: 'aggregation'
      readonly op: string
      readonly expr: ExprNode
      readonly param: ExprNode | null
      readonly grouping: readonly string[]
      readonly without: boolean
    }
  | {
      readonly type: 'binaryExpr'
      readonly op: string
      readonly lhs: ExprNode
      readonly rhs: ExprNode
      /** Null where one side is a scalar. */
      readonly matching: {
        readonly card: 'one-to-one' | 'many-to-one' | 'one-to-many' | 'many-to-many'
        readonly labels: readonly string[]
        readonly on: boolean
        readonly include: readonly string[]
        readonly fillValues: { readonly lhs: number | null; readonly rhs: number | null }
      } | null
      readonly bool: boolean
    }
  | { readonly type: 'unaryExpr'; readonly op: string; readonly expr: ExprNode }
  | { readonly type: 'parenExpr'; readonly expr: ExprNode }

interface At {
  /** Of `@`: a fixed time, or an end of the query's own range. */
  readonly timestamp: number | null
  readonly startOrEnd: 'start' | 'end' | null
}

interface Selector extends At {
  /** The name before the braces, also among the matchers; otherwise the empty string. */
  readonly name: string
  readonly matchers: readonly {
    readonly name: string
    readonly value: string
    readonly type: '=' | '!=' | '=~' | '!~'
  }[]
  readonly offset: number
  readonly anchored: boolean
  readonly smoothed: boolean
}
