using CoAP.NET.Diagnostics;
using CoAP.NET.Simulation.Attack;

namespace CoAP.NET.Simulation.LimitFill;

/// <summary>
/// What holders of addresses that nobody verified can hold, on virtual time without sockets, where any address can be had: one IPv4
/// address, four, an IPv6 /64, and the 256 of these of a /56.
/// </summary>
internal static class ForgedLimitFillers
{
    private static readonly CoapAddress s_group = CoapAddress.FromIPv4(0xe000_01bb, 5683);

    /// <summary>Whose addresses there are, and the addresses by number.</summary>
    public static IReadOnlyList<(string Name, Func<int, CoapAddress> Of)> Sources { get; } =
    [
        ("one IPv4 address", i => CoapAddress.FromIPv4(0xcb00_7105, (ushort)(1024 + (i % 60_000)))),
        ("four IPv4 addresses", i => CoapAddress.FromIPv4(0xcb00_7105 + ((uint)i % 4), (ushort)(1024 + (i / 4 % 60_000)))),
        ("an IPv6 /64", i => new CoapAddress(0x2001_0db8_0000_0100, (ulong)i + 1, 5683, 0)),
        ("an IPv6 /56", i => new CoapAddress(0x2001_0db8_0000_0200 + ((ulong)i % 256), (ulong)i + 1, 5683, 0)),
    ];

    public static IReadOnlyList<AttackRow> Rows { get; } =
    [
        .. Each("observers", "observers, notifications never acknowledged", 10_000, Watch, server => server.Server.ObserverCount),
        .. Each("uploads", "half uploads", 10_000, Upload, server => server.Server.BodyBytes),
        .. Each("downloads", "half downloads", 10_000, Download, server => server.Server.BodyBytes),
        .. Each("duplicates", "memory for duplicates, by POSTs", 20_000, _ => Message(CoapMethod.Post, "count"), PeersOf),
        .. Sources.Select(source =>
            new AttackRow($"verified-{Word(source.Name)}", $"peers that are remembered, each verified by an Echo, of {source.Name}",
                "9175-2.3-1", run => VerifiedAsync(run, source.Of))),
        .. VerifiedLimitFillers.Rows,
        .. Sources.Select(source =>
            new AttackRow($"groups-{Word(source.Name)}", $"answers to groups that wait, of {source.Name}", "7252-8.2-1",
                run => GroupsAsync(run, source.Of))),
    ];

    private static IEnumerable<AttackRow> Each(string name, string held, int count, Func<int, byte[]> make,
        Func<AttackServer, long> gauge) =>
            Sources.Select(source => new AttackRow(
                $"{name}-{Word(source.Name)}",
                $"{held}, of {source.Name}",
                "7252-11.3-1",
                run => FillAsync(run, run.Size(count, 1200), source.Of, make, gauge)));

    private static byte[] Watch(int number) => Message(CoapMethod.Get, "watched", options => options.Observe = 0);

    public static byte[] Upload(int number) => Message(
        CoapMethod.Put,
        "large-update",
        options =>
        {
            options.Block1 = new BlockValue(0, true, 6);
            options.Add(OptionNumber.RequestTag, BitConverter.GetBytes(number));
        },
        new byte[1024]);

    public static byte[] Download(int number) =>
        Message(CoapMethod.Post, "large-post", options => options.Add(OptionNumber.UriQuery, BitConverter.GetBytes(number | 0x4040_4040)),
            new byte[8]);

    private static long PeersOf(AttackServer server) => server.Server.Endpoint.Pipelines.Sum(pipeline => pipeline.Channels.Count);

    public static string Word(string source) =>
        source.Replace("an ", "").Replace(" address", "")
            .Replace("es", "").Replace(" /", "-").Replace(' ', '-');

    public static byte[] Message(CoapMethod method, string path, Action<CoapOptionCollection>? options = null, byte[]? payload = null) =>
        Forged.Message(method, path, CoapMessageType.Confirmable, options, payload);

    /// <summary>A server of narrow bounds, whose chance is that of the run.</summary>
    public static Task<AttackServer> StartAsync(AttackRun run, Action<CoapServer>? map = null,
        Action<CoapEndpointOptions>? configure = null) => AttackServer.StartAsync(
            options =>
            {
                Scale(options);
                options.Pipeline.Random = new VirtualRandom(run.Seed);
                configure?.Invoke(options);
            },
            map);

    /// <summary>The numbers below a count, in an order of the run's seed: who comes first is chance.</summary>
    public static int[] Shuffled(AttackRun run, int count)
    {
        int[] numbers = [.. Enumerable.Range(0, count)];
        Dice dice = new(run.Seed);
        for (int i = count - 1; i > 0; i--)
        {
            int other = dice.Below(i + 1);
            (numbers[i], numbers[other]) = (numbers[other], numbers[i]);
        }

        return numbers;
    }

    // About a hundredth of the default bounds, so that few datagrams fill them.
    private static void Scale(CoapEndpointOptions options)
    {
        options.Limits.Peers.MaxCount = 1000;
        options.Limits.Peers.NewcomerMemory = 1 << 20;
        options.Limits.Deduplication.Memory = 4 << 20;
        options.Limits.Blockwise.RequestMemory = 2 << 20;
        options.Limits.Blockwise.ResponseMemory = 2 << 20;
        options.Limits.Observe.MaxObservers = 2000;
        options.Limits.Observe.MaxUnverifiedObserversPerSource = 200;
        options.Limits.Peers.MaxVerifiedPerSource = 100;

        // More than the sources of a /56, each of which has a right to one.
        options.Limits.Requests.MaxDelayedGroupResponses = 300;
    }

