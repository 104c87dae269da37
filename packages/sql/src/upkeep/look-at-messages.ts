import { isReasoningPart, isTextPart, isToolPart, type Part, type PartRow } from '@holdfast/core'
import { sql } from 'kysely'
import { partsFrom } from '../chunks.js'
import { under } from '../codec/columns.js'
import { type PartChunk, partColumns, partFrom } from '../codec/messages.js'
import { bind, type Compiler } from '../compile.js'
import type { SqlExecutor, SqlRow } from '../executor.js'
import { allJson, parsed, type Report } from './findings.js'
import type { Look } from './look.js'
import { type Beginning, keyOrder, rowsAhead, type Stretch, stretches } from './stretches.js'

/** What may be long beside the parts. The size of a message counts it. */
const longColumns = ['error_json', 'trigger_json', 'metadata_json'] as const
const shortColumns = ['model_json', 'usage_json'] as const
const key = ['scope', 'branch', 'position'] as const

/** Messages with their parts, both as one commit left them. */
export function lookAtMessages(executor: SqlExecutor, compiler: Compiler): Look {
  const { compileAcross: compile } = compiler
  const ofMessage = keyOrder(compiler, 'm', key)
  const ofPart = keyOrder(compiler, 'p', key)
  const piecesInOrder = keyOrder(compiler, 'p', [...key, 'index', 'chunk']).order

  const ahead = compile<Beginning>('find the next messages to look at', (writing) =>
    writing.db
      .selectFrom('holdfast_messages as m')
      .select(under('m', key))
      .select('m.size')
      .where(ofMessage.isAfter(writing))
      .orderBy(ofMessage.order)
      .limit(sql.lit(rowsAhead)),
  )
  const messages = compile<Stretch>('look at messages', (writing) =>
    writing.db
      .selectFrom('holdfast_messages as m')
      .select(under('m', key))
      .select('m.size')
      .select(under('m', longColumns))
      .select(under('m', shortColumns))
      .where(ofMessage.isWithin(writing))
      .orderBy(ofMessage.order),
  )
  const parts = compile<Stretch>('look at parts', (writing) =>
    writing.db
      .selectFrom('holdfast_parts as p')
      .select(under('p', key))
      .select(under('p', partColumns))
      .where(ofPart.isWithin(writing))
      .orderBy(piecesInOrder),
  )

  return async (report, call) => {
    for await (const stretch of stretches(executor, ahead, key.length, call)) {
      const [found = [], pieces = []] = await executor.read(
        [bind(messages, stretch), bind(parts, stretch)],
        { scope: null },
        call,
      )
      const partsOf = chunksByMessage(pieces)
      for (const row of found) lookAtMessage(row, partsFrom(partsOf.get(nameOf(row)) ?? []), report)
    }
  }
}

function lookAtMessage(row: SqlRow, parts: readonly PartRow[], report: Report): void {
  const place = row.slice(0, key.length)
  const [size, ...texts] = row.slice(key.length)
  if (!allJson(texts)) report('a message with a text that is not JSON', place)
  let characters = 0
  for (const text of texts.slice(0, longColumns.length)) characters += String(text ?? '').length
  for (const part of parts) {
    characters += part.payloadJson.length
    const payload = parsed(part.payloadJson)
    if (payload === undefined) report('a part whose payload is not JSON', [...place, part.index])
    else if (!isOf(part, payload))
      report('a part whose type, state or call is not that of its payload', [...place, part.index])
  }
  if (characters !== size) report('a message whose size is not that of what it holds', place)
}

/** Whether the columns are what core made of the payload. */
function isOf({ type, toolCallId, state }: PartRow, payload: unknown): boolean {
  if (typeof payload !== 'object' || payload === null || !('type' in payload) || payload.type !== type) return false
  // An object of JSON with a text for its type is a part.
  const part = payload as Part
  const isTool = isToolPart(part)
  const hasState = isTool || isTextPart(part) || isReasoningPart(part)
  return (
    toolCallId === (isTool ? String(part.toolCallId) : null) &&
    state === (hasState && typeof part.state === 'string' ? part.state : null)
  )
}

function chunksByMessage(rows: readonly SqlRow[]): ReadonlyMap<string, readonly PartChunk[]> {
  const found = new Map<string, PartChunk[]>()
  for (const row of rows) {
    const name = nameOf(row)
    const chunk = partFrom(row.slice(key.length))
    const chunks = found.get(name)
    if (chunks === undefined) found.set(name, [chunk])
    else chunks.push(chunk)
  }
  return found
}

function nameOf(row: SqlRow): string {
  return row.slice(0, key.length).join()
}
