// The client of openid-client.

import * as client from 'openid-client';
import { reportOauth4webapi, serve } from './protocol.mjs';

const ways = { basic: client.ClientSecretBasic, body: client.ClientSecretPost };

function configure({ server, client_id, client_secret, way }) {
  const credentials = [client_id, client_secret ?? undefined, way ? ways[way](client_secret) : undefined];
  // The service runs on this machine without TLS.
  const execute = [client.allowInsecureRequests];
  if (!server.token_endpoint) {
    return client.discovery(new URL(server.issuer), ...credentials, { algorithm: 'oauth2', execute });
  }
  const config = new client.Configuration(server, ...credentials);
  execute.forEach((extend) => extend(config));
  return config;
}

async function begin(settings) {
  const config = await configure(settings);
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: settings.redirect_uri,
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return {
    url,
    exchange: (callback) => client.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState }),
    revoke: (token) => client.tokenRevocation(config, token),
  };
}

serve(begin, reportOauth4webapi);
