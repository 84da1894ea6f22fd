// The protocol between run.py and a library's program: a request and a response are a line of JSON each.

import { createInterface } from 'node:readline';

// `begin` takes the settings of clients.py and returns {url, exchange, revoke}.
// `report` converts an error of the library to {code, message, status}.
export async function serve(begin, report) {
  let login;
  const calls = {
    begin: async (settings) => (login = await begin(settings)).url,
    exchange: (callback) => login.exchange(new URL(callback)),
    revoke: (token) => login.revoke(token),
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const [name, argument] = JSON.parse(line);
    let answer;
    try {
      answer = { done: (await calls[name](argument)) ?? null };
    } catch (error) {
      answer = { refused: { code: null, message: String(error), ...report(error) } };
    }
    console.log(JSON.stringify(answer));
  }
}

// Converts an error of oauth4webapi, on which openid-client is based.
export function reportOauth4webapi(error) {
  return {
    code: error.error ?? error.code,
    message: error.error_description ?? error.cause?.message ?? error.message,
    status: error.status,
  };
}
