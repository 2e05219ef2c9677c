using CoAP.NET.Testing;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp;

/// <summary>Who gets a place for a TLS handshake, and who gives his away.</summary>
public sealed class HandshakeLimiterTests : IDisposable
{
    private readonly VirtualClock _clock = new();
    private readonly CoapLimits _limits = new() { Connections = { MaxHandshakes = 4, MaxHandshakesPerSource = 3 } };
    private readonly List<CancellationTokenSource> _ends = [];
    private readonly HandshakeLimiter _places;

    public HandshakeLimiterTests() => _places = new HandshakeLimiter(_limits, _clock, CoapSourceGroupingRule.Default);

    public void Dispose() => _ends.ForEach(static end => end.Dispose());

    [Fact]
    public void The_connection_that_is_silent_longest_is_evicted_for_another_connection_of_the_same_address()
    {
        HandshakeLimiter.Handshake[] silent = [Enter(1), Enter(1), Enter(1)];
        Enter(1);
        Assert.Equal([true, false, false], silent.Select(static one => one.Evicted));
        Assert.Equal(3, _places.Silent);
        Assert.False(_places.TryBegin(silent[0]));
    }

    [Fact]
    public void The_limiter_evicts_a_silent_connection_of_the_address_with_the_most_connections()
    {
        HandshakeLimiter.Handshake few = Enter(1);
        HandshakeLimiter.Handshake[] many = [Enter(2), Enter(2), Enter(2)];
        HandshakeLimiter.Handshake newcomer = Enter(3);
        Assert.Equal([false, true, false, false, false], [few.Evicted, .. many.Select(static one => one.Evicted), newcomer.Evicted]);
        Assert.Equal(4, _places.Silent);
    }

    [Fact]
    public void Silent_connections_take_no_places_of_started_handshakes()
    {
        for (byte i = 0; i < 20; i++)
        {
            Enter(i);
        }

        Assert.True(Begin(30).HasBegun);
        Assert.Equal(1, _places.Begun);
    }

    [Fact]
    public void A_stalled_handshake_is_evicted_by_a_handshake_of_another_address()
    {
        HandshakeLimiter.Handshake[] stuck = [Begin(1), Begin(1), Begin(1), Begin(2)];
        stuck[0].OnProgress();
        HandshakeLimiter.Handshake newcomer = Begin(3);
        Assert.True(newcomer.HasBegun);
        Assert.Equal([false, true, false, false], stuck.Select(static one => one.Evicted));
        Assert.Equal(4, _places.Begun);
    }

    [Fact]
    public void A_handshake_evicts_one_of_the_same_address_only_after_a_second_without_progress()
    {
        HandshakeLimiter.Handshake[] begun = [Begin(1), Begin(1), Begin(1)];
        Assert.False(Begin(1).HasBegun);
        _clock.Advance(FromSeconds(0.9));
        begun[0].OnProgress();
        _clock.Advance(FromSeconds(0.2));
        Assert.True(Begin(1).HasBegun);
        Assert.True(Begin(1).HasBegun);
        Assert.False(Begin(1).HasBegun);
        Assert.Equal([false, true, true], begun.Select(static one => one.Evicted));
        Assert.Equal(3, _places.Begun);
    }

    [Fact]
    public void Leave_frees_the_places_of_all_handshakes()
    {
        HandshakeLimiter.Handshake[] all = [Begin(1), Begin(1), Begin(1), Begin(2), Begin(3), Enter(4), Enter(4), Enter(4), Enter(4)];
        Array.ForEach(all, _places.Leave);
        Assert.Equal(0, _places.Begun);
        Assert.Equal(0, _places.Silent);
    }

    private HandshakeLimiter.Handshake Enter(byte source)
    {
        CancellationTokenSource end = new();
        _ends.Add(end);
        return _places.Enter(CoapAddress.FromIPv4(0x0a000000u + source, (ushort)(1000 + _ends.Count)), end);
    }

    private HandshakeLimiter.Handshake Begin(byte source)
    {
        HandshakeLimiter.Handshake handshake = Enter(source);
        _places.TryBegin(handshake);
        return handshake;
    }
}
