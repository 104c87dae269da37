// What hosts use.
// What a backend owes, for those who write one.
export type { BackendCapabilities, Capabilities } from './capabilities.js'
export { type Clock, systemClock } from './clock.js'
export type { Sha256 } from './digest.js'
export { type Entity, type ErrorCode, type ErrorDetails, errorCodes, HoldfastError, isHoldfastError } from './errors.js'
export { createPause } from './event-loop.js'
export { createIdSource, type IdPrefix, type IdSource, type RandomBytes } from './ids.js'
export type { JsonObject, JsonValue } from './json.js'
export { defaultLimits, type Limits } from './limits.js'

// The model.
export type {
  Branch,
  BranchInput,
  BranchOrigin,
  BranchPatch,
  RegenerateInput,
  RewindInput,
  Sibling,
} from './model/branch.js'
export { type Event, type EventInput, type EventListOptions, journalTypes, type UsageEntry } from './model/event.js'
export type { TagCount } from './model/label.js'
export {
  type AppendOptions,
  type IterateOptions,
  type Message,
  type MessageInput,
  type MessageListOptions,
  type MessageSettlement,
  type MessageStatus,
  messageInput,
  messageStatuses,
} from './model/message.js'
export type { Page, ThreadPage } from './model/page.js'
export {
  type CustomPart,
  type DataPart,
  type FilePart,
  isCustomPart,
  isDataPart,
  isFilePart,
  isReasoningPart,
  isSourceDocumentPart,
  isSourceUrlPart,
  isStepStartPart,
  isTextPart,
  isToolPart,
  type KnownPart,
  type Part,
  type PartInput,
  type PartRecord,
  type PartSettlement,
  part,
  type ReasoningPart,
  type SourceDocumentPart,
  type SourceUrlPart,
  type StepStartPart,
  type TextPart,
  type ToolPart,
  type ToolState,
  toolStates,
  type UnknownPart,
} from './model/part.js'
export { type CallOptions, type IdMark, idMarks, type UpdateOptions } from './model/primitives.js'
export {
  type ForkInput,
  type LastMessage,
  type Lineage,
  type ModelRef,
  type Participant,
  type PermissionRule,
  type Provenance,
  type Session,
  type SessionFilter,
  type SessionInput,
  type SessionListOptions,
  type SessionPatch,
  type SessionStatus,
  type StatusChange,
  type StatusEntry,
  sessionInput,
  sessionStatuses,
  type Transcript,
  terminalStatuses,
} from './model/session.js'
export { type Usage, type UsageInput, usageFields } from './model/usage.js'
export type { Observation, Observe } from './observe.js'
export { type DescribedOperation, type OperationName, operations } from './operations/index.js'
// The repositories.
export type { Admin, IntegrityReport, StoreStats } from './ports/admin.js'
export {
  type Backend,
  type BackendStats,
  type BranchReads,
  type Call,
  type CallPlace,
  type Classified,
  type FilterColumn,
  filterColumns,
  type IdentifiedSession,
  type IntegrityProblem,
  type JournalQuery,
  type JournalReads,
  type LabelCount,
  type LabelReads,
  type LocatedMessage,
  type MessageReads,
  type PathPage,
  type PathRange,
  type SessionConditions,
  type SessionQuery,
  type SessionReads,
  type Upkeep,
} from './ports/backend.js'
export type { BatchWriter, LabelWriter, Minted } from './ports/batch.js'
export type { BranchRepository } from './ports/branches.js'
export type {
  ActivateBranch,
  AddUsage,
  Append,
  AppendedMessage,
  ChangeLabels,
  Command,
  CommitResult,
  CreateBranch,
  CreateSession,
  DeleteSession,
  Expectation,
  Label,
  PatchBranch,
  PatchSession,
  Receipt,
  SetStatus,
  SettleMessage,
  TouchSession,
  WriteJournal,
} from './ports/commands.js'
export type { EventRepository } from './ports/events.js'
export type { FindOptions, FolderRepository, PageOptions, TagRepository } from './ports/labels.js'
export type { MessageIterable, MessageRepository, PartRepository } from './ports/messages.js'
export {
  type BranchColumns,
  type BranchRow,
  type JournalRow,
  keyOnlyTypes,
  type LabelKind,
  type MessageColumns,
  type MessageRow,
  type PartRow,
  type SessionColumns,
  type SessionRow,
  type StoredBranch,
  type StoredEntry,
  type StoredMessage,
  type StoredSession,
} from './ports/rows.js'
export type { HistoryOptions, LoadOptions, SessionRepository } from './ports/sessions.js'
export type { Scope, Store } from './ports/store.js'
export { createStore } from './store.js'
export { assertStoreOptions, type StoreOptions } from './store-options.js'
export { compareUtf8 } from './text.js'
