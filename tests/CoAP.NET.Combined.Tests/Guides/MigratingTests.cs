using System.Reflection;
using System.Text.RegularExpressions;
using CoAP.NET.Caching;
using CoAP.NET.Stateless;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Guides;

/// <summary>The snippets and tables of docs/migrating-from-*.md.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed partial class MigratingTests : GuideTest
{
    // What the tables name that is not the library's.
    private static readonly string[] s_others = ["TimeSpan", "CancellationToken", "ILogger"];

    private static readonly Assembly[] s_assemblies =
        [typeof(CoapMessage).Assembly, typeof(CoapClient).Assembly, typeof(CoapCache).Assembly, typeof(CoapStatelessClient).Assembly];

    [Theory]
    [InlineData("migrating-from-smeshlink.md")]
    [InlineData("migrating-from-coapnet.md")]
    public void Every_snippet_of_the_page_stands_in_these_tests(string page) => Snippets.AllStandInTests(page, "Guides", 2);

    [Theory]
    [InlineData("migrating-from-smeshlink.md", 50)]
    [InlineData("migrating-from-coapnet.md", 45)]
    public void The_names_in_the_migration_tables_exist_in_the_public_API(string page, int atLeast)
    {
        HashSet<string> known = [.. s_assemblies.SelectMany(static one => one.GetExportedTypes()).SelectMany(NamesOf), .. s_others];
        string[][] rows = [.. File.ReadAllLines(Path.Combine(SourceTree.Root, "docs", page))
            .Where(line => line.StartsWith("| ", StringComparison.Ordinal) && !line.StartsWith("| there |", StringComparison.Ordinal))
            .Select(line => line.Split('|'))];

        Assert.True(rows.Length >= atLeast, $"{rows.Length}");
        Assert.All(rows, row =>
        {
            Assert.Equal(5, row.Length);
            Assert.All(Code().Matches(row[2]).SelectMany(code => Name().Matches(Text().Replace(code.Value, ""))),
                name => Assert.Contains(name.Value, known));
        });
    }

    [Fact]
    public async Task Routes_replace_the_resources_of_other_libraries()
    {
        TimeProvider clock = Clock;
        int ticks = 0;
        string now() => $"{ticks++}";
        ITimer timer;
        server.MapGet("/hello", () => CoapResults.Text("Hello"));
        CoapRouteHandlerBuilder time = server.MapGet("/time", () => CoapResults.Text(now())).Observable();
        timer = clock.CreateTimer(_ => time.Notify(), null, TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(2));

        await StartAsync();
        await RunAsync(async () =>
        {
            using CancellationTokenSource stop = new(TimeSpan.FromSeconds(5), Clock);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => WatchAsync(stop.Token));
        });
        // Three states, and the answer to the deregistration.
        Assert.Equal(4, ticks);
        await timer.DisposeAsync();
    }

    [Fact]
    public async Task A_request_returns_its_response()
    {
        await using CoapServer server = new();
        server.Listen("coap://127.0.0.1:0");
        server.MapGet("/hello", () => CoapResults.Text("Hello")).WithTitle("A greeting");
        await server.StartAsync(cancellationToken);

        await using CoapClient client = new();
        CoapRequest request = new(CoapMethod.Post, server.LocalEndpoints[0].Resolve("/hello"))
        {
            Content = CoapContent.Text("Hi"),
            Accept = CoapContentFormat.TextPlain
        };
        CoapResponse response = await client.SendAsync(request, cancellationToken);

        response.Gives(CoapCode.MethodNotAllowed);
    }

    private async Task WatchAsync(CancellationToken cancellationToken)
    {
        CoapResponse response = await client.GetAsync("coap://[::1]/hello", cancellationToken);
        await using CoapObservation observation = await client.ObserveAsync("coap://[::1]/time", cancellationToken);
        await foreach (CoapResponse change in observation.ReadAllAsync(cancellationToken))
        {
            Console.WriteLine(change.GetText());
        }
    }

    private static IEnumerable<string> NamesOf(Type type) =>
        [type.Name.Split('`')[0],
            .. type.GetMembers(
                BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly)
                .Where(member =>
                    member is not MethodBase { IsPrivate: true } and not MethodBase { IsAssembly: true }
                        and not FieldInfo { IsPublic: false })
                .Select(member => member.Name)];

    [GeneratedRegex("`[^`]+`")]
    private static partial Regex Code();

    // Strings, file names and schemes in code are no names.
    [GeneratedRegex("""
        "[^"]*"|[a-z]\S*\.json|coaps?\+tcp
        """, RegexOptions.IgnorePatternWhitespace)]
    private static partial Regex Text();

    [GeneratedRegex(@"(?<![A-Za-z])[A-Z][A-Za-z0-9]{2,}")]
    private static partial Regex Name();
}
