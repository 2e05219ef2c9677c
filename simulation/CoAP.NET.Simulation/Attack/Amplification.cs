using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Requests in the names of victims: how much goes to these beyond what the forger sent himself.</summary>
internal static class Amplification
{
    private const int PerMinute = 16 * 1024;
    private const int PerSecond = 1024 * 1024;
    private const string Bounds = "7252-11.3-1, 9175-2.4-1";

    private static readonly CoapAddress s_group = CoapAddress.FromIPv4(0xe000_01bb, 5683);

    public static IEnumerable<AttackRow> Rows =>
    [
        new("amplification-resource", "Amplification, single response and attacker-chosen size: each resource alone",
            Bounds + ", 7641-7-1, 9175-2.4-2", EachResourceAsync) { Plants = ["no-amplification-limit"] },
        new("amplification-victim", "Amplification: one victim, random ports, all resources and methods", Bounds + ", 7641-7-1, 9175-2.4-2",
            run => VictimAsync(run, isIPv6: false)) { Plants = ["no-amplification-limit"] },
        new("amplification-prefix", "Amplification: one IPv6 /64, random addresses and ports", Bounds,
            run => VictimAsync(run, isIPv6: true)) { Plants = ["no-amplification-limit"] },
        new("amplification-endpoint", "Amplification: very many victims", Bounds, EndpointAsync) { Plants = ["no-amplification-limit"] },
        new("amplification-observe", "Amplification, Observe: a forged registration", "7641-7-1", ObserveAsync)
        {
            Plants = ["many-copies"]
        },
        new("amplification-multicast", "Amplification, multicast, with Observe; commands to a group from forged sources",
            "7252-11.3-2, 7252-8.2-1, 7252-8.2-2, gc-3.1.2-1, gc-3.7-2, gc-4-1", MulticastAsync) { Plants = ["no-amplification-limit"] },
    ];

    private static void Plant(AttackRun run, CoapEndpointOptions options)
    {
        options.Limits.Amplification.IsLimited = !run.IsPlanted("no-amplification-limit");
    }

    // Each resource on a server of its own, so that each has a whole allowance and none is changed by others.
    private static async Task EachResourceAsync(AttackRun run)
    {
        List<string> paths;
        await using (AttackServer listing = await AttackServer.StartAsync())
        {
            paths = Resources.Paths(listing);
        }

        if (run.IsShort)
        {
            paths = [.. paths.Where(path => path is "large" or "obs-large" or "separate" or "nothing/there")];
        }

        int requests = run.Size(300, 60);
        long most = 0;
        double worst = 0;
        StringBuilder table = new();
        table.AppendLine($"Worst of each resource: a minute of {requests} forged requests to one victim, in each way "
                + $"of {Resources.Requests("", true, true).Count()}, and ten minutes after it; without limits the first column would be "
                + $"the factor of every answer.");
        table.AppendLine()
            .AppendLine("| resource | one answer / one request, at most | bytes out / bytes in over the minute | worst request | beyond "
                + "what is free, of 16,384 B a minute |");
        table.AppendLine("|---|---|---|---|---|");
        foreach (string path in paths)
        {
            (double answer, double factor, long unpaid, string name) worstOfPath = default;
            foreach ((string name, byte[] request) in Resources.Requests(path, observes: true, changes: true))
            {
                await using AttackServer server = await AttackServer.StartAsync(options => Plant(run, options));
                Victims victims = new(server);
                Dice dice = new(run.Seed);
                TimeSpan pause = TimeSpan.FromMinutes(1) / requests;
                for (int i = 0; i < requests; i++)
                {
                    victims.Forge(CoapAddress.FromIPv4(0xcb00_7105, (ushort)(1024 + dice.Below(60_000))),
                        Forged.Stamp(request, i, (uint)i));
                    server.Clock.Advance(pause);
                }

                // Copies and notifications that nobody acknowledges come to an end.
                server.Clock.Advance(TimeSpan.FromMinutes(10));
                long unpaid = victims.MostIn(TimeSpan.FromMinutes(1));
                double factor = (double)victims.BytesOut / victims.BytesIn;
                most = Math.Max(most, unpaid);
                worst = Math.Max(worst, factor);
                if (factor >= worstOfPath.factor)
                {
                    worstOfPath = (victims.WorstAnswer, factor, Math.Max(unpaid, worstOfPath.unpaid), name);
                }
            }

            run.Report($"/{path}: {worstOfPath.answer:0.0}, {worstOfPath.factor:0.0}, {worstOfPath.unpaid:N0} B, {worstOfPath.name}");
            table.AppendLine(
                $"| `/{path}` | {worstOfPath.answer:0.0} | {worstOfPath.factor:0.0} | {worstOfPath.name} | {worstOfPath.unpaid:N0} B |");
        }

        run.Done = $"{paths.Count} resources, each method, type, Observe, Block2: {requests} requests in a minute";
        run.AtMost("beyond what is free, in any minute, at most", most, PerMinute, " B");
        run.Mention($"bytes out / bytes in of the worst resource {worst:0.0}");
        run.Append(table.ToString());
    }

