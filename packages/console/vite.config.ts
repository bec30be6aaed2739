import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  // From its sources, so that the bundle takes what it uses and needs no build before it.
  resolve: { alias: { '@postrider/client': fileURLToPath(new URL('../client/src/index.ts', import.meta.url)) } },
  build: {
    target: 'es2022',
    // Nothing inline: the policy of the page forbids it, and a data: URL would slip past the hashes.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Chromium then compiles all of a file while it is loaded, beside the page, instead of each function when it is first called for
    // by a press. Others take it for the comment that it is.
    rolldownOptions: { output: { postBanner: '//# allFunctionsCalledOnLoad' } },
  },
  server: { proxy: { '/openapi': 'http://127.0.0.1:8080', '/operator': 'http://127.0.0.1:8080' } },
});
