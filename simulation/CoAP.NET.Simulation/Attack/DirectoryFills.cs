using CoAP.NET.Diagnostics;
using CoAP.NET.ResourceDirectory;
using CoAP.NET.ResourceDirectory.Lookups;
using CoAP.NET.ResourceDirectory.Registrations;
using CoAP.NET.ResourceDirectory.Serving;
using CoAP.NET.Simulation.LimitFill;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Those who want all of a Resource Directory: its places, its bytes, its time, and its observers.</summary>
internal static class DirectoryFills
{
    private const int Sources = 16;
    private const int FirstAttacker = 0x10000;
    private const int OfPort = 30_000;
    private const string Name = "00000000";
    private const int MostLooks = 100_000;

    private static readonly TimeSpan s_attack = TimeSpan.FromHours(2);

    public static IEnumerable<AttackRow> Rows =>
    [
        new("directory-fill", "Resource Directory: registrations by the million, of few sources that have shown where they are", "9176-5-1",
            FillAsync) { Plants = ["one-source"] },
        new("directory-forged", "Resource Directory: a registration each from forged addresses", "9176-5-1, 9175-2.4-1", ForgeAsync)
        {
            Plants = ["large-room"]
        },
        new("directory-lookups", "Resource Directory: lookups that match everything, or go through everything", "9176-6-1", LookupAsync)
        {
            Plants = ["no-scan-bound"]
        },
        new("directory-watches", "Resource Directory: observers of lookups in numbers", "9176-6-1", WatchAsync)
        {
            Plants = ["no-watch-bound"]
        },
    ];

    private static byte[] Registration() => Forged.Message(
        CoapMethod.Post,
        "rd",
        options: options =>
        {
            options.AddUInt(OptionNumber.ContentFormat, 40);
            options.Add(OptionNumber.UriQuery, Encoding.UTF8.GetBytes("ep=" + Name));
        },
        payload: "</x>;rt=\"greedy\";title=\"a title that takes some room\""u8.ToArray());

    private static async Task FillAsync(AttackRun run)
    {
        int count = run.Size(1_000_000, 6_000);
        int max = run.Size(100_000, 1_000);
        int ofSource = run.Size(10_000, 100);
        int newcomers = run.Size(4, 1);
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(
            options =>
            {
                options.Limits.MaxRegistrations = max;
                options.Limits.MaxRegistrationsPerSource = ofSource;
            },
            options => options.Limits.Peers.SourcePrefixLength = run.IsPlanted("one-source") ? 32 : 56);
        long idle = LiveHeap.Measure();
        byte[] request = Registration();
        int nameAt = request.AsSpan().IndexOf(Encoding.UTF8.GetBytes(Name));
        CoapAddress from = default;
        TimeSpan pause = s_attack / (count / 100);
        int each = count / Sources;
        int taken = 0;
        int most = 0;
        for (int i = 0; i < count; i++)
        {
            int ofThis = i % each;
            if (ofThis % OfPort == 0)
            {
                from = DirectoryWorld.AddressOf(FirstAttacker + (i / each), 1024 + (i / OfPort));
                ForgedLimitFillers.Verify(world.Server, from, 60_000);
            }

            Encoding.UTF8.GetBytes(i.ToString("x8"), request.AsSpan(nameAt));
            world.Server.Wire.Receive(from, Forged.Stamp(request, ofThis % OfPort, (uint)i));
            if (i % 100 == 99)
            {
                world.Server.Clock.Advance(pause);
            }

            if (ofThis == each - 1)
            {
                most = Math.Max(most, world.Counters.StoredRegistrations);
                for (int n = 0; n < newcomers; n++)
                {
                    int number = (i / each * newcomers) + n;
                    CoapMessage answer = await DirectoryWorld.RegisterAsync(
                        world.Client(number), $"honest-{number}", "</x>;rt=\"honest\"");
                    taken += answer.Code == CoapCode.Created ? 1 : 0;
                }
            }
        }

        CoapDirectoryCounters counters = world.Counters;
        string found = await DirectoryWorld.LookupAsync(world.Client(0), true, "rt=honest", "count=500", "page=0");
        run.Done = $"{count:N0} names of {Sources} sources, one after the other, in two hours; after each {newcomers} that come anew";
        run.AtMost("registrations held, at most", most, max);
        run.AtMost("bytes of them", counters.Bytes / LiveHeap.MiB, 256, " MiB");
        run.Exactly("that came anew and found no place", (Sources * newcomers) - taken, 0);
        run.Exactly("of these not found at the end", (Sources * newcomers) - CoapLinkFormat.Parse(found).Count, 0);
        run.AtLeast("registrations that the greediest source lost to others", counters.Evicted, 1);
        run.AtMost("heap above idle", (LiveHeap.Measure() - idle) / LiveHeap.MiB, run.Size(128, 8), " MiB");
        run.Exactly("errors of stages", world.Server.Counters[CoapCounter.StageErrors], 0);
    }

