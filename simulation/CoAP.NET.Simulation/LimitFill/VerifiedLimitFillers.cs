using CoAP.NET.Simulation.Attack;

namespace CoAP.NET.Simulation.LimitFill;

/// <summary>
/// What holders can hold whose addresses are beyond doubt: 200 of one IPv4 address, of four, of an IPv6 /64 and of a /56, each verified by
/// an Echo, and 200 ports in a network that the server trusts.
/// </summary>
internal static class VerifiedLimitFillers
{
    private const int Peers = 200;
    private const int Rounds = 6;

    private static readonly (string Name, string Held, int Each, Func<int, byte[]> Make, Func<AttackServer, long> Gauge)[] s_held =
    [
        ("uploads", "half uploads", 50, ForgedLimitFillers.Upload, server => server.Server.BodyBytes),
        ("downloads", "half downloads", 50, ForgedLimitFillers.Download, server => server.Server.BodyBytes),
        ("duplicates", "memory for duplicates, by POSTs", 200, _ => ForgedLimitFillers.Message(CoapMethod.Post, "count"),
            server => server.Server.Endpoint.Pipelines.Sum(pipeline => pipeline.Messages.Memory.Bytes)),
    ];

    public static IEnumerable<AttackRow> Rows =>
    [
        .. s_held.SelectMany(held => ForgedLimitFillers.Sources.Select(source => new AttackRow(
            $"verified-{held.Name}-{ForgedLimitFillers.Word(source.Name)}",
            $"{held.Held}, of {source.Name}, {Peers} addresses or ports verified by an Echo",
            "9175-2.3-1",
            run => HoldAsync(run, source.Of, held.Each, held.Make, held.Gauge, isTrusted: false)))),
        .. s_held.SelectMany(held => ForgedLimitFillers.Sources.Take(2).Select(source => new AttackRow(
            $"trusted-{held.Name}-{ForgedLimitFillers.Word(source.Name)}",
            $"{held.Held}, of {source.Name} in `TrustedPrefixes`, {Peers} ports",
            "7252-11.3-1",
            run => HoldAsync(run, source.Of, held.Each, held.Make, held.Gauge, isTrusted: true)))),
    ];

    private static async Task HoldAsync(AttackRun run, Func<int, CoapAddress> source, int each, Func<int, byte[]> make,
        Func<AttackServer, long> gauge, bool isTrusted)
    {
        each = run.Size(each, each / 5);
        await using AttackServer server = await ForgedLimitFillers.StartAsync(run, configure: options =>
        {
            if (isTrusted)
            {
                options.Limits.Peers.TrustedPrefixes.Add(IPNetwork.Parse("203.0.113.0/24"));
            }
        });
        KnownPeers known = new(server, run.Size(50, 10));
        long idle = LiveHeap.Measure();
        long held = 0;
        int messageId = 0;
        List<HonestNewcomer> newcomers = [];
        foreach (int number in isTrusted ? [] : ForgedLimitFillers.Shuffled(run, Peers))
        {
            ForgedLimitFillers.Verify(server, source(number), messageId);
            messageId += 2;
        }

        int[] order = ForgedLimitFillers.Shuffled(run, Peers * each);
        for (int round = 0; round < Rounds; round++)
        {
            for (int i = 0; i < order.Length; i++)
            {
                server.Wire.Receive(source(order[i] % Peers), Forged.Stamp(make(order[i]), messageId++, (uint)i));
                if (i % 100 == 99)
                {
                    server.Clock.Advance(TimeSpan.FromMilliseconds(10));
                }
            }

            held = Math.Max(held, gauge(server));
            newcomers.Add(ForgedLimitFillers.Work(server, known, round));
        }

        run.Done = $"{Peers} peers, {each} requests of each in {Rounds} rounds";
        run.Mention($"held at most {held:N0} B");
        ForgedLimitFillers.Report(run, newcomers, known, idle);
    }
}
