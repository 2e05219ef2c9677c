using System.Collections.Concurrent;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;
using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging;

/// <summary>Whatever meets whatever, an acknowledgement, a reset or a cancellation is the end of a message.</summary>
public sealed class RaceTests
{
    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("7252-4.2-5", "7252-4.2-6", "7252-4.2-8", "7252-4.2-10")]
    public void A_message_is_never_retransmitted_after_its_end_in_any_order_of_events()
    {
        Random random = new(Campaign.Seed);
        MessagingRig rig = new();

        // A hundredth of the usual times: the same protocol, but the wheel turns less.
        CoapTransmissionParameters parameters = new() { AckTimeout = FromMilliseconds(20), MaxLatency = FromSeconds(1) };
        int sequence = 0;
        for (int round = 0; round < Campaign.Rounds(100_000); round++)
        {
            CoapChannel channel = rig.Channel((ushort)(1 + (round % 60_000)), parameters);
            rig.Sent.Clear();
            rig.Up.Clear();
            CoapTransmission request = rig.Send(channel, token: "a1");
            string mid = rig.LastMid;
            rig.Handle = item =>
            {
                // The stage above: a separate response ends the request, whatever came before.
                if (item.Received is not null)
                {
                    rig.Cancel(request);
                    rig.Answer(item, CoapOutboundAction.Acknowledge);
                }
            };
            int copies = -1;
            for (int step = random.Next(1, 7); step > 0; step--)
            {
                switch (random.Next(8))
                {
                    case 0 or 1 or 2:
                        rig.Pass(random.NextDouble() * (1 << random.Next(6)) / 100);
                        break;
                    case 3:
                        rig.Receive(channel, "6000" + mid);
                        break;
                    case 4:
                        rig.Receive(channel, "7000" + mid);
                        break;
                    case 5:
                        rig.Receive(channel, $"6145{mid}a1ff31");
                        break;
                    case 6:
                        rig.Cancel(request);
                        break;
                    default:
                        rig.Receive(channel, $"4145{sequence++ & 0xffff:x4}a1ff{sequence:x8}");
                        break;
                }

                if (copies >= 0)
                {
                    Assert.Equal(copies, Copies(rig, mid));
                }
                else if (request.IsOver)
                {
                    copies = Copies(rig, mid);
                }
            }

            Assert.True(rig.Up.Count(item => item.Transmission == request) <= 1);
            if (!request.IsOver)
            {
                rig.Cancel(request);
            }

            Assert.Equal(0, MessageLayer.OutstandingTo(channel));
        }

        Assert.Equal(0, rig.Layer.Outstanding);
        rig.Sent.Clear();
        rig.Pass(400);
        Assert.Empty(rig.Sent);
        Assert.Equal(0, rig.Counters[CoapCounter.StageErrors]);
        Assert.False(rig.CalledUnderLock);
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public async Task A_message_ends_once_with_its_acknowledgement_under_concurrency()
    {
        MessagingRig rig = new();
        ConcurrentQueue<(CoapChannel Channel, string Mid)> seen = new();
        CoapChannel[] channels = [.. Enumerable.Range(1, 8).Select(i => rig.Channel((ushort)i))];
        ConcurrentDictionary<CoapTransmission, int> ends = new();
        rig.Handle = item =>
        {
            if (item.Transmission is { } transmission)
            {
                ends.AddOrUpdate(transmission, 1, (_, count) => count + 1);
            }
        };
        rig.Outgoing = item =>
        {
            seen.Enqueue((item.Channel, item.Message!.MessageId.ToString("x4", System.Globalization.CultureInfo.InvariantCulture)));
            return null;
        };
        int rounds = Campaign.Rounds(20_000);
        bool done = false;
        using Barrier start = new(2);
        ConcurrentBag<CoapTransmission> all = [];
        Task sender = Run(() =>
        {
            start.SignalAndWait();
            Random random = new(Campaign.Seed);
            for (int i = 0; i < rounds; i++)
            {
                CoapTransmission transmission = rig.Send(channels[i % channels.Length]);
                all.Add(transmission);
                if (random.Next(4) == 0)
                {
                    rig.Cancel(transmission);
                }

                rig.Clock.Now += TimeSpan.TicksPerSecond / 20;
                rig.Shard.Advance(rig.Clock.Now);
            }

            Volatile.Write(ref done, true);
        });
        Task answerer = Run(() =>
        {
            start.SignalAndWait();
            Random random = new(Campaign.Seed + 1);
            while (!Volatile.Read(ref done) || !seen.IsEmpty)
            {
                if (seen.TryDequeue(out (CoapChannel Channel, string Mid) message))
                {
                    rig.Receive(message.Channel, random.Next(3) switch { 0 => "7000", 1 => "6000", _ => "6145" } + message.Mid);
                    rig.Receive(message.Channel, $"6145{message.Mid}a1");
                }

                rig.Shard.Advance(rig.Clock.Now);
            }
        });
        await Task.WhenAll(sender, answerer).WaitAsync(FromMinutes(5));

        // Whatever is left is answered now.
        for (int i = 0; i < 100_000 && (rig.Layer.Outstanding > 0 || rig.Layer.Waiting > 0); i++)
        {
            while (seen.TryDequeue(out (CoapChannel Channel, string Mid) message))
            {
                rig.Receive(message.Channel, "6000" + message.Mid);
            }

            rig.Pass(1);
        }

        Assert.Equal(0, rig.Layer.Outstanding + rig.Layer.Waiting);
        seen.Clear();
        rig.Pass(400);
        Assert.Empty(seen);
        Assert.All(all, transmission => Assert.True(transmission.IsOver), throwIfEmpty: true);
        Assert.All(ends, end => Assert.Equal(1, end.Value), throwIfEmpty: true);
        Assert.Equal(0, rig.Counters[CoapCounter.StageErrors]);
        Assert.False(rig.CalledUnderLock);
        foreach (CoapChannel channel in channels)
        {
            rig.Send(channel);
        }

        Assert.Equal(channels.Length, seen.Count);
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public async Task A_request_and_its_duplicates_on_two_threads_run_once()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel();
        ConcurrentDictionary<ushort, int> runs = new();
        rig.Handle = item =>
        {
            runs.AddOrUpdate(item.MessageId, 1, (_, count) => count + 1);
            rig.Reply(item, new CoapMessage(CoapCode.Changed));
        };
        int rounds = Math.Min(60_000, Campaign.Rounds(5_000));
        using Barrier start = new(2);
        void Receive()
        {
            start.SignalAndWait();
            for (int i = 0; i < rounds; i++)
            {
                rig.Receive(channel, $"4002{i:x4}");
            }
        }

        await Task.WhenAll(Run(Receive), Run(Receive)).WaitAsync(FromMinutes(5));
        Assert.Equal(rounds, runs.Count);
        Assert.All(runs.Values, count => Assert.Equal(1, count));
        Assert.Equal(0, rig.Layer.Memory.Running);
        Assert.Equal(0, rig.Counters[CoapCounter.StageErrors]);
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public async Task Messages_of_a_channel_are_sent_in_the_order_in_which_they_were_posted()
    {
        MessagingRig rig = new();
        CoapChannel[] channels = [rig.Channel(1), rig.Channel(2), rig.Channel(3)];
        List<int>[] order = [[], [], []];
        int[] inside = new int[3];
        bool overlapped = false;
        rig.Outgoing = item =>
        {
            int at = item.Channel.Remote.Port - 1;
            overlapped |= Interlocked.Increment(ref inside[at]) != 1;
            order[at].Add(BitConverter.ToInt32(item.Encoded.Span));
            Interlocked.Decrement(ref inside[at]);
            return null;
        };
        int rounds = Campaign.Rounds(30_000);
        int[] next = new int[3];
        using Barrier start = new(3);
        void Post()
        {
            start.SignalAndWait();
            for (int i = 0; i < rounds; i++)
            {
                int at = i % 3;
                rig.Shard.Enter();
                rig.Shard.Post(new CoapOutbound { Channel = channels[at], Encoded = BitConverter.GetBytes(next[at]++) });
                rig.Shard.ExitAndSend();
            }
        }

        await Task.WhenAll(Run(Post), Run(Post), Run(Post)).WaitAsync(FromMinutes(5));
        Assert.False(overlapped);
        Assert.Equal(rounds * 3, order.Sum(list => list.Count) + rig.Counters[CoapCounter.Declined]);
        Assert.All(order, list => Assert.Equal(list.Order(), list));
    }

    [Fact]
    public async Task A_blocking_linked_block_delays_only_its_channel_and_the_waiting_messages_are_bounded()
    {
        MessagingRig rig = new();
        CoapChannel stuck = rig.Channel(1);
        CoapChannel free = rig.Channel(2);
        using ManualResetEventSlim entered = new();
        using ManualResetEventSlim release = new();
        int left = 0;
        rig.Outgoing = item =>
        {
            if (item.Channel == stuck)
            {
                entered.Set();
                release.Wait(FromMinutes(2));
                left++;
            }

            return true;
        };
        Task blocked = Run(() => rig.Receive(stuck, "40000001"));
        Assert.True(entered.Wait(FromMinutes(2)));
        rig.Receive(free, "40000001");
        Assert.Single(rig.Sent);
        for (int i = 0; i < CoapOutbox.Capacity + 100; i++)
        {
            rig.Receive(stuck, $"4000{i:x4}");
        }

        Assert.Equal(100, rig.Counters[CoapCounter.Declined]);
        release.Set();
        await blocked.WaitAsync(FromMinutes(2));
        Assert.Equal(CoapOutbox.Capacity + 1, left);
        Assert.True(stuck.Outbox.TryEnter(default(CoapOutbound) with { Channel = stuck }));
    }

    private static int Copies(MessagingRig rig, string mid) => rig.Sent.Count(sent => sent.Hex == $"4101{mid}a1");

    private static Task Run(Action action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
