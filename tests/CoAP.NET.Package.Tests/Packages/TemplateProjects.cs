namespace CoAP.NET.Package.Tests.Packages;

/// <summary>
/// Projects of each template, with each of its options and with names that are hard to compile, built together: what a build costs is
/// mostly its start.
/// </summary>
/// <remarks>
/// Each option is built with the name of the README, and each other name with one option: the code does not depend on the name
/// (<see cref="TemplateContentTests"/>).
/// </remarks>
public sealed partial class TemplateProjects(PackedFeed feed) : IAsyncLifetime
{
    internal const string Server = "coap-server/Thermometer";
    internal const string SafeServer = "coap-server--dtls/Thermometer";
    internal const string LastingServer = "coap-server--clustersqlite--dtls/Thermometer";
    internal const string SafeClient = "coap-client--dtls/Thermometer";
    internal const string Web = "coap-aspnet/Thermometer";
    internal const string SafeWeb = "coap-aspnet--dtls/Thermometer";
    internal const string Client = "coap-client/Thermometer";
    internal const string Benchmark = "coap-serializer-benchmark/Thermometer";
    internal const string WrongBenchmark = "wrong/Codec";

    private static readonly (string Template, string[] Options)[] s_templates =
    [
        ("coap-server", ["", "--dtls", "--cluster sqlite --dtls", "--cluster postgresql --port 0"]),
        ("coap-client", ["", "--dtls"]),
        ("coap-aspnet", ["", "--dtls"]),
        ("coap-serializer-benchmark", [""]),
    ];

    // The name in the README, a namespace, two that are no identifiers, and a type of a package.
    private static readonly string[] s_names = ["Thermometer", "Foo.Bar", "1abc", "class", "CoapServer"];

    /// <summary>The projects that are built, each with the one of its template and option that has the name of the README.</summary>
    internal IReadOnlyList<(string Project, string Readme)> Built { get; private set; } = [];

    public async ValueTask InitializeAsync()
    {
        await Tool.RunAsync(feed.Root, "dotnet",
            ["new", "install", Path.Combine(feed.Packages, $"CoAP.NET.Templates.{feed.Version}.nupkg"), .. Hive]);
        string released = await ReleasedAsync();
        (string Template, string Name, string Option)[] chosen = [.. s_templates.SelectMany(Choose)];
        Built = [.. chosen.Select(one => (ProjectOf(one.Template, one.Name, one.Option), ProjectOf(one.Template, s_names[0], one.Option)))];
        await MakeAsync("coap-serializer-benchmark", WrongBenchmark, []);

        // One at a time: two at once fail now and then over the cache of dotnet new.
        foreach ((string template, string name, string option) in chosen)
        {
            await MakeAsync(template, ProjectOf(template, name, option), option.Split(' ', StringSplitOptions.RemoveEmptyEntries));
        }

        string[] built = [WrongBenchmark, .. Built.Select(one => one.Project)];
        foreach (string project in built)
        {
            await UsePackedAsync(project, released);
        }

        // Its codec writes another Message ID.
        string codec = Path.Combine(Folder(WrongBenchmark), "MyCodec.cs");
        string right = await File.ReadAllTextAsync(codec);
        right.Mentions("(byte)message.Id]");
        await File.WriteAllTextAsync(codec, right.Replace("(byte)message.Id]", "(byte)(message.Id + 1)]"));

        // No solution, which must not have two projects of one name.
        string all = Path.Combine(feed.Root, "templates.proj");
        string projects = string.Join(';', built.Select(ProjectFile));
        await File.WriteAllTextAsync(all, $"""
            <Project>
              <Target Name="Build">
                <MSBuild Projects="{projects}" Targets="Restore" Properties="Configuration=Release;MSBuildRestoreSessionId=templates" />
                <MSBuild Projects="{projects}" Targets="Build" Properties="Configuration=Release" />
              </Target>
            </Project>
            """);
        await Tool.RunAsync(feed.Root, "dotnet", ["msbuild", all, "-t:Build", "-v:quiet", "-nologo", "-warnaserror", "-m:1"]);
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>Makes a project by the line of the README, without building it. Returns its folder.</summary>
    internal async Task<string> MakeAsync(string template, string project, string[] arguments)
    {
        await Tool.RunAsync(feed.Root, "dotnet", ["new", template, "-o", project, .. arguments, .. Hive]);
        return Folder(project);
    }

    private string[] Hive => ["--debug:custom-hive", Path.Combine(feed.Root, "hive")];

    /// <summary>The folder of a project.</summary>
    internal string Folder(string project) => Path.Combine(feed.Root, project);

    private string ProjectFile(string project) => Path.Combine(Folder(project), $"{Path.GetFileName(project)}.csproj");

    private static string ProjectOf(string template, string name, string option) => $"{template}{option.Replace(" ", "")}/{name}";

    private static IEnumerable<(string Template, string Name, string Option)> Choose((string Template, string[] Options) one)
    {
        string[] names = [.. s_names.Skip(1).Concat(TypesOf(one.Template)).Distinct()];
        return one.Options.Select(option => (one.Template, s_names[0], option))
            .Concat(names.Select((name, i) => (one.Template, name, one.Options[i % one.Options.Length])));
    }

    // All types that a template declares, and that of its top-level statements.
    private static IEnumerable<string> TypesOf(string template) =>
        Directory.GetFiles(Path.Combine(Repository.Root, "src", "CoAP.NET.Templates", "content", template), "*.cs")
            .SelectMany(file => Declaration().Matches(File.ReadAllText(file))).Select(match => match.Groups["name"].Value)
            .Append("Program");

    /// <summary>
    /// Starts what was built, in the environment that its profile says: what dotnet run does, without its two seconds of the processor.
    /// </summary>
    internal Tool Start(string project, IReadOnlyList<string> arguments, params (string Name, string Value)[] settings)
    {
        Dictionary<string, string> environment = settings.ToDictionary();
        environment.TryAdd("DOTNET_ENVIRONMENT", "Development");
        string program = Path.Combine(Folder(project), "bin", "Release", "net10.0", $"{Path.GetFileName(project)}.dll");
        return Tool.Start(Folder(project), "dotnet", [program, .. arguments], environment);
    }

    // What a user gets names the version that the template was released with; here it is the one of this run.
    private async Task UsePackedAsync(string project, string released)
    {
        string file = ProjectFile(project);
        string text = await File.ReadAllTextAsync(file);
        Assert.All(OwnReference().Matches(text), reference => Assert.Equal(released, reference.Groups["version"].Value));
        await File.WriteAllTextAsync(file,
            OwnReference().Replace(text, $"<PackageReference Include=\"${{id}}\" Version=\"{feed.Version}\" />"));
        string.Concat(Directory.GetFiles(Folder(project), "*.*").Select(File.ReadAllText)).Omits("#if");
    }

    private static async Task<string> ReleasedAsync()
    {
        string props = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "Directory.Build.props"));
        int start = props.IndexOf("<Version>", Ordinal) + "<Version>".Length;
        return props[start..props.IndexOf("</Version>", start, Ordinal)];
    }

    [GeneratedRegex(
        @"^(public |internal |sealed |abstract |static )*(class|record|struct|enum|interface) (?<name>\w+)", RegexOptions.Multiline)]
    private static partial Regex Declaration();

    [GeneratedRegex("<PackageReference Include=\"(?<id>CoAP\\.NET\\.[A-Za-z.]+)\" Version=\"(?<version>[^\"]+)\" />")]
    private static partial Regex OwnReference();
}
