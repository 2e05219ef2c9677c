using System.Text.RegularExpressions;
using CoAP.NET.Tests.Plugtest;

namespace CoAP.NET.Proxy.Tests.Plugtest;

/// <summary>
/// The plugtests through a proxy: what the client gets is what it gets from the server itself. What a proxy has to change:
/// <list type="bullet">
/// <item>What is of one hop is not looked at: message types, Message IDs, tokens, block sizes, and the numbers of Observe (RFC 7252
/// section 5.7.1, RFC 7641 section 5).</item>
/// <item>Max-Age is what is left of it (RFC 7252 section 5.7.1), so that it is there where the server left out the default.</item>
/// <item>A safe request need not come to the server: the proxy may know its answer, or share that of an equal one. One that changes
/// something comes once.</item>
/// <item>An observation at the server ends some seconds after that of the client.</item>
/// <item>A reverse proxy lists its own resources at /.well-known/core unless that is mapped as well, as it is here.</item>
/// </list>
/// Nothing else differs.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed partial class ThroughProxyTests
{
    private const string DefaultMaxAge = "60";

    private static readonly string[] s_cut =
    [
        "CORE_09", "CORE_21", "CORE_22", "LINK_02", "several at once", "BLOCK_04", "OBS_04", "OBS_07", "OBS_13",
    ];

    [Theory]
    [MemberData(nameof(Some))]
    [Rfc("7252-5.7.1-7", "7252-5.7.2-3")]
    public Task A_plugtest_has_the_same_results_through_a_proxy(string name, string path) => CompareAsync(name, path);

    [Theory]
    [Trait("Category", "Campaign")]
    [MemberData(nameof(Others))]
    public Task A_plugtest_has_the_same_results_through_any_proxy(string name, string path) => CompareAsync(name, path);

    public static TheoryData<string, string> Some() => Cases((index, _, isCut) => index == 0 || isCut);

    /// <summary>The others: each through one of the proxies, and through every proxy where COAP_TEST_CAMPAIGN is more than 1.</summary>
    public static TheoryData<string, string> Others()
    {
        string? campaign = Environment.GetEnvironmentVariable("COAP_TEST_CAMPAIGN");
        bool isLong = int.TryParse(campaign, NumberStyles.None, CultureInfo.InvariantCulture, out int factor) && factor > 1;
        return Cases((index, scenario, isCut) =>
            index != 0 && !isCut && (isLong || index == 1 + (scenario % (ProxyPath.All.Count - 1))));
    }

    private static TheoryData<string, string> Cases(Func<int, int, bool, bool> isOne)
    {
        TheoryData<string, string> cases = [];
        foreach ((int index, string path) in ProxyPath.All.Index())
        {
            foreach ((int number, PlugtestScenario scenario) in PlugtestScenarios.All.Index())
            {
                if (isOne(index, number, s_cut.Contains(scenario.Name)))
                {
                    cases.Add(scenario.Name, path);
                }
            }
        }

        return cases;
    }

    private static async Task CompareAsync(string name, string path)
    {
        PlugtestScenario scenario = PlugtestScenarios.All.Single(scenario => scenario.Name == name);
        PlugtestRun direct = await PlugtestRun.RunAsync(scenario, isExact: true);
        PlugtestRun through = await PlugtestRun.RunAsync(scenario, path: new ProxyPath(path));

        Assert.False(through.TimedOut);
        Assert.Equal(direct.Answers.Select(WithoutMaxAge), through.Answers.Select(WithoutMaxAge));
        Assert.All(direct.Answers.Zip(through.Answers), pair => Assert.InRange(MaxAgeOf(pair.Second), 0, MaxAgeOf(pair.First)));
        Assert.Equal(direct.UnsafeRequests, through.UnsafeExecuted);
    }

    private static string WithoutMaxAge(string answer) => MaxAge().Replace(answer, string.Empty, 1);

    private static int MaxAgeOf(string answer) => int.Parse(
        MaxAge().Match(answer) is { Success: true } match ? match.Groups["age"].Value : DefaultMaxAge, CultureInfo.InvariantCulture);

    [GeneratedRegex("(, )?Max-Age: (?<age>[0-9]+) s", RegexOptions.CultureInvariant)]
    private static partial Regex MaxAge();
}
