using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Observing;

/// <summary>Verified clients of few sources that want all places for observers (RFC 7641 section 7).</summary>
public sealed class ObserverQuotaTests : ServerObserveTest
{
    private const int Places = 48;
    private static readonly CoapAddress s_honest = CoapAddress.FromIPv4(0xc6336401, 5683);

    [Theory]
    [Rfc("7641-7-1")]
    [InlineData(1, 1)]
    [InlineData(1, 4)]
    [InlineData(4, 1)]
    [InlineData(4, 4)]
    public async Task Verified_sources_that_fill_the_list_of_observers_do_not_exclude_other_sources(int sources, int shards)
    {
        Options.Transports.Shards = shards;
        Options.Limits.Observe.MaxObservers = Places;

        // So that whoever is not verified shows.
        Options.Limits.Observe.MaxUnverifiedObserversPerSource = 0;
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Attack(sources);
        Assert.Equal(Places, Server.ObserverCount);
        Assert.True(Server.Counters[CoapCounter.RegistrationsRefused] > Places);
        Assert.Equal(0, Server.Counters[CoapCounter.ObserversEvicted]);

        Verify(s_honest);
        Register(s_honest, token: "0b");
        Assert.Equal(Places, Server.ObserverCount);
        Assert.Equal(Places, Server.Endpoint.Pipelines.Sum(pipeline => pipeline.Observers.Count));
        Assert.Equal(1, Server.Counters[CoapCounter.ObserversEvicted]);

        // However often the others come again, it stays and is told.
        Attack(sources);
        Pass(300);
        Attack(sources);
        Assert.Equal((Places, 1), (Server.ObserverCount, Server.Counters[CoapCounter.ObserversEvicted]));
        Change(route, "1");
        CoapMessage told = Assert.Single(TakeNew(), sent => sent.Peer == s_honest).Message;
        Assert.Equal("1", TextOf(told));
        Acknowledge(s_honest, told);
        route.Unmap();
        AssertNobody();
    }

    [Fact]
    public async Task An_evicted_observer_gets_5_03_and_no_more_notifications()
    {
        Options.Limits.Observe.MaxObservers = 2;
        CoapRouteHandlerBuilder route = MapState();
        List<CoapObserverChange> went = [];
        await StartAsync();
        route.ObserverRemoved += (_, change) => went.Add(change);
        Register(Peer, token: "01");
        Register(Peer, token: "02");
        Register(Other);

        // A copy of it, as the first left with the answer to the registration.
        Pass(4);
        CoapMessage last = Assert.Single(TakeNew(), sent => sent.Peer == Peer).Message;
        Assert.Equal((CoapCode.ServiceUnavailable, "01", null), (last.Code, Wire.Hex(last.Token.ToArray()), NumberOf(last)));
        Assert.Equal(FromSeconds(5), last.Options.MaxAge);
        Acknowledge(Peer, last);
        CoapObserverChange change = Assert.Single(went);
        Assert.Equal(CoapObserverEnd.Replaced, change.End);
        Assert.Equal(Peer, change.Peer.Address);
        Change(route, "1");
        Assert.Equal(["02", "4a"], TakeNew().Select(sent => Wire.Hex(sent.Message.Token.ToArray())).Order());
        Assert.Equal(0, Server.Counters[CoapCounter.RegistrationsRefused]);
    }

    [Fact]
    public async Task Observers_that_acknowledge_are_evicted_after_silent_observers_of_the_same_source()
    {
        Options.Limits.Observe.MaxObservers = 6;
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        CoapAddress[] ports = [.. Enumerable.Range(1, 6).Select(port => Peer with { Port = (ushort)port })];
        foreach (CoapAddress port in ports)
        {
            Register(port);
        }

        Change(route, "1");
        foreach ((CoapAddress port, CoapMessage message) in TakeNew())
        {
            if (port.Port is not (3 or 5))
            {
                Acknowledge(port, message);
            }
        }

        Register(Other, token: "01");
        Register(Other, token: "02");
        Change(route, "2");
        ushort[] told = [.. TakeNew().Where(sent => sent.Peer != Other).Select(sent => sent.Peer.Port).Order()];
        Assert.Equal([1, 2, 4, 6], told);
    }

    [Fact]
    public async Task An_observer_at_an_unverified_address_is_evicted_without_a_notification()
    {
        Options.Limits.Observe.MaxObservers = 3;
        MapState();
        await StartAsync();
        Register(PeerNumber(1), token: "01");
        Register(PeerNumber(1), token: "02");
        Register(PeerNumber(1), token: "03");
        Register(Other);
        Pass(10);
        Assert.Empty(TakeNew());
        Assert.Equal((3, 1), (Server.ObserverCount, Server.Counters[CoapCounter.ObserversEvicted]));
    }

    private void Attack(int sources)
    {
        for (int i = 0; i < 4 * Places; i++)
        {
            CoapAddress port = CoapAddress.FromIPv4(0xcb007101u + (uint)(i % sources), (ushort)(1000 + (i / sources)));
            Verify(port);
            Ask(port, "/obs", token: "4a");
        }

        TakeNew();
    }

    private void Verify(CoapAddress peer)
    {
        Ask(peer, "/none", observe: null);
        foreach (CoapChannel channel in Server.Endpoint.Pipelines.SelectMany(pipeline => pipeline.Channels.All())
            .Where(channel => channel.Remote == peer))
        {
            channel.Shard.Guard.Verify(channel, long.MaxValue);
        }
    }
}
