import type {
  Append,
  ChangeLabels,
  Command,
  CommitResult,
  CreateBranch,
  CreateSession,
  Expectation,
  PatchSession,
  Receipt,
  SetStatus,
  SettleMessage,
} from '../ports/commands.js'
import type { BranchRow, SessionRow } from '../ports/rows.js'
import {
  type BranchRecord,
  headOf,
  isShown,
  type MemoryData,
  MemoryScope,
  type MessageRecord,
  messageOnPath,
  type SessionRecord,
} from './records.js'

/** Thrown inside of a commit to leave it; never seen outside. */
class Refusal {
  readonly expectation: Expectation

  constructor(expectation: Expectation) {
    this.expectation = expectation
  }
}

/** Interprets commands one by one and takes all of them back when one is refused. */
export function commitInMemory(data: MemoryData, scope: string, commands: readonly Command[]): CommitResult {
  const commit = new MemoryCommit(data, scope)
  const receipts: Receipt[] = []
  for (const [index, command] of commands.entries()) {
    try {
      receipts.push(commit.run(command))
    } catch (error) {
      commit.takeBack()
      if (error instanceof Refusal) return { committed: false, command: index, expectation: error.expectation }
      throw error
    }
  }
  return { committed: true, receipts }
}

class MemoryCommit {
  readonly #data: MemoryData
  readonly #scopeId: string
  readonly #undo: (() => void)[] = []

  constructor(data: MemoryData, scope: string) {
    this.#data = data
    this.#scopeId = scope
  }

