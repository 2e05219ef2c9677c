using CoAP.NET.Messaging;
using CoAP.NET.Testing;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Peers;

public class ChannelTableTests
{
    private readonly CoapCounters _counters = new();
    private readonly NullTransport _transport = new();
    private readonly CoapLimits _limits = new();
    private readonly CoapAddressHash _hash = new(new VirtualRandom(1));
    private long _now = 1_000_000;

    [Fact]
    public void The_same_peer_has_the_same_channel_and_another_port_another_one()
    {
        ChannelTable table = Make();
        CoapChannel first = Receive(table, 1, 5000);
        Assert.Same(first, Receive(table, 1, 5000));
        Assert.NotSame(first, Receive(table, 1, 5001));
        Assert.NotSame(first, Receive(table, 2, 5000));
        Assert.Equal(3, table.Count);
    }

    [Fact]
    public void The_local_address_that_was_asked_is_part_of_the_peer()
    {
        ChannelTable table = Make();
        Assert.NotSame(Receive(table, 1, 5000, local: 1), Receive(table, 1, 5000, local: 2));
    }

    [Fact]
    public void A_channel_made_for_a_request_gets_the_answer_whatever_our_address_was()
    {
        ChannelTable table = Make();
        CoapAddress remote = CoapAddress.FromIPv4(1, 5000);
        CoapChannel channel = table.GetForOutbound(_transport, remote, _hash.Of(remote), _now);
        Assert.Same(channel, Receive(table, 1, 5000, local: 7));
    }

    [Fact]
    public void A_channel_from_a_local_address_is_made_only_after_the_system_was_asked_for_the_address()
    {
        ChannelTable table = Make();
        CoapAddress remote = CoapAddress.FromIPv4(1, 5000);
        LocalEnd end = new(CoapAddress.FromIPv4(7, 5683), 0);
        Assert.False(table.TryGetForOutbound(_transport, remote, end, null, onlyFind: true, _hash.Of(remote), _now, out _));
        Assert.Equal(0, table.Count);
        Assert.True(table.TryGetForOutbound(_transport, remote, end, null, onlyFind: false, _hash.Of(remote), _now, out CoapChannel? made));
        Assert.True(table.TryGetForOutbound(_transport, remote, end, null, onlyFind: true, _hash.Of(remote), _now, out CoapChannel? found));
        Assert.Same(made, found);
    }

    [Fact]
    public void A_request_to_a_peer_that_called_uses_the_channel_it_called_by()
    {
        ChannelTable table = Make();
        CoapChannel channel = Receive(table, 1, 5000, local: 7);
        Assert.Same(channel, table.GetForOutbound(_transport, channel.Remote, _hash.Of(channel.Remote), _now));
        Assert.False(channel.IsNewcomer);
    }

