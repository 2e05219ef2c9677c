using CoAP.NET.Diagnostics;
using CoAP.NET.Messaging;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Messaging;

/// <summary>RFC 7252 section 4.4.</summary>
public sealed class MessageIdTests
{
    private const int Numbers = 65_536;

    // Without those that are set aside for groups (RFC 7252 section 8.1).
    private const int All = Numbers - GroupMessageIds.Count;
    private static readonly CoapTransmissionParameters s_fast = new()
    {
        NStart = ushort.MaxValue,
        ProbingRate = double.PositiveInfinity,
        MaxQueuedRequests = 10
    };

    [Fact]
    [Rfc("7252-4.4-1")]
    public void All_message_ids_are_used_once_and_then_messages_wait_until_one_is_old_enough()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel(parameters: s_fast);
        Dictionary<string, double> lastUse = [];
        int sent = 0;

        void SendOne()
        {
            CoapTransmission transmission = rig.Send(channel, CoapMessageType.NonConfirmable, token: "");
            if (rig.Sent.Count > 0)
            {
                string mid = rig.LastMid;
                Assert.True(!lastUse.TryGetValue(mid, out double at) || rig.Seconds - at >= 247,
                    "A Message ID came again within EXCHANGE_LIFETIME.");
                lastUse[mid] = rig.Seconds;
                sent++;
                rig.Sent.Clear();
                rig.Cancel(transmission);
            }
        }

        for (int i = 0; i < All; i++)
        {
            SendOne();
            if (i % 8192 == 0)
            {
                rig.Pass(1);
            }
        }

        Assert.Equal(All, sent);
        Assert.Equal(All, lastUse.Count);
        SendOne();
        Assert.Equal(All, sent);
        Assert.Equal(1, MessageLayer.WaitingFor(channel));

        // The first block of 1,024 was begun at 0 s and ended at 1 s.
        rig.PassUntil(247.9);
        Assert.Empty(rig.Sent);
        rig.PassUntil(248.2);
        Assert.Single(rig.Sent);
        Assert.True(rig.Sent[0].At - lastUse[rig.LastMid] >= 247);
        rig.Sent.Clear();
        for (int i = 0; i < 3000; i++)
        {
            SendOne();
        }
    }

    [Fact]
    [Rfc("7252-4.4-1")]
    public void Replies_wait_for_a_free_Message_ID_and_are_refused_beyond_the_limit()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel(parameters: s_fast);
        rig.Handle = item =>
        {
            if (item.Received is not null)
            {
                rig.Reply(item, new CoapMessage(CoapCode.Content));
            }
        };
        for (int i = 0; i < All; i++)
        {
            rig.Receive(channel, $"5001{i:x4}");
        }

        Assert.Equal(All, rig.Bytes.Select(MessagingRig.MidOf).Distinct().Count());
        rig.Sent.Clear();
        rig.Clock.Now += FromSeconds(150).Ticks;
        for (int i = 0; i < 11; i++)
        {
            rig.Receive(channel, $"5101{i:x4}{i:x2}");
        }

        Assert.Empty(rig.Sent);
        Assert.Equal(10, MessageLayer.WaitingFor(channel));
        Assert.Equal(1, rig.Counters[CoapCounter.NotSent]);
        rig.Pass(98);
        Assert.Equal(10, rig.Sent.Count);
    }

    [Fact]
    [Rfc("7252-4.4-3")]
    public void The_first_message_id_is_random()
    {
        HashSet<string> firsts = [];
        for (ulong seed = 0; seed < 20; seed++)
        {
            MessagingRig rig = new(seed: seed);
            rig.Send(rig.Channel());
            firsts.Add(rig.LastMid);
        }

        Assert.True(firsts.Count >= 19);
    }

    [Fact]
    public void Consecutive_Message_IDs_follow_no_recognizable_step()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel(parameters: s_fast);
        for (int i = 0; i < 200; i++)
        {
            rig.Send(channel, CoapMessageType.NonConfirmable);
        }

        int[] mids = [.. rig.Bytes.Select(bytes => (int)MessagingRig.MidOf(bytes))];
        Assert.True(mids.Zip(mids.Skip(1), (left, right) => (ushort)(right - left)).Distinct().Count() > 190);
    }

    [Fact]
    public void The_scrambler_is_a_permutation()
    {
        MessageIdScrambler scrambler = new(new VirtualRandom(7));
        Assert.Equal(Numbers, Enumerable.Range(0, Numbers).Select(counter => scrambler[(ushort)counter]).Distinct().Count());
    }

    [Fact]
    [Rfc("7252-8.1-4")]
    public void Message_IDs_of_group_requests_have_their_own_range_and_are_reused_only_after_their_lifetime()
    {
        GroupMessageIds ids = new(new VirtualRandom(5));
        long lifetime = FromSeconds(247).Ticks;
        HashSet<ushort> taken = [];
        for (int i = 0; i < GroupMessageIds.Count; i++)
        {
            // The last ones are left for shards that look at the same moment.
            Assert.Equal(i <= GroupMessageIds.Count - 64, ids.FreeAt(lifetime) <= i);
            Assert.True(taken.Add(ids.Take(i)));
        }

        Assert.All(taken, id => Assert.True(GroupMessageIds.Contains(id)));
        Assert.Equal(GroupMessageIds.Count, Enumerable.Range(0, Numbers).Count(id => GroupMessageIds.Contains((ushort)id)));
        Assert.Equal(63 + lifetime, ids.FreeAt(lifetime));
        Assert.Contains(ids.Take(63 + lifetime), taken);
    }

    [Fact]
    [Rfc("7252-4.4-1")]
    public void The_Message_IDs_of_a_forgotten_peer_continue_outside_the_used_range()
    {
        MessagingRig rig = new();
        HashSet<string> used = [];
        for (int round = 0; round < 50; round++)
        {
            // A new channel of the same address each time, as after an eviction.
            CoapChannel channel = rig.Channel(parameters: s_fast);
            for (int i = 0; i < 100; i++)
            {
                CoapTransmission transmission = rig.Send(channel, CoapMessageType.NonConfirmable);
                Assert.True(used.Add(rig.LastMid));
                rig.Cancel(transmission);
            }

            rig.Ask(layer =>
            {
                layer.Forget(channel);
                return 0;
            });
        }
    }

    [Fact]
    public void Addresses_with_the_same_hash_never_decrease_the_Message_ID_counter()
    {
        ForgottenPeerMessageIds forgotten = new(new VirtualRandom(3));
        CoapAddress one = CoapAddress.FromIPv4(1, 1);
        ushort start = forgotten.StartOf(one);
        CoapAddress other = Enumerable.Range(2, 2_000_000).Select(i => CoapAddress.FromIPv4((uint)i, 1))
            .First(address => forgotten.StartOf(address) == start);

        forgotten.Remember(one, (ushort)(start + 500));
        forgotten.Remember(other, (ushort)(start + 20));
        Assert.Equal((ushort)(start + 500), forgotten.StartOf(one));
        forgotten.Remember(other, (ushort)(start + 700));
        Assert.Equal((ushort)(start + 700), forgotten.StartOf(one));
    }
}
