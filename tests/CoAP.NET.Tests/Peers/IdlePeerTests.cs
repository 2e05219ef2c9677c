using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using CoAP.NET.Identity;
using CoAP.NET.Messaging;
using CoAP.NET.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Peers;

public class IdlePeerTests
{
    private readonly VirtualClock _clock = new();
    private readonly CoapLimits _limits = new() { Peers = { NewcomerPeriod = TimeSpan.Zero } };
    private readonly CoapAddressHash _hash = new(new VirtualRandom(1));
    private readonly NullTransport _transport = new();
    private CoapShard _shard = null!;

    [Fact]
    public void A_peer_that_sends_nothing_for_IdleLifetime_is_forgotten()
    {
        _limits.Peers.IdleLifetime = FromHours(2);
        ChannelTable table = Make();
        CoapChannel silent = Return(table, 1);
        CoapChannel newcomer = Receive(table, 2);
        CoapChannel busy = Return(table, 3);
        for (int i = 0; i < 3; i++)
        {
            Advance(FromMinutes(50));
            Assert.Same(busy, Receive(table, 3));
            Assert.Equal(i < 2, table.All().Contains(silent));
        }

        Assert.Equal((true, true, false), (silent.IsForgotten, newcomer.IsForgotten, busy.IsForgotten));
        Assert.Equal(1, table.Count);
        Advance(FromHours(3));
        Assert.Equal(0, table.Count);
        Assert.Equal(0, _shard.Wheel.Count);
        Assert.Equal(0, _shard.Environment.Counters[CoapCounter.ChannelEvictions]);
    }

    [Fact]
    public void A_peer_with_work_in_progress_or_a_verified_address_is_not_forgotten()
    {
        ChannelTable table = Make();
        CoapChannel pinned = Return(table, 1);
        CoapChannel young = Return(table, 2);
        CoapChannel verified = Return(table, 3);
        pinned.Pins++;
        young.Messaging.Running++;
        _shard.Guard.Verify(verified, _shard.Environment.Now + FromHours(30).Ticks);
        Advance(FromHours(29));
        Assert.Equal(3, table.Count);
        Advance(FromHours(5));
        Assert.True(verified.IsForgotten);
        pinned.Pins--;
        young.Messaging.Running--;
        Advance(FromHours(5));
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void Idle_peers_that_cannot_be_forgotten_are_checked_again_only_after_an_hour()
    {
        ChannelTable table = Make();
        Return(table, 1).Pins++;

        _clock.Advance(FromDays(1) + FromMinutes(1));
        _shard.Advance(_shard.Environment.Now);

        Assert.Equal(1, table.Count);
        Assert.InRange(_shard.Wheel.NextDue - _shard.Environment.Now, FromHours(1).Ticks, FromHours(2).Ticks);
    }

    [Fact]
    public void Idle_peers_are_forgotten_in_batches_of_a_thousand()
    {
        _limits.Peers.MaxCount = 20_000;
        ChannelTable table = Make();
        for (uint i = 0; i < 20_000; i++)
        {
            Return(table, i);
        }

        CoapChannel pinned = table.All()[0];
        pinned.Pins++;
        _clock.Advance(FromDays(1) + FromMinutes(1));
        _shard.Advance(_shard.Environment.Now);
        Assert.InRange(table.Count, 18_000, 19_999);
        Advance(FromSeconds(1));
        Assert.Equal([pinned], table.All());
        Assert.Same(pinned, Receive(table, (uint)pinned.Remote.Low));
    }

    [Fact]
    public void Peers_without_IdleLifetime_are_never_forgotten_as_idle()
    {
        _limits.Peers.IdleLifetime = Timeout.InfiniteTimeSpan;
        ChannelTable table = Make();
        Return(table, 1);
        Assert.Equal(0, _shard.Wheel.Count);
        Advance(FromDays(1000));
        Assert.Equal(1, table.Count);
        Assert.Throws<ArgumentOutOfRangeException>(() => _limits.Peers.IdleLifetime = FromSeconds(59));
        Assert.Throws<ArgumentOutOfRangeException>(() => _limits.Peers.IdleLifetime = FromDays(301));
    }

    [Fact]
    public void The_channel_table_with_lifetimes_agrees_with_a_dictionary_under_random_traffic()
    {
        _limits.Peers.IdleLifetime = FromMinutes(30);
        ChannelTable table = Make();
        Dictionary<uint, CoapChannel> known = [];
        VirtualRandom random = new(3);
        for (int i = 0; i < 20_000; i++)
        {
            // Bursts of peers and long silences, so that the table grows and shrinks.
            Advance(random.NextUInt64() % 2_000 == 0 ? FromHours(1) : FromMilliseconds(50));
            uint address = (uint)(random.NextUInt64() % 1_500) + 1;
            CoapChannel channel = Receive(table, address);
            if (known.TryGetValue(address, out CoapChannel? before))
            {
                Assert.Equal(before.IsForgotten, before != channel);
            }

            known[address] = channel;
        }

        Assert.Equal(known.Values.Count(static channel => !channel.IsForgotten), table.Count);
        Assert.All(table.All(), channel => Assert.Same(channel, Receive(table, (uint)channel.Remote.Low)), throwIfEmpty: true);
        Advance(FromHours(1));
        Assert.Equal(0, table.Count);
    }

    private ChannelTable Make()
    {
        _shard = new CoapShard(0, new CoapEnvironment
        {
            TimeProvider = _clock,
            Random = new VirtualRandom(1),
            Scheduler = CoapThreadScheduler.Default,
            Limits = _limits,
            Counters = new CoapCounters(),
            Logger = NullLogger.Instance,
            ParametersOf = static _ => CoapTransmissionParameters.Default,
        });
        _shard.Eviction.Attach(new MessageLayer(_shard, shardCount: 1));
        return new ChannelTable(_shard, shardCount: 1);
    }

    // As a driver of the clock does: it comes when the wheel said.
    private void Advance(TimeSpan by)
    {
        TimeSpan end = _clock.Elapsed + by;
        while (_shard.Wheel.NextDue - _shard.Environment.Now is long wait && _clock.Elapsed.Ticks + wait is > 0 and long next
            && next <= end.Ticks)
        {
            _clock.AdvanceTo(new TimeSpan(next));
            _shard.Advance(_shard.Environment.Now);
        }

        _clock.AdvanceTo(end);
        _shard.Advance(_shard.Environment.Now);
    }

    private CoapChannel Return(ChannelTable table, uint address)
    {
        Receive(table, address);
        return Receive(table, address);
    }

    private CoapChannel Receive(ChannelTable table, uint address)
    {
        using CoapDatagram datagram = new(4)
        {
            Remote = CoapAddress.FromIPv4(address, 5000),
            Local = CoapAddress.FromIPv4(9, 5683),
            Transport = _transport
        };
        return table.GetForInbound(datagram, _hash.Of(datagram.Remote), _shard.Environment.Now);
    }
}