    private static async Task VictimAsync(AttackRun run, bool isIPv6)
    {
        await using AttackServer server = await AttackServer.StartAsync(options => Plant(run, options));
        byte[][] requests = [.. Resources.Paths(server).SelectMany(path => Resources.Requests(path, observes: true, changes: true))
            .Select(request => request.Bytes)];
        Victims victims = new(server);
        Dice dice = new(run.Seed);
        int count = run.Size(60_000, 2500);
        for (int i = 0; i < count; i++)
        {
            ushort port = (ushort)(1 + dice.Below(65_535));
            CoapAddress victim = isIPv6
                ? new CoapAddress(0x2001_0db8_0000_0001, dice.Next(), port, 0)
                : CoapAddress.FromIPv4(0xcb00_7105, port);
            Span<byte> request = Forged.Stamp(requests[dice.Below(requests.Length)], i, (uint)i);
            victims.Forge(victim, request);
            if (i % 16 == 0)
            {
                // A duplicate is answered again, and pays for that.
                victims.Forge(victim, request);
            }

            server.Clock.Advance(TimeSpan.FromMinutes(2) / count);
        }

        run.Done = $"{count:N0} requests in two minutes, {requests.Length} kinds";
        run.AtMost("beyond what is free, in any minute, at most", victims.MostIn(TimeSpan.FromMinutes(1)), PerMinute, " B");
        run.AtMost("datagrams out / in", (double)victims.DatagramsOut / count, 1.5);
        run.Mention($"bytes out / in {(double)victims.BytesOut / victims.BytesIn:0.0}");
        run.AtLeast("registrations that were tried", server.Counters[CoapCounter.Registrations], 50);
        server.Clock.Advance(TimeSpan.FromMinutes(15));
        long before = victims.BytesOut;
        server.Clock.Advance(TimeSpan.FromMinutes(1));
        run.Exactly("bytes in the minute a quarter of an hour later", victims.BytesOut - before, 0);
    }

    private static async Task EndpointAsync(AttackRun run)
    {
        int perSecond = run.Size(PerSecond, 32 * 1024);
        await using AttackServer server = await AttackServer.StartAsync(options =>
        {
            Plant(run, options);
            options.Limits.Amplification.TotalBytesPerSecond = perSecond;
        });
        byte[][] requests = [.. Resources.Paths(server).SelectMany(path => Resources.Requests(path, observes: true, changes: false))
            .Select(request => request.Bytes)];
        Victims victims = new(server) { AreMany = true };
        Dice dice = new(run.Seed);
        int count = run.Sources(4000);
        for (int i = 0; i < count; i++)
        {
            victims.Forge(CoapAddress.FromIPv4(0x0a00_0000 + (uint)i, 5683),
                Forged.Stamp(requests[dice.Below(requests.Length)], i, (uint)i));
            if (i % 64 == 63)
            {
                server.Clock.Advance(TimeSpan.FromSeconds(20) / (count / 64));
            }
        }

        run.Done = $"{count:N0} addresses, one request each, in 20 seconds, {requests.Length} kinds";
        run.AtMost("beyond what is free, in any second, at most", victims.MostIn(TimeSpan.FromSeconds(1)), perSecond, " B");
        run.AtLeast("answers cut or refused", server.Counters[CoapCounter.AmplificationRefused], 100);
        run.Mention($"bytes out / in {(double)victims.BytesOut / victims.BytesIn:0.0}");
    }

    private static async Task ObserveAsync(AttackRun run)
    {
        int mostDatagrams = 0;
        int mostConfirmable = 0;
        long mostBytes = 0;
        foreach (string path in new[] { "obs", "obs-large", "obs-non", "obs-pumping", "obs-load", "document" })
        {
            await using AttackServer server = await AttackServer.StartAsync(options =>
            {
                options.Parameters = run.IsPlanted("many-copies")
                    ? new CoapTransmissionParameters { MaxRetransmit = 8 }
                    : options.Parameters;
            });
            int datagrams = 0;
            long bytes = 0;
            int confirmable = 0;
            server.Wire.Sent = (in to, sent) =>
            {
                confirmable += Forged.TypeOf(sent) == CoapMessageType.Confirmable ? 1 : 0;
                datagrams++;
                bytes += sent.Length;
            };
            server.Wire.Receive(CoapAddress.FromIPv4(0xcb00_7105, 4711),
                Forged.Message(CoapMethod.Get, path, options: options => options.Observe = 0));

            // It changes every five seconds by itself; what does not is changed by whoever is sent for that.
            for (int i = 0; i < 200; i++)
            {
                server.Clock.Advance(TimeSpan.FromSeconds(3));
                server.Server.Notify("/" + path);
            }

            run.Report($"/{path}: {datagrams} datagrams, {confirmable} Confirmable, {bytes:N0} B, {server.Server.ObserverCount} observers");
            mostDatagrams = Math.Max(mostDatagrams, datagrams);
            mostConfirmable = Math.Max(mostConfirmable, confirmable);
            mostBytes = Math.Max(mostBytes, bytes);
            run.Exactly($"observers of /{path} after ten minutes of changes without an acknowledgement", server.Server.ObserverCount, 0);
        }

        run.Done = "one forged registration of each observable resource, 200 changes";
        run.AtMost("Confirmable datagrams of one: a single sequence", mostConfirmable, 5);
        run.AtMost("datagrams for one", mostDatagrams, 1 + 10 + 5);
        run.AtMost("bytes for one", mostBytes, PerMinute, " B");
    }

