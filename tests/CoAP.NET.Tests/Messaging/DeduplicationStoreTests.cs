using CoAP.NET.Diagnostics;
using CoAP.NET.Messaging;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Messaging;

/// <summary>Who is forgotten when the duplicate memory is full, and who never is.</summary>
public sealed class DeduplicationStoreTests
{
    private static readonly CoapCode s_safe = CoapCode.Get;
    private static readonly CoapCode s_idempotent = CoapCode.Put;
    private static readonly CoapCode s_unsafe = CoapCode.Post;

    private static CoapLimits Small(double unverifiedShare = 0.25, double sourceShare = 1) =>
        new()
        {
            Deduplication =
                { Memory = 256 * 1024, MaxUnverifiedFraction = unverifiedShare, MaxSourceFraction = sourceShare, MaxSafeFraction = 1 },
            Peers = { NewcomerMemory = 64 * 1024 },
        };

    [Fact]
    public void A_verified_peers_nonidempotent_request_is_never_forgotten_and_a_new_one_is_answered_503()
    {
        MemoryRig memory = new(Small());
        CoapChannel channel = memory.Rig.Channel(verified: true);
        int stored = 0;
        while (!memory.SendAndIsRefused(channel, s_unsafe, stored))
        {
            stored++;
        }

        Assert.InRange(stored, 2000, 20_000);
        Assert.Equal($"60a3{stored:x4}d10105", memory.Rig.Sent[0].Hex);
        Assert.Equal(1, memory.Rig.Counters[CoapCounter.Busy]);
        for (int i = 0; i < stored; i++)
        {
            Assert.True(memory.Remembers(channel, s_unsafe, i));
        }

        // What may be carried out again is served nevertheless.
        Assert.False(memory.SendAndIsRefused(channel, s_safe, 60_000));
        Assert.False(memory.SendAndIsRefused(channel, s_idempotent, 60_001));
        Assert.False(memory.SendAndIsRefused(memory.Rig.Channel(99), s_unsafe, 1));
        Assert.True(memory.SendAndIsRefused(memory.Rig.Channel(98, verified: true), s_unsafe, 1));

        memory.Rig.Pass(248);
        Assert.False(memory.SendAndIsRefused(channel, s_unsafe, 60_002));
    }

    [Fact]
    public void A_request_not_remembered_because_verified_peers_fill_the_deduplication_memory_is_counted()
    {
        MemoryRig memory = new(Small());
        CoapChannel verified = memory.Rig.Channel(verified: true);
        for (int mid = 0; !memory.SendAndIsRefused(verified, s_unsafe, mid); mid++)
        {
        }

        CoapChannel unverified = memory.Rig.Channel(99);
        Assert.Equal(0, memory.Rig.Counters[CoapCounter.UnsafeDeduplicationEvictions]);
        Assert.False(memory.Remembers(unverified, s_unsafe, 1));
        Assert.Equal(1, memory.Rig.Counters[CoapCounter.UnsafeDeduplicationEvictions]);
        Assert.False(memory.Remembers(unverified, s_unsafe, 1));
        Assert.Equal(2, memory.Rig.Counters[CoapCounter.UnsafeDeduplicationEvictions]);
    }

    [Theory]
    [InlineData(4, true)]
    [InlineData(4, false)]
    [InlineData(256, true)]
    [InlineData(256, false)]
    public void The_smallest_deduplication_memory_over_many_shards_holds_a_whole_reply_of_a_peer(int shards, bool verified)
    {
        const int payload = 1100;
        MemoryRig memory =
            new(new CoapLimits { Deduplication = { Memory = 64 * 1024 }, Peers = { NewcomerMemory = 64 * 1024 } }, payload, shards);
        CoapChannel channel = memory.Rig.Channel(verified: verified);

        Assert.False(memory.SendAndIsRefused(channel, s_unsafe, 1));
        Assert.True(memory.Remembers(channel, s_unsafe, 1));
        Assert.Equal(0, memory.Rig.Counters[CoapCounter.UnsafeDeduplicationEvictions]);

        // The next ones: a verified peer is told to wait, of one that nobody verified older replies go, and are counted.
        Assert.Equal(verified, Enumerable.Range(2, 4).Any(mid => memory.SendAndIsRefused(channel, s_unsafe, mid)));
        Assert.Equal(verified, memory.Rig.Counters[CoapCounter.UnsafeDeduplicationEvictions] == 0);
        if (!verified)
        {
            memory.Rig.Pass(248);
            Assert.False(memory.SendAndIsRefused(channel, s_unsafe, 9));
            Assert.True(memory.Remembers(channel, s_unsafe, 9));
        }
    }

