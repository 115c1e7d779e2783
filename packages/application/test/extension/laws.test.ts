import * as ExtensionRegistry from "@cahier/application/extension/ExtensionRegistry";
import * as LawExtension from "@cahier/testkit/doubles/LawExtension";
import { laws as extensionLaws } from "@cahier/testkit/laws/ExtensionToolsLaws";
import { laws as sourceLaws } from "@cahier/testkit/laws/ToolSourceLaws";
import { verify } from "@cahier/testkit/vitest";
import * as Effect from "effect/Effect";

verify(
  "ExtensionRegistry",
  extensionLaws,
  Effect.sync(() => ({ open: Effect.sync(ExtensionRegistry.make) })),
);

verify(
  "The source of ExtensionRegistry",
  sourceLaws,
  Effect.sync(() => LawExtension.make(ExtensionRegistry.make())),
);
