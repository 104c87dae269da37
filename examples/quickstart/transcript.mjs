import { isTextPart, isToolPart } from '@holdfast/core'
import { cyan, dim, green, wrapped, yellow } from './terminal.mjs'

const indent = 12

/** Prints the messages of a path, one block each. */
export async function printTranscript(messages) {
  for await (const message of messages) {
    const speaker = message.role === 'user' ? green('you') : cyan(message.agent ?? message.role)
    const padding = ' '.repeat(indent - 2 - (message.role === 'user' ? 3 : (message.agent ?? message.role).length))
    const blocks = message.parts.map(partText).filter((text) => text !== '')
    console.log(`  ${speaker}${padding}${blocks.join(`\n${' '.repeat(indent)}`)}\n`)
  }
}

function partText(part) {
  if (isTextPart(part)) return wrapped(part.text, indent)
  if (isToolPart(part))
    return `${yellow('⚙')} ${part.type.slice(5)} ${dim(JSON.stringify(part.input))} → ${JSON.stringify(part.output)}`
  return ''
}
