// The client of simple-oauth2. The library leaves the callback and PKCE to the application.

import { createHash, randomBytes } from 'node:crypto';
import { AuthorizationCode } from 'simple-oauth2';
import { serve } from './protocol.mjs';

const ways = { basic: 'header', body: 'body' };

function configure({ server, client_id, client_secret, way }) {
  const path = (endpoint) => new URL(server[endpoint]).pathname;
  return new AuthorizationCode({
    // It always sends a secret. For a public client it is empty (RFC 6749, section 2.3.1).
    client: { id: client_id, secret: client_secret ?? '' },
    auth: {
      tokenHost: server.issuer,
      authorizePath: path('authorization_endpoint'),
      tokenPath: path('token_endpoint'),
      revokePath: path('revocation_endpoint'),
    },
    options: way ? { authorizationMethod: ways[way] } : {},
  });
}

function begin(settings) {
  const client = configure(settings);
  const { redirect_uri } = settings;
  const code_verifier = randomBytes(32).toString('base64url');
  const url = client.authorizeURL({
    redirect_uri,
    state: randomBytes(16).toString('base64url'),
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return {
    url,
    exchange: (callback) => client.getToken({ code: callback.searchParams.get('code'), redirect_uri, code_verifier }),
    revoke: async (access_token) => void (await client.createToken({ access_token }).revoke('access_token')),
  };
}

function report(error) {
  const answer = error.data?.payload;
  return { code: answer?.error, message: answer?.error_description, status: error.output?.statusCode };
}

serve(begin, report);
