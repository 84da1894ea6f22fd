// The client of passport-oauth2.

import OAuth2Strategy from 'passport-oauth2';
import { serve } from './protocol.mjs';

// Handles a request like passport: the strategy responds with one of these four calls.
function authenticate(strategy, request) {
  return new Promise((resolve, reject) => {
    Object.assign(strategy, {
      redirect: resolve,
      success: resolve,
      error: reject,
      // Without a status, the user has denied the request (lib/strategy.js).
      fail: ({ message }, status) => reject({ code: status ? null : 'access_denied', message }),
    });
    strategy.authenticate(request);
  });
}

async function begin({ server, client_id, client_secret, redirect_uri }) {
  const options = {
    authorizationURL: server.authorization_endpoint,
    tokenURL: server.token_endpoint,
    clientID: client_id,
    clientSecret: client_secret ?? '',
    callbackURL: redirect_uri,
    state: true,
    pkce: true,
  };
  const strategy = new OAuth2Strategy(options, (_token, _refreshToken, answer, _profile, done) => done(null, answer));
  const session = {};
  const url = await authenticate(strategy, { query: {}, session });
  return {
    url,
    exchange: (callback) =>
      authenticate(strategy, {
        query: Object.fromEntries(callback.searchParams),
        session: structuredClone(session),
      }),
  };
}

// The status of its errors is a suggestion for the application's response, not the one of the token endpoint.
serve(begin, ({ code, message }) => ({ code, message }));