    private static async Task ForgeAsync(AttackRun run)
    {
        int count = run.Sources(8_000);
        int max = run.Size(100_000, 1_000);
        int newcomers = run.Size(50, 10);
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(
            options => options.Limits.MaxRegistrations = run.IsPlanted("large-room") ? 4 * max : max,
            options => options.Limits.Peers.NewcomerMemory = run.Size(8 << 20, 1 << 20));
        KnownPeers known = new(world.Server, run.Size(100, 10));
        byte[] request = Registration();
        int nameAt = request.AsSpan().IndexOf(Encoding.UTF8.GetBytes(Name));
        Dice dice = new(run.Seed);
        TimeSpan pause = TimeSpan.FromMinutes(1) / (count / 100);
        long sent = 0;
        long received = 0;
        for (int i = 0; i < count; i++)
        {
            Encoding.UTF8.GetBytes(i.ToString("x8"), request.AsSpan(nameAt));
            long before = world.Server.Wire.Bytes;
            world.Server.Wire.Receive(DirectoryWorld.AddressOf(FirstAttacker + i, 1024 + dice.Below(60_000)),
                Forged.Stamp(request, i & 0xffff, (uint)i));
            sent += world.Server.Wire.Bytes - before;
            received += request.Length;
            if (i % 100 == 99)
            {
                world.Server.Clock.Advance(pause);
            }

            if (i % (count / 3) == (count / 3) - 1)
            {
                known.Step();
            }
        }

        int held = world.Counters.StoredRegistrations;
        int taken = 0;
        for (int number = 0; number < newcomers; number++)
        {
            CoapMessage answer = await DirectoryWorld.RegisterAsync(world.Client(number), $"honest-{number}");
            taken += answer.Code == CoapCode.Created ? 1 : 0;
        }

        run.Done = $"{count:N0} addresses, each another source, in a minute; {newcomers} that come anew and answer their challenge";
        run.AtMost("registrations of forged addresses", held, max / 2);
        run.Exactly("that came anew and found no place", newcomers - taken, 0);
        run.Exactly("registrations that were evicted", world.Counters.Evicted, 0);
        run.AtMost("bytes out / bytes in", (double)sent / received, 2);
        known.Check(run);
    }

    private static async Task LookupAsync(AttackRun run)
    {
        int count = run.Size(60_000, 3_000);
        int scanned = run.Size(20_000, 1_000);
        int bytes = run.Size(128 << 10, 16 << 10);
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options =>
        {
            options.Limits.MaxScanned = run.IsPlanted("no-scan-bound") ? int.MaxValue : scanned;
            options.Limits.MaxAnswerBytes = bytes;
        });
        DirectoryServerState core = world.Directory.Core;
        for (int i = 0; i < count; i++)
        {
            ResourceDirectory.Registrations.Registration made = ResourceDirectory.Registrations.Registration.Make(
                new RegistrationRefreshHeader(new DirectoryOwner((ulong)i, 1, (ulong)i), 0), new RegistrationFields
                {
                    Lifetime = 90_000, LinkCount = 1, Base = "coap://[2001:db8::9]"u8, Endpoint = Encoding.UTF8.GetBytes($"node-{i}"),
                    Links = Encoding.UTF8.GetBytes($"</x>;rt=\"all\";title=\"{i}\""),
                });
            RegistrantIdentity registrant = new(made.Owner, true, [], 0);
            await core.AskAsync(core.KeyOf(default, made.Endpoint), DirectorySlotOwnerRequest.Operation.Register, registrant,
                null, made.Bytes,
                CancellationToken.None);
        }

        string[][] hostile =
        [
            [], ["rt=*"], ["title=*"], ["title=1*"], ["href=*"], ["ep=*"], ["base=coap*"], ["title=x"], ["anchor=*"], ["rt=all"],
            ["rt=all", "title=nothing"], ["rt=all", "count=1000", "page=0"], ["rt=all", "count=50", "page=40000000"],
            ["title=nothing", "count=1", "page=0"], ["count=4294967295", "page=4294967295"], ["ep=node*", "count=1", "page=59999"],
            [.. Enumerable.Range(0, 16).Select(i => $"a{i}=*")],
        ];
        int refused = 0;
        int mostSeen = 0;
        int mostBytes = 0;
        long mostAllocated = 0;
        System.Buffers.ArrayBufferWriter<byte> answer = new();
        foreach (string[] queries in hostile)
        {
            foreach (bool ofLinks in new[] { true, false })
            {
                if (Lookup.TryRead(queries, ofLinks, core.Options.Limits.MaxCriteriaPerLookup, out Lookup? lookup) is not null)
                {
                    refused++;
                    continue;
                }

                answer.ResetWrittenCount();
                core.Lookups.Run(lookup!, 0, answer, out _);
                answer.ResetWrittenCount();
                long before = GC.GetAllocatedBytesForCurrentThread();
                LookupFault fault = core.Lookups.Run(lookup!, 0, answer, out int seen);
                mostAllocated = Math.Max(mostAllocated, GC.GetAllocatedBytesForCurrentThread() - before);
                refused += fault == LookupFault.None ? 0 : 1;
                mostSeen = Math.Max(mostSeen, seen);
                mostBytes = Math.Max(mostBytes, fault == LookupFault.None ? answer.WrittenCount : 0);
            }
        }

