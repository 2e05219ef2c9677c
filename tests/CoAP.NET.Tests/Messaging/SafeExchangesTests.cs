namespace CoAP.NET.Tests.Messaging;

/// <summary>Safe exchanges of busy peers are forgotten early, so that memory grows with peers and not with their speed.</summary>
public sealed class SafeExchangesTests
{
    private const int MostMids = 65_536;

    // Many times more requests than the memory keeps of one peer.
    private const int Many = 30_000;

    [Fact]
    public void Of_a_busy_peer_only_the_newest_safe_exchanges_stay()
    {
        MemoryRig memory = new(new CoapLimits());
        CoapChannel busy = memory.Rig.Channel(1);
        Send(memory, busy, CoapCode.Get, 0, Many);

        // Two segments of the log, and no eviction: the memory was never full.
        Assert.InRange(memory.Rig.Layer.Memory.Bytes, 0, 512 * 1024);
        Assert.InRange(memory.Rig.Layer.Memory.Finished, 64, 8192);
        Assert.Equal(0, memory.Rig.Counters[CoapCounter.DeduplicationEvictions]);
        Assert.All(Enumerable.Range(Many - 64, 64), mid => Assert.True(memory.Remembers(busy, CoapCode.Get, mid)));
    }

    [Fact]
    public void A_copy_of_a_forgotten_request_runs_again_and_gets_the_same_answer()
    {
        MemoryRig memory = new(new CoapLimits());
        CoapChannel busy = memory.Rig.Channel(1);
        memory.IsBusy(busy, CoapCode.Get, 1);
        string answer = memory.Rig.Sent[0].Hex;
        Send(memory, busy, CoapCode.Get, 2, Many);

        Assert.False(memory.Remembers(busy, CoapCode.Get, 1));
        Assert.Equal(answer, memory.Rig.Sent[0].Hex);
        Assert.True(memory.Remembers(busy, CoapCode.Get, 1));
    }

    [Theory]
    [InlineData(CoapMethod.Post)]
    [InlineData(CoapMethod.Put)]
    public void Other_methods_of_a_busy_peer_are_kept(CoapMethod method)
    {
        MemoryRig memory = new(new CoapLimits());
        CoapChannel busy = memory.Rig.Channel(1);
        Send(memory, busy, (CoapCode)method, 0, 1000);
        Send(memory, busy, CoapCode.Get, 1000, Many);

        Assert.All(Enumerable.Range(0, 1000), mid => Assert.True(memory.Remembers(busy, (CoapCode)method, mid)));
    }

    [Fact]
    public void A_slow_peer_beside_a_busy_one_is_remembered_with_its_answers_for_the_whole_lifetime()
    {
        MemoryRig memory = new(new CoapLimits { SafeExchangesPerPeer = 8 });
        CoapChannel busy = memory.Rig.Channel(1);
        CoapChannel slow = memory.Rig.Channel(2);
        Dictionary<int, string> answers = [];
        for (int i = 0; i < 8; i++)
        {
            memory.IsBusy(slow, CoapCode.Get, i);
            answers[i] = memory.Rig.Sent[0].Hex;
            Send(memory, busy, CoapCode.Get, i * 8000, 8000);
        }

        // Its entries moved to the end of the log several times.
        Assert.InRange(memory.Rig.Layer.Memory.Finished, 8, 8192);
        Assert.All(answers, answer =>
        {
            Assert.True(memory.Remembers(slow, CoapCode.Get, answer.Key));
            Assert.Equal(answer.Value, memory.Rig.Sent[0].Hex);
        });

        // A later request does not extend the time of an entry that moved.
        memory.Rig.Pass(248);
        Assert.All(answers, answer => Assert.False(memory.Remembers(slow, CoapCode.Get, answer.Key)));
    }

    [Fact]
    public void Many_slow_peers_before_a_busy_one_are_all_remembered_and_the_log_shrinks_after_their_lifetime()
    {
        const int peers = 4000;
        MemoryRig memory = new(new CoapLimits { SafeExchangesPerPeer = 4 });
        CoapChannel[] slow = [.. Enumerable.Range(0, peers).Select(i => memory.Rig.Channel((ushort)(100 + i)))];
        CoapChannel busy = memory.Rig.Channel(1);
        foreach (CoapChannel peer in slow)
        {
            Send(memory, peer, CoapCode.Get, 0, 3);
        }

        int before = memory.Rig.Layer.Memory.Finished;
        Send(memory, busy, CoapCode.Get, 0, MostMids);
        Assert.All(slow, peer => Assert.All(Enumerable.Range(0, 3), mid => Assert.True(memory.Remembers(peer, CoapCode.Get, mid))));

        memory.Rig.Pass(248);
        Send(memory, busy, CoapCode.Get, 0, Many);
        Assert.InRange(memory.Rig.Layer.Memory.Finished, 4, before);
    }

    [Fact]
    public void Newcomers_are_no_exception()
    {
        MemoryRig memory = new(new CoapLimits());
        CoapChannel newcomer = memory.Rig.Channel(1, newcomer: true);
        Send(memory, newcomer, CoapCode.Post, 0, 50);
        Send(memory, newcomer, CoapCode.Get, 50, Many);

        Assert.InRange(memory.Rig.Layer.Memory.NewcomerBytes, 1, 512 * 1024);
        Assert.All(Enumerable.Range(0, 50), mid => Assert.True(memory.Remembers(newcomer, CoapCode.Post, mid)));
    }

    [Fact]
    public void With_the_largest_limit_nothing_is_forgotten_early()
    {
        MemoryRig memory = new(new CoapLimits { SafeExchangesPerPeer = MostMids, PeerDeduplicationShare = 1 });
        CoapChannel busy = memory.Rig.Channel(1);
        Send(memory, busy, CoapCode.Get, 0, Many);

        Assert.All(Enumerable.Range(0, Many), mid => Assert.True(memory.Remembers(busy, CoapCode.Get, mid)));
    }

    private static void Send(MemoryRig memory, CoapChannel peer, CoapCode code, int from, int count)
    {
        for (int i = 0; i < count; i++)
        {
            memory.IsBusy(peer, code, (from + i) % MostMids);
        }
    }
}
