using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Observing;

/// <summary>
/// Observers whose address nobody verified, in normal use: what bounds amplification must not keep them from their notifications.
/// </summary>
public sealed class StrangerTests : ServerObserveTest
{
    [Theory]
    [Rfc("9175-2.4-1", "7641-7-1")]
    [InlineData(true, 60, 1, 1200)]
    [InlineData(false, 60, 1, 1200)]
    [InlineData(true, 1000, 60, 300)]
    [InlineData(false, 1000, 60, 300)]
    [InlineData(true, 1000, 1, 600)]
    [InlineData(false, 1000, 1, 600)]
    public async Task An_unverified_observer_that_acknowledges_gets_the_notifications_that_the_limits_allow(
        bool confirmable, int size, int seconds, int changes)
    {
        CoapRouteHandlerBuilder route = MapState(confirmable: confirmable);
        await StartAsync();
        CoapAddress[] strangers = [PeerNumber(1)];
        int[] got = await ListenAsync(route, strangers, size, seconds, changes, acknowledgesTwice: false);

        // Until the round-trip time is known Non-confirmable ones are three seconds apart; those that the bound refuses are, too.
        bool refused =
            !confirmable && size * 60 / seconds > Options.Limits.Amplification.SourceBytesPerMinute;
        int expected = refused ? changes * seconds / Math.Max(seconds, 4) : !confirmable ? changes - 3
            : changes;
        Assert.All(got, count => Assert.InRange(count, expected, changes + 1));
        if (confirmable || size * 60 / seconds < Options.Limits.Amplification.SourceBytesPerMinute)
        {
            Assert.Equal(0, Server.Counters[CoapCounter.AmplificationRefused]);
        }
    }

    [Fact]
    public async Task Five_unverified_peers_behind_an_address_get_their_notifications_despite_duplicate_ACKs()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        // Their first kibibytes of a minute need no acknowledgement: an acknowledgement that matches nothing takes the allowance of those
        // before away.
        CoapAddress[] strangers = [.. Enumerable.Range(0, 5).Select(i => PeerNumber(1) with { Port = (ushort)(40_000 + i) })];
        int[] got = await ListenAsync(route, strangers, 1000, 60, 120, acknowledgesTwice: true);
        Assert.True(got.All(count => count == 120),
            $"{string.Join(' ', got)}: {Server.ObserverCount} observers, {Server.Counters[CoapCounter.ObserversLost]} lost, "
                + $"{Server.Counters[CoapCounter.AmplificationRefused]} refused, {Server.Counters[CoapCounter.Retransmissions]} "
                + $"copies, {Server.Counters[CoapCounter.UnmatchedAcknowledgements]} unmatched");
        Assert.Equal(5, Server.ObserverCount);
    }

    private Task<int[]> ListenAsync(CoapRouteHandlerBuilder route, CoapAddress[] strangers, int size, int seconds, int changes,
        bool acknowledgesTwice)
    {
        foreach (CoapAddress stranger in strangers)
        {
            Ask(stranger, "/obs");
        }

        Assert.Equal(strangers.Length, Server.ObserverCount);
        int[] got = new int[strangers.Length];
        for (int i = 1; i <= changes; i++)
        {
            State = $"{i}".PadRight(size, 'x');
            route.Notify();
            HashSet<(CoapAddress Peer, ushort Id)> answered = [];
            for (int second = 0; second < seconds; second++)
            {
                Settle();
                foreach ((CoapAddress peer, CoapMessage message) in TakeNew())
                {
                    got[Array.IndexOf(strangers, peer)] += answered.Add((peer, message.MessageId)) ? 1 : 0;
                    if (message.Type == CoapMessageType.Confirmable)
                    {
                        Acknowledge(peer, message);
                        if (acknowledgesTwice)
                        {
                            Acknowledge(peer, message);
                        }
                    }
                }

                Pass(0.995);
            }
        }

        return Task.FromResult(got);
    }
}
