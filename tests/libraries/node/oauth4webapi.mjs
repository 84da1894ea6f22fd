// The client of oauth4webapi.

import * as oauth from 'oauth4webapi';
import { reportOauth4webapi, serve } from './protocol.mjs';

// The service runs on this machine without TLS.
const options = { [oauth.allowInsecureRequests]: true };
const ways = { basic: oauth.ClientSecretBasic, body: oauth.ClientSecretPost };

async function discover(issuer) {
  const answer = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' });
  return oauth.processDiscoveryResponse(issuer, answer);
}

async function begin(settings) {
  const given = settings.server;
  const server = given.token_endpoint ? given : await discover(new URL(given.issuer));
  const client = { client_id: settings.client_id };
  const secret = settings.client_secret;
  const authentication = secret ? ways[settings.way ?? 'body'](secret) : oauth.None();
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();

  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: settings.client_id,
    redirect_uri: settings.redirect_uri,
    response_type: 'code',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });

  async function exchange(callback) {
    const found = oauth.validateAuthResponse(server, client, callback, state);
    const { redirect_uri } = settings;
    const answer = await oauth.authorizationCodeGrantRequest(
      server, client, authentication, found, redirect_uri, verifier, options,
    );
    return oauth.processAuthorizationCodeResponse(server, client, answer);
  }

  async function revoke(token) {
    const answer = await oauth.revocationRequest(server, client, authentication, token, options);
    return oauth.processRevocationResponse(answer);
  }

  return { url, exchange, revoke };
}

serve(begin, reportOauth4webapi);
