using CoAP.NET.Testing;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports.Tcp;

/// <summary>Who gets a place for a TLS handshake, and who gives his away.</summary>
public sealed class HandshakePlacesTests : IDisposable
{
    private readonly VirtualClock _clock = new();
    private readonly CoapLimits _limits = new() { MaxHandshakes = 4, MaxHandshakesPerAddress = 3 };
    private readonly List<CancellationTokenSource> _ends = [];
    private readonly HandshakePlaces _places;

    public HandshakePlacesTests() => _places = new HandshakePlaces(_limits, _clock, CoapSourceRule.Default);

    public void Dispose() => _ends.ForEach(static end => end.Dispose());

    [Fact]
    public void Whoever_is_silent_for_longest_gives_way_to_a_newcomer_of_the_same_address()
    {
        HandshakePlaces.Handshake[] silent = [Enter(1), Enter(1), Enter(1)];
        Enter(1);
        Assert.Equal([true, false, false], silent.Select(static one => one.GaveWay));
        Assert.Equal(3, _places.Silent);
        Assert.False(_places.TryBegin(silent[0]));
    }

    [Fact]
    public void When_all_places_are_taken_the_address_with_most_gives_one_away()
    {
        HandshakePlaces.Handshake few = Enter(1);
        HandshakePlaces.Handshake[] many = [Enter(2), Enter(2), Enter(2)];
        HandshakePlaces.Handshake newcomer = Enter(3);
        Assert.Equal([false, true, false, false, false], [few.GaveWay, .. many.Select(static one => one.GaveWay), newcomer.GaveWay]);
        Assert.Equal(4, _places.Silent);
    }

    [Fact]
    public void Silent_ones_take_no_place_of_handshakes_that_have_begun()
    {
        for (byte i = 0; i < 20; i++)
        {
            Enter(i);
        }

        Assert.True(Begin(30).HasBegun);
        Assert.Equal(1, _places.Begun);
    }

    [Fact]
    public void A_handshake_that_stands_still_gives_way_to_one_of_another_address_at_once()
    {
        HandshakePlaces.Handshake[] stuck = [Begin(1), Begin(1), Begin(1), Begin(2)];
        stuck[0].OnProgress();
        HandshakePlaces.Handshake newcomer = Begin(3);
        Assert.True(newcomer.HasBegun);
        Assert.Equal([false, true, false, false], stuck.Select(static one => one.GaveWay));
        Assert.Equal(4, _places.Begun);
    }

    [Fact]
    public void A_handshake_gives_way_to_one_of_its_own_address_only_after_a_second_without_progress()
    {
        HandshakePlaces.Handshake[] begun = [Begin(1), Begin(1), Begin(1)];
        Assert.False(Begin(1).HasBegun);
        _clock.Advance(TimeSpan.FromSeconds(0.9));
        begun[0].OnProgress();
        _clock.Advance(TimeSpan.FromSeconds(0.2));
        Assert.True(Begin(1).HasBegun);
        Assert.True(Begin(1).HasBegun);
        Assert.False(Begin(1).HasBegun);
        Assert.Equal([false, true, true], begun.Select(static one => one.GaveWay));
        Assert.Equal(3, _places.Begun);
    }

    [Fact]
    public void Places_come_back_whatever_became_of_their_handshakes()
    {
        HandshakePlaces.Handshake[] all = [Begin(1), Begin(1), Begin(1), Begin(2), Begin(3), Enter(4), Enter(4), Enter(4), Enter(4)];
        Array.ForEach(all, _places.Leave);
        Assert.Equal(0, _places.Begun);
        Assert.Equal(0, _places.Silent);
    }

    private HandshakePlaces.Handshake Enter(byte source)
    {
        CancellationTokenSource end = new();
        _ends.Add(end);
        return _places.Enter(CoapAddress.FromIPv4(0x0a000000u + source, (ushort)(1000 + _ends.Count)), end);
    }

    private HandshakePlaces.Handshake Begin(byte source)
    {
        HandshakePlaces.Handshake handshake = Enter(source);
        _places.TryBegin(handshake);
        return handshake;
    }
}
