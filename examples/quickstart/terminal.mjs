const colours = process.stdout.isTTY && !process.env.NO_COLOR
const paint = (code) => (text) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text)

export const bold = paint(1)
export const dim = paint(2)
export const green = paint(32)
export const cyan = paint(36)
export const yellow = paint(33)

const width = Math.min(process.stdout.columns ?? 80, 88)

export function heading(text) {
  console.log(`\n${bold(text)}\n${dim('─'.repeat(width))}`)
}

/** Breaks a text at spaces so that every line fits beside an indentation. */
export function wrapped(text, indent) {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)
    if (line.length > 0 && line.length + word.length + 1 > width - indent) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}

export function shortened(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
