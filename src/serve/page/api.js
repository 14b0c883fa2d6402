// Requests to the server with the token, and its stream of changes.

const KEY = "nvmlkit-token";
let token = "";

// Of the link's fragment, else of this tab. The fragment leaves the address, so that it is in no bookmark.
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname);
  }
  token = given ?? sessionStorage.getItem(KEY) ?? "";
  return token !== "";
}

export function giveToken(text) {
  token = text.trim();
  sessionStorage.setItem(KEY, token);
}

export class Refusal extends Error {
  constructor(status, about) {
    super(about.message ?? `the server answered ${status}`);
    this.status = status;
    this.about = about;
  }
}

async function refusalOf(response) {
  return new Refusal(response.status, await response.json().catch(() => ({})));
}

export async function ask(method, path, body) {
  const headers = { Authorization: `Bearer ${token}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  if (!response.ok) throw await refusalOf(response);
  return response.json();
}

export const get = (path) => ask("GET", `api/v1/${path}`);
export const steer = (words) => ask("POST", "api/v1/commands", Array.isArray(words) ? { words } : { line: words });

async function read(response, handle) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const [name, data] = event.split("\n");
      handle(name.slice("event: ".length), JSON.parse(data.slice("data: ".length)));
    }
  }
}

// Calls `handle(name, data)` for each event, for ever. `status` gets "live", "away" or "refused".
export async function follow(handle, status) {
  for (let wait = 250; ; wait = Math.min(wait * 2, 5000)) {
    try {
      const response = await fetch("api/v1/stream", { headers: { Authorization: `Bearer ${token}` } });
      if (!response.ok) throw await refusalOf(response);
      status("live");
      wait = 250;
      await read(response, handle);
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) {
        status("refused");
        return;
      }
    }
    status("away");
    await new Promise((done) => setTimeout(done, wait));
  }
}
