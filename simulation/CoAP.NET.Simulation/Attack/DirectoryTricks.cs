using CoAP.NET.Diagnostics;
using CoAP.NET.Simulation.LimitFill;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Those who want a Resource Directory to say what it must not, to send what nobody asked for, or to send it to others.</summary>
internal static class DirectoryTricks
{
    private const int FirstAttacker = 0x10000;

    private static readonly string[] s_pieces =
    [
        "<script>alert(1)</script>", "</evil>;rt=\"core.rd\"", "\"", "\\", "\\\"", "\";rt=\"x", ">,<coap://evil.example>", ";anchor=\"/x\"",
        ",", ";", "=", "a", "node", " ", "  ", "\u202egnp.exe", "\u2028", "\u200b", "%0d%0a", "%22", "'", "`id`", "$(id)",
        "\ud83d\ude00", "e\u0301", "\u00ad", "../", "//", "*", "?", "&lt;", "]]>", "{0}",

        // Those that are refused.
        "\t", "\r\n2.05 forged", "\u001b[2J\u001b[1;31m", "\u001b]0;title\u0007", "\u009b31m", "\0", "\u007f", "\u0085",
    ];

    public static IEnumerable<AttackRow> Rows =>
    [
        new("directory-names", "Resource Directory: names and attributes with quotes, markup, line breaks and sequences for terminals",
            "9176-5.4-1, 9176-5-3, 6690-2-1", NamesAsync) { Plants = ["no-escapes"] },
        new("directory-links", "Resource Directory: links to the directory itself, and link-local addresses while bases move",
            "9176-5-7, 9176-6-2", LinksAsync) { Plants = ["one-link"] },
        new("directory-reflector", "Resource Directory: simple registration as a reflector", "9176-5.1-1, 9175-2.4-1", ReflectAsync)
        {
            Plants = ["no-verification"]
        },
    ];

    private static async Task NamesAsync(AttackRun run)
    {
        int count = run.Size(20_000, 400);
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options =>
        {
            options.Limits.MaxRegistrations = 100_000;
            options.Limits.MaxRegistrationsPerSource = 100_000;
        });
        Dice dice = new(run.Seed);
        WireClient client = world.Client(FirstAttacker);
        Dictionary<string, (string Name, string Attribute, string Title)> taken = [];
        int refused = 0;
        for (int i = 0; i < count; i++)
        {
            string name = Text(dice, 50) + i.ToString();
            string attribute = Text(dice, 120);
            string title = Text(dice, 200);
            string escaped = title.Replace("\\", "\\\\").Replace("\"", "\\\"");
            CoapMessage answer = await DirectoryWorld.RegisterAsync(
                client, name, $"</x>;title=\"{escaped}\"", $"note={attribute}");
            refused += answer.Code == CoapCode.BadRequest ? 1 : 0;
            if (answer.Code == CoapCode.Created)
            {
                taken.Add("/" + string.Join('/', answer.Options.LocationPath), (name, attribute, title));
            }

            world.Server.Clock.Advance(TimeSpan.FromSeconds(1));
        }

        int controls = 0;
        int unreadable = 0;
        int wrong = 0;
        int titles = 0;
        foreach (bool ofLinks in new[] { false, true })
        {
            for (int page = 0; page <= taken.Count / 100; page++)
            {
                string text = await DirectoryWorld.LookupAsync(
                    client, ofLinks, "count=100", $"page={page}");
                text = run.IsPlanted("no-escapes") ? text.Replace("\\\"", "\"") : text;
                controls += text.Count(char.IsControl);
                if (!CoapLinkFormat.TryParse(Encoding.UTF8.GetBytes(text), out IReadOnlyList<CoapLink> links, out _, 1_000)
                    || CoapLinkFormat.Format(links) != text)
                {
                    unreadable++;
                    continue;
                }

                foreach (CoapLink link in links)
                {
                    if (ofLinks)
                    {
                        titles++;
                        wrong += link.Target.EndsWith("/x", StringComparison.Ordinal) && link.Attributes.Count == 1 ? 0 : 1;
                    }
                    else
                    {
                        wrong += taken.TryGetValue(link.Target, out (string Name, string Attribute, string Title) known)
                            && Of(link, "ep") == known.Name && Of(link, "note") == known.Attribute && link.Attributes.Count == 4 ? 0 : 1;
                    }
                }
            }
        }

        run.Done = $"{count:N0} registrations of {s_pieces.Length} pieces by chance: {taken.Count:N0} taken, {refused:N0} refused (4.00)";
        run.Exactly("neither taken nor refused with 4.00", count - taken.Count - refused, 0);
        run.AtLeast("taken", taken.Count, count / 20);
        run.AtLeast("refused", refused, count / 20);
        run.Exactly("control characters in all lookups", controls, 0);
        run.Exactly("lookups that are no link format, or another one when they are written anew", unreadable, 0);
        run.Exactly("links that say something else than what was registered", wrong, 0);
        run.Exactly("registrations without their link", taken.Count - titles, 0);

