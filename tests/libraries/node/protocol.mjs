// How run.py talks to a library's program: a line of JSON asks, and one answers.

import { createInterface } from 'node:readline';

// `begin` takes the settings of clients.py, and answers {url, exchange, revoke}.
// `report` reads an error of the library's: {code, message, status}.
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

// What oauth4webapi throws, which openid-client is built on.
export function reportOauth4webapi(error) {
  return {
    code: error.error ?? error.code,
    message: error.error_description ?? error.cause?.message ?? error.message,
    status: error.status,
  };
}