    [Fact]
    public void A_duplicate_of_a_request_that_got_5_03_is_not_executed_after_memory_is_freed()
    {
        MemoryRig memory = new(Small());
        CoapChannel channel = memory.Rig.Channel(verified: true);
        int mid = 0;
        while (!memory.SendAndIsRefused(channel, s_unsafe, mid))
        {
            mid++;
            memory.Rig.Pass(0.05);
        }

        memory.Rig.Pass(200);
        Assert.True(memory.SendAndIsRefused(channel, s_unsafe, mid));
        Assert.False(memory.Runs.ContainsKey((channel.Remote.Port, (ushort)mid)));
        Assert.False(memory.SendAndIsRefused(channel, s_unsafe, mid + 1));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_source_is_limited_to_its_share_over_all_its_ports_and_requests_of_others_are_remembered(bool verified)
    {
        MemoryRig memory = new(Small(sourceShare: 0.25));
        CoapChannel known = memory.Rig.Channel(address: CoapAddress.FromIPv4(0xc6336401, 1));
        Assert.False(memory.SendAndIsRefused(known, s_unsafe, 7));
        CoapChannel[] ports = [.. Enumerable.Range(1000, 200).Select(port => memory.Rig.Channel((ushort)port, verified: verified))];
        int busy = 0;
        for (int i = 0; i < 40_000; i++)
        {
            busy += memory.SendAndIsRefused(ports[i % ports.Length], s_unsafe, i / ports.Length) ? 1 : 0;
        }

        // Of verified ones it is said; of others who may be anybody, those beyond the share are remembered for a short time only.
        Assert.Equal(verified, busy > 1000);
        Assert.Equal(verified, memory.Rig.Counters[CoapCounter.UnsafeDeduplicationEvictions] == 0);
        Assert.True(memory.Remembers(known, s_unsafe, 7));
        Assert.False(
            memory.SendAndIsRefused(memory.Rig.Channel(verified: true, address: CoapAddress.FromIPv4(0xc6336402, 2)), s_unsafe, 8));
        Assert.Equal(3, memory.Rig.Layer.Memory.Sources);
        memory.Rig.Pass(600);
        Assert.Equal((0, 0), (memory.Rig.Layer.Memory.Sources, memory.Rig.Layer.Memory.Finished));
    }

    [Fact]
    public void Safe_and_idempotent_requests_of_any_peer_are_forgotten_before_a_POST_of_an_unverified_peer()
    {
        MemoryRig memory = new(Small());
        CoapChannel known = memory.Rig.Channel(1);
        memory.Send(known, s_unsafe, 7);
        CoapChannel verified = memory.Rig.Channel(2, verified: true);
        for (int i = 0; i < 20_000; i++)
        {
            memory.Send(verified, i % 2 == 0 ? s_safe : s_idempotent, i);
        }

        Assert.True(memory.Rig.Counters[CoapCounter.DeduplicationEvictions] > 5000);
        Assert.True(memory.Remembers(known, s_unsafe, 7));
    }

    [Fact]
    public void Memory_is_reserved_for_the_replies_of_running_exchanges()
    {
        MemoryRig memory = new(Small(), payload: 1000);
        CoapChannel channel = memory.Rig.Channel(verified: true);
        Action<CoapInbound> answer = memory.Rig.Handle;
        memory.Rig.Handle = _ => { };
        for (int i = 0; i < 500; i++)
        {
            memory.Rig.Receive(channel, $"4002{i:x4}");
        }

        CoapInbound[] running = [.. memory.Rig.Up];
        Assert.InRange(running.Length, 100, 300);
        Assert.Equal(500 - running.Length, memory.Rig.Sent.Count);
        foreach (CoapInbound item in running)
        {
            answer(item);
            Assert.InRange(memory.Rig.Layer.Memory.Bytes, 0, 256 * 1024);
        }

        memory.Rig.Handle = answer;
        Assert.All(running, item => Assert.True(memory.Remembers(channel, s_unsafe, item.MessageId)));
    }

    [Fact]
    public void Safe_methods_are_forgotten_first_then_idempotent_ones_then_others_of_unverified_peers_oldest_first()
    {
        MemoryRig memory = new(Small(unverifiedShare: 1));
        CoapChannel[] channels = [.. Enumerable.Range(1, 64).Select(port => memory.Rig.Channel((ushort)port))];
        CoapChannel Of(int mid) => channels[mid % channels.Length];
        for (int i = 0; i < 500; i++)
        {
            memory.Send(Of(3 * i), s_unsafe, 3 * i);
            memory.Send(Of((3 * i) + 1), s_idempotent, (3 * i) + 1);
            memory.Send(Of((3 * i) + 2), s_safe, (3 * i) + 2);
        }

        CoapCounters counters = memory.Rig.Counters;
        Assert.Equal(0, counters[CoapCounter.DeduplicationEvictions]);
        int next = 10_000;
        while (counters[CoapCounter.DeduplicationEvictions] == 0)
        {
            memory.Send(Of(next), s_unsafe, next++);
        }

        // The oldest safe ones went, and nothing else.
        Assert.False(IsKept(memory, Of(2), 2));
        Assert.True(IsKept(memory, Of((3 * 499) + 2), (3 * 499) + 2));
        Assert.True(IsKept(memory, Of(1), 1));
        Assert.True(IsKept(memory, Of(0), 0));
        while (counters[CoapCounter.DeduplicationEvictions] < 800)
        {
            memory.Send(Of(next), s_unsafe, next++);
        }

        Assert.False(IsKept(memory, Of((3 * 499) + 2), (3 * 499) + 2));
        Assert.False(IsKept(memory, Of(1), 1));
        Assert.True(IsKept(memory, Of((3 * 499) + 1), (3 * 499) + 1));
        Assert.Equal(0, counters[CoapCounter.UnsafeDeduplicationEvictions]);
        while (counters[CoapCounter.UnsafeDeduplicationEvictions] == 0)
        {
            memory.Send(Of(next), s_unsafe, next++);
        }

        Assert.False(IsKept(memory, Of((3 * 499) + 1), (3 * 499) + 1));
        Assert.False(IsKept(memory, Of(0), 0));
        Assert.True(IsKept(memory, Of(3 * 499), 3 * 499));
        Assert.True(IsKept(memory, Of(next - 1), next - 1));
        Assert.Equal(0, counters[CoapCounter.Busy]);
    }

    [Fact]
    public void Unverified_peers_use_no_more_than_their_share_and_evict_nothing_of_verified_peers()
    {
        MemoryRig memory = new(Small());
        CoapChannel verified = memory.Rig.Channel(1, verified: true);
        for (int i = 0; i < 300; i++)
        {
            memory.Send(verified, s_safe, (3 * i) + 0);
            memory.Send(verified, s_idempotent, (3 * i) + 1);
            memory.Send(verified, s_unsafe, (3 * i) + 2);
        }

        long before = memory.Rig.Layer.Memory.Bytes;
        for (int i = 0; i < 20_000; i++)
        {
            memory.Send(memory.Rig.Channel((ushort)(1000 + (i % 100))), s_unsafe, i);
        }

        Assert.True(memory.Rig.Counters[CoapCounter.UnsafeDeduplicationEvictions] > 10_000);
        Assert.InRange(memory.Rig.Layer.Memory.Bytes - before, 0, 100 * 1024);
        for (int i = 0; i < 900; i++)
        {
            Assert.True(IsKept(memory, verified, i));
        }
    }

    [Fact]
    public void Forgetting_non_idempotent_requests_is_logged_once_a_minute_outside_the_lock()
    {
        MemoryRig memory = new(Small());
        for (int i = 0; i < 20_000; i++)
        {
            memory.Send(memory.Rig.Channel(), s_unsafe, i);
            memory.Rig.Pass(0.004);
        }

        (LogLevel Level, string Text)[] warnings = [.. memory.Rig.Logger.Entries.Where(entry => entry.Level >= LogLevel.Warning)];
        Assert.Equal(2, warnings.Length);
        Assert.All(warnings, warning => Assert.Equal(LogLevel.Warning, warning.Level));
        Assert.False(memory.Rig.Logger.WasCalledUnderLock);
    }

    [Fact]
    public void A_source_beyond_its_share_keeps_its_newest_requests_and_evicts_none_of_other_sources()
    {
        MemoryRig memory = new(Small(unverifiedShare: 1, sourceShare: 1.0 / 16));
        CoapChannel modest = memory.Rig.Channel(1, address: CoapAddress.FromIPv4(0xc6336401, 1));
        memory.Send(modest, s_unsafe, 1);
        CoapChannel greedy = memory.Rig.Channel(2);
        for (int i = 0; i < 2000; i++)
        {
            memory.Send(greedy, i % 2 == 0 ? s_unsafe : s_idempotent, i);
        }

        Assert.True(IsKept(memory, modest, 1));
        Assert.All(Enumerable.Range(1800, 200), i => Assert.True(IsKept(memory, greedy, i)));
        Assert.InRange(Enumerable.Range(0, 2000).Count(i => IsKept(memory, greedy, i)), 300, 1200);
        Assert.True(memory.Rig.Counters[CoapCounter.UnsafeDeduplicationEvictions] > 250);
        Assert.True(memory.Rig.Counters[CoapCounter.DeduplicationEvictions] > 250);
    }

    [Fact]
    public void A_verified_source_beyond_its_share_gets_5_03_and_other_sources_do_not()
    {
        MemoryRig memory = new(Small(sourceShare: 1.0 / 16));
        CoapChannel greedy = memory.Rig.Channel(2, verified: true);
        int stored = 0;
        while (!memory.SendAndIsRefused(greedy, s_unsafe, stored))
        {
            stored++;
        }

        Assert.InRange(stored, 200, 500);
        Assert.All(Enumerable.Range(0, stored), i => Assert.True(memory.Remembers(greedy, s_unsafe, i)));
        Assert.False(memory.SendAndIsRefused(greedy, s_safe, 10_000));
        Assert.False(
            memory.SendAndIsRefused(memory.Rig.Channel(3, verified: true, address: CoapAddress.FromIPv4(0xc6336401, 3)), s_unsafe, 1));
        memory.Rig.Pass(250);
        Assert.False(memory.SendAndIsRefused(greedy, s_unsafe, 20_000));
    }

    [Fact]
    public void New_peers_evict_only_requests_of_new_peers()
    {
        MemoryRig memory = new(Small());
        CoapChannel known = memory.Rig.Channel(1);
        for (int i = 0; i < 500; i++)
        {
            memory.Send(known, s_safe, i);
        }

        for (int i = 0; i < 20_000; i++)
        {
            // The table of newcomers forgets them by itself.
            CoapChannel newcomer = memory.Rig.Channel(2, newcomer: true, address: CoapAddress.FromIPv4((uint)i, 9));
            memory.Send(newcomer, s_unsafe, i);
            Assert.True(memory.Remembers(newcomer, s_unsafe, i));
            memory.Rig.Ask(layer =>
            {
                Assert.True(MessageLayer.CanForget(newcomer, memory.Rig.Clock.Now));
                layer.Forget(newcomer);
                return 0;
            });
        }

        Assert.All(Enumerable.Range(0, 500), i => Assert.True(IsKept(memory, known, i)));
        Assert.True(memory.Rig.Counters[CoapCounter.UnsafeDeduplicationEvictions] > 0);
    }

    [Fact]
    public void A_running_exchange_is_never_forgotten()
    {
        MemoryRig memory = new(Small());
        CoapChannel channel = memory.Rig.Channel(1);
        Action<CoapInbound> answer = memory.Rig.Handle;
        memory.Rig.Handle = _ => { };
        memory.Rig.Receive(channel, "40017d34");
        memory.Rig.Handle = answer;
        for (int i = 0; i < 30_000; i++)
        {
            memory.Send(memory.Rig.Channel((ushort)(i % 7 == 0 ? 1 : 2)), s_unsafe, i);
        }

        memory.Rig.Receive(channel, "40017d34");
        Assert.DoesNotContain((channel.Remote.Port, (ushort)0x7d34), memory.Runs.Where(run => run.Value > 1).Select(run => run.Key));
        Assert.Equal("60007d34", memory.Rig.Sent[^1].Hex);
        Assert.Equal(1, memory.Rig.Layer.Memory.Running);
    }

    [Fact]
    public void Requests_beyond_the_limit_of_running_exchanges_get_5_03()
    {
        MessagingRig rig = new(new CoapLimits { Requests = { MaxServed = 10 } });
        for (int i = 0; i < 3000; i++)
        {
            rig.Receive(rig.Channel(), $"4001{i:x4}");
        }

        Assert.Equal(3000 - rig.Up.Count, rig.Sent.Count(sent => sent.Hex.StartsWith("60a3", Ordinal)));
        Assert.InRange(rig.Layer.Memory.Running, 10, 1100);
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public void The_deduplication_memory_stays_within_its_limits_after_a_million_requests()
    {
        const int budget = 4 * 1024 * 1024;
        MessagingRig rig = new(new CoapLimits { Deduplication = { Memory = budget }, Peers = { NewcomerMemory = 1024 * 1024 } });
        rig.Handle = item => rig.Answer(item, CoapOutboundAction.Finish);
        rig.Outgoing = _ => null;
        CoapChannel[] channels = [
            .. Enumerable.Range(1, 200).Select(i => rig.Channel((ushort)i, verified: i % 4 == 0, newcomer: i % 4 == 1))];
        CoapMessage[] messages = [new(s_safe), new(s_idempotent), new(s_unsafe)];
        long most = 0;
        for (int i = 0; i < 1_000_000; i++)
        {
            rig.Inbound.Run(new CoapInbound
            {
                Channel = channels[i % channels.Length],
                Message = messages[i % 3],
                Type = i % 2 == 0 ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable,
                MessageId = (ushort)(i / channels.Length),
                Hash = (uint)i,
            });
            most = Math.Max(most, rig.Layer.Memory.Bytes + rig.Layer.Memory.NewcomerBytes);
            if (i % 1000 == 0)
            {
                rig.Up.Clear();
                rig.Clock.Now += TimeSpan.TicksPerSecond / 10;
                rig.Shard.Advance(rig.Clock.Now);
            }
        }

        Assert.InRange(most, budget / 2, budget + (1024 * 1024));
        Assert.Equal(0, rig.Counters[CoapCounter.StageErrors]);
        Assert.Equal(0, rig.Layer.Memory.Running);
    }

    /// <summary>Asks the memory, without sending anything that would change it.</summary>
    private static bool IsKept(MemoryRig memory, CoapChannel channel, int mid) =>
        memory.Rig.Ask(layer =>
            layer.Memory.TryFind(channel, (ushort)mid, memory.Rig.Clock.Now, out _, out _, out _));
}
