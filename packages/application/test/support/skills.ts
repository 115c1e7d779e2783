/**
 * Skills as tests need them: packages made of texts, and a storage that they are installed in.
 */
import * as Skills from "@cahier/application/skill/Skills";
import type { PackageFile, SkillPackage, SkillSource } from "@cahier/domain/skill/Skill";
import { globalScope, type SkillScope } from "@cahier/domain/skill/SkillScope";
import { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as MemoryBlobStore from "@cahier/storage-memory/MemoryBlobStore";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as Effect from "effect/Effect";
import type * as World from "./World.ts";

/** A file of a package from its text. */
export const file = (path: string, text: string): PackageFile => ({ path, bytes: new TextEncoder().encode(text) });

/** A package of this name: its `SKILL.md` says `body`, and `more` are other files by path. */
export const packageOf = (
  name: string,
  body = `How ${name} is done.`,
  more: { readonly [path: string]: string | Uint8Array } = {},
): SkillPackage => ({
  manifest: { name, description: `Tells of ${name}.` },
  files: [
    file("SKILL.md", `---\nname: ${name}\ndescription: Tells of ${name}.\n---\n${body}\n`),
    ...Object.entries(more).map(([path, content]) =>
      typeof content === "string" ? file(path, content) : { path, bytes: content },
    ),
  ],
  warnings: [],
});

/** A source of this kind. */
export const source = (kind: SkillSource["kind"] = "folder", id = "here"): SkillSource => ({
  kind,
  id,
  label: `${kind} ${id}`,
});

/** The ports that Skills are kept in, over a world's storages. */
export interface Ports {
  readonly blobs: BlobStore["Service"];
  readonly documents: DocumentStore["Service"];
}

export const portsOf = (world: Pick<World.World, "blobs" | "documents">): Ports => ({
  blobs: MemoryBlobStore.make(world.blobs),
  documents: MemoryDocumentStore.make(world.documents),
});

/** An empty storage. */
export const emptyStorage = (): Pick<World.World, "blobs" | "documents"> => ({
  blobs: MemoryBlobStore.makeStorage(),
  documents: MemoryDocumentStore.makeStorage(),
});

/** The Skills over these ports. */
export const over = ({ blobs, documents }: Ports): Effect.Effect<Skills.Skills> =>
  Skills.make.pipe(Effect.provideService(BlobStore, blobs), Effect.provideService(DocumentStore, documents));

/** Installs packages in a world, each in its scope; another one of the same name is replaced. */
export const installIn = Effect.fnUntraced(function* (
  world: Pick<World.World, "blobs" | "documents">,
  packages: ReadonlyArray<SkillPackage>,
  scope: SkillScope = globalScope,
) {
  const skills = yield* over(portsOf(world));
  yield* Effect.forEach(packages, (one) => skills.install(one, { scope, source: source(), onConflict: "replace" }));
  return skills;
});
