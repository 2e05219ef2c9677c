using CoAP.NET.Simulation.Simulate.Proxies;
using Xunit.Abstractions;

namespace CoAP.NET.Reliability.Tests.Simulate;

/// <summary>Clients and servers with a proxy between them, on a bad network, with restarts of all of them.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ProxyRunTests(ITestOutputHelper output)
{
    private const int Steps = 40;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public async Task Nothing_is_answered_wrongly_observed_twice_kept_from_its_end_or_left_behind_a_proxy(int seed)
    {
        await using ProxyRun run = new((ulong)seed);
        await run.RunAsync(Steps);
        output.WriteLine(run.Summary);
        Assert.True(run.Violations.Count == 0, $"{run.Summary}\n{string.Join('\n', run.Violations)}");
    }

    [Theory]
    [InlineData("wrong-answer", "given the answer to something else")]
    [InlineData("second-registration", "one registration of the proxy")]
    [InlineData("no-end", "an end of the server")]
    [InlineData("left-observer", "nothing is left")]
    public async Task A_planted_defect_is_found(string plant, string check)
    {
        await using ProxyRun run = new(1, plant);
        await run.RunAsync(Steps);
        Assert.Contains(run.Violations, violation => violation.Contains(check, StringComparison.Ordinal));
    }
}
