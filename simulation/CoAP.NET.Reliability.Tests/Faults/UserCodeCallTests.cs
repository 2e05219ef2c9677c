using CoAP.NET.Simulation.Faults;

namespace CoAP.NET.Reliability.Tests.Faults;

/// <summary>
/// One fault at each place at which the library calls code of a user: the right outcome, counted, logged, and the next request is answered.
/// </summary>
/// <remarks>Real clock: the faults hit threads that serve real sockets.</remarks>
public sealed class UserCodeCallTests
{
    [Theory]
    [InlineData("coap")]
    [InlineData("coap+tcp")]
    public async Task An_injected_fault_affects_only_its_target_and_is_counted_and_logged(string scheme)
    {
        await using FaultRig rig = await FaultRig.StartAsync(shards: 2);
        List<string> found = [];
        int kind = 0;
        foreach (UserCodeCall place in UserCodeCalls.All.Where(place => place.Scheme is null || place.Scheme == scheme))
        {
            try
            {
                await FaultRun.InjectAsync(rig, place, scheme, (FaultKind)(kind++ % 3));
            }
            catch (FaultFinding finding)
            {
                found.Add(finding.Message);
            }
        }

        found.AddRange(rig.ServerLog.Unexpected);
        found.AddRange(rig.ClientLog.Unexpected);
        found.AddRange(FaultCheck.Locks(rig.Server));
        found.AddRange(await FaultCheck.RoutesAsync(rig));
        Assert.True(found.Count == 0, string.Join("\n\n", found));
        Assert.False(rig.Server.Endpoint.Completion.IsCompleted);

        // A request is counted out after its response was sent.
        await Eventually.IsTrueAsync(() => rig.Server.RequestsServed == 0);
        Assert.Equal(0, rig.Scheduler.Threads.Failures);
    }

    [Fact]
    public async Task The_check_reports_a_fault_that_a_handler_hides()
    {
        await using FaultRig rig = await FaultRig.StartAsync(shards: 1, new FaultInjector { Hides = true });
        FaultFinding finding = await Assert.ThrowsAsync<FaultFinding>(
            () => FaultRun.InjectAsync(rig, UserCodeCalls.All[0], "coap", FaultKind.Throw, patience: TimeSpan.FromMilliseconds(200)));
        Assert.Contains("not counted", finding.Message, StringComparison.Ordinal);
    }
}
