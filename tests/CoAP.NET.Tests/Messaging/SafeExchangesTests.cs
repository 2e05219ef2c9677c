using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Messaging;

/// <summary>Safe exchanges are remembered for a while, so that memory does not grow with the speed of peers.</summary>
public sealed class SafeExchangesTests
{
    // Many times more requests than the memory keeps of one source.
    private const int Many = 30_000;

    private static CoapLimits Limits => new() { Deduplication = { Memory = 8 * 1024 * 1024 } };

    [Fact]
    public void Only_the_newest_safe_exchanges_of_a_busy_peer_are_kept()
    {
        MemoryRig memory = new(Limits);
        CoapChannel busy = memory.Rig.Channel(1);
        Send(memory, busy, CoapCode.Get, 0, Many);

        // Two segments of the log, and no eviction: the memory was never full.
        Assert.InRange(memory.Rig.Layer.Memory.Bytes, 0, 512 * 1024);
        Assert.InRange(memory.Rig.Layer.Memory.Finished, 1000, 8192);
        Assert.Equal(0, memory.Rig.Counters[CoapCounter.DeduplicationEvictions]);
        Assert.All(Enumerable.Range(Many - 1000, 1000), mid => Assert.True(memory.Remembers(busy, CoapCode.Get, mid)));
    }

    [Fact]
    public void A_duplicate_of_a_forgotten_safe_request_runs_again_and_gets_the_same_response()
    {
        MemoryRig memory = new(Limits);
        CoapChannel busy = memory.Rig.Channel(1);
        memory.Send(busy, CoapCode.Get, 1);
        string answer = memory.Rig.Sent[0].Hex;
        Send(memory, busy, CoapCode.Get, 2, Many);

        Assert.False(memory.Remembers(busy, CoapCode.Get, 1));
        Assert.Equal(answer, memory.Rig.Sent[0].Hex);
        Assert.True(memory.Remembers(busy, CoapCode.Get, 1));
    }

    [Theory]
    [InlineData(CoapMethod.Post)]
    [InlineData(CoapMethod.Put)]
    public void Unsafe_exchanges_of_a_busy_peer_are_kept(CoapMethod method)
    {
        MemoryRig memory = new(Limits);
        CoapChannel busy = memory.Rig.Channel(1);
        Send(memory, busy, (CoapCode)method, 0, 1000);
        Send(memory, busy, CoapCode.Get, 1000, Many);

        Assert.All(Enumerable.Range(0, 1000), mid => Assert.True(memory.Remembers(busy, (CoapCode)method, mid)));
    }

    [Fact]
    public void A_busy_peer_displaces_the_safe_exchanges_of_few_other_peers()
    {
        MemoryRig memory = new(Limits);
        CoapChannel[] slow = [
            .. Enumerable.Range(10, 64)
                .Select(i => memory.Rig.Channel((ushort)i, address: CoapAddress.FromIPv4(0xc6336400 + (uint)i, (ushort)i)))];
        Array.ForEach(slow, peer => Send(memory, peer, CoapCode.Get, 0, 3));
        Send(memory, memory.Rig.Channel(1), CoapCode.Get, 0, Many);

        // About an eighth of the peers hash to the same log as the busy one.
        CoapChannel[] kept = [.. slow.Where(peer => memory.Remembers(peer, CoapCode.Get, 0))];
        Assert.InRange(kept.Length, 40, 64);
        memory.Rig.Pass(248);
        Assert.All(kept, peer => Assert.False(memory.Remembers(peer, CoapCode.Get, 0)));
    }

    [Fact]
    public void Safe_exchanges_of_a_new_peer_displace_none_of_its_other_exchanges()
    {
        MemoryRig memory = new(new CoapLimits());
        CoapChannel newcomer = memory.Rig.Channel(1, newcomer: true);
        Send(memory, newcomer, CoapCode.Post, 0, 50);
        Send(memory, newcomer, CoapCode.Get, 50, Many);

        Assert.InRange(memory.Rig.Layer.Memory.NewcomerBytes, 1, 640 * 1024);
        Assert.All(Enumerable.Range(0, 50), mid => Assert.True(memory.Remembers(newcomer, CoapCode.Post, mid)));
        Assert.All(Enumerable.Range(Many - 950, 1000), mid => Assert.True(memory.Remembers(newcomer, CoapCode.Get, mid)));
    }

    [Fact]
    public void With_a_MaxSafeFraction_of_1_all_safe_exchanges_of_a_busy_peer_are_kept()
    {
        MemoryRig memory = new(new CoapLimits { Deduplication = { MaxSafeFraction = 1 } });
        CoapChannel busy = memory.Rig.Channel(1);
        Send(memory, busy, CoapCode.Get, 0, Many);

        Assert.All(Enumerable.Range(0, Many), mid => Assert.True(memory.Remembers(busy, CoapCode.Get, mid)));
    }

    private static void Send(MemoryRig memory, CoapChannel peer, CoapCode code, int from, int count)
    {
        for (int i = 0; i < count; i++)
        {
            memory.Send(peer, code, from + i);
        }
    }
}
