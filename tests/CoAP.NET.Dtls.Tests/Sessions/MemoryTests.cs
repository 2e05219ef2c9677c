namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>What is held of sessions.</summary>
/// <param name="output">Takes the figures.</param>
[Collection(nameof(AloneCollection))]
public sealed class MemoryTests(ITestOutputHelper output)
{
    [Fact]
    public async Task Ten_thousand_idle_sessions_use_less_than_a_KiB_each()
    {
        long each = await LiveHeap.MiddleOfThreeAsync(() => Task.FromResult(MeasureSessions()));
        Assert.InRange(each, 1, 1_024);
    }

    private long MeasureSessions()
    {
        const int Count = 10_000;
        using SessionRig rig = new();
        rig.Open(1, lastFlight: new byte[24]);
        rig.Opened.Clear();
        long before = Heap.LiveBytes();
        for (int host = 2; host <= Count + 1; host++)
        {
            rig.Open(host, identity: $"device-{host:D8}", lastFlight: new byte[24]);
            if (host % 100 == 0)
            {
                rig.Opened.Clear();
            }
        }

        rig.Opened.Clear();
        long fresh = (Heap.LiveBytes() - before) / Count;
        rig.Clock.Advance(FromMinutes(5));
        rig.Server.Tick();
        long idle = (Heap.LiveBytes() - before) / Count;
        Assert.Equal(Count + 1, rig.Server.SessionCount);
        output.WriteLine($"Memory of a session, 10,000 of them: {fresh} B after the handshake, {idle} B when idle");
        return idle;
    }
}
