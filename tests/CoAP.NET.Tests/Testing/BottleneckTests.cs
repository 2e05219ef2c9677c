using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Testing;

public sealed class BottleneckTests : IDisposable
{
    private static readonly CoapAddress s_a = InMemoryNetwork.Address("192.0.2.1:5683");
    private static readonly CoapAddress s_b = InMemoryNetwork.Address("192.0.2.2:5683");
    private static readonly CoapAddress s_c = InMemoryNetwork.Address("192.0.2.3:5683");

    private readonly VirtualClock _clock = new();
    private readonly InMemoryNetwork _network;
    private readonly ScriptedPeer _a;
    private readonly ScriptedPeer _b;
    private readonly ScriptedPeer _c;

    public BottleneckTests()
    {
        _network = new InMemoryNetwork(_clock);
        _a = _network.CreatePeer(s_a, s_c);
        _b = _network.CreatePeer(s_b, s_c);
        _c = _network.CreatePeer(s_c);
    }

    public void Dispose()
    {
        _a.Dispose();
        _b.Dispose();
        _c.Dispose();
    }

    [Fact]
    public void A_bottleneck_passes_datagrams_in_order_at_its_rate()
    {
        // 32 bytes each: 4 and 28 of headers.
        _network.Conditions = NetworkConditions.Delayed(FromSeconds(10)) with { Bottleneck = new NetworkBottleneck(32, 10) };
        _a.Send("40010001");
        _a.Send("40010002");
        _b.Send("40010003");
        _clock.Advance(FromMinutes(1));
        Assert.Equal([11.0, 12, 13], _c.Received.Select(received => received.Time.TotalSeconds));
        Assert.Equal(["40010001", "40010002", "40010003"], _c.Received.Select(received => received.Hex));
    }

    [Fact]
    public void A_datagram_that_finds_the_queue_full_is_lost()
    {
        _network.Conditions = new() { Bottleneck = new NetworkBottleneck(32, 2) };
        for (int i = 0; i < 5; i++)
        {
            _a.Send($"4001000{i}");
        }

        Assert.Equal(2, _network.Trace.Count(happened => happened.Kind == NetworkEventKind.QueueFull));
        _clock.Advance(FromSeconds(1));
        _a.Send("40010009");
        _clock.Advance(FromSeconds(10));
        Assert.Equal(["40010000", "40010001", "40010002", "40010009"], _c.Received.Select(received => received.Hex));
    }

    [Fact]
    public void Links_with_different_bottlenecks_do_not_delay_each_other()
    {
        _network.SetConditions(s_a, s_c, new() { Bottleneck = new NetworkBottleneck(32, 2) });
        _network.SetConditions(s_b, s_c, new() { Bottleneck = new NetworkBottleneck(32, 2) { Overhead = 0 } });
        _a.Send("40010001");
        _b.Send("40010002");
        _clock.Advance(FromSeconds(10));
        Assert.Equal([("40010002", 0.125), ("40010001", 1.0)], _c.Received.Select(received => (received.Hex, received.Time.TotalSeconds)));
    }

    [Fact]
    public void A_bottleneck_used_on_two_networks_has_a_queue_on_each()
    {
        NetworkBottleneck bottleneck = new(32, 0);
        InMemoryNetwork other = new(_clock, new() { Conditions = new() { Bottleneck = bottleneck } });
        using ScriptedPeer d = other.CreatePeer(s_a, s_b);
        using ScriptedPeer e = other.CreatePeer(s_b);
        _network.Conditions = new() { Bottleneck = bottleneck };
        _a.Send("40010001");
        d.Send("40010002");
        _clock.Advance(FromSeconds(1));
        Assert.Single(_c.Received);
        Assert.Single(e.Received);
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(-1, 1)]
    [InlineData(1, -1)]
    public void A_bottleneck_refuses_a_rate_of_zero_or_less_and_a_negative_queue_length(double rate, int queue) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new NetworkBottleneck(rate, queue));
}
