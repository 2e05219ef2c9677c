namespace CoAP.NET.Package.Tests.Packages;

/// <summary>
/// The packages of this build in a folder, as a feed, and a place for projects that use them. The version is one of its own for each run,
/// and what is restored from the feed stays in the folder: neither does a run see the packages of another one, nor does anything of it
/// remain on the machine.
/// </summary>
public sealed class PackedFeed : IAsyncLifetime
{
    // What the program of Projects/Upgrade needs, but CoAP.NET.Cluster.
    private static readonly string[] s_beside =
    [
        "CoAP.NET.Messages", "CoAP.NET.Dataflow", "CoAP.NET.Content", "CoAP.NET.Hosting.Abstractions", "CoAP.NET.Hosting",
        "CoAP.NET.Dtls", "CoAP.NET.Oscore", "CoAP.NET.Tables", "CoAP.NET.Cluster.Sqlite", "CoAP.NET.Cluster.PostgreSql",
        "CoAP.NET.ResourceDirectory",
    ];

    private Task<string>? _tool;
    private Task<(string Current, string Next)>? _upgrade;

    internal string Root { get; } = Directory.CreateTempSubdirectory("coap-packages-").FullName;

    internal string Packages => Path.Combine(Root, "packages");

    internal string Version { get; } = $"0.0.0-test{TimeProvider.System.GetUtcNow().UtcTicks.ToString(CultureInfo.InvariantCulture)}";

    /// <summary>Installs the packed tool, as users do, for whoever asks first.</summary>
    /// <returns>The program.</returns>
    internal Task<string> InstallToolAsync() => _tool ??= CoapTool.InstallAsync(this);

    /// <summary>Builds the program of Projects/Upgrade twice: with these packages, and with those of the next record format.</summary>
    /// <returns>Both programs.</returns>
    internal Task<(string Current, string Next)> BuildUpgradeAsync() => _upgrade ??= BuildAsync();

    private async Task<(string Current, string Next)> BuildAsync()
    {
        // Not lower than the version of the assemblies that are not built again.
        string next = $"0.2.0-{Version[(Version.IndexOf('-', StringComparison.Ordinal) + 1)..]}";
        string pack = ProjectOfPacking("next");
        string built = Path.Combine(Root, "next");
        string properties = $"Configuration={Configuration};_IsPacking=true;Version={next};PackageOutputPath={Packages}";
        await File.WriteAllTextAsync(pack, $"""
            <Project>
              <Target Name="Pack">
                <MSBuild Projects="{string.Join(';', s_beside.Select(ProjectFile))}" Targets="Pack"
                  Properties="{properties};NoBuild=true" />
                <MSBuild Projects="{ProjectFile("CoAP.NET.Cluster")}" Targets="Build;Pack"
                  Properties="{properties};CoapNextRecordFormat={built};BuildProjectReferences=false;RunAnalyzers=false" />
              </Target>
            </Project>
            """);
        await Tool.RunAsync(Repository.Root, "dotnet", ["msbuild", pack, "-t:Pack", "-v:quiet", "-nologo"]);
        return (await BuildAsync("current", Version), await BuildAsync("new", next));

        async Task<string> BuildAsync(string name, string version)
        {
            string folder = Copy("Upgrade", Path.Combine("upgrade", name), version);
            await Tool.RunAsync(folder, "dotnet", ["build", "-c", "Release", "-o", "built", "-v", "quiet"]);
            return Path.Combine(folder, "built", "App");
        }
    }

    private static string Configuration =>
        AppContext.BaseDirectory.Contains($"{Path.DirectorySeparatorChar}Debug{Path.DirectorySeparatorChar}")
            ? "Debug"
            : "Release";

    public async ValueTask InitializeAsync()
    {
        // Of what is built, and in one process.
        await Tool.RunAsync(Repository.Root, "dotnet",
            ["msbuild", Path.Combine("build", "packages.proj"), "-t:Pack", "-m:1", "-v:quiet", "-nologo",
                $"-p:Configuration={Configuration};NoBuild=true;Version={Version};PackageOutputPath={Packages}"]);

        string global = Environment.GetEnvironmentVariable("NUGET_PACKAGES")
            ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");
        Directory.CreateDirectory(global);
        await File.WriteAllTextAsync(Path.Combine(Root, "nuget.config"), $"""
            <configuration>
              <config><add key="globalPackagesFolder" value="restored" /></config>
              <packageSources><add key="packed" value="packages" /></packageSources>
              <fallbackPackageFolders><add key="machine" value="{global}" /></fallbackPackageFolders>
            </configuration>
            """);
        // Nothing of this repository's own settings reaches the projects of a user.
        await File.WriteAllTextAsync(Path.Combine(Root, "Directory.Build.props"), "<Project />");
        await File.WriteAllTextAsync(Path.Combine(Root, "Directory.Build.targets"), "<Project />");
    }

    // In a folder of its own: dotnet does not install a tool from a folder with two projects.
    private string ProjectOfPacking(string name) =>
        Path.Combine(Directory.CreateDirectory(Path.Combine(Root, "packing", name)).FullName, "pack.proj");

    private static string ProjectFile(string project) => Path.Combine(Repository.FolderOf(project), $"{project}.csproj");

    public ValueTask DisposeAsync()
    {
        Directory.Delete(Root, recursive: true);
        return ValueTask.CompletedTask;
    }

    /// <summary>Copies a project of the folder Projects to where it sees nothing but the packages.</summary>
    /// <returns>Its folder.</returns>
    internal string Copy(string project, string? into = null, string? version = null)
    {
        string from = Path.Combine(Repository.Root, "tests", "CoAP.NET.Package.Tests", "Projects", project);
        string to = Directory.CreateDirectory(Path.Combine(Root, into ?? project)).FullName;
        foreach (string file in Directory.GetFiles(from))
        {
            // Projects are not named so in the repository, as they are none of its own.
            string name = Path.GetFileName(file).Replace(".csproj.xml", ".csproj")
                .Replace(".cs.txt", ".cs");
            string text = File.ReadAllText(file).Replace("$VERSION$", version ?? Version);
            File.WriteAllText(Path.Combine(to, name), text);
        }

        return to;
    }
}
