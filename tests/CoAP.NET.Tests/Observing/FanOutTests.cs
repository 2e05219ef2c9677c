using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Shard;

namespace CoAP.NET.Tests.Observing;

/// <summary>Many observers, many threads, long times.</summary>
public sealed class FanOutTests : ServerObserveTest
{
    [Fact]
    [Rfc("7641-4.5-1")]
    public async Task A_thousand_observers_are_notified_of_a_change_by_a_single_run_of_the_handler()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        for (int i = 0; i < 1000; i++)
        {
            Register(PeerNumber(i), token: $"{i:x4}");
        }

        Assert.Equal(1000, Runs);
        Change(route, "1");
        var sent = TakeNew();
        Assert.Equal(1001, Runs);
        Assert.Equal(1000, sent.Select(item => item.Peer).Distinct().Count());
        Assert.All(sent, item => Assert.Equal("1", TextOf(item.Message)));
        Assert.Single(sent.Select(item => NumberOf(item.Message)).Distinct());
        sent.ForEach(item => Acknowledge(item.Peer, item.Message));
        Assert.Equal(1000, Server.Counters[CoapCounter.NotificationsSent]);
    }

    [Theory]
    [InlineData(OptionCachingInRequests.ByNumber, 2)]
    [InlineData(OptionCachingInRequests.NoKey, 1)]
    public async Task Observers_share_a_run_if_they_differ_only_in_options_that_are_no_cache_key(OptionCachingInRequests caching, int runs)
    {
        const int Number = 65_000;
        Options.Registry = CoAP.NET.Tests.Options.DeclaredOption.Register(
            new OptionDefinition(Number, "Mine", OptionFormat.Opaque, 1, 4) { Caching = caching });
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        foreach (byte i in new byte[] { 1, 2 })
        {
            Ask(PeerNumber(i), "/obs", more: message => message.Options.Add(Number, [i]).Add(new HopLimitOption(i)));
        }

        int before = Runs;
        Change(route, "1");
        Assert.Equal(2, TakeNew().Count);
        Assert.Equal(runs, Runs - before);
    }

    [Fact]
    public async Task A_notification_allocates_little_more_than_its_message()
    {
        Options.Limits.Peers.TrustedPrefixes.Add(System.Net.IPNetwork.Parse("10.0.0.0/8"));
        byte[] payload = new byte[800];
        CoapRouteHandlerBuilder route = Server.MapGet("/obs",
            () => new CoapResult(CoapCode.Content, payload, CoapContentFormat.OctetStream))
            .Observable(observe => observe.Confirmable = false);
        await StartAsync();
        Transport.Discards = true;
        const int Count = 1000;
        for (int i = 0; i < Count; i++)
        {
            Transport.Receive(PeerNumber(i), "51017d344a60536f6273");
        }

        Assert.Equal(Count, Server.ObserverCount);
        long Round()
        {
            Clock.Advance(FromSeconds(4));
            long before = GC.GetAllocatedBytesForCurrentThread();
            route.Notify();
            Clock.Advance(FromMilliseconds(5));
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }

        const int Rounds = 10;
        long least = Enumerable.Range(0, Rounds).Min(_ => Round());

        // A message for token and Message ID; options and payload are everybody's.
        Assert.InRange(least / Count, 1, 90);
        Assert.Equal(Rounds * Count, Server.Counters[CoapCounter.NotificationsSent]);
    }

    [Fact]
    public async Task Notifying_a_path_allocates_only_for_a_single_run_of_the_handler()
    {
        Options.Limits.Observe.MaxUnacknowledgedNotifications = 1_000_000;
        CoapResult kept = CoapResults.Text("x");
        Server.MapGet("/devices/{id}/state", () => kept).Observable(observe => observe.Confirmable = false);
        await StartAsync();
        Register(Peer, "/devices/7/state");
        Transport.Discards = true;
        long Cost()
        {
            Clock.Advance(FromSeconds(4));
            long before = GC.GetAllocatedBytesForCurrentThread();
            Server.Notify("/devices/7/state");
            Clock.Advance(FromMilliseconds(5));
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }

        long[] costs = [.. Enumerable.Range(0, 50).Select(_ => Cost())];
        Assert.Equal(50, Server.Counters[CoapCounter.NotificationsSent]);
        Assert.InRange(costs.Min(), 1, 1150);
        Assert.InRange(costs.Skip(10).Max(), 1, 1150);
    }

    [Fact]
    public async Task An_observable_route_allocates_no_more_for_plain_requests_than_another_route()
    {
        CoapResult kept = CoapResults.Text("x");
        Server.MapGet("/obs", () => kept).Observable();
        Server.MapGet("/non", () => kept);
        await StartAsync();
        Transport.Discards = true;
        int number = 0;
        long Cost(string hex)
        {
            byte[] bytes = Wire.Hex(hex);
            long best = long.MaxValue;
            for (int round = 0; round < 10; round++)
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                for (int i = 0; i < 500; i++, number++)
                {
                    (bytes[2], bytes[3]) = ((byte)(number / 16 >> 8), (byte)(number / 16));
                    Transport.Receive(PeerNumber(number % 16), bytes);
                }

                best = Math.Min(best, (GC.GetAllocatedBytesForCurrentThread() - before) / 500);
            }

            return best;
        }

        // As in production for both: what other tests do to messages that come back they begin and end at any time.
        Cost("41010000aab36e6f6e");
        Cost("41010000aab36f6273");
        long plain = Cost("41010000bbb36e6f6e");
        Assert.InRange(Cost("41010000ccb36f6273"), plain - 8, plain + 8);
    }

    [Fact]
    public async Task The_last_state_arrives_after_concurrent_changes_by_a_hundred_threads()
    {
        // Whoever tells of a change may be kept off its processor in the middle of sending, and the clock goes on meanwhile: by minutes, in
        // which nobody may be given up who had no chance to acknowledge.
        Options.Parameters = CoapTransmissionParameters.Default with { AckTimeout = FromHours(1) };
        int state = 0;
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
        await StartAsync();
        for (int i = 0; i < 50; i++)
        {
            Register(PeerNumber(i));
        }

        Thread[] threads = [.. Enumerable.Range(0, 100).Select(i => new Thread(() =>
        {
            for (int k = 0; k < 100; k++)
            {
                Interlocked.Increment(ref state);
                if (k % 2 == 0)
                {
                    route.Notify();
                }
                else
                {
                    Server.Notify("/obs");
                }
            }
        }))];
        Array.ForEach(threads, thread => thread.Start());
        Dictionary<CoapAddress, string> last = [];
        while (Array.Exists(threads, thread => thread.IsAlive))
        {
            Listen(last);
        }

        // The clock goes on while a thread may be kept off its processor in the handler, which then looks slow and moves to other threads.
        await Eventually.IsTrueOrHangsAsync(() =>
        {
            Listen(last);
            return last.Count == 50 && last.Values.All(static value => value == "10000");
        });
        Assert.Equal(50, last.Count);
        Assert.All(last.Values, value => Assert.Equal("10000", value));
        Assert.Equal(50, Server.ObserverCount);
    }

    [Fact]
    [Rfc("7641-4.1-1")]
    public async Task Every_shard_notifies_its_observers()
    {
        Options.Transports.Shards = 4;
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        for (int i = 0; i < 100; i++)
        {
            Register(PeerNumber(i));
        }

        Assert.All(Server.Endpoint.Pipelines, pipeline => Assert.InRange(pipeline.Observers.Count, 1, 99));
        Change(route, "1");
        Assert.Equal(104, Runs);
        var sent = TakeNew();
        Assert.Equal(100, sent.Count);
        sent.ForEach(item => Acknowledge(item.Peer, item.Message));
        State = "2";
        Server.Notify("/obs");
        Settle();
        Assert.Equal(100, TakeNew().Count(item => TextOf(item.Message) == "2"));
        route.Unmap();
        AssertNobody();
    }

    [Fact]
    public async Task Stopping_the_server_removes_all_observers()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        for (int i = 0; i < 20; i++)
        {
            Register(PeerNumber(i));
        }

        Change(route, "1");
        await Server.StopAsync();
        AssertNobody();
        route.Notify();
    }

    [Fact]
    public async Task A_peer_with_an_observation_is_not_evicted_for_other_peers()
    {
        Options.Limits.Peers.MaxCount = 4;
        Options.Limits.Peers.NewcomerMemory = 64 * 1024;
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer);
        for (int i = 0; i < 500; i++)
        {
            Ask(PeerNumber(i), "/obs", null);
            Pass(1);
        }

        Assert.True(Server.Counters[CoapCounter.ChannelEvictions] > 100);
        Change(route, "1");
        Assert.Equal("1", TextOf(TakeOne()));
    }

    [Fact]
    public async Task Notify_inside_a_handler_does_not_run_the_notification_handler_inside_the_call()
    {
        bool inside = false;
        bool nested = false;
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", () =>
        {
            nested |= inside;
            return CoapResults.Text(State);
        }).Observable();
        Server.MapPut("/obs", request =>
        {
            inside = true;
            State = request.GetText();
            route.Notify();
            route.Notify();
            inside = false;
            return CoapResults.Changed();
        });
        await StartAsync();
        Register(Peer);
        Assert.Equal(CoapCode.Changed,
            Ask(Other, "/obs", null, method: CoapMethod.Put, more: message => message.Payload = "new"u8.ToArray())!.Code);
        Settle();
        Assert.Equal("new", TextOf(TakeOne()));
        Assert.False(nested);
    }

    [Fact]
    public async Task A_handler_that_calls_Notify_on_its_own_route_does_not_run_endlessly()
    {
        int runs = 0;
        CoapRouteHandlerBuilder? route = null;
        route = Server.MapGet("/obs", () =>
        {
            route?.Notify();
            return CoapResults.Text($"{++runs}");
        }).Observable();
        await StartAsync();
        Register(Peer);
        route.Notify();
        Pass(1);
        Assert.InRange(runs, 2, 4);
    }

    [Fact]
    public async Task A_server_without_capacity_for_a_notification_run_loses_no_observer()
    {
        // What all requests share has room for runs in any case; what the route says itself holds for them too.
        bool isSlow = false;
        TaskCompletionSource<CoapResult> slow = new();
        CoapRouteHandlerBuilder route = Server.MapGet("/obs",
            () => isSlow ? slow.Task : Task.FromResult<CoapResult>(CoapResults.Text(State))).Observable()
            .WithExecution(CoapExecution.Serial(capacity: 0));
        await StartAsync();
        Register(Peer);
        isSlow = true;
        Ask(Other, "/obs", null);
        isSlow = false;
        Change(route, "1");
        Pass(20);
        Assert.DoesNotContain(TakeNew(), item => item.Peer == Peer);
        Assert.Equal(1, Server.ObserverCount);
        await AnswerAfterAsync(() => slow.SetResult(CoapResults.Text("x")));
        string? told = null;
        await Eventually.IsTrueAsync(() =>
        {
            Pass(6);
            told ??= TakeNew().Where(item => item.Peer == Peer).Select(item => TextOf(item.Message)).FirstOrDefault();
            return told is not null;
        });
        Assert.Equal("1", told);
    }

    [Fact]
    [Rfc("7641-4.5-1", "7641-4.4-1")]
    public async Task After_a_burst_over_a_network_that_loses_half_the_last_state_arrives()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        for (int seed = 1; seed <= 20; seed++)
        {
            VirtualRandom random = new((ulong)seed);
            bool Lost() => random.NextUInt64() % 2 == 0;
            CoapAddress peer = PeerNumber(seed);
            uint number = NumberOf(Register(peer))!.Value;
            string seen = "";
            for (int i = 0; i < 400; i++)
            {
                if (i < 100)
                {
                    Change(route, $"{seed}.{i}");
                }

                Pass(i < 100 ? 0.05 : 1);
                foreach (CoapMessage sent in TakeNew().Where(item => item.Peer == peer).Select(item => item.Message))
                {
                    if (Lost())
                    {
                        continue;
                    }

                    if (IsLater(number, NumberOf(sent)!.Value))
                    {
                        number = NumberOf(sent)!.Value;
                        seen = TextOf(sent);
                    }

                    if (!Lost())
                    {
                        Acknowledge(peer, sent);
                    }
                }
            }

            if (Server.ObserverCount == 0)
            {
                // Five copies were all lost, or their acknowledgements. The client registers again when Max-Age ends.
                Pass(610 - 305);
                seen = TextOf(Register(peer));
            }

            Assert.Equal($"{seed}.99", seen);
            Ask(peer, "/obs", 1);
            Assert.Equal(0, Server.ObserverCount);
        }

        Assert.InRange(Server.Counters[CoapCounter.ObserversLost], 1, 15);
    }

    [Fact]
    [Rfc("7641-4.5-1", "7641-4.5-3")]
    public async Task Observers_and_counters_are_exact_after_thirty_days_with_10_percent_of_lost_acknowledgements()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        VirtualRandom random = new(7);
        CoapAddress[] peers = [Peer, Other, PeerNumber(1), PeerNumber(2)];
        Array.ForEach(peers, peer => Register(peer));
        Dictionary<CoapAddress, uint> numbers = [];
        Dictionary<CoapAddress, int> lostInARow = [];
        int minutes = 30 * 24 * 60;
        for (int minute = 1; minute <= minutes; minute++)
        {
            Change(route, $"{minute}");
            HashSet<CoapAddress> told = [];
            for (int i = 0; i < 15 && told.Count < peers.Length; i++)
            {
                foreach (var sent in TakeNew())
                {
                    Assert.Equal($"{minute}", TextOf(sent.Message));
                    uint number = NumberOf(sent.Message)!.Value;
                    Assert.True(!numbers.TryGetValue(sent.Peer, out uint before) || before == number || IsLater(before, number));
                    numbers[sent.Peer] = number;
                    int lost = random.NextUInt64() % 10 == 0 ? lostInARow.GetValueOrDefault(sent.Peer) + 1 : 0;

                    // Five in a row end an observation, which must happen to somebody in so long a time.
                    lostInARow[sent.Peer] = lost % 5;
                    if (lost is 0 or 5)
                    {
                        Acknowledge(sent.Peer, sent.Message);
                        told.Add(sent.Peer);
                    }
                }

                if (told.Count < peers.Length)
                {
                    Pass(3.5);
                }
            }

            Assert.Equal(peers.Length, told.Count);
            Clock.AdvanceTo(FromMinutes(minute));
        }

        Assert.Equal(4, Server.ObserverCount);
        Assert.Equal(4L * minutes, Server.Counters[CoapCounter.NotificationsSent]);
        Array.ForEach(peers, peer => Ask(peer, "/obs", 1));
        AssertNobody();
        Assert.Equal(0, Server.Endpoint.Pipelines[0].Messages.Outstanding);
        Assert.Equal(0, Server.Endpoint.Pipelines[0].Messages.Waiting);
    }

    private void Listen(Dictionary<CoapAddress, string> last)
    {
        Clock.Advance(FromMilliseconds(1));
        foreach (var sent in TakeNew())
        {
            last[sent.Peer] = TextOf(sent.Message);
            Acknowledge(sent.Peer, sent.Message);
        }
    }
}
