using System.Reflection;
using CoAP.NET.Blockwise;
using CoAP.NET.Composition;
using CoAP.NET.Connecting;
using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using CoAP.NET.Formats;
using CoAP.NET.Groups;
using CoAP.NET.Mesh;
using CoAP.NET.Messaging;
using CoAP.NET.Observing.Client;
using CoAP.NET.Requests;
using CoAP.NET.Resources;
using CoAP.NET.Signalling;
using CoAP.NET.Transports.Streams;
using CoAP.NET.Transports.Udp;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Package.Tests.Logs;

/// <summary>
/// The ids of log messages are what people filter by: each means one thing for ever, in all packages. Set COAP_WRITE_DOCS=1 to write the
/// table anew.
/// </summary>
public partial class LogTableTests
{
    private const string Page = "telemetry-log.md";

    // The category in which the messages of a package stand; null: they pass the logger of an endpoint, which decides by their ids.
    private static readonly (string Package, string? Category)[] s_packages =
    [
        ("CoAP.NET.Dataflow", null),
        ("CoAP.NET.Content", null),
        ("CoAP.NET.Dtls", null),
        ("CoAP.NET.Http", "CoAP.NET.Http"),
        ("CoAP.NET.Caching", null),
        ("CoAP.NET.Edhoc", "CoAP.NET.Edhoc"),
        ("CoAP.NET.Oscore", null),
        ("CoAP.NET.Proxy", "CoAP.NET.Proxy"),
        ("CoAP.NET.PubSub", "CoAP.NET.PubSub"),
        ("CoAP.NET.Hosting.Abstractions", "CoAP.NET.Hosting"),
        ("CoAP.NET.AspNetCore", "CoAP.NET.AspNetCore"),
        ("CoAP.NET.Explorer", "CoAP.NET.Explorer"),
        ("CoAP.NET.Cluster", "CoAP.NET.Cluster"),
        ("CoAP.NET.Orleans", "CoAP.NET.Cluster"),
        ("CoAP.NET.ResourceDirectory", "CoAP.NET.ResourceDirectory"),
        ("CoAP.NET.Tables", "CoAP.NET.Cluster"),
        ("CoAP.NET.Testing", "CoAP.NET.Testing"),
        ("CoAP.NET.Testing.Hosting", "CoAP.NET.Testing"),
    ];

    // The classes of messages that pass the logger of an endpoint, by their category; those that are not here have the one of the endpoint.
    private static readonly Dictionary<string, string[]> s_chapters = new()
    {
        [LogCategory.Endpoint] =
            ["ConnectingLog", "EndpointLog", "GroupLog", "Log", "MeshLog", "MessagingLog", "ReceiveLog", "SerializerLog"],
        [LogCategory.Udp] = ["UdpLog"],
        [LogCategory.Tcp] = ["SignallingLog", "TcpLog"],
        [LogCategory.Dtls] = ["DtlsLog"],
        [LogCategory.Oscore] = ["OscoreLog"],
        [LogCategory.Credentials] = ["CredentialLog"],
        [LogCategory.Blockwise] = ["BlockwiseLog"],
        [LogCategory.Observe] = ["ObservationLog"],
        [LogCategory.Routes] = ["ResourceLog", "ResultLog"],
        [LogCategory.Caching] = ["CacheLog"],
        [LogCategory.ResourceDirectory] = ["RegistrationLog"],
    };

