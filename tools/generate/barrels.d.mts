/** What `barrels.mjs` exports. */
export declare const barrelOf: (
  folder: string,
  files?: ReadonlyArray<string>,
) => { readonly path: string; readonly text: string; readonly problems: ReadonlyArray<string> };
