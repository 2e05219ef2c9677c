using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Dtls.Tests.Hostile;

namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>What is held of sessions and of strangers. COAP_STRANGERS says of how many.</summary>
/// <param name="output">Takes the figures.</param>
[Collection(nameof(AloneCollection))]
public sealed class MemoryTests(ITestOutputHelper output)
{
    [Fact]
    public async Task Ten_thousand_idle_sessions_take_less_than_a_KiB_each()
    {
        long each = await LiveHeap.TakesAsync(() => Task.FromResult(MeasureSessions()));
        Assert.InRange(each, 1, 1_024);
    }

    [Fact]
    public void Of_many_strangers_no_memory_is_held()
    {
        int count = FilterTests.Number("COAP_STRANGERS", 20_000);
        using ServerBench bench = new();
        BenchClient client = bench.Connect(1);
        byte[] hello = client.Sent[0];
        bench.LosesOfServer = static _ => true;
        byte[] datagram = [.. hello];
        bench.Server.Receive(ServerBench.Path(2), datagram);
        long cookies = bench.Server.Counters.CookiesSent;
        long before = Heap.LiveBytes();
        for (int i = 0; i < count; i++)
        {
            hello.CopyTo(datagram, 0);
            bench.Server.Receive(ServerBench.Path(1_000 + i), datagram);
        }

        long held = Heap.LiveBytes() - before;
        Assert.Equal((1, 0), (bench.Server.SessionCount, bench.Server.HandshakeCount));
        Assert.Equal(count, bench.Server.Counters.CookiesSent - cookies);
        Assert.Equal((1, 1), (bench.Server.Counters.HandshakesStarted, bench.Server.Counters.HandshakesCompleted));

        output.WriteLine($"Memory held after {count:N0} ClientHellos of as many addresses: {held:N0} B");

        // The least that could be kept of one, an entry of a dictionary, is larger; what the process itself does in the meantime is
        // smaller.
        Assert.InRange(held, long.MinValue, 64L * count);
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
        rig.Clock.Advance(TimeSpan.FromMinutes(5));
        rig.Server.Tick();
        long idle = (Heap.LiveBytes() - before) / Count;
        Assert.Equal(Count + 1, rig.Server.SessionCount);
        output.WriteLine($"Memory of a session, 10,000 of them: {fresh} B after the handshake, {idle} B when idle");
        return idle;
    }
}
