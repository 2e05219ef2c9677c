using CoAP.NET.Simulation.Faults;

namespace CoAP.NET.Reliability.Tests.Faults;

/// <summary>One fault at each place at which the library calls code of a user: the right outcome, counted, logged, and the next request is answered.</summary>
public sealed class FaultPlaceTests
{
    [Theory]
    [InlineData("coap", "Throw")]
    [InlineData("coap", "Cancel")]
    [InlineData("coap+tcp", "Throw")]
    [InlineData("coap+tcp", "CancelWithToken")]
    public async Task A_fault_hits_only_the_one_who_was_meant_and_is_counted_and_logged(string scheme, string kind)
    {
        await using FaultRig rig = await FaultRig.StartAsync(shards: 2);
        List<string> found = [];
        foreach (FaultPlace place in FaultPlaces.All.Where(place => place.Scheme is null || place.Scheme == scheme))
        {
            try
            {
                await FaultRun.InjectAsync(rig, place, scheme, Enum.Parse<FaultKind>(kind));
            }
            catch (Exception exception)
            {
                found.Add(exception is FaultFinding ? exception.Message : $"{place.Name}: {exception}");
            }
        }

        Assert.True(found.Count == 0, string.Join("\n\n", found));
        Assert.Empty(rig.ServerLog.Unexpected);
        Assert.Empty(rig.ClientLog.Unexpected);
        Assert.False(rig.Server.Endpoint.Completion.IsCompleted);
        Assert.Equal(0, rig.Server.RequestsServed);
    }
}
