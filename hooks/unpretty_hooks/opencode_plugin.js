// unpretty plugin for OpenCode (written by `unpretty install opencode`, removed by `unpretty uninstall opencode`)
//
// Hands tool results to one long-lived Python worker (one JSON object per line over its pipes) and replaces their text
// by a smaller one with the same meaning. On any delay or failure the original result stays. Nothing here throws: an
// exception inside `tool.execute.after` would cost the agent its tool result. Node modules only, since OpenCode Desktop
// runs plugins without Bun.
import { spawn } from "node:child_process"
import { dirname } from "node:path"

// From the table of agents, by `unpretty install`: the worker's command, OpenCode's tools and limits.
const { worker: WORKER, tools, limits } = __UNPRETTY__
const TIME_LIMIT_MS = limits.plugin_ms // a reply takes about a millisecond; the worker itself gives up earlier
const FAILURES_IN_A_ROW = 3 // after that many the worker is not asked for PAUSE_MS
const PAUSE_MS = 300000
const LARGEST_CHARS = limits.plugin_chars // longer results are left alone without asking
const SESSIONS = 256 // models of that many sessions are remembered

// Tools whose `output` string is all that the model reads. MCP tools are recognised by the shape of their result; every
// other tool shows files, edits or notices and is not touched.
const TEXT_TOOLS = new Set(tools)

class Worker {
  child = null
  chunks = []
  waiting = new Map()
  lastId = 0
  failures = 0
  pausedUntil = 0

  // The worker's reply to `request`, or null: never rejects, never takes longer than TIME_LIMIT_MS.
  ask(request) {
    return new Promise((resolve) => {
      if (this.failures >= FAILURES_IN_A_ROW && Date.now() < this.pausedUntil) return resolve(null)
      const child = (this.child ??= this.start())
      const id = ++this.lastId
      const timer = setTimeout(() => this.fail(child), TIME_LIMIT_MS)
      this.waiting.set(id, (reply) => {
        clearTimeout(timer)
        resolve(reply)
      })
      child.stdin.write(JSON.stringify({ ...request, id }) + "\n")
    })
  }

  start() {
    // In its own directory, so that the worker keeps no project directory busy.
    const child = spawn(WORKER[0], WORKER.slice(1), {
      cwd: dirname(WORKER[3]),
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    })
    child.on("error", () => this.fail(child))
    child.on("exit", () => this.fail(child))
    child.stdin.on("error", () => this.fail(child))
    child.stdout.on("error", () => this.fail(child))
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (data) => this.read(child, data))
    // OpenCode must be able to end while the worker waits; the worker ends when its standard input does.
    for (const handle of [child, child.stdin, child.stdout]) handle.unref?.()
    return child
  }

  read(child, data) {
    if (child !== this.child) return
    this.chunks.push(data)
    if (!data.includes("\n")) return
    const lines = this.chunks.join("").split("\n")
    this.chunks = [lines.pop()]
    for (const line of lines) this.settle(child, line)
  }

  settle(child, line) {
    let reply
    try {
      reply = JSON.parse(line)
    } catch {
      return this.fail(child) // not a reply of our worker: nothing that follows can be trusted
    }
    const done = this.waiting.get(reply?.id)
    if (!done) return
    this.waiting.delete(reply.id)
    this.failures = 0
    done(reply)
  }

  // Give up a worker that crashed, hangs or never started; all pending requests keep the original.
  fail(child) {
    if (child !== this.child) return
    this.failures += 1
    this.pausedUntil = Date.now() + PAUSE_MS
    this.letGo()
    try {
      child.kill("SIGKILL")
    } catch {}
  }

  // Close the input of a working worker: it ends when it has read what was sent.
  stop() {
    this.child?.stdin.end()
    this.letGo()
  }

  letGo() {
    const { waiting } = this
    this.child = null
    this.chunks = []
    this.waiting = new Map()
    for (const done of waiting.values()) done(null)
  }
}

// Results that some copy of this plugin has seen: another copy, loaded from another directory, leaves them alone.
const seen = (globalThis[Symbol.for("unpretty.seen")] ??= new WeakSet())
const worker = new Worker()
let instances = 0 // OpenCode loads this module once and calls `server` for each open project

