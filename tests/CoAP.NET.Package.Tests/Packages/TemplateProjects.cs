namespace CoAP.NET.Package.Tests.Packages;

/// <summary>A project of each template and of each of its choices, built together: what a build costs is mostly its start.</summary>
public sealed partial class TemplateProjects(PackedFeed feed) : IAsyncLifetime
{
    internal const string Server = "Warm.House";
    internal const string SafeServer = "Safe.House";
    internal const string LastingServer = "Lasting.House";
    internal const string SharedServer = "Shared.House";
    internal const string SafeClient = "Guest";
    internal const string Web = "Green.House";
    internal const string SafeWeb = "Glass.House";
    internal const string Client = "Watcher";
    internal const string Benchmark = "Fast.Codec";
    internal const string WrongBenchmark = "Wrong.Codec";

    private static readonly (string Template, string Name, string[] Arguments)[] s_projects =
    [
        ("coap-server", Server, ["--port", "0"]),
        ("coap-server", SafeServer, ["--port", "0", "--dtls"]),
        ("coap-server", LastingServer, ["--port", "0", "--cluster", "sqlite", "--dtls"]),
        ("coap-server", SharedServer, ["--port", "0", "--cluster", "postgresql", "--dtls"]),
        ("coap-client", SafeClient, ["--dtls"]),
        ("coap-aspnet", Web, []),
        ("coap-aspnet", SafeWeb, ["--dtls"]),
        ("coap-client", Client, []),
        ("coap-serializer-benchmark", Benchmark, []),
        ("coap-serializer-benchmark", WrongBenchmark, []),
    ];

    public async ValueTask InitializeAsync()
    {
        await Tool.RunAsync(feed.Root, "dotnet",
            ["new", "install", Path.Combine(feed.Packages, $"CoAP.NET.Templates.{feed.Version}.nupkg"), .. Hive]);
        string released = await ReleasedAsync();
        foreach ((string template, string name, string[] arguments) in s_projects)
        {
            await MakeAsync(template, name, arguments);
            await UsePackedAsync(name, released);
        }

        // Its codec writes another Message ID.
        string codec = Path.Combine(Folder(WrongBenchmark), "MyCodec.cs");
        string right = await File.ReadAllTextAsync(codec);
        right.Mentions("(byte)message.Id]");
        await File.WriteAllTextAsync(codec, right.Replace("(byte)message.Id]", "(byte)(message.Id + 1)]"));

        string solution = Path.Combine(feed.Root, "Templates.slnx");
        await File.WriteAllTextAsync(solution,
            $"<Solution>{string.Concat(s_projects.Select(one => $"<Project Path=\"{one.Name}/{one.Name}.csproj\" />"))}</Solution>");
        await Tool.RunAsync(feed.Root, "dotnet", ["build", solution, "-c", "Release", "-v", "quiet", "-warnaserror", "-m:1"]);
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>Makes a project, without building it. Returns its folder.</summary>
    internal async Task<string> MakeAsync(string template, string name, string[] arguments)
    {
        await Tool.RunAsync(feed.Root, "dotnet", ["new", template, "-o", name, .. arguments, .. Hive]);
        return Folder(name);
    }

    private string[] Hive => ["--debug:custom-hive", Path.Combine(feed.Root, "hive")];

    /// <summary>The folder of a project.</summary>
    internal string Folder(string name) => Path.Combine(feed.Root, name);

    /// <summary>
    /// Starts what was built, in the environment that its profile says: what dotnet run does, without its two seconds of the processor.
    /// </summary>
    internal Tool Start(string name, IReadOnlyList<string> arguments, params (string Name, string Value)[] settings)
    {
        Dictionary<string, string> environment = settings.ToDictionary();
        environment["DOTNET_ENVIRONMENT"] = "Development";
        string program = Path.Combine(Folder(name), "bin", "Release", "net10.0", $"{name}.dll");
        return Tool.Start(Folder(name), "dotnet", [program, .. arguments], environment);
    }

    // What a user gets names the version that the template was released with; here it is the one of this run.
    private async Task UsePackedAsync(string name, string released)
    {
        string project = Path.Combine(Folder(name), $"{name}.csproj");
        string text = await File.ReadAllTextAsync(project);
        Assert.All(OwnReference().Matches(text), reference => Assert.Equal(released, reference.Groups["version"].Value));
        await File.WriteAllTextAsync(project,
            OwnReference().Replace(text, $"<PackageReference Include=\"${{id}}\" Version=\"{feed.Version}\" />"));
        string.Concat(Directory.GetFiles(Folder(name), "*.*").Select(File.ReadAllText)).Omits("#if");
    }

    private static async Task<string> ReleasedAsync()
    {
        string props = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "Directory.Build.props"));
        int start = props.IndexOf("<Version>", Ordinal) + "<Version>".Length;
        return props[start..props.IndexOf("</Version>", start, Ordinal)];
    }

    [GeneratedRegex("<PackageReference Include=\"(?<id>CoAP\\.NET\\.[A-Za-z.]+)\" Version=\"(?<version>[^\"]+)\" />")]
    private static partial Regex OwnReference();
}
