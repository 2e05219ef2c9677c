using CoAP.NET.Diagnostics;
using CoAP.NET.PubSub;
using CoAP.NET.Simulation.LimitFill;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Attacks on a broker: all of its topics, publications at full rate, and filters that cost much.</summary>
internal static class TopicAttacks
{
    private const int FirstAttacker = 0x10000;
    private const int Sources = 16;
    private const int MostLooks = 50_000;
    private const string Name = "t-000000";

    public static IEnumerable<AttackRow> Rows =>
    [
        new("topics-fill", "Broker: topics by the million, of few sources that have shown where they are", "pubsub-2.4-3", FillAsync)
        {
            Plants = ["one-source"]
        },
        new("topics-publish", "Broker: publications at full rate to a topic with many subscribers", "pubsub-3.2-1, 8516-3-1", PublishAsync)
        {
            Plants = ["no-rate"]
        },
        new("topics-fetch", "Broker: filters (FETCH) that all topics have to be looked at for", "pubsub-2.4-2", FetchAsync)
        {
            Plants = ["each-by-itself"]
        },
    ];

    private static async Task FillAsync(AttackRun run)
    {
        int count = run.Size(1_000_000, 4_000);
        int max = run.Size(10_000, 400);
        int newcomers = run.Size(4, 1);
        await using World world = await World.StartAsync(
            options => options.Limits.MaxTopics = max,
            options => options.Limits.Peers.SourcePrefixLength = run.IsPlanted("one-source") ? 32 : 56);
        long idle = LiveHeap.Measure();
        byte[] request = Creation();
        int nameAt = request.AsSpan().IndexOf(Encoding.UTF8.GetBytes(Name)) + 2;
        TimeSpan pause = TimeSpan.FromHours(1) / (count / 100);
        int each = count / Sources;
        CoapAddress from = default;
        int taken = 0;
        int most = 0;
        for (int i = 0; i < count; i++)
        {
            if (i % each == 0)
            {
                from = DirectoryWorld.AddressOf(FirstAttacker + (i / each));
                ForgedLimitFillers.Verify(world.Server, from, 60_000);
            }

            Encoding.UTF8.GetBytes(i.ToString("x6"), request.AsSpan(nameAt));
            world.Server.Wire.Receive(from, Forged.Stamp(request, i % each, (uint)i));
            if (i % 100 == 99)
            {
                world.Server.Clock.Advance(pause);
            }

            if (i % each == each - 1)
            {
                most = Math.Max(most, world.Broker.GetCounters().Topics);
                for (int n = 0; n < newcomers; n++)
                {
                    CoapMessage answer = await CreateAsync(new WireClient(world.Server,
                        DirectoryWorld.AddressOf((i / each * newcomers) + n)), $"h-{i / each:d4}{n:d2}");
                    taken += answer.Code == CoapCode.Created ? 1 : 0;
                }
            }
        }

        CoapPubSubCounters counters = world.Broker.GetCounters();
        int found = 0;
        WireClient reader = new(world.Server, DirectoryWorld.AddressOf(0x8000));
        for (int i = 0; i < Sources * newcomers; i++)
        {
            CoapMessage answer = await reader.AskAsync(
                CoapMethod.Fetch, "ps", payload: Map($"h-{i / newcomers:d4}{i % newcomers:d2}"), format: 606);
            found += answer.Payload.Length > 0 ? 1 : 0;
        }

        run.Done = $"{count:N0} names of {Sources} sources, one after the other, in an hour; after each {newcomers} that come anew";
        run.AtMost("topics, at most", most, max);
        run.AtMost("bytes of them", counters.Bytes / LiveHeap.MiB, 64, " MiB");
        run.Exactly("that came anew and found no place", (Sources * newcomers) - taken, 0);
        run.Exactly("of these not found at the end", (Sources * newcomers) - found, 0);
        run.AtLeast("topics that the greediest source lost to others", counters.Evicted, 1);
        run.AtMost("heap above idle", (LiveHeap.Measure() - idle) / LiveHeap.MiB, run.Size(64, 8), " MiB");
        run.Exactly("errors of stages", world.Server.Counters[CoapCounter.StageErrors], 0);
    }