// The texts of a result that the model reads, as [name, text, put] each.
function fieldsOf(input, output) {
  if (Array.isArray(output.content)) {
    // Inside code mode a program reads structuredContent, when there is one, and never the text.
    if (isInner(input) && output.structuredContent != null) return []
    return output.content.flatMap((block, index) => {
      const [holder, name] =
        block?.type === "text" ? [block, "text"] : block?.type === "resource" ? [block.resource, "resource.text"] : []
      if (typeof holder?.text !== "string") return []
      return [[`content.${index}.${name}`, holder.text, (text) => (holder.text = text)]]
    })
  }
  if (!TEXT_TOOLS.has(input.tool) || typeof output.output !== "string") return []
  return [["output", output.output, (text) => (output.output = text)]]
}

// A call that a code-mode program made: its result feeds the program, not the model.
function isInner(input) {
  return String(input.callID).includes("/")
}

async function compact(state, input, output) {
  if (seen.has(output)) return
  seen.add(output)
  const fields = fieldsOf(input, output)
  const size = fields.reduce((sum, [, text]) => sum + text.length, 0)
  if (size === 0 || size > LARGEST_CHARS) return
  const reply = await worker.ask({
    tool: input.tool,
    call: input.callID,
    session: input.sessionID,
    command: input.args?.command,
    project: state.directory,
    model: state.models.get(input.sessionID),
    version: state.version,
    inner: isInner(input),
    mcp: Array.isArray(output.content),
    saved: output.metadata?.truncated ? output.metadata.outputPath : undefined,
    max_lines: state.maxLines,
    max_bytes: state.maxBytes,
    fields: fields.map(([name, text]) => [name, text]),
  })
  for (const [name, , put] of fields) {
    const text = reply?.texts?.[name]
    if (typeof text === "string" && text !== "") put(text)
  }
}

function remember(state, input) {
  // The title of a session is written by another model than the one that reads the tool results.
  if (input.agent === "title" || typeof input.model?.id !== "string") return
  state.models.delete(input.sessionID)
  state.models.set(input.sessionID, input.model.id)
  if (state.models.size > SESSIONS) state.models.delete(state.models.keys().next().value)
}

async function askVersion(state, client) {
  if (state.version !== undefined) return
  state.version = ""
  const reply = await client._client.get({ url: "/global/health" })
  if (typeof reply?.data?.version === "string") state.version = reply.data.version
}

function readLimits(state, config) {
  const limit = (value, otherwise) => (Number.isSafeInteger(value) && value > 0 ? value : otherwise)
  state.maxLines = limit(config?.tool_output?.max_lines, state.maxLines)
  state.maxBytes = limit(config?.tool_output?.max_bytes, state.maxBytes)
}

// Wrap a hook so that no error leaves it.
function safely(hook) {
  return async (...args) => {
    try {
      await hook(...args)
    } catch {}
  }
}

// What is known of an open project. Limits: what OpenCode itself applies when its config says nothing.
function newState(directory, version) {
  const { shown_lines: maxLines, shown_bytes: maxBytes } = limits
  return { directory, models: new Map(), version, maxLines, maxBytes }
}

// OpenCode 1.x.
const server = async (context) => {
  instances += 1
  const state = newState(context?.directory)
  return {
    config: safely((config) => readLimits(state, config)),
    "chat.params": safely((input) => {
      remember(state, input)
      askVersion(state, context.client).catch(() => {}) // not waited for: the model's request has to go out
    }),
    "tool.execute.after": safely((input, output) => compact(state, input, output)),
    dispose: safely(() => {
      instances -= 1
      if (instances <= 0) worker.stop()
    }),
  }
}

// OpenCode 2.x: its results carry no mark of the tool's origin, so only the tools above are handed over. OpenCode 1.18
// calls this as well, with a context that has no `tool`.
const setup = async (context) => {
  if (typeof context?.tool?.hook !== "function") return
  const state = newState(context.directory, "2")
  await context.tool.hook(
    "execute.after",
    safely(async (event) => {
      if (event.status !== "completed" || !TEXT_TOOLS.has(event.tool) || typeof event.result?.content !== "string") return
      const input = { tool: event.tool, callID: event.id, sessionID: event.sessionID, args: event.input }
      const output = { output: event.result.content, metadata: event.result.metadata }
      await compact(state, input, output)
      if (output.output !== event.result.content) event.result = { ...event.result, content: output.output }
    }),
  )
}

export const UnprettyPlugin = server
export default { id: "unpretty", server, setup }
