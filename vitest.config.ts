import { configDefaults, defineConfig } from "vitest/config";

// One project for the whole repository: workers (and the loaded `effect` module
// graph) are shared by every test file. Run one package with
// `vitest run packages/domain`.
export default defineConfig({
  ssr: { resolve: { conditions: ["@cahier/source"] } },
  test: {
    include: ["{packages,apps,tools,examples}/*/test/**/*.test.ts"],
    // Suites of many processes run by `npm run test:slow`.
    exclude: [...configDefaults.exclude, ...(process.env["CAHIER_SLOW"] === "1" ? [] : ["**/*.slow.test.ts"])],
    isolate: false,
    // Only what hangs is late: how long a test takes on a busy machine says nothing.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // By default one processor is left free, which on two makes everything wait for one thing at a time.
    maxWorkers: "100%",
  },
});
