// @ts-check
// Asks the kernel, and notices when it does not answer.

const PATIENCE = 3000; // milliseconds until a kernel counts as silent
const IMPATIENCE = 500; // and until it still does

/**
 * tell(sentence) says how it stands with the kernel; an empty sentence takes it back. Gives {request, tell, waiting, silent,
 * stop}; waiting() says whether an answer is still to come.
 * @param {any} model
 * @param {(sentence: string) => void} tell
 */
function makeKernel(model, tell) {
  const own = Math.random().toString(36).slice(2);
  /** @type {Map<string, {timer: number, done: () => void, awaited: boolean}>} */
  const open = new Map();
  let asked = 0;
  let silent = false;

  /**
   * Sends a message; `done` is called after its answer, or when there is none. Nothing is said of a silence for which
   * nobody waits.
   * @param {object} message
   * @param {() => void} done
   * @param {boolean} awaited
   */
  function request(message, done = () => {}, awaited = true) {
    const id = `${own}-${(asked += 1)}`;
    const timer = window.setTimeout(unanswered, silent ? IMPATIENCE : PATIENCE, id);
    open.set(id, { timer, done, awaited });
    try {
      model.send({ ...message, id });
    } catch {
      unanswered(id); // the connection itself is gone
    }
  }

  /** @param {string} id */
  function close(id) {
    const request = open.get(id) ?? { timer: 0, done: () => {}, awaited: false };
    clearTimeout(request.timer);
    open.delete(id);
    return request;
  }

  /** @param {string} id */
  function unanswered(id) {
    const { done, awaited } = close(id);
    silent = true;
    if (awaited && !model.get("static")) tell(model.get("says").silent);
    done();
  }

  /** A late answer is one, too; it takes back what was said of the silence. @param {{answered?: string, sorry?: string}} message */
  function hear({ answered, sorry }) {
    if (!answered?.startsWith(own)) return;
    if (silent || sorry !== undefined) tell(sorry ?? "");
    silent = false;
    close(answered).done();
  }

  model.on("msg:custom", hear);
  function stop() {
    model.off("msg:custom", hear);
    for (const id of [...open.keys()]) close(id);
  }
  return { request, tell, waiting: () => open.size > 0, silent: () => silent, stop };
}