    private static async Task MulticastAsync(AttackRun run)
    {
        await using AttackServer server = await AttackServer.StartAsync(options => Plant(run, options), server =>
        {
            server.JoinGroups();
            server.MapGet("/seen", () => "twelve bytes").AllowMulticast().Observable();
            server.MapGet("/much", () => CoapResults.Text(new string('x', 900))).AllowMulticast();
        });
        Victims victims = new(server);
        Dice dice = new(run.Seed);
        int count = run.Size(20_000, 400);
        byte[][] hitting =
        [
            Forged.Message(CoapMethod.Get, "seen", CoapMessageType.NonConfirmable),
            Forged.Message(CoapMethod.Get, "seen", CoapMessageType.NonConfirmable, options => options.Observe = 0),
            Forged.Message(CoapMethod.Get, "much", CoapMessageType.NonConfirmable),
            Forged.Message(CoapMethod.Get, ".well-known/core", CoapMessageType.NonConfirmable),
            Forged.Message(CoapMethod.Get, ".well-known/core", CoapMessageType.NonConfirmable,
                options => options.Add(OptionNumber.UriQuery, "rt=Type1"u8)),
        ];
        long inFirst = 0;
        for (int i = 0; i < count; i++)
        {
            long before = victims.DatagramsOut;
            victims.Forge(CoapAddress.FromIPv4(0xcb00_7105, (ushort)(1 + dice.Below(65_535))),
                Forged.Stamp(hitting[i % hitting.Length], i, (uint)i), s_group);
            inFirst += victims.DatagramsOut - before;
            server.Clock.Advance(TimeSpan.FromMinutes(1) / count);
            if (i % 100 == 0)
            {
                server.Server.Notify("/seen");
            }
        }

        run.AtMost("datagrams out / in", (double)victims.DatagramsOut / count, 2.5);
        for (int i = 0; i < 40; i++)
        {
            server.Clock.Advance(TimeSpan.FromSeconds(15));
            server.Server.Notify("/seen");
        }

        run.Done =
            $"{count:N0} forged requests to the group in a minute, {hitting.Length} kinds; then every resource in every way, and filters "
                + $"that miss";
        run.Exactly("answers within the call, before the leisure", inFirst, 0);
        run.AtMost("beyond what is free, in any minute, at most", victims.MostIn(TimeSpan.FromMinutes(1)), PerMinute, " B");
        run.Exactly("observers left after ten minutes of changes", server.Server.ObserverCount, 0);
        int id = 0;
        List<string> closed = [.. Resources.Paths(server).Where(path => path is not ("seen" or "much" or ".well-known/core"))];
        long quiet = server.Wire.Datagrams;
        foreach (string path in closed)
        {
            foreach ((_, byte[] request) in Resources.Requests(path, observes: true, changes: true))
            {
                server.Wire.Receive(CoapAddress.FromIPv4(0xcb00_7106, 4711), Forged.Stamp(request, ++id, (uint)id), s_group);
            }
        }

        foreach (string filter in new[] { "rt=nothing", "href=/nowhere", "if=x*", "ct=65535" })
        {
            byte[] request = Forged.Message(CoapMethod.Get, ".well-known/core", CoapMessageType.NonConfirmable,
                options => options.Add(OptionNumber.UriQuery, Encoding.UTF8.GetBytes(filter)));
            server.Wire.Receive(CoapAddress.FromIPv4(0xcb00_7106, 4711), Forged.Stamp(request, ++id, (uint)id), s_group);
        }

        server.Clock.Advance(TimeSpan.FromMinutes(10));
        run.AtLeast("requests to resources that are not for groups, and filters that miss", id, 400);
        run.Exactly("answers to these", server.Wire.Datagrams - quiet, 0);
        run.Exactly("handlers of /count run by these", server.Counted, 0);
    }
}
