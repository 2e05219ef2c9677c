// Calls of the server: each is a POST with a header that no other site can send.

export async function call(path, body, signal) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "X-CoAP-Explorer": "1", "Content-Type": "application/json" },
    body: JSON.stringify(body),
    cache: "no-store",
    signal,
  });
  if (!response.ok) {
    let problem = null;
    try {
      problem = await response.json();
    } catch {
      // Another server in between may answer as it likes.
    }
    const error = new Error(problem && problem.detail ? [problem.detail, problem.hint].filter(Boolean).join(" ")
      : `The server answered ${response.status}. Sign in again, or reload the page.`);
    error.status = response.status;
    throw error;
  }
  return response;
}

// Events, one on each line, as they come.
export async function follow(path, body, signal, onEvent) {
  const response = await call(path, body, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line) onEvent(JSON.parse(line));
    }
  }
}
