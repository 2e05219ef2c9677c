using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using CoAP.NET.Identity;
using CoAP.NET.Messaging;
using CoAP.NET.Testing;
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
    public void Datagrams_from_the_same_address_and_port_share_a_channel()
    {
        ChannelTable table = Make();
        CoapChannel first = Receive(table, 1, 5000);
        Assert.Same(first, Receive(table, 1, 5000));
        Assert.NotSame(first, Receive(table, 1, 5001));
        Assert.NotSame(first, Receive(table, 2, 5000));
        Assert.Equal(3, table.Count);
    }

    [Fact]
    public void The_local_address_is_part_of_the_channel_key()
    {
        ChannelTable table = Make();
        Assert.NotSame(Receive(table, 1, 5000, local: 1), Receive(table, 1, 5000, local: 2));
    }

    [Fact]
    public void A_channel_created_for_a_request_receives_the_response_at_any_local_address()
    {
        ChannelTable table = Make();
        CoapAddress remote = CoapAddress.FromIPv4(1, 5000);
        CoapChannel channel = table.GetForOutbound(_transport, remote, _hash.Of(remote), _now);
        Assert.Same(channel, Receive(table, 1, 5000, local: 7));
    }

    [Fact]
    public void A_channel_with_a_local_address_is_created_only_when_onlyFind_is_false()
    {
        ChannelTable table = Make();
        CoapAddress remote = CoapAddress.FromIPv4(1, 5000);
        LocalSocketAddress end = new(CoapAddress.FromIPv4(7, 5683), 0);
        Assert.False(table.TryGetForOutbound(_transport, remote, end, null, onlyFind: true, _hash.Of(remote), _now, out _));
        Assert.Equal(0, table.Count);
        Assert.True(table.TryGetForOutbound(_transport, remote, end, null, onlyFind: false, _hash.Of(remote), _now, out CoapChannel? made));
        Assert.True(table.TryGetForOutbound(_transport, remote, end, null, onlyFind: true, _hash.Of(remote), _now, out CoapChannel? found));
        Assert.Same(made, found);
    }

    [Fact]
    public void A_request_to_a_known_peer_uses_its_existing_channel()
    {
        ChannelTable table = Make();
        CoapChannel channel = Receive(table, 1, 5000, local: 7);
        Assert.Same(channel, table.GetForOutbound(_transport, channel.Remote, _hash.Of(channel.Remote), _now));
        Assert.False(channel.IsNewcomer);
    }

    [Fact]
    public void A_second_datagram_after_NewcomerPeriod_makes_a_new_peer_a_returning_peer()
    {
        ChannelTable table = Make();
        CoapChannel channel = Receive(table, 1, 5000);
        Assert.True(channel.IsNewcomer);
        Receive(table, 1, 5000);
        Assert.True(channel.IsNewcomer);
        _now += FromSeconds(2).Ticks;
        Receive(table, 1, 5000);
        Assert.False(channel.IsNewcomer);
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public void A_million_new_peers_evict_only_new_peers()
    {
        ChannelTable table = Make();
        CoapChannel returning = Receive(table, 1, 5000);
        _now += FromSeconds(3).Ticks;
        Receive(table, 1, 5000);
        for (uint i = 0; i < 1_000_000; i++)
        {
            Receive(table, 1000 + i, 5683);
        }

        Assert.InRange(table.Newcomers, 1, _limits.Peers.NewcomerMemory / 512);
        Assert.Same(returning, Receive(table, 1, 5000));
        Assert.True(_counters[CoapCounter.ChannelEvictions] > 900_000);
    }

    [Fact]
    public void A_new_peer_with_work_in_progress_is_not_evicted()
    {
        _limits.Peers.NewcomerMemory = 64 * 1024;
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
    public void The_returning_peer_silent_longest_without_live_state_is_evicted_first()
    {
        _limits.Peers.MaxCount = 3;
        ChannelTable table = Make();
        CoapChannel[] peers = [.. Enumerable.Range(1, 3).Select(i => Return(table, (uint)i))];
        peers[0].Messaging.Running++;
        Return(table, 4);
        Assert.Same(peers[0], Receive(table, 1, 5000));
        Assert.True(peers[1].IsForgotten);
        Assert.False(peers[2].IsForgotten);
    }

    [Fact]
    public void A_verified_peer_is_not_evicted_for_other_peers()
    {
        _limits.Peers.MaxCount = 2;
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
    public void A_peer_that_finds_no_evictable_peer_stays_a_new_peer_and_is_served()
    {
        _limits.Peers.MaxCount = 1;
        ChannelTable table = Make();
        CoapChannel pinned = Return(table, 1);
        pinned.Pins++;
        CoapChannel other = Return(table, 2);
        Assert.True(other.IsNewcomer);
        Assert.Same(other, Receive(table, 2, 5000));
    }

    [Fact]
    public void The_channel_table_agrees_with_a_dictionary_under_random_traffic()
    {
        _limits.Peers.MaxCount = 200;
        _limits.Peers.NewcomerMemory = 256 * 1024;
        ChannelTable table = Make();
        Dictionary<CoapAddress, CoapChannel> model = [];
        VirtualRandom random = new(7);
        for (int i = 0; i < 30_000; i++)
        {
            _now += FromMilliseconds(20).Ticks;
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
            Scheduler = CoapThreadScheduler.Default,
            Limits = _limits,
            Counters = _counters,
            Logger = NullLogger.Instance,
            ParametersOf = _ => CoapTransmissionParameters.Default,
        });
        shard.Eviction.Attach(new MessageLayer(shard, shardCount: 1));
        return new ChannelTable(shard, shardCount: 1);
    }

    private CoapChannel Return(ChannelTable table, uint address)
    {
        Receive(table, address, 5000);
        _now += FromSeconds(3).Ticks;
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