  takeBack(): void {
    for (const undo of this.#undo.reverse()) undo()
  }

  run(command: Command): Receipt {
    switch (command.type) {
      case 'create-session':
        return this.#createSession(command)
      case 'patch-session':
        return this.#patchSession(command)
      case 'touch-session':
        return this.#touch(this.#session(command.session), command.at)
      case 'set-status':
        return this.#setStatus(command)
      case 'add-usage': {
        const session = this.#session(command.session)
        const { row } = session
        const { usage } = command
        return this.#setRow(session, {
          ...row,
          usageInput: row.usageInput + usage.input,
          usageOutput: row.usageOutput + usage.output,
          usageReasoning: row.usageReasoning + usage.reasoning,
          usageCacheRead: row.usageCacheRead + usage.cacheRead,
          usageCacheWrite: row.usageCacheWrite + usage.cacheWrite,
          usageTotal: row.usageTotal + usage.total,
          usageCost: row.usageCost + usage.cost,
        })
      }
      case 'delete-session':
        return this.#deleteSession(this.#session(command.session))
      case 'create-branch':
        return this.#createBranch(command)
      case 'patch-branch': {
        const branch = this.#branch(command.branch)
        if (branch.row.version !== command.version) throw new Refusal('version')
        return this.#assign(branch, 'row', { ...branch.row, ...command.set, version: command.version + 1 })
      }
      case 'activate-branch': {
        const session = this.#session(command.session)
        const branch = this.#branch(command.branch)
        if (branch.session !== session) throw new Refusal('branch')
        return this.#assign(session, 'active', branch)
      }
      case 'append':
        return this.#append(command)
      case 'settle-message':
        return this.#settle(command)
      case 'change-labels':
        return this.#changeLabels(command)
      case 'write-journal': {
        const session = this.#session(command.session)
        const { id } = command.entry
        const scope = this.#scope()
        if (id !== null && scope.entries.has(id)) throw new Refusal('id')
        const entry = { ...command.entry, seq: session.journal.length + 1 }
        this.#push(session.journal, entry)
        if (id !== null) this.#put(scope.entries, id, { session, entry })
        return { seq: entry.seq }
      }
    }
  }

  #scope(): MemoryScope {
    return this.#data.scopes.get(this.#scopeId) ?? new MemoryScope()
  }

  #session(id: string): SessionRecord {
    const session = this.#scope().sessions.get(id)
    if (session === undefined) throw new Refusal('session')
    return session
  }

  #branch(id: string): BranchRecord {
    const branch = this.#scope().branches.get(id)
    if (branch === undefined || branch.session.gone) throw new Refusal('branch')
    return branch
  }

  #createSession({ session: row, branch, labels, source }: CreateSession): Receipt {
    if (!this.#data.scopes.has(this.#scopeId)) this.#put(this.#data.scopes, this.#scopeId, new MemoryScope())
    const scope = this.#scope()
    const origin = source === null ? undefined : scope.sessions.get(source)
    if (source !== null && origin === undefined) throw new Refusal('source')
    if (scope.sessions.has(row.id)) throw new Refusal('id')
    this.#assertFreeReference(undefined, row)
    const session = {
      row,
      branches: [],
      labels: { tag: new Set(origin?.labels.tag), folder: new Set(origin?.labels.folder), participant: new Set() },
      journal: [],
      gone: false,
    } as unknown as SessionRecord // `active` follows in the next lines: session and branch point at each other.
    session.active = this.#addBranch(session, branch)
    for (const { kind, value } of labels) session.labels[kind].add(value)
    this.#put(scope.sessions, row.id, session)
    return {}
  }

  #patchSession({ session: id, set, version }: PatchSession): Receipt {
    const session = this.#session(id)
    if (session.row.version !== version) throw new Refusal('version')
    const row = { ...session.row, ...set, version: version + 1 }
    this.#assertFreeReference(session, row)
    return this.#setRow(session, row)
  }

  #assertFreeReference(self: SessionRecord | undefined, row: SessionRow): void {
    if (row.externalRef === null) return
    for (const other of this.#scope().sessions.values())
      if (other !== self && other.row.externalRef === row.externalRef && other.row.source === row.source)
        throw new Refusal('externalRef')
  }

  #touch(session: SessionRecord, at: number): Receipt {
    return this.#setRow(session, { ...session.row, lastActivityAt: Math.max(at, session.row.lastActivityAt) })
  }

  #setStatus(command: SetStatus): Receipt {
    const session = this.#session(command.session)
    const { row } = session
    if (row.status !== command.from) throw new Refusal('status')
    return this.#setRow(session, {
      ...row,
      status: command.to,
      statusReasonJson: command.reasonJson,
      startedAt: row.startedAt ?? command.startedAt,
      endedAt: command.endedAt,
    })
  }

  #deleteSession(session: SessionRecord): Receipt {
    const scope = this.#scope()
    this.#remove(scope.sessions, session.row.id)
    for (const { id } of session.journal) if (id !== null) this.#remove(scope.entries, id)
    scope.gone.add(session)
    this.#undo.push(() => scope.gone.delete(session))
    return this.#assign(session, 'gone', true)
  }

  #createBranch({ session: id, branch: row, activate }: CreateBranch): Receipt {
    const session = this.#session(id)
    const branch = this.#addBranch(session, row)
    return activate ? this.#assign(session, 'active', branch) : {}
  }

  #addBranch(session: SessionRecord, row: BranchRow): BranchRecord {
    const scope = this.#scope()
    if (scope.branches.has(row.id)) throw new Refusal('id')
    const at = row.at === null ? undefined : scope.messages.get(row.at)
    if (row.at !== null && (at === undefined || !isShown(at))) throw new Refusal('at')
    const parent = at?.branch ?? null
    const branch: BranchRecord = { row, session, parent, base: at?.position ?? 0, messages: [], children: new Set() }
    this.#push(session.branches, branch)
    this.#put(scope.branches, row.id, branch)
    parent?.children.add(branch)
    this.#undo.push(() => parent?.children.delete(branch))
    return branch
  }

  #append({ session: id, branch: branchId, after, at, messages }: Append): Receipt {
    const session = this.#session(id)
    const branch = branchId === null ? session.active : this.#branch(branchId)
    if (branch.session !== session) throw new Refusal('branch')
    const head = headOf(branch)
    if (after !== undefined && (messageOnPath(branch, head)?.row.id ?? null) !== after) throw new Refusal('after')
    const scope = this.#scope()
    for (const [index, { message: row, parts }] of messages.entries()) {
      if (scope.messages.has(row.id)) throw new Refusal('id')
      const message: MessageRecord = { row, branch, position: head + 1 + index, revision: 1, parts }
      this.#push(branch.messages, message)
      this.#put(scope.messages, row.id, message)
    }
    this.#touch(session, at)
    return { branch: branch.row.id, position: head + 1 }
  }

  #settle({ message: id, revision, at, set, parts }: SettleMessage): Receipt {
    const message = this.#scope().messages.get(id)
    if (message === undefined || !isShown(message)) throw new Refusal('message')
    if (message.revision !== revision) throw new Refusal('revision')
    const changed = new Map(parts.map((part) => [part.index, part]))
    this.#assign(
      message,
      'parts',
      message.parts.map((part) => changed.get(part.index) ?? part),
    )
    this.#assign(message, 'revision', revision + 1)
    return this.#assign(message, 'row', { ...message.row, ...set, updatedAt: at })
  }

  #changeLabels({ session: id, kind, change, values }: ChangeLabels): Receipt {
    const { labels } = this.#session(id)
    const next = new Set(change === 'replace' ? [] : labels[kind])
    for (const value of values) change === 'remove' ? next.delete(value) : next.add(value)
    return this.#assign(labels, kind, next)
  }

  #setRow(session: SessionRecord, row: SessionRow): Receipt {
    return this.#assign(session, 'row', row)
  }

  #assign<Target extends object, Key extends keyof Target>(target: Target, key: Key, value: Target[Key]): Receipt {
    const before = target[key]
    this.#undo.push(() => {
      target[key] = before
    })
    target[key] = value
    return {}
  }

  #put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    map.set(key, value)
    this.#undo.push(() => map.delete(key))
  }

  #remove<Key, Value>(map: Map<Key, Value>, key: Key): void {
    const value = map.get(key)
    if (value === undefined) return
    map.delete(key)
    this.#undo.push(() => map.set(key, value))
  }

  #push<Value>(list: Value[], value: Value): void {
    list.push(value)
    this.#undo.push(() => list.pop())
  }
}
