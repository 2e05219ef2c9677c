using CoAP.NET.Simulation.Overload;

namespace CoAP.NET.Reliability.Tests.Overload;

/// <summary>A moment of overload with all that is looked at in a long one, but for what depends on the speed of the machine.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class OverloadTests
{
    [Fact]
    public async Task Requests_beyond_the_capacity_get_5_03_with_Max_Age_and_requests_in_progress_continue()
    {
        const int Observers = 20;
        await using OverloadServer server = new(maxRequestsServed: 20);
        await server.StartAsync();
        OverloadResult result = await OverloadRun.RunAsync(server.Endpoint, "awaiting", peak: 0.2, Observers, TextWriter.Null,
            CancellationToken.None, known: 1500);
        Assert.Empty(OverloadChecks.WithoutTime(result));
        Assert.Equal(Observers, result.UpToDate);
        Assert.Contains(result.Phases, phase => phase.Refused > 0);
        Assert.Contains(result.Phases, phase => phase.Answered > 0);
    }
}
