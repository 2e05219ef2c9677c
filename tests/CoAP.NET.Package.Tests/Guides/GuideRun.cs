using CoAP.NET.Dtls;
using CoAP.NET.Package.Tests.Packages;

namespace CoAP.NET.Package.Tests.Guides;

/// <summary>Runs the programs of one guide in the order of the page, and compares what they print with what the page says.</summary>
internal sealed partial class GuideRun : IDisposable
{
    private static readonly TimeSpan s_patience = FromMinutes(3);
    private readonly GuidePage _page;
    private readonly string _folder;
    private readonly string _coap;
    private readonly Dictionary<string, (Tool Tool, int Read)> _programs = [];
    private readonly Dictionary<string, string> _addresses = [];
    private readonly List<Tool> _started = [];
    private string _output = "";
    private string? _last;

    private GuideRun(GuidePage page, string folder, string coap) => (_page, _folder, _coap) = (page, folder, coap);

    /// <summary>Runs a guide.</summary>
    public static async Task RunAsync(GuidePage page, string folder, string coap)
    {
        if (!CoapDtls.IsSupported && page.Mentions("coaps://"))
        {
            return; // As for a reader without OpenSSL.
        }

        using GuideRun run = new(page, folder, coap);
        foreach (GuidePage.Part part in page.Parts.Where(part => part.Kind is "run" or "expect"))
        {
            await run.CarryOutAsync(part).WaitAsync(s_patience);
        }
    }

    public void Dispose()
    {
        // Those that ended by themselves, too, and those that did not although they should have.
        foreach (Tool tool in _started)
        {
            tool.Dispose();
        }
    }

    private async Task CarryOutAsync(GuidePage.Part part)
    {
        if (part.Kind == "expect")
        {
            string name = part.About.Length > 0 ? part.About : _last ?? "";
            await (name.Length > 0 ? ExpectAsync(name, part) : ExpectAsync(part));
            return;
        }

        Match about = Program().Match(part.About);
        _last = about.Success ? about.Groups["name"].Value : null;
        _output = "";
        foreach (string line in part.Lines)
        {
            string[] words = Words(Addressed(line + part.Arguments));
            if (_last is null)
            {
                _output += await RunAsync(words);
            }
            else
            {
                await StartAsync(_last, words, about.Groups["addresses"].Value);
            }
        }
    }

    // A program that goes on says where it listens: what the page says for it stands for that from now on.
    private async Task StartAsync(string name, string[] words, string addresses)
    {
        Tool tool = Start(words);
        _programs.Add(name, (tool, 0));
        string[] told = addresses.Split(", ", StringSplitOptions.RemoveEmptyEntries);
        foreach (string address in told)
        {
            await tool.SaysAsync(new Regex($"istening on:? {Regex.Escape(new Uri(address).Scheme)}://"), 0);
        }

        await tool.SaysAsync("istening on");
        foreach (Match address in Address().Matches(tool.Output))
        {
            string scheme = address.Groups["scheme"].Value;
            string page = told.FirstOrDefault(one => new Uri(one).Scheme == scheme) ?? $"{scheme}://localhost";
            _addresses.TryAdd(page, address.Groups["uri"].Value.TrimEnd('.', '/'));
        }
    }

    private string Addressed(string command) => _addresses.Aggregate(command, (text, address) =>
        Regex.Replace(text, $@"{Regex.Escape(address.Key)}(?![\w.:])", address.Value));

    private async Task<string> RunAsync(string[] words)
    {
        for (int attempt = 1; ; attempt++)
        {
            Tool tool = Start(words);
            int code = await tool.EndAsync();

            // What the tool says about an error of a server is on the page; a program of the page ends well. Its timeouts are those that
            // readers want: on a busy machine they may pass.
            if (code == 0 || words[0] == "coap")
            {
                return tool.Output;
            }

            Assert.True(attempt < 3 && tool.Output.Contains(nameof(CoapTimeoutException), Ordinal),
                $"{string.Join(' ', words)} ended with {code}:\n{tool.Output}");
        }
    }

    private Tool Start(string[] words)
    {
        Tool tool = StartOf(words);
        _started.Add(tool);
        return tool;
    }

    private Tool StartOf(string[] words) => words switch
    {
        ["dotnet", "run", "--project", string project, .. string[] rest] => StartBuilt(Path.Combine(_folder, project), rest),
        ["dotnet", "run", .. string[] rest] => StartBuilt(_folder, rest),
        ["dotnet", "test", .. string[] rest] => Tool.Start(_folder, "dotnet", ["test", .. rest, "--no-build", "-c", "Release"]),
        ["coap", .. string[] rest] => Tool.Start(_folder, _coap, rest),
        ["curl", .. string[] rest] => Tool.Start(_folder, "curl", ["-sS", .. rest]),
        _ => throw new InvalidOperationException($"No rule says what the command '{string.Join(' ', words)}' of a guide does.")
    };

    // What dotnet run does, without its two seconds of the processor: web projects run in their folder, and in development.
    private Tool StartBuilt(string project, string[] rest)
    {
        string name = Path.GetFileNameWithoutExtension(Directory.GetFiles(project, "*.csproj").Single());
        bool isWeb = File.Exists(Path.Combine(project, "Properties", "launchSettings.json"));
        Dictionary<string, string> environment = isWeb ? new() { ["DOTNET_ENVIRONMENT"] = "Development" } : [];
        string program = Path.Combine(project, "bin", "Release", "net10.0", $"{name}.dll");
        return Tool.Start(isWeb ? project : _folder, "dotnet", [program, .. rest.Where(word => word != "--")], environment);
    }

    private void Expect(GuidePage.Part part) =>
        Assert.True(Pattern(part.Lines).IsMatch(_output.TrimEnd()), $"{_page.Name}.md, line {part.Number}: the output is\n{_output}");

    private Task ExpectAsync(GuidePage.Part part)
    {
        Expect(part);
        return Task.CompletedTask;
    }

    // Other lines may stand between them, such as those of a log.
    private async Task ExpectAsync(string name, GuidePage.Part part)
    {
        (Tool tool, int read) = _programs[name];
        foreach (string line in part.Lines)
        {
            try
            {
                read = await tool.SaysAsync(Pattern([line]), read);
            }
            catch (Exception exception) when (exception is InvalidOperationException or TimeoutException)
            {
                Assert.Fail($"{_page.Name}.md, line {part.Number}: {name} did not print '{line}':\n{tool.Output}");
            }
        }

        _programs[name] = (tool, read);
    }

    // A line that is … alone stands for any number of lines, and … within a line for any text.
    private static Regex Pattern(string[] lines)
    {
        IEnumerable<string> patterns = lines.Select(line =>
            line == "…" ? "(.*\n)*?" : Regex.Escape(line).Replace("…", ".*") + "\n");

        // The last line of an output has no end.
        string rest = lines[^1] == "…" ? ".*" : "";
        return new Regex($"^{string.Concat(patterns)}".TrimEnd('\n') + $"{rest}$", RegexOptions.CultureInvariant, FromSeconds(10));
    }

    private static string[] Words(string command) =>
        [.. Word().Matches(command).Select(word => word.Groups["text"].Success ? word.Groups["text"].Value : word.Value)];

    [GeneratedRegex(@"'(?<text>[^']*)'|""(?<text>[^""]*)""|\S+")]
    private static partial Regex Word();

    [GeneratedRegex("^(?<name>[a-z]+)( at (?<addresses>.*))?$")]
    private static partial Regex Program();

    [GeneratedRegex(@"istening on:? (?<uri>(?<scheme>[a-z+]+)://[^\s""]+)")]
    private static partial Regex Address();
}
