import { z } from 'zod'
import { notFound } from '../errors.js'
import {
  appendOptions,
  type IterateOptions,
  iterateOptions,
  messageInput,
  messageListOptions,
  messageSettlement,
} from '../model/message.js'
import { partSettlement } from '../model/part.js'
import { callOptions, columnText, idOf } from '../model/primitives.js'
import type { Operation, OperationsOf } from '../operation.js'
import type { MessageRepository, PartRepository } from '../ports/messages.js'
import { appendMessages, storedMessage } from './append.js'
import { write } from './draft.js'
import { partRecordOf } from './message-rows.js'
import { type Iteration, type IterationStep, iterationStep, listMessages } from './reading.js'
import { settleMessage } from './settle-message.js'
import { settlePart } from './settle-part.js'

export const messageOperations: OperationsOf<Omit<MessageRepository, 'iterate'>> & {
  readonly iterate: Operation<
    [session: string, options: IterateOptions | undefined, at: Iteration | undefined],
    IterationStep
  >
} = {
  append: {
    access: 'write',
    arguments: (limits) => ({
      session: idOf('session', limits),
      message: messageInput(limits),
      options: appendOptions(limits).optional(),
    }),
    run: async (work, session, message, options) => {
      const [stored] = await write(work, appendMessages(work, session, [message], options ?? {}))
      if (stored === undefined) throw notFound('message', '')
      return stored
    },
  },
  appendAll: {
    access: 'write',
    arguments: (limits) => ({
      session: idOf('session', limits),
      messages: z.array(messageInput(limits)).min(1).max(limits.writesPerBatch),
      options: appendOptions(limits).optional(),
    }),
    run: (work, session, messages, options) => write(work, appendMessages(work, session, messages, options ?? {})),
  },
  get: {
    access: 'read',
    arguments: (limits) => ({ message: idOf('message', limits), options: callOptions.optional() }),
    run: storedMessage,
  },
  list: {
    access: 'read',
    arguments: (limits) => ({ session: idOf('session', limits), options: messageListOptions(limits).optional() }),
    run: (work, session, options) => listMessages(work, session, options ?? {}),
  },
  iterate: {
    access: 'read',
    arguments: (limits) => ({ session: idOf('session', limits), options: iterateOptions(limits).optional() }),
    run: (work, session, options, at) => iterationStep(work, session, options ?? {}, at),
  },
  parts: {
    access: 'read',
    arguments: (limits) => ({ message: idOf('message', limits), options: callOptions.optional() }),
    run: async (work, message) => {
      const parts = await work.backend.messages.parts(work.scope, message, work)
      if (parts === undefined) throw notFound('message', message)
      return parts.map((part) => partRecordOf(message, part))
    },
  },
  settle: {
    access: 'write',
    arguments: (limits) => ({
      message: idOf('message', limits),
      settlement: messageSettlement(limits),
      options: callOptions.optional(),
    }),
    run: (work, message, settlement) => settleMessage(work, message, settlement),
  },
}

export const partOperations: OperationsOf<PartRepository> = {
  settle: {
    access: 'write',
    arguments: (limits) => ({
      session: idOf('session', limits),
      toolCallId: columnText(limits.idBytes),
      settlement: partSettlement(limits),
      options: callOptions.optional(),
    }),
    run: (work, session, toolCallId, settlement) => settlePart(work, session, toolCallId, settlement),
  },
}
