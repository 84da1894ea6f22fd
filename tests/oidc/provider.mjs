// A real identity provider, oidc-provider, with one client: provider.mjs NODE_MODULES PORT KIROKU_ADDRESS CLIENT_ID SECRET
//
// Every name signs in, with any password. The name is the subject and the preferred name.

import { pathToFileURL } from 'node:url';

const [modules, port, kiroku, clientId, secret] = process.argv.slice(2);
const { Provider } = await import(pathToFileURL(`${modules}/oidc-provider/lib/index.js`).href);

const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [
        {
            client_id: clientId,
            client_secret: secret,
            redirect_uris: [`${kiroku}/sign-in/provider/callback`],
            post_logout_redirect_uris: [`${kiroku}/`],
            backchannel_logout_uri: `${kiroku}/sign-in/provider/logout`,
        },
    ],
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email', 'email_verified'] },
    features: { backchannelLogout: { enabled: true } },
    // The dispatcher of the library is left out, because it refuses addresses of this machine.
    fetch: (url, { dispatcher, ...options }) => fetch(url, options),
    cookies: { keys: ['of a test'] },
    findAccount: (_, id) => ({
        accountId: id,
        claims: () => ({
            sub: id,
            preferred_username: id,
            email: `${id}@example.com`,
            email_verified: true,
            groups: { yotsuha: ['family', 'kiroku-admins'], tessie: ['friends'] }[id] ?? ['family'],
        }),
    }),
});
provider.on('server_error', (_, error) => console.error(error));
provider.on('backchannel.error', (_, error) => console.error('backchannel logout', error));
provider.listen(Number(port), '127.0.0.1');
