// A conversation stored, branched, forked and read back. Run it again: it goes on where it stopped.
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSqliteStore } from '@holdfast/sqlite'
import { bold, dim, heading } from './terminal.mjs'
import { printTranscript } from './transcript.mjs'
import { drawTree } from './tree.mjs'

const path = process.env.HOLDFAST_QUICKSTART ?? fileURLToPath(new URL('quickstart.db', import.meta.url))
const text = (value) => ({ type: 'text', text: value })
const nextTurns = [
  {
    question: 'How do we get in from the airport?',
    answer: 'By train: every twenty minutes, nineteen minutes to the centre.',
  },
  { question: 'And if it rains after all?', answer: 'Then the sauna twice, and the library at the harbour.' },
  { question: 'Is one day enough?', answer: 'For the fjord, yes. For the forest you want the second one.' },
]

const store = await openSqliteStore({ path })
try {
  const scope = store.scope('quickstart')
  // With an id of our own the second run gets the stored session back.
  const session = await scope.sessions.create({ id: 'trip-to-oslo', title: 'Trip to Oslo', agent: 'planner' })
  if (session.messageCount === 0) await firstRun(scope, session)
  else await goOn(scope, session)

  heading(`${session.title} — the active path`)
  await printTranscript(scope.messages.iterate(session.id))

  heading('All branches: nothing is overwritten, nothing is copied')
  await drawTree(scope, session)
  console.log(dim('\n  ● on the active path   ○ replaced by an edit   ▶ another session that shares what is above'))

  const { usage, messageCount } = await scope.sessions.get(session.id)
  const { bytes } = await store.admin.stats()
  heading('What it left')
  console.log(`  ${bold(relative(process.cwd(), path))}  ${Math.ceil(bytes / 1024)} KiB of SQLite`)
  console.log(
    `  ${messageCount} messages on the active path, ${usage.total} tokens spent, integrity ${await integrity(store)}`,
  )
  console.log(dim('\n  Run it again: the conversation goes on.\n'))
} finally {
  await store.close()
}

/** A turn with a tool call, an edit, and a fork. */
async function firstRun(scope, session) {
  const say = (words) => scope.messages.append(session.id, { role: 'user', parts: [text(words)] })
  const answer = (parts, total) =>
    scope.messages.append(session.id, {
      role: 'assistant',
      agent: 'planner',
      parts,
      usage: { input: total - 40, output: 40 },
    })

  await say('Two days in Oslo, no museums.')
  await answer(
    [
      { type: 'tool-weather', toolCallId: 'call_1', state: 'input-available', input: { city: 'Oslo' } },
      text('It stays dry. Day one: the opera roof and a sauna on the fjord. Day two: the forest at Frognerseteren.'),
    ],
    310,
  )
  // The result arrives after the message: it completes the stored call.
  await scope.parts.settle(session.id, 'call_1', { state: 'output-available', output: { sky: 'clear', high: 11 } })

  const question = await say('Where do we eat?')
  await answer([text('At Mathallen, a food hall by the river.')], 260)

  // A second thought: edit the question. The first answer stays on its own branch.
  await scope.branches.edit(session.id, question.id, {
    role: 'user',
    parts: [text('Where do we eat with two children?')],
  })
  const better = await answer([text('At Mathallen too: there is room to run around, and waffles.')], 270)

  // Another idea becomes a session of its own and shares everything so far.
  const fork = await scope.sessions.fork(session.id, { at: better.id, title: 'The same trip in winter' })
  await scope.messages.append(fork.id, { role: 'user', parts: [text('And in January?')] })
}

async function goOn(scope, session) {
  const { messageCount } = session
  console.log(
    `\n${bold('Welcome back.')} The file holds ${messageCount} messages of "${session.title}"; here is one more turn.`,
  )
  const turn = nextTurns[((messageCount / 2) % nextTurns.length) | 0]
  await scope.messages.append(session.id, { role: 'user', parts: [text(turn.question)] })
  const usage = { input: 230, output: 30 }
  await scope.messages.append(session.id, { role: 'assistant', agent: 'planner', parts: [text(turn.answer)], usage })
}

async function integrity(opened) {
  return (await opened.admin.integrity()).ok ? 'ok' : 'damaged'
}
