// Plain JavaScript, for runtimes whose only SHA-256 is asynchronous. FIPS 180-4, section 6.2.

const constants = new Uint32Array(64)
const initial = new Uint32Array(8)

let found = 0
for (let candidate = 2; found < 64; candidate++) {
  let prime = true
  for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) prime = false
  if (!prime) continue
  if (found < 8) initial[found] = fraction(Math.sqrt(candidate))
  constants[found++] = fraction(Math.cbrt(candidate))
}

function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) >>> 0
}

const encoder = new TextEncoder()
const schedule = new Uint32Array(64)

/** SHA-256 of the UTF-8 bytes of a text, in hex. */
export function sha256(text: string): string {
  const bytes = encoder.encode(text)
  const padded = new Uint8Array(((bytes.length + 72) >> 6) << 6)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0)
  const state = initial.slice()
  for (let block = 0; block < padded.length; block += 64) compress(state, view, block)
  let hex = ''
  for (const word of state) hex += word.toString(16).padStart(8, '0')
  return hex
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0
}

function compress(state: Uint32Array, view: DataView, block: number): void {
  for (let i = 0; i < 16; i++) schedule[i] = view.getUint32(block + i * 4)
  for (let i = 16; i < 64; i++) {
    const early = at(schedule, i - 15)
    const late = at(schedule, i - 2)
    const s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    schedule[i] = at(schedule, i - 16) + s0 + at(schedule, i - 7) + s1
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const first = (h + s1 + ((e & f) ^ (~e & g)) + at(constants, i) + at(schedule, i)) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const next = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i++) state[i] = at(state, i) + (next[i] ?? 0)
}
