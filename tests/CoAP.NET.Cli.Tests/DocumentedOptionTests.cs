using System.CommandLine;

namespace CoAP.NET.Cli.Tests;

/// <summary>The options of the page <c>docs/cli.md</c> and those of the commands are the same.</summary>
public sealed class DocumentedOptionTests
{
    private static readonly string[] s_requests = ["get", "put", "post", "delete", "fetch", "patch", "ipatch"];
    private static readonly string[] s_payloads = ["put", "post", "fetch", "patch", "ipatch"];
    private static readonly string[] s_clients = [.. s_requests, "observe", "discover", "register", "ping"];

    private readonly Command _root = CoapTool.CreateRoot(new CliContext
    {
        In = Stream.Null,
        Out = new CliOutput(Stream.Null, isTerminal: false),
        Error = new CliOutput(Stream.Null, isTerminal: false),
    });

    /// <summary>The commands of which each has all options in the first column of the tables of a section.</summary>
    public static TheoryData<string, string[]> Tables => new()
    {
        { "Requests", s_payloads },
        { "Groups", s_requests },
        { "Security", s_clients },
        { "The network", s_clients },
        { "A proxy", ["proxy"] },
    };

    /// <summary>The commands of which at least one has each option that a section names.</summary>
    public static TheoryData<string, string[]> Texts => new()
    {
        { "Output", s_requests },
        { "Exit codes", s_requests },
        { "Requests", [.. s_requests, "discover"] },
        { "Observation", ["observe"] },
        { "Groups", s_requests },
        { "Security", s_clients },
        { "The network", s_clients },
        { "JSON output", s_requests },
        { "Sharing a folder", ["serve", "discover"] },
        { "A proxy", ["proxy", "get"] },
        { "Discovery", ["discover", "register"] },
        { "In the browser", ["explore"] },
        { "Decoding", ["decode"] },
        { "OSCORE", ["get", "serve"] },
        { "EDHOC", ["get"] },
        { "For users of coap-client", [.. s_clients] },
    };

    [Theory]
    [MemberData(nameof(Tables))]
    public void A_command_accepts_each_option_of_its_table(string section, string[] commands)
    {
        string[] listed = [.. SectionOf(section).Split('\n').Where(line => line.StartsWith("| `-", Ordinal))
            .SelectMany(line => OptionsIn(line.Split('|')[1]))];

        Assert.NotEmpty(listed);
        Assert.All(commands, command => Assert.Empty(listed.Except(NamesOf(command))));
    }

    [Theory]
    [MemberData(nameof(Texts))]
    public void An_option_that_a_section_names_exists(string section, string[] commands) =>
        Assert.Empty(OptionsIn(SectionOf(section)).Except(commands.SelectMany(NamesOf)));

    [Fact]
    public void The_exit_codes_of_the_page_are_those_of_the_manual_page() =>
        Assert.Equal(
            ExitCodes.Meanings.Select(row => $"| {row.Code} | {row.Meaning} |"),
            SectionOf("Exit codes").Split('\n').Where(line => Regex.IsMatch(line, @"^\| \d")));

    [Fact]
    public void The_commands_with_oscore_and_edhoc_are_those_that_the_page_lists()
    {
        string text = SectionOf("OSCORE").Split("It does not work")[0];
        string[] listed = [.. Regex.Matches(text, "`([a-z]+)`").Select(match => match.Groups[1].Value)];

        Assert.Equal(listed.Order(), Having("--oscore"));
        Assert.Equal(listed.Except(["explore"]).Order(), Having("--edhoc"));

        IEnumerable<string> Having(string option) => _root.Subcommands.Where(command => NamesOf(command.Name).Contains(option))
            .Select(command => command.Name).Except(["serve", "decode"]).Order();
    }

    [Fact]
    public void Each_option_is_documented()
    {
        string page = Page("cli.md");
        string bench = Page("load-generator.md");
        foreach (Command command in _root.Subcommands)
        {
            string[] told = [.. OptionsIn(command.Name == "bench" ? bench + page : page)];
            Assert.Empty(command.Options.Where(option => !option.Hidden).Select(option => option.Name).Except(told)
                .Select(option => $"{command.Name} {option}"));
        }
    }

    private string[] NamesOf(string command) =>
        [.. _root.Subcommands.Single(one => one.Name == command).Options.Concat(_root.Options).SelectMany(
            option => option.Aliases.Append(option.Name))];

    private static IEnumerable<string> OptionsIn(string text) =>
        Regex.Matches(text, @"(?<![\w-])--?[A-Za-z][a-z-]*").Select(match => match.Value).Where(name => name != "-vv").Distinct();

    // Without commands of other programs.
    private static string SectionOf(string heading)
    {
        string page = Page("cli.md");
        string text = page[page.IndexOf($"\n## {heading}\n", Ordinal)..][1..];
        int end = text.IndexOf("\n## ", Ordinal);
        text = end < 0 ? text : text[..end];
        return heading == "For users of coap-client"
            ? string.Join('\n', text.Split('\n').Where(line => line.StartsWith("| ", Ordinal))
                .Select(line => string.Join('|', line.Split('|').Skip(2))))
            : Regex.Replace(text, @"\| (jq|head).*", "");
    }

    private static string Page(string name) => File.ReadAllText(Path.Combine(Repository.Root, "docs", name));
}
