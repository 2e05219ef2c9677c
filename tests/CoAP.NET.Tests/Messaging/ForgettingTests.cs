using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging;

/// <summary>What time and the Channel stage make the layer forget.</summary>
public sealed class ForgettingTests
{
    private static CoapLimits Limits =>
        new() { Deduplication = { Memory = 256 * 1024, MaxSourceFraction = 1 }, Peers = { NewcomerMemory = 64 * 1024 } };

    [Fact]
    public void All_deduplication_memory_is_freed_after_the_lifetimes()
    {
        MemoryRig memory = new(Limits);
        for (int i = 0; i < 3000; i++)
        {
            memory.Send(memory.Rig.Channel((ushort)(1 + (i % 50)), verified: i % 2 == 0), i % 3 == 0 ? CoapCode.Get : CoapCode.Post, i);
        }

        Assert.True(memory.Rig.Layer.Memory.Bytes > 50_000);
        memory.Rig.Pass(300);
        Assert.Equal(0, memory.Rig.Layer.Memory.Bytes);
        Assert.Equal(0, memory.Rig.Layer.Memory.Finished);

        // And the clock has nothing to do any more.
        Assert.Equal(long.MaxValue, memory.Rig.Shard.Advance(memory.Rig.Clock.Now));
    }

    [Fact]
    public void A_peer_with_a_long_lifetime_does_not_retain_expired_exchanges_of_other_peers()
    {
        MemoryRig memory = new(Limits);
        CoapChannel patient = memory.Rig.Channel(1, new CoapTransmissionParameters { AckTimeout = FromMinutes(10) },
            verified: true);
        memory.Send(patient, CoapCode.Post, 1);
        CoapChannel ordinary = memory.Rig.Channel(2, verified: true);
        for (int round = 0; round < 4; round++)
        {
            for (int i = 0; i < 2000; i++)
            {
                Assert.False(memory.SendAndIsRefused(ordinary, CoapCode.Post, (round * 2000) + i));
            }

            memory.Rig.Pass(300);
        }

        Assert.True(memory.Remembers(patient, CoapCode.Post, 1));
    }

    [Fact]
    public void A_peer_may_be_forgotten_when_all_its_exchanges_have_expired()
    {
        MemoryRig memory = new(Limits);
        CoapChannel channel = memory.Rig.Channel(1);
        bool CanForget() => memory.Rig.Ask(_ => MessageLayer.CanForget(channel, memory.Rig.Clock.Now));

        Assert.True(CanForget());
        memory.Send(channel, CoapCode.Get, 1);
        Assert.False(CanForget());
        memory.Rig.Pass(248);
        Assert.True(CanForget());

        memory.Rig.Handle = _ => { };
        memory.Rig.Receive(channel, "50010002");
        memory.Rig.Pass(100);
        Assert.False(CanForget());
        memory.Rig.Pass(46);
        Assert.True(CanForget());

        CoapTransmission transmission = memory.Rig.Send(channel);
        Assert.False(CanForget());
        memory.Rig.Cancel(transmission);
        Assert.False(CanForget());
        memory.Rig.Pass(248);
        Assert.True(CanForget());
    }

    [Fact]
    public void Forgetting_a_peer_ends_its_exchanges_in_progress()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel();
        rig.Send(channel);
        rig.Send(channel);
        rig.Receive(channel, "40017d34");
        rig.Up.Clear();
        rig.Ask(layer =>
        {
            layer.Forget(channel);
            return 0;
        });

        Assert.Equal([CoapInboundKind.NotAcknowledged, CoapInboundKind.NotSent], rig.Events);
        Assert.Equal(0, rig.Layer.Memory.Running);
        Assert.Equal(0, rig.Layer.Outstanding);
        Assert.Equal(0, rig.Layer.Waiting);
        Assert.Equal(0, rig.Layer.Memory.Bytes);
        rig.Sent.Clear();
        rig.Pass(300);
        Assert.Empty(rig.Sent);
    }
}