        WireClient honest = world.Client(1);
        string found = await DirectoryWorld.LookupAsync(honest, true, "ep=node-77");
        string page = await DirectoryWorld.LookupAsync(honest, true, "rt=all", "count=20", "page=100");
        run.Done = $"{hostile.Length} lookups of endpoints and of links among {count:N0} registrations";
        run.AtMost("registrations that one went through at once", mostSeen, scanned + 64);
        run.AtMost("bytes of an answer", mostBytes, bytes);
        run.AtMost("bytes allocated for each that one went through", (double)mostAllocated / scanned, 256);
        run.AtLeast("refused with what to ask for instead, or left to further steps", refused, 8);
        run.Holds("a lookup by name finds its endpoint", found == "<coap://[2001:db8::9]/x>;rt=\"all\";title=\"77\"");
        run.Exactly("links of a page of 20", CoapLinkFormat.Parse(page).Count, 20);
    }

    private static async Task WatchAsync(AttackRun run)
    {
        int sources = run.Size(200, 20);
        int each = run.Size(100, 12);
        int max = run.Size(1_000, 60);
        int ofSource = run.Size(50, 6);
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options =>
        {
            options.Limits.MaxWatched = run.IsPlanted("no-watch-bound") ? 1_000_000 : max;
            options.Limits.MaxWatchedPerSource = run.IsPlanted("no-watch-bound") ? 1_000_000 : ofSource;
        });
        WireClient device = world.Client(1);
        WireClient honest = world.Client(2);
        await DirectoryWorld.RegisterAsync(device, "device", "</x>;rt=\"mine\"");
        CoapMessage first = await honest.AskAsync(CoapMethod.Get, "rd-lookup/res", ["rt=mine"], observes: true);
        int most = 0;
        int mostOfSource = 0;
        int plain = 0;
        int failed = 0;
        for (int source = 0; source < sources; source++)
        {
            WireClient greedy = world.Client(FirstAttacker + source);
            int before = world.Counters.Watched;
            await DirectoryWorld.LookupAsync(greedy, true, "rt=verify");
            for (int i = 0; i < each; i++)
            {
                CoapMessage answer = await greedy.AskAsync(
                    CoapMethod.Get, "rd-lookup/res", [$"rt=type-{source}-{i}"], observes: true);
                failed += answer.Code == CoapCode.Content ? 0 : 1;
                plain += answer.Options.Observe is null ? 1 : 0;
            }

            most = Math.Max(most, world.Counters.Watched);
            mostOfSource = Math.Max(mostOfSource, world.Counters.Watched - before);
        }

        int told = 0;
        int others = 0;
        ConcurrentQueue<int> acknowledge = new();
        world.Server.Wire.Sent = (in to, bytes) =>
        {
            if (Forged.Read(bytes) is { Code.IsSuccess: true } message && message.Options.Observe is not null)
            {
                (told, others) = to == honest.Address ? (told + 1, others) : (told, others + 1);
                if (message.Type == CoapMessageType.Confirmable)
                {
                    acknowledge.Enqueue(message.MessageId);
                }
            }
        };
        int changes = run.Size(50, 10);
        for (int i = 0; i < changes; i++)
        {
            await DirectoryWorld.RegisterAsync(device, "device", $"</x>;rt=\"mine\";title=\"{i}\"");
            world.Server.Clock.Advance(TimeSpan.FromSeconds(1));
            for (int looks = 0; Volatile.Read(ref told) <= i && looks < MostLooks; looks++)
            {
                await Task.Yield();
            }

            while (acknowledge.TryDequeue(out int messageId))
            {
                world.Server.Wire.Receive(honest.Address, Forged.Empty(CoapMessageType.Acknowledgement, messageId));
            }
        }

        run.Done =
            $"{sources} verified sources observe {each} different lookups each; then what another one observes changes {changes} times";
        run.Holds("the other one observes", first.Options.Observe is not null);
        run.AtMost("lookups that are observed, at most", most, max);
        run.AtMost("of these begun by one source", mostOfSource, ofSource);
        run.AtLeast("answered plainly for lack of room", plain, (sources * each) - max);
        run.Exactly("not answered", failed, 0);
        run.AtLeast("notifications to the other one", told, changes);
        run.Exactly("notifications to those whose result did not change", others, 0);
    }
}
