import Foundation
import PackagePlugin

/// Builds `engine.wasm` and embeds it with the scripts, whenever one of their sources changed. So `swift build` alone is enough, and
/// says what is missing if something is.
@main
struct EmbedElements: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let sources = context.package.directoryURL.appending(path: "Sources")
        let elements = sources.appending(path: "Elements")
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        let folders = ["FormSchema", "JSON", "Sensitive", "Elements", "Vault/Formats"]
        // The page of GET /docs shows them.
        let pages = files(in: context.package.directoryURL.appending(path: "docs")).filter { $0.pathExtension == "md" }
        return [
            .buildCommand(
                displayName: "Building the engine for browsers", executable: URL(filePath: "/bin/bash"),
                arguments: [elements.appending(path: "embed").path(), output.path()],
                inputFiles: folders.flatMap { files(in: sources.appending(path: $0)) } + pages, outputFiles: [output])
        ]
    }

    private func files(in folder: URL) -> [URL] {
        let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return (found?.allObjects ?? []).compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }
            .sorted { $0.path() < $1.path() }
    }
}