    private static async Task PublishAsync(AttackRun run)
    {
        int subscribers = run.Size(500, 40);
        int seconds = run.Size(10, 3);
        int perSecond = run.Size(5_000, 1_000);
        const int rate = 100;
        await using World world = await World.StartAsync(
            options => options.Limits.PublicationsPerSecond = run.IsPlanted("no-rate") ? null : rate);
        WireClient greedy = new(world.Server, DirectoryWorld.AddressOf(FirstAttacker));
        string path = await PathOfAsync(greedy, "flooded");
        string quiet = await PathOfAsync(new WireClient(world.Server, DirectoryWorld.AddressOf(1)), "quiet");
        await greedy.AskAsync(CoapMethod.Put, path, payload: "first"u8.ToArray(), format: 0);
        ConcurrentDictionary<CoapAddress, string> told = [];
        int plain = 0;
        for (int i = 0; i < subscribers; i++)
        {
            WireClient subscriber = new(world.Server, DirectoryWorld.AddressOf(0x100 + i));
            ForgedLimitFillers.Verify(world.Server, subscriber.Address, 50_000);
            CoapMessage answer = await subscriber.AskAsync(CoapMethod.Get, path, observes: true);
            plain += answer.Options.Observe is null ? 1 : 0;
            told[subscriber.Address] = "";
        }

        long notifications = 0;
        int tooFast = 0;
        string last = "";
        ConcurrentQueue<(CoapAddress From, int MessageId)> acknowledge = new();
        world.Server.Wire.Sent = (in to, bytes) =>
        {
            CoapMessage message = Forged.Read(bytes);
            if (told.ContainsKey(to) && message.Code == CoapCode.Content)
            {
                notifications++;
                told[to] = Encoding.UTF8.GetString(message.Payload.Span);
                if (message.Type == CoapMessageType.Confirmable)
                {
                    acknowledge.Enqueue((to, message.MessageId));
                }
            }

            tooFast += message.Code == CoapCode.TooManyRequests ? 1 : 0;
        };
        int accepted = 0;
        int failed = 0;
        long before = world.Broker.GetCounters().Publications;
        WireClient honest = new(world.Server, DirectoryWorld.AddressOf(1));
        byte[] request = Forged.Message(CoapMethod.Put, path, CoapMessageType.NonConfirmable,
            options => options.AddUInt(OptionNumber.ContentFormat, 0), "00000000"u8.ToArray());
        for (int i = 0; i < seconds * perSecond; i++)
        {
            long had = world.Broker.GetCounters().Publications;
            Encoding.UTF8.GetBytes(i.ToString("d8"), request.AsSpan(request.Length - 8));
            world.Server.Wire.Receive(greedy.Address, Forged.Stamp(request, i & 0xffff, (uint)i));
            if (world.Broker.GetCounters().Publications > had)
            {
                accepted++;
                last = i.ToString("d8");
            }

            if (i % (perSecond / 100) == 0)
            {
                world.Server.Clock.Advance(TimeSpan.FromMilliseconds(10));
                while (acknowledge.TryDequeue(out (CoapAddress From, int MessageId) one))
                {
                    world.Server.Wire.Receive(one.From, Forged.Empty(CoapMessageType.Acknowledgement, one.MessageId));
                }
            }

            if (i % perSecond == perSecond / 2)
            {
                CoapMessage answer = await honest.AskAsync(CoapMethod.Put, quiet, payload: [0x31], format: 0);
                failed += answer.Code.IsSuccess ? 0 : 1;
            }
        }

        for (int i = 0; i < MostLooks && told.Values.Any(state => state != last); i++)
        {
            await Task.Yield();
            if (i % 100 == 0)
            {
                world.Server.Clock.Advance(TimeSpan.FromMilliseconds(100));
            }

            while (acknowledge.TryDequeue(out (CoapAddress From, int MessageId) one))
            {
                world.Server.Wire.Receive(one.From, Forged.Empty(CoapMessageType.Acknowledgement, one.MessageId));
            }
        }

        run.Done =
            $"{perSecond:N0} publications a second of one source for {seconds} s to a topic with {subscribers:N0} subscribers; another one "
                + $"publishes to another topic";
        run.Exactly("subscribers that were not taken", plain, 0);
        run.AtMost("publications taken", accepted, rate * (seconds + 1));
        run.AtMost("notifications for each that was taken", accepted == 0 ? 0 : (double)notifications / accepted, subscribers);
        run.AtLeast("told to wait (4.29)", tooFast, 1);
        run.AtMost("of these a second", (double)tooFast / seconds, 1_000 * (seconds + 1.0) / seconds);
        run.Exactly("subscribers without the last state", told.Values.Count(state => state != last), 0);
        run.Exactly("publications of the other source that failed", failed, 0);
        run.Mention($"notifications {notifications:N0}, publications in all "
            + $"{world.Broker.GetCounters().Publications - before:N0}");
    }

