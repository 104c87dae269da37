import { isTextPart } from '@holdfast/core'
import { bold, dim, shortened } from './terminal.mjs'

/** Draws every branch of a session, and where other sessions fork off, as a tree of messages. */
export async function drawTree(scope, session) {
  const branches = await scope.branches.list(session.id)
  const roots = []
  const nodes = new Map()
  const nodeAt = (branch, position) => nodes.get(`${branch} ${position}`)
  const activePath = new Set()
  for await (const message of scope.messages.iterate(session.id)) activePath.add(message.id)

  for await (const message of scope.messages.iterate(session.id, { branches: 'all' })) {
    const branch = branches.find(({ id }) => id === message.branch)
    const parent =
      message.position === branch.base + 1
        ? nodeAt(branch.parent, branch.base)
        : nodeAt(branch.id, message.position - 1)
    const node = { message, children: [], forks: [] }
    nodes.set(`${message.branch} ${message.position}`, node)
    if (parent) parent.children.push(node)
    else roots.push(node)
  }

  const forks = await scope.sessions.list({ parent: session.id })
  const byMessage = new Map([...nodes.values()].map((node) => [node.message.id, node]))
  for (const fork of forks.items) byMessage.get(fork.lineage.message)?.forks.push(fork)

  for (const root of roots) draw(root, '  ', '  ', activePath)
}

function draw(node, first, rest, activePath) {
  const active = activePath.has(node.message.id)
  const text = node.message.parts
    .filter(isTextPart)
    .map((part) => part.text)
    .join(' ')
  const line = `${active ? '●' : '○'} ${node.message.position} ${shortened(text, 52)}`
  console.log(first + (active ? bold(line) : dim(line)))
  for (const fork of node.forks)
    console.log(`${rest}${node.children.length > 0 ? '├' : '└'}─▶ ${dim('session')} ${fork.title}`)
  for (const [index, child] of node.children.entries()) {
    if (node.children.length === 1) draw(child, rest, rest, activePath)
    else {
      const last = index === node.children.length - 1
      draw(child, `${rest}${last ? '└' : '├'}─ `, `${rest}${last ? '   ' : '│  '}`, activePath)
    }
  }
}