        static string? Of(CoapLink link, string name) => link.Attributes.FirstOrDefault(one => one.Name == name).Value;
    }

    private static string Text(Dice dice, int maxBytes)
    {
        StringBuilder text = new();

        // Most without those that are refused, which come last.
        int pieces = dice.Below(8) == 0 ? s_pieces.Length : s_pieces.Length - 8;
        for (int i = dice.Below(6); i >= 0; i--)
        {
            string piece = s_pieces[dice.Below(pieces)];
            if (Encoding.UTF8.GetByteCount(text.ToString()) + Encoding.UTF8.GetByteCount(piece) <= maxBytes)
            {
                text.Append(piece);
            }
        }

        return text.Length == 0 ? "x" : text.ToString();
    }

    private static async Task LinksAsync(AttackRun run)
    {
        int count = run.Size(20_000, 600);
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        Dice dice = new(run.Seed);

        // Two on each of two links, whose addresses tell the link, and two elsewhere.
        uint other = run.IsPlanted("one-link") ? 1u : 2u;
        (WireClient Client, int Link)[] clients =
        [
            (Local(world, 1, 1, 1), 1), (Local(world, 1, 2, 1), 1), (Local(world, 2, 1, other), 2), (Local(world, 2, 2, other), 2),
            (world.Client(1), 0), (world.Client(2), 0),
        ];
        Dictionary<string, string> locations = [];
        int leaks = 0;
        int zones = 0;
        int shown = 0;
        int lookups = 0;
        int broken = 0;
        int requests = 0;
        world.Server.Wire.Sent = (in to, bytes) => requests += IsRequest(bytes) ? 1 : 0;
        for (int i = 0; i < count; i++)
        {
            (WireClient client, int link) = clients[dice.Below(clients.Length)];
            string name = $"e{dice.Below(12)}";
            string local = $"coap://[fe80::{(link == 0 ? 9 : link):x}:{dice.Below(9) + 1}]";
            string[] bases =
            [
                "", $"base={local}", "base=coap://[2001:db8::77]", "base=coap://192.0.2.1", "base=coap://192.0.2.1/rd",
                "base=coap://[fe80::1%25eth0]",
            ];
            string[] targets =
            [
                "</x>", $"<{local}/y>", "<coap://192.0.2.1/rd-lookup/res>", "</rd>;rt=\"core.rd\"", "<coap://192.0.2.1/rd>;anchor=\"/\"",
            ];
            string chosen = bases[dice.Below(bases.Length)];
            string[] more = chosen.Length == 0 ? [] : [chosen];
            if (dice.Below(2) == 0 && locations.TryGetValue(name, out string? location))
            {
                await client.AskAsync(CoapMethod.Post, location, more);
            }
            else if (dice.Below(12) == 0 && locations.TryGetValue(name, out location))
            {
                await client.AskAsync(CoapMethod.Delete, location);
            }
            else
            {
                CoapMessage answer = await DirectoryWorld.RegisterAsync(
                    client, name, string.Join(',', targets.Where(_ => dice.Below(3) == 0)), more);
                if (answer.Code == CoapCode.Created)
                {
                    locations[name] = string.Join('/', answer.Options.LocationPath);
                }
            }

            world.Server.Clock.Advance(TimeSpan.FromSeconds(2));
            if (i % 5 == 0)
            {
                (WireClient asks, int on) = clients[dice.Below(clients.Length)];
                foreach (bool ofLinks in new[] { true, false })
                {
                    string text = await DirectoryWorld.LookupAsync(asks, ofLinks);
                    lookups++;
                    zones += text.Contains('%') ? 1 : 0;
                    broken += CoapLinkFormat.TryParse(Encoding.UTF8.GetBytes(text), out _, out _, 1_000) ? 0 : 1;
                    bool isOwn = on != 0 && text.Contains($"fe80::{on:x}:");
                    shown += isOwn ? 1 : 0;
                    leaks += text.Replace($"fe80::{(on == 0 ? 0xffff : on):x}:", "")
                        .Contains("fe80") ? 1 : 0;
                }
            }
        }

        run.Done =
            $"{count:N0} registrations, updates and removals of clients on two links and elsewhere, with bases and links of all kinds; "
                + $"{lookups:N0} lookups between them";
        run.Exactly("lookups that show a link-local address of another link", leaks, 0);
        run.Exactly("lookups with a zone", zones, 0);
        run.Exactly("lookups that are no link format", broken, 0);
        run.AtLeast("lookups that show those of the own link", shown, 1);
        run.Exactly("requests that the directory sent, to itself or anybody", requests, 0);
        run.Exactly("errors of stages", world.Server.Counters[CoapCounter.StageErrors], 0);
    }

    private static WireClient Local(DirectoryWorld world, uint link, uint host, uint scope) =>
        new(world.Server, new CoapAddress(0xfe80_0000_0000_0000, ((ulong)link << 16) | host, 5683, scope));

    private static async Task ReflectAsync(AttackRun run)
    {
        int count = run.Sources(8_000);
        int verified = run.Size(400, 40);
        bool isPlanted = run.IsPlanted("no-verification");
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(
            options => options.AllowSimpleRegistration = !isPlanted,
            options => options.Limits.Peers.NewcomerMemory = run.Size(8 << 20, 1 << 20),
            server =>
            {
                if (isPlanted)
                {
                    server.MapPost("/.well-known/rd", request =>
                    {
                        CoapRequest fetch = new(CoapMethod.Get, "/.well-known/core");
                        _ = request.Peer.OpenResponseAsync(fetch, 1024, CancellationToken.None);
                        return CoapResults.Changed();
                    });
                }
            });
        KnownPeers known = new(world.Server, run.Size(100, 10));
        AttackWire.Sink others = world.Server.Wire.Sent!;
        Dice dice = new(run.Seed);
        byte[] request = Forged.Message(CoapMethod.Post, ".well-known/rd",
            options: options => options.Add(OptionNumber.UriQuery, "ep=victim"u8.ToArray()));
        int requests = 0;
        long sent = 0;
        long received = 0;
        AttackWire.Sink counting = (in CoapAddress to, ReadOnlySpan<byte> bytes) =>
        {
            Interlocked.Add(ref requests, IsRequest(bytes) ? 1 : 0);
            Interlocked.Add(ref sent, bytes.Length);
        };
        world.Server.Wire.Sent = counting;
        TimeSpan pause = TimeSpan.FromMinutes(1) / (count / 100);
        for (int i = 0; i < count; i++)
        {
            world.Server.Wire.Receive(DirectoryWorld.AddressOf(FirstAttacker + dice.Below(count), 1 + dice.Below(65_535)),
                Forged.Stamp(request, i & 0xffff, (uint)i));
            received += request.Length;
            if (i % 100 == 99)
            {
                world.Server.Clock.Advance(pause);
            }
        }

        world.Server.Wire.Sent = others;
        known.Check(run);
        world.Server.Wire.Sent = counting;
        world.Server.Clock.Advance(TimeSpan.FromMinutes(5));
        run.Exactly("requests of the directory to addresses that never showed they are there", Volatile.Read(ref requests), 0);
        run.AtMost("bytes out / bytes in, of forged addresses", (double)Interlocked.Read(ref sent) / received, 2);
        if (!isPlanted)
        {
            await VerifiedAsync(run, world, verified);
        }

        run.Done =
            $"{count:N0} simple registrations of forged addresses and ports; then {verified} that answer the challenge and nothing else";
    }

    // They answer the challenge, and not the request for their links.
    private static async Task VerifiedAsync(AttackRun run, DirectoryWorld world, int count)
    {
        int max = world.Directory.Core.Options.Limits.MaxFetches;
        HashSet<CoapAddress> asked = [];
        int elsewhere = 0;
        int otherPath = 0;
        int mostUnderWay = 0;
        int fetches = 0;
        long sent = 0;
        long received = 0;
        int id = 0;
        world.Server.Wire.Sent = (in to, bytes) =>
        {
            Interlocked.Add(ref sent, bytes.Length);
            if (IsRequest(bytes))
            {
                CoapMessage message = Forged.Read(bytes);
                Interlocked.Increment(ref fetches);
                Interlocked.Add(ref elsewhere, asked.Contains(to) ? 0 : 1);
                Interlocked.Add(ref otherPath,
                    message.Code == CoapCode.Get && string.Join('/', message.Options.UriPath) == ".well-known/core" ? 0 : 1);
            }
        };

        // Ten ports of each source.
        for (int i = 0; i < count; i++)
        {
            CoapAddress from = DirectoryWorld.AddressOf(i / 10, 1024 + (i % 10));
            ForgedLimitFillers.Verify(world.Server, from, id);
            id += 2;
            asked.Add(from);
            byte[] request = Forged.Message(CoapMethod.Post, ".well-known/rd", options: options =>
            {
                options.Add(OptionNumber.UriQuery, Encoding.UTF8.GetBytes($"ep=device-{i}"));
            });
            received += request.Length;
            world.Server.Wire.Receive(from, Forged.Stamp(request, id++, (uint)id));
            mostUnderWay = Math.Max(mostUnderWay, world.Counters.Fetches);
        }

        for (int i = 0; i < 40; i++)
        {
            world.Server.Clock.Advance(TimeSpan.FromSeconds(10));
            await Task.Yield();
        }

        run.Exactly("requests to another address or port than one that asked for it", elsewhere, 0);
        run.Exactly("requests for something else than /.well-known/core", otherPath, 0);
        run.AtLeast("requests for links, with copies", fetches, count / 20);
        run.AtMost("fetches under way, at most", mostUnderWay, max);
        run.AtMost("bytes out / bytes in, with copies, of those who asked, have shown where they are, and stay silent",
            (double)Interlocked.Read(ref sent) / received, 32);
        run.Mention($"refused as too many were under way {world.Counters.FetchesRefused:N0}");
    }

    private static bool IsRequest(ReadOnlySpan<byte> bytes) => bytes[1] is > 0 and < 32;
}