    private static async Task FetchAsync(AttackRun run)
    {
        int count = run.Size(10_000, 1_000);
        int each = run.Size(50, 5);
        await using World world = await World.StartAsync(options =>
        {
            options.Limits.MaxTopics = 2 * count;
            options.Authorize = run.IsPlanted("each-by-itself") ? (_, _, _) => true : null;
        });
        WireClient owner = new(world.Server, DirectoryWorld.AddressOf(FirstAttacker));
        for (int i = 0; i < count; i++)
        {
            await CreateAsync(owner, $"t-{i:x6}");
            world.Server.Clock.Advance(TimeSpan.FromMilliseconds(100));
        }

        // Names, types and times that no topic has; and what all have but one that none has.
        byte[][] filters =
        [
            Map("nowhere"), [0xa1, 0x04, 0x61, (byte)'x'], [0xa1, 0x05, 0xc1, 0x1a, 0x64, 0x28, 0xc5, 0x7f], [0xa1, 0x06, 0x18, 0x2a],
            [0xa1, 0x07, 0x18, 0x3c], [0xa1, 0x01, 0x63, .. "/ps"u8], [0xa2, 0x02, 0x6c, .. "core.ps.data"u8, 0x06, 0x07],
        ];
        WireClient greedy = new(world.Server, DirectoryWorld.AddressOf(FirstAttacker + 1));
        await greedy.AskAsync(CoapMethod.Fetch, "ps", payload: filters[0], format: 606);
        ForgedLimitFillers.Verify(world.Server, greedy.Address, 60_000);
        long most = 0;
        int id = 0;
        foreach (byte[] filter in filters)
        {
            byte[] request = Forged.Message(CoapMethod.Fetch, "ps", CoapMessageType.NonConfirmable,
                options => options.AddUInt(OptionNumber.ContentFormat, 606), filter);
            world.Server.Wire.Receive(greedy.Address, Forged.Stamp(request, id++, (uint)id));
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < each; i++)
            {
                world.Server.Wire.Receive(greedy.Address, Forged.Stamp(request, id++, (uint)id));
            }

            most = Math.Max(most, (GC.GetAllocatedBytesForCurrentThread() - before) / each);
            world.Server.Clock.Advance(TimeSpan.FromMinutes(5));
        }

        CoapMessage found = await greedy.AskAsync(
            CoapMethod.Fetch, "ps", payload: Map($"t-{7:x6}"), format: 606);
        CoapMessage all = await greedy.AskAsync(
            CoapMethod.Fetch, "ps", payload: [0xa1, 0x02, 0x6c, .. "core.ps.data"u8], format: 606);
        run.Done =
            $"{filters.Length} filters that no topic passes, {each} times each, among {count:N0} topics; then one that one passes, one "
                + $"that all pass";
        run.AtMost("bytes allocated for a filter that no topic passes", most / 1024.0, 32, " KiB");
        run.Exactly("topics that the one finds", CoapLinkFormat.Parse(found.Payload.Span).Count, 1);
        run.Exactly("topics that the other one finds", CoapLinkFormat.Parse(all.Payload.Span).Count, count);
    }

    private static byte[] Map(string name) => name.Length < 24
        ? [0xa1, 0x00, (byte)(0x60 | name.Length), .. Encoding.UTF8.GetBytes(name)]
        : throw new ArgumentException("Too long.", nameof(name));

    private static byte[] Topic(string name) => [0xa2, .. Map(name)[1..], 0x02, 0x6c, .. "core.ps.data"u8];

    private static byte[] Creation() => Forged.Message(CoapMethod.Post, "ps",
        options: options => options.AddUInt(OptionNumber.ContentFormat, 606), payload: Topic(Name));

    private static Task<CoapMessage> CreateAsync(WireClient client, string name) =>
        client.AskAsync(CoapMethod.Post, "ps", payload: Topic(name), format: 606);

    private static async Task<string> PathOfAsync(WireClient client, string name)
    {
        CoapMessage answer = await CreateAsync(client, name);
        return "ps/data/" + answer.Options.LocationPath[^1];
    }

    /// <summary>A broker on the wire of an attack.</summary>
    private sealed class World(AttackServer server, CoapPubSubBroker broker) : IAsyncDisposable
    {
        public AttackServer Server => server;

        public CoapPubSubBroker Broker => broker;

        public static async Task<World> StartAsync(
            Action<CoapPubSubOptions> configure, Action<CoapEndpointOptions>? configureEndpoint = null)
        {
            TimeProvider clock = TimeProvider.System;
            CoapPubSubBroker broker = null!;
            AttackServer server = await AttackServer.StartAsync(
                options =>
                {
                    clock = options.TimeProvider;
                    configureEndpoint?.Invoke(options);
                },
                server =>
                {
                    CoapPubSubOptions options = new() { TimeProvider = clock };
                    configure(options);
                    broker = server.MapPubSub("/ps", options);
                });
            return new World(server, broker);
        }

        public async ValueTask DisposeAsync()
        {
            await server.DisposeAsync();
            await broker.DisposeAsync();
        }
    }
}
