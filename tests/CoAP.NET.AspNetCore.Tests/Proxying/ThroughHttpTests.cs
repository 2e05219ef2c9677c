using System.Text.RegularExpressions;
using CoAP.NET.Tests.Plugtest;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>
/// The plugtests from CoAP through HTTP to CoAP: what the client gets is what it gets from the server itself. What two gateways have to
/// change:
/// <list type="bullet">
/// <item>Entity-tags are other ones: eight bytes are sixteen digits in HTTP, of which CoAP gets a hash. Equal ones stay equal.</item>
/// <item>Max-Age is said, where CoAP leaves out its default, and is what is left of it.</item>
/// <item>A Location that is not below the resource that was asked is left out: which path of the web application it has is not
/// known.</item>
/// <item>There is no Observe in HTTP, so nothing is observed here.</item>
/// </list>
/// Nothing else differs.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed partial class ThroughHttpTests
{
    private static readonly string[] s_cut =
    [
        "CORE_01", "CORE_03", "CORE_06", "CORE_09", "CORE_14", "CORE_18", "CORE_20", "CORE_21", "CORE_22", "CORE_23", "LINK_02", "BLOCK_03",
        "BLOCK_04", "several at once",
    ];

    public static TheoryData<string> Some => [.. Names(isCut: true)];

    public static TheoryData<string> Others => [.. Names(isCut: false)];

    [Theory]
    [MemberData(nameof(Some))]
    public Task A_plugtest_has_the_same_results_through_HTTP_proxies(string name) => CompareAsync(name);

    [Theory]
    [Trait("Category", "Campaign")]
    [MemberData(nameof(Others))]
    public Task Every_plugtest_has_the_same_results_through_HTTP_proxies(string name) => CompareAsync(name);

    private static IEnumerable<string> Names(bool isCut) => PlugtestScenarios.All.Select(scenario => scenario.Name)
        .Where(name => !name.StartsWith("OBS", Ordinal) && s_cut.Contains(name) == isCut);

    private static async Task CompareAsync(string name)
    {
        PlugtestScenario scenario = PlugtestScenarios.All.Single(scenario => scenario.Name == name);
        PlugtestRun direct = await PlugtestRun.RunAsync(scenario, isExact: true);
        PlugtestRun through = await PlugtestRun.RunAsync(scenario, path: new HttpPath());

        Assert.False(through.TimedOut);
        Assert.Equal(Normal(direct.Answers), Normal(through.Answers));
        Assert.Equal(direct.UnsafeRequests, through.UnsafeExecuted);
    }

    private static List<string> Normal(IReadOnlyList<string> answers)
    {
        List<string> tags = [];
        return answers.Select(answer => ETag().Replace(answer, Number)).Select(answer => MaxAge().Replace(answer, string.Empty, 1))
            .Select(answer => Elsewhere().Replace(answer, string.Empty)).ToList();

        string Number(Match tag)
        {
            if (!tags.Contains(tag.Value))
            {
                tags.Add(tag.Value);
            }

            return $"ETag: {tags.IndexOf(tag.Value)}";
        }
    }

    [GeneratedRegex("ETag: [0-9a-f]+", RegexOptions.CultureInvariant)]
    private static partial Regex ETag();

    // Those of /test and /location-query; that of /large-create is below it.
    [GeneratedRegex("Location-(Path: location[123]|Query: (first=1|second=2))(, )?", RegexOptions.CultureInvariant)]
    private static partial Regex Elsewhere();

    [GeneratedRegex("(, )?Max-Age: ([0-5]?[0-9]|60) s", RegexOptions.CultureInvariant)]
    private static partial Regex MaxAge();
}