    private static async Task FillAsync(AttackRun run, int count, Func<int, CoapAddress> source, Func<int, byte[]> make,
        Func<AttackServer, long> gauge)
    {
        await using AttackServer server = await StartAsync(run);
        KnownPeers known = new(server, run.Size(50, 10));
        long idle = LiveHeap.Measure();
        long sent = 0;
        long held = 0;
        List<HonestNewcomer> newcomers = [];
        int[] order = Shuffled(run, count);

        // Twice, a few seconds apart, so that its addresses are no newcomers the second time; then again and again, so that the bound stays
        // full.
        for (int round = 0; round < 4; round++)
        {
            for (int i = 0; i < count; i++)
            {
                int number = order[i];
                byte[] request = make(number);
                sent += request.Length;
                server.Wire.Receive(source(number), Forged.Stamp(request, (round * count) + i, (uint)i));
                if (i % 100 == 99)
                {
                    server.Clock.Advance(TimeSpan.FromMilliseconds(10));
                }
            }

            held = Math.Max(held, gauge(server));
            newcomers.Add(Work(server, known, round));
        }

        run.Done = $"{count:N0} requests in four rounds, {sent / 1024.0:N0} KiB";
        run.Mention($"held at most {held:N0}");
        Report(run, newcomers, known, idle);
    }

    private static async Task VerifiedAsync(AttackRun run, Func<int, CoapAddress> source)
    {
        int count = run.Size(5000, 400);
        await using AttackServer server = await StartAsync(run);
        KnownPeers known = new(server, run.Size(50, 10));
        long idle = LiveHeap.Measure();
        List<HonestNewcomer> newcomers = [];
        int[] order = Shuffled(run, count);
        for (int round = 0; round < 2; round++)
        {
            for (int i = 0; i < count; i++)
            {
                Verify(server, source(order[i]), 2 * ((round * count) + i));
                if (i % 100 == 99)
                {
                    server.Clock.Advance(TimeSpan.FromMilliseconds(10));
                }
            }

            newcomers.Add(Work(server, known, round));
        }

        run.Done = $"{count:N0} addresses or ports, each verified twice";
        run.AtLeast("verified", server.Counters[CoapCounter.AddressesVerified], count);
        run.AtMost("peers that are remembered",
            PeersOf(server) - server.Server.Endpoint.Pipelines.Sum(pipeline => pipeline.Channels.Newcomers), 1000);
        Report(run, newcomers, known, idle);
    }

    public static void Verify(AttackServer server, in CoapAddress address, int messageId)
    {
        byte[]? echo = null;
        AttackWire.Sink? before = server.Wire.Sent;
        server.Wire.Sent = (in to, bytes) => echo = Forged.Read(bytes).Options.Echo?.ToArray() ?? echo;
        server.Wire.Receive(address, Forged.Stamp(Forged.Message(CoapMethod.Put, "fresh"), messageId, (uint)messageId));
        server.Wire.Sent = before;
        byte[] returned = Forged.Message(CoapMethod.Put, "fresh", options: options => options.Add(OptionNumber.Echo, echo ?? []));
        server.Wire.Receive(address, Forged.Stamp(returned, messageId + 1, (uint)messageId));
    }

    private static async Task GroupsAsync(AttackRun run, Func<int, CoapAddress> source)
    {
        int count = run.Size(4000, 400);
        await using AttackServer server = await StartAsync(run, server =>
        {
            server.JoinGroups();
            server.MapGet("/seen", () => "seen").AllowMulticast();
        });
        KnownPeers known = new(server, run.Size(50, 10));
        long idle = LiveHeap.Measure();
        List<HonestNewcomer> newcomers = [];
        byte[] request = Forged.Message(CoapMethod.Get, "seen", CoapMessageType.NonConfirmable);
        int[] order = Shuffled(run, count);
        for (int round = 0; round < 4; round++)
        {
            for (int i = 0; i < count; i++)
            {
                server.Wire.Receive(source(order[i]), Forged.Stamp(request, (round * count) + i, (uint)i), s_group);
            }

            HonestNewcomer newcomer = new(server, round);
            newcomer.AskGroup(s_group, "seen");
            newcomers.Add(newcomer);
            newcomer.Work();
            known.Step();
        }

        run.Done = $"{count:N0} requests to the group in four rounds";
        run.AtLeast("answers that were dropped", server.Counters[CoapCounter.GroupAnswersDropped], 1);
        Report(run, newcomers, known, idle);
    }

    /// <summary>A newcomer comes and does all that a client does, and those that were there before go on.</summary>
    public static HonestNewcomer Work(AttackServer server, KnownPeers known, int round)
    {
        HonestNewcomer newcomer = new(server, round);
        newcomer.Work();
        known.Step();
        server.Clock.Advance(TimeSpan.FromSeconds(2.5));
        return newcomer;
    }

    public static void Report(AttackRun run, List<HonestNewcomer> newcomers, KnownPeers known, long idle)
    {
        foreach (string trouble in newcomers.SelectMany(newcomer => newcomer.Troubles).Distinct())
        {
            run.Report(trouble);
        }

        run.Exactly(
            $"of {newcomers.Sum(newcomer => newcomer.Asked)} requests of newcomers: not served at once",
            newcomers.Sum(newcomer => newcomer.Troubles.Count),
            0);
        known.Check(run);
        run.AtMost("heap above idle", (LiveHeap.Measure() - idle) / LiveHeap.MiB, 16, " MiB");
    }
}
