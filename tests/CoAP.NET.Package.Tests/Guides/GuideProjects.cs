using CoAP.NET.Package.Tests.Packages;

namespace CoAP.NET.Package.Tests.Guides;

/// <summary>
/// The projects of all guides, made by the commands of the guides and built together: what a build costs is mostly its start. A template
/// of .NET runs once, however many guides use it, and packages come from the packed feed.
/// </summary>
public sealed partial class GuideProjects(PackedFeed feed) : IAsyncLifetime
{
    private readonly Dictionary<string, string> _templates = [];
    private readonly List<string> _projects = [];
    private readonly Dictionary<string, Task> _runs = [];
    private string _pinned = "";

    private string Root => Path.Combine(feed.Root, "guides");

    public async ValueTask InitializeAsync()
    {
        _pinned = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "Directory.Packages.props"));
        List<(GuidePage Page, string Folder)> guides = [];
        foreach (GuidePage page in GuidePage.All())
        {
            string folder = Directory.CreateDirectory(Path.Combine(Root, page.Name)).FullName;
            foreach (string command in page.Of("setup").SelectMany(part => part.Lines))
            {
                folder = await CarryOutAsync(command, folder);
            }

            foreach (GuidePage.Part file in page.Of("file"))
            {
                string path = Path.Combine(folder, file.About);
                Directory.CreateDirectory(Path.GetDirectoryName(path)!);
                await File.WriteAllLinesAsync(path, file.Lines);
            }

            guides.Add((page, folder));
        }

        await BuildAsync();
        string coap = await feed.InstallToolAsync();
        foreach ((GuidePage page, string folder) in guides)
        {
            _runs.Add(page.Name, GuideRun.RunAsync(page, folder, coap));
        }
    }

    public async ValueTask DisposeAsync()
    {
        // No program of a guide outlives its test.
        await Task.WhenAll(_runs.Values).ContinueWith(
            _ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
    }

    /// <summary>The run of a guide; all of them run at once.</summary>
    internal Task RunOf(string guide) => _runs[guide];

    private async Task<string> CarryOutAsync(string command, string folder)
    {
        string[] words = command.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        switch (words)
        {
            case ["cd", string into]:
                return Path.Combine(folder, into);
            case ["dotnet", "new", string template, "-o", string name]:
                await MakeAsync(template, Path.Combine(folder, name));
                return folder;
            case ["dotnet", "add", "package", string package]:
                AddPackage(folder, package);
                return folder;
            case ["dotnet", "add", string project, "package", string package]:
                AddPackage(Path.Combine(folder, project), package);
                return folder;
            case ["dotnet", "add", string project, "reference", string other]:
                Add(Path.Combine(folder, project), $"<ProjectReference Include=\"../{other}/{other}.csproj\" />");
                return folder;
            case ["rm", string file]:
                File.Delete(Path.Combine(folder, file));
                return folder;
            case ["dotnet", "tool", "install", "--global", "CoAP.NET.Cli"]:
                return folder;
            default:
                throw new InvalidOperationException($"No rule says what the command '{command}' of a guide does.");
        }
    }

    private async Task MakeAsync(string template, string folder)
    {
        if (!_templates.TryGetValue(template, out string? made))
        {
            made = Path.Combine(feed.Root, "guide-templates", template);
            await Tool.RunAsync(feed.Root, "dotnet", ["new", template, "-o", made, "--no-restore"]);
            _templates.Add(template, made);
        }

        foreach (string file in Directory.GetFiles(made, "*", SearchOption.AllDirectories))
        {
            bool isProject = file.EndsWith(".csproj", Ordinal);
            string name = isProject ? $"{Path.GetFileName(folder)}.csproj" : Path.GetRelativePath(made, file);
            string path = Path.Combine(folder, name);
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            string text = await File.ReadAllTextAsync(file);
            await File.WriteAllTextAsync(path, isProject ? Pinned(text) : text);
            if (isProject)
            {
                _projects.Add(path);
            }
        }
    }

    // Templates of .NET name versions of their own day. What this repository does not use itself is not there at all.
    private string Pinned(string project) => Reference().Replace(project, reference =>
        _pinned.Contains($"\"{reference.Groups["id"].Value}\"")
            ? $"<PackageReference Include=\"{reference.Groups["id"].Value}\" Version=\"{VersionOf(reference.Groups["id"].Value)}\" />"
            : "");

    private string VersionOf(string package)
    {
        if (package.StartsWith("CoAP.NET.", Ordinal))
        {
            return feed.Version;
        }

        Match version = Regex.Match(_pinned, $"<PackageVersion Include=\"{Regex.Escape(package)}\" Version=\"([^\"]+)\"");
        Assert.True(version.Success, $"{package} of a guide is not in Directory.Packages.props.");
        return version.Groups[1].Value;
    }

    // A package that the template names already gets the newer version.
    private void AddPackage(string folder, string package)
    {
        if (!File.ReadAllText(Directory.GetFiles(folder, "*.csproj").Single()).Contains($"\"{package}\""))
        {
            Add(folder, $"<PackageReference Include=\"{package}\" Version=\"{VersionOf(package)}\" />");
        }
    }

    private static void Add(string folder, string reference)
    {
        string project = Directory.GetFiles(folder, "*.csproj").Single();
        File.WriteAllText(project, File.ReadAllText(project).Replace(
            "</Project>", $"  <ItemGroup>{reference}</ItemGroup>\n</Project>"));
    }

    private async Task BuildAsync()
    {
        string all = Path.Combine(Root, "All.proj");
        string projects = string.Join(';', _projects);
        await File.WriteAllTextAsync(all, $"""
            <Project>
              <Target Name="All">
                <MSBuild Projects="{projects}" Targets="Restore" Properties="Configuration=Release;MSBuildRestoreSessionId=guides" />
                <MSBuild Projects="{projects}" Targets="Build" Properties="Configuration=Release" BuildInParallel="true" />
              </Target>
            </Project>
            """);
        await Tool.RunAsync(Root, "dotnet", ["msbuild", all, "-t:All", "-v:quiet", "-nologo", "-warnaserror", "-m:2"]);
    }

    [GeneratedRegex("<PackageReference Include=\"(?<id>[A-Za-z0-9.]+)\" Version=\"[^\"]+\" />")]
    private static partial Regex Reference();
}
