using System.Text.RegularExpressions;
using CoAP.NET.Package.Tests.Packages;

namespace CoAP.NET.Package.Tests.Guides;

/// <summary>Runs the programs of one guide in the order of the page, and compares what they print with what the page says.</summary>
internal sealed partial class GuideRun : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(3);
    private readonly GuidePage _page;
    private readonly string _folder;
    private readonly string _coap;
    private readonly Dictionary<string, (Tool Tool, int Read)> _programs = [];
    private readonly Dictionary<string, string> _addresses = [];
    private string _output = "";
    private string? _last;

    private GuideRun(GuidePage page, string folder, string coap) => (_page, _folder, _coap) = (page, folder, coap);

    /// <summary>Runs a guide.</summary>
    public static async Task RunAsync(GuidePage page, string folder, string coap)
    {
        using GuideRun run = new(page, folder, coap);
        foreach (GuidePage.Part part in page.Parts.Where(static part => part.Kind is "run" or "expect"))
        {
            await run.CarryOutAsync(part).WaitAsync(s_patience);
        }
    }

    public void Dispose()
    {
        foreach ((Tool tool, _) in _programs.Values)
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

        string[] about = part.About.Split(" with ", 2);
        _last = about[0].Length > 0 ? about[0] : null;
        _output = "";
        foreach (string line in part.Lines)
        {
            string command = Localhost().Replace(line, found => _addresses.GetValueOrDefault(found.Groups["scheme"].Value, found.Value));
            string[] words = Words(about.Length > 1 ? $"{command} {about[1]}" : command);
            if (_last is null)
            {
                _output += await RunAsync(words);
            }
            else
            {
                await StartAsync(_last, words);
            }
        }
    }

    // A program that goes on says where it listens: the next commands ask there.
    private async Task StartAsync(string name, string[] words)
    {
        (string program, string[] arguments, Dictionary<string, string> environment) = ToProgram(words);
        Tool tool = Tool.Start(_folder, program, arguments, environment);
        _programs.Add(name, (tool, 0));
        await tool.SaysAsync("istening on");
        foreach (Match address in Address().Matches(tool.Output))
        {
            _addresses.TryAdd(address.Groups["scheme"].Value, address.Groups["uri"].Value.TrimEnd('.', '/'));
        }
    }

    private async Task<string> RunAsync(string[] words)
    {
        (string program, string[] arguments, Dictionary<string, string> environment) = ToProgram(words);
        using Tool tool = Tool.Start(_folder, program, arguments, environment);
        int code = await tool.EndAsync();

        // What the tool says about an error of a server is on the page; a program of the page ends well.
        Assert.True(code == 0 || program == _coap, $"{string.Join(' ', words)} ended with {code}:\n{tool.Output}");
        return tool.Output;
    }

    private (string Program, string[] Arguments, Dictionary<string, string> Environment) ToProgram(string[] words)
    {
        switch (words)
        {
            case ["dotnet", "run", "--project", string project, .. string[] rest]:
                return Built(Path.Combine(_folder, project), rest);
            case ["dotnet", "run", .. string[] rest]:
                return Built(_folder, rest);
            case ["dotnet", "test", .. string[] rest]:
                return ("dotnet", ["test", .. rest, "--no-build", "-c", "Release"], []);
            case ["coap", .. string[] rest]:
                return (_coap, rest, []);
            case ["curl", .. string[] rest]:
                return ("curl", ["-sS", .. rest], []);
            default:
                throw new InvalidOperationException($"No rule says what the command '{string.Join(' ', words)}' of a guide does.");
        }
    }

    // What dotnet run does, without its two seconds of the processor.
    private static (string Program, string[] Arguments, Dictionary<string, string> Environment) Built(string folder, string[] rest)
    {
        string name = Path.GetFileNameWithoutExtension(Directory.GetFiles(folder, "*.csproj").Single());
        Dictionary<string, string> environment = [];
        if (File.Exists(Path.Combine(folder, "Properties", "launchSettings.json")))
        {
            environment["DOTNET_ENVIRONMENT"] = "Development";
        }

        return ("dotnet", [Path.Combine(folder, "bin", "Release", "net10.0", $"{name}.dll"), .. rest.Where(static word => word != "--")],
            environment);
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
        IEnumerable<string> patterns = lines.Select(static line =>
            line == "…" ? "(.*\n)*?" : Regex.Escape(line).Replace("…", ".*", StringComparison.Ordinal) + "\n");
        return new Regex($"^{string.Concat(patterns)}".TrimEnd('\n') + "$", RegexOptions.CultureInvariant, TimeSpan.FromSeconds(10));
    }

    private static string[] Words(string command) =>
        [.. Word().Matches(command).Select(static word => word.Groups["text"].Success ? word.Groups["text"].Value : word.Value)];

    [GeneratedRegex(@"'(?<text>[^']*)'|""(?<text>[^""]*)""|\S+")]
    private static partial Regex Word();

    [GeneratedRegex(@"(?<scheme>[a-z+]+)://localhost(:\d+)?(?![\w.])")]
    private static partial Regex Localhost();

    [GeneratedRegex(@"istening on:? (?<uri>(?<scheme>[a-z+]+)://[^\s""]+)")]
    private static partial Regex Address();
}
