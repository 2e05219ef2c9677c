using CoAP.NET.Dtls.Keeping;

namespace CoAP.NET.Dtls.Tests.Keeping;

/// <summary>The queue of changes for a keeper of sessions that fails.</summary>
public sealed class KeeperQueueTests
{
    [Fact]
    public async Task After_a_failure_the_queue_waits_a_while_unless_it_is_drained()
    {
        int calls = 0;
        MemoryKeeper keeper = new()
        {
            BeforeKeeping = _ => ++calls == 1 ? ValueTask.FromException(new IOException("no room")) : ValueTask.CompletedTask,
        };
        VirtualClock clock = new();
        using KeeperQueue queue = new(keeper, static _ => null, static work => work(), clock, mostEnded: 10);
        queue.Add(new CoapDtlsSessionChange(CoapDtlsSessionChangeKind.Ended, new byte[8], default, clock.GetUtcNow()));
        Assert.Equal(1, calls);
        queue.Go();
        Assert.Equal(1, calls);

        Assert.Null(await queue.DrainAsync().WaitAsync(TimeSpan.FromMinutes(2)));
        Assert.Equal(2, calls);
    }
}