    [Fact]
    public void A_second_datagram_after_the_period_makes_a_newcomer_a_returning_peer()
    {
        ChannelTable table = Make();
        CoapChannel channel = Receive(table, 1, 5000);
        Assert.True(channel.IsNewcomer);
        Receive(table, 1, 5000);
        Assert.True(channel.IsNewcomer);
        _now += TimeSpan.FromSeconds(2).Ticks;
        Receive(table, 1, 5000);
        Assert.False(channel.IsNewcomer);
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public void A_million_newcomers_replace_only_newcomers()
    {
        ChannelTable table = Make();
        CoapChannel returning = Receive(table, 1, 5000);
        _now += TimeSpan.FromSeconds(3).Ticks;
        Receive(table, 1, 5000);
        for (uint i = 0; i < 1_000_000; i++)
        {
            Receive(table, 1000 + i, 5683);
        }

        Assert.InRange(table.Newcomers, 1, _limits.NewcomerBytes / 512);
        Assert.Same(returning, Receive(table, 1, 5000));
        Assert.True(_counters[CoapCounter.ChannelEvictions] > 900_000);
    }

    [Fact]
    public void A_newcomer_with_work_under_way_is_not_replaced()
    {
        _limits.NewcomerBytes = 64 * 1024;
        ChannelTable table = Make();
        CoapChannel busy = Receive(table, 1, 5000);
        busy.Pins++;
        for (uint i = 0; i < 10_000; i++)
        {
            Receive(table, 1000 + i, 5683);
        }

        Assert.Same(busy, Receive(table, 1, 5000));
    }

    [Fact]
    public void The_returning_peer_that_was_silent_longest_goes_first_and_never_one_with_young_state()
    {
        _limits.MaxChannels = 3;
        ChannelTable table = Make();
        CoapChannel[] peers = [.. Enumerable.Range(1, 3).Select(i => Return(table, (uint)i))];
        peers[0].Messaging.Running++;
        Return(table, 4);
        Assert.Same(peers[0], Receive(table, 1, 5000));
        Assert.True(peers[1].IsForgotten);
        Assert.False(peers[2].IsForgotten);
    }

    [Fact]
    public void A_verified_peer_is_not_forgotten_for_others()
    {
        _limits.MaxChannels = 2;
        ChannelTable table = Make();
        CoapChannel verified = Return(table, 1);
        verified.IsVerified = true;
        for (uint i = 2; i < 50; i++)
        {
            Return(table, i);
        }

        Assert.Same(verified, Receive(table, 1, 5000));
    }

    [Fact]
    public void When_nobody_may_go_a_peer_stays_a_newcomer_and_is_served()
    {
        _limits.MaxChannels = 1;
        ChannelTable table = Make();
        CoapChannel pinned = Return(table, 1);
        pinned.Pins++;
        CoapChannel other = Return(table, 2);
        Assert.True(other.IsNewcomer);
        Assert.Same(other, Receive(table, 2, 5000));
    }

    [Fact]
    public void Random_coming_and_going_agrees_with_a_dictionary()
    {
        _limits.MaxChannels = 200;
        _limits.NewcomerBytes = 256 * 1024;
        ChannelTable table = Make();
        Dictionary<CoapAddress, CoapChannel> model = [];
        VirtualRandom random = new(7);
        for (int i = 0; i < 30_000; i++)
        {
            _now += TimeSpan.FromMilliseconds(20).Ticks;
            uint address = (uint)(random.NextUInt64() % 2_000) + 1;
            CoapChannel channel = Receive(table, address, 5000);
            foreach ((CoapAddress gone, _) in model.Where(static one => one.Value.IsForgotten))
            {
                model.Remove(gone);
            }

            if (model.TryGetValue(channel.Remote, out CoapChannel? known))
            {
                Assert.Same(known, channel);
            }

            model[channel.Remote] = channel;
            Assert.Equal(model.Count, table.Count);
        }
    }

    private ChannelTable Make()
    {
        CoapShard shard = new(0, new CoapEnvironment
        {
            TimeProvider = new VirtualClock(),
            Random = new VirtualRandom(1),
            Scheduler = CoapScheduler.Default,
            Limits = _limits,
            Counters = _counters,
            Logger = NullLogger.Instance,
            ParametersOf = _ => CoapTransmissionParameters.Default,
        });
        shard.Drain.AttachStates(new MessageLayer(shard, shardCount: 1));
        return new ChannelTable(shard, shardCount: 1);
    }

    private CoapChannel Return(ChannelTable table, uint address)
    {
        Receive(table, address, 5000);
        _now += TimeSpan.FromSeconds(3).Ticks;
        return Receive(table, address, 5000);
    }

    private CoapChannel Receive(ChannelTable table, uint address, ushort port, uint local = 9)
    {
        using CoapDatagram datagram = new(4)
        {
            Remote = CoapAddress.FromIPv4(address, port),
            Local = CoapAddress.FromIPv4(local, 5683),
            Transport = _transport
        };
        return table.GetForInbound(datagram, _hash.Of(datagram.Remote), _now);
    }
}