    private static readonly (string Package, string Category, string Class, string Name, LoggerMessageAttribute Message)[] s_messages =
    [
        .. s_packages.SelectMany(package => Assembly.Load(package.Package).GetTypes()
                .SelectMany(type => type.GetMethods(
                    BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
                .Select(method => (package.Package, package.Category, Class: method.DeclaringType!.Name, method.Name,
                    Message: method.GetCustomAttribute<LoggerMessageAttribute>()!)))
            .Where(entry => entry.Message is not null)
            .Select(entry =>
                (entry.Package, entry.Category ?? LogCategory.Of(entry.Message.EventId), entry.Class, entry.Name, entry.Message))
            .OrderBy(entry => entry.Message.EventId),
    ];

    [Fact]
    public void All_packages_that_log_are_checked_by_this_test()
    {
        string[] packages = [.. Repository.ShippedFiles("*.csproj")
            .Where(project => Directory.EnumerateFiles(Path.GetDirectoryName(project)!, "*.cs", SearchOption.AllDirectories)
                .Any(file => File.ReadAllText(file).Contains("[LoggerMessage(")))
            .Select(project => Path.GetFileNameWithoutExtension(project))];

        Assert.Contains("CoAP.NET.Proxy", packages);
        Assert.Empty(packages.Except(s_packages.Select(package => package.Package)));
    }

    [Fact]
    public void Every_event_ID_belongs_to_a_single_message()
    {
        Assert.True(s_messages.Length > 30);
        Assert.Empty(s_messages.GroupBy(entry => entry.Message.EventId).Where(group => group.Count() > 1)
            .Select(group => string.Join(", ", group.Select(entry => entry.Name))));
        Assert.Equal(s_messages.Length, s_messages.Select(entry => (entry.Package, entry.Name)).Distinct().Count());
    }

    [Fact]
    public void The_table_of_log_messages_matches_the_code_and_no_event_ID_is_reused()
    {
        string path = Path.Combine(Repository.Root, "docs", Page);
        string written = File.Exists(path) ? File.ReadAllText(path).ReplaceLineEndings("\n") : string.Empty;
        Dictionary<int, string> known = Row().Matches(written)
            .ToDictionary(row => int.Parse(row.Groups["id"].Value, CultureInfo.InvariantCulture),
                row => row.Groups["name"].Value);
        Assert.Empty(s_messages.Where(entry => known.TryGetValue(entry.Message.EventId, out string? name) && name != entry.Name)
            .Select(entry => $"{entry.Message.EventId} was {known[entry.Message.EventId]} and is {entry.Name}"));
        string table = Table(known);
        if (Environment.GetEnvironmentVariable("COAP_WRITE_DOCS") == "1")
        {
            File.WriteAllText(path, table);
        }
        else
        {
            Assert.Equal(table, written);
        }
    }

    [Fact]
    public void Every_message_of_an_endpoint_has_the_category_of_its_chapter()
    {
        (string Class, string Category, int Id)[] messages =
        [
            .. s_messages.Where(static entry => entry.Class == "RegistrationLog"
                    || s_packages.Any(package => package.Package == entry.Package && package.Category is null))
                .Select(static entry => (entry.Class, LogCategory.Of(entry.Message.EventId), entry.Message.EventId)),
        ];

        Assert.Equal(s_chapters.Values.SelectMany(static classes => classes).Order(), messages.Select(one => one.Class).Distinct().Order());
        Assert.DoesNotContain(messages, static one => !s_chapters[one.Category].Contains(one.Class));
        Assert.Equal(LogCategory.All.Order(), s_chapters.Keys.Order());
        Assert.All(LogCategory.All, static category => Assert.StartsWith(LogCategory.Endpoint, category));
    }

    [Fact]
    public void Payloads_are_never_logged() =>
        Assert.DoesNotContain(s_messages, entry => entry.Message.Message!.Contains("Payload}", OrdinalIgnoreCase));

    private static string Cell(string text) =>
        text.Replace("|", "\\|").Replace("\n", " ");

    private static string Table(Dictionary<int, string> known)
    {
        StringBuilder page = new();
        page.Append("# Log messages\n\n");
        page.Append("This page lists every log message of the library. Errors of peers have the level Debug, except the loss of an "
            + "observation (1732)\nand requests that do not fit the parameters of a handler (1520). Errors of the library and of the code "
            + "that uses it have the level Warning\nor Error. An id means the same message in all versions and packages.\n\n");
        page.Append("| Id | Name | Category | Level | Message |\n|---|---|---|---|---|\n");
        HashSet<int> live = [.. s_messages.Select(entry => entry.Message.EventId)];
        IEnumerable<(int Id, string Row)> rows = s_messages
            .Select(entry =>
                (entry.Message.EventId,
                    $"| {entry.Message.EventId} | {entry.Name} | `{entry.Category}` | {entry.Message.Level} "
                        + $"| {Cell(entry.Message.Message!)} |\n"))
            .Concat(known.Where(entry => !live.Contains(entry.Key))
                .Select(entry => (entry.Key, $"| {entry.Key} | {entry.Value} | | | not used any more |\n")));
        foreach ((_, string row) in rows.OrderBy(row => row.Id))
        {
            page.Append(row);
        }

        return page.ToString();
    }

    [GeneratedRegex(@"^\| (?<id>\d+) \| (?<name>\w+) \|", RegexOptions.Multiline)]
    private static partial Regex Row();
}
