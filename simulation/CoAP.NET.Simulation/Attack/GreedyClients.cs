using CoAP.NET.Diagnostics;
using CoAP.NET.Proxy;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Simulation.Attack;

/// <summary>A verified client of a proxy that takes all it can get of something, beside an honest one.</summary>
internal static class GreedyClients
{
    private static readonly TimeSpan s_hop = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(10);

    public static IEnumerable<AttackRow> Rows =>
    [
        new("proxy-observe", "Registrations through a proxy: one source observes all it can", "7641-5-1, 7641-4.1-3", ObserveAsync)
            { Plants = ["no-observation-bound"] },
        new("proxy-cache", "The cache of a proxy: one source asks for what nobody asks twice", "7252-5.6-1, 7252-5.7.1-3", CacheAsync)
            { Plants = ["no-cache-bound"] },
        new("proxy-uploads", "Bodies through a proxy: one source begins uploads and never ends them", "7959-C-1, 7959-2.5-8", UploadsAsync)
            { Plants = ["no-assembly-bound"] },
    ];

    private static async Task ObserveAsync(AttackRun run)
    {
        int each = run.Size(1500, 60);
        int max = run.Size(1000, 40);
        int maxOfSource = run.Size(100, 10);
        bool isPlanted = run.IsPlanted("no-observation-bound");
        int value = 0;
        ProxyWorld world = new(options =>
        {
            options.Limits.MaxObservations = isPlanted ? 1_000_000 : max;
            options.Limits.MaxObservationsPerSource = isPlanted ? 1_000_000 : maxOfSource;
            options.Limits.MaxRequestsPerSource = options.Limits.MaxRequests;
        });
        await using (world)
        {
            world.Network.Conditions = NetworkConditions.Delayed(s_hop);
            world.ProxyServer.MapForwardProxy(world.Proxy);
            world.Answer(_ => CoapResults.Text("here")).Observable();
            CoapRouteHandlerBuilder route = world.Origin.MapGet("/honest", () => CoapResults.Text(Text(value))).Observable();
            CoapClient greedy = await StartAsync(world, each);
            for (int i = 0; i < each; i++)
            {
                await world.RunAsync(() => greedy.ObserveAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/greedy/{i}")));
            }

            int held = world.Proxy.GetCounters().Observations;
            CoapObservation honest = await world.RunAsync(
                () => world.Client.ObserveAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/honest")));
            bool isObserving = honest.State == CoapObserveState.Observing;
            int rounds = run.Size(50, 5);
            LatencyHistogram latencies = new();
            for (int i = 0; i < rounds && isObserving; i++)
            {
                TimeSpan begin = world.Clock.Elapsed;
                value++;
                route.Notify();
                await world.Clock.AdvanceUntilAsync(() => honest.Latest!.GetText() == Text(value), s_patience);
                latencies.Add((long)(world.Clock.Elapsed - begin).TotalNanoseconds);
            }

            run.Done =
                $"a source registers for {each:N0} resources; meanwhile another one observes one that changes {rounds} times, 5 ms for "
                + $"each way";
            run.AtMost("registrations of the source", held, maxOfSource);
            run.Holds("the other client observes", isObserving);
            run.AtMost("p99 until it hears of a change (virtual time)", latencies.Microseconds(0.99) / 1000, 50, " ms");
            run.AtMost("observers that the server has", world.Origin.ObserverCount, maxOfSource + 1);
        }
    }

    private static async Task CacheAsync(AttackRun run)
    {
        int count = run.Size(1500, 60);
        int bytes = run.Size(1 << 20, 64 << 10);
        const int size = 4000;
        const int every = 10;
        const int first = 5;
        int greedyRuns = 0;
        byte[] large = new byte[size];
        int honestRuns = 0;
        ProxyWorld world = new(
            options => options.Limits.CacheBytes = run.IsPlanted("no-cache-bound") ? 1 << 30 : bytes,
            new InMemoryNetworkOptions { MaxTraceLength = 0 });
        await using (world)
        {
            world.Network.Conditions = NetworkConditions.Delayed(s_hop);
            world.ProxyServer.MapForwardProxy(world.Proxy);
            world.Origin.MapGet("/honest", () => CoapResults.Text(Text(++honestRuns)).WithMaxAge(TimeSpan.FromHours(1)));
            world.Origin.MapGet("/greedy/{id}", () =>
            {
                greedyRuns++;
                return CoapResults.Bytes(large).WithMaxAge(TimeSpan.FromDays(1));
            });
            CoapClient greedy = await StartAsync(world, 1);
            long idle = LiveHeap.Measure();
            int failed = 0;
            LatencyHistogram latencies = new();
            for (int i = 0; i < count; i++)
            {
                await world.RunAsync(() => greedy.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/greedy/{i}")));
                if (i % every == 0)
                {
                    TimeSpan begin = world.Clock.Elapsed;
                    CoapResponse response = await world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/honest"));
                    failed += response.IsSuccess && response.GetText() == Text(honestRuns) ? 0 : 1;
                    latencies.Add((long)(world.Clock.Elapsed - begin).TotalNanoseconds);
                }
            }

            int before = greedyRuns;
            for (int i = 0; i < first; i++)
            {
                await world.RunAsync(() => greedy.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/greedy/{i}")));
            }

            int kept = first - (greedyRuns - before);
            run.Done =
                $"a source asks for {count:N0} resources of {size:N0} bytes through a cache of {bytes >> 10:N0} KiB; after each tenth "
                + $"another one asks for one that is fresh for an hour, 5 ms for each way";
            run.AtMost("heap above idle", (LiveHeap.Measure() - idle) / LiveHeap.MiB, (2.0 * bytes / LiveHeap.MiB) + 8, " MiB");
            run.Exactly("of the first answers to the source kept to the end", kept, 0);
            run.Exactly("requests of the other one that failed or were answered wrongly", failed, 0);
            run.AtMost("p99 of them (virtual time)", latencies.Microseconds(0.99) / 1000, 25, " ms");
            run.Mention($"of {(count + every - 1) / every:N0} of them asked anew {honestRuns:N0}");
        }
    }

    private static async Task UploadsAsync(AttackRun run)
    {
        int count = run.Size(20_000, 1000);
        int bound = run.Size(4 << 20, 512 << 10);
        const int block = 1024;
        const int ports = 50;

        // Bodies that pass block by block are opened for verified addresses only; here the proxy puts them together.
        ProxyWorld world = new(options => options.Limits.StreamsAbove = 1 << 30, new InMemoryNetworkOptions { MaxTraceLength = 0 });
        await using (world)
        {
            world.Network.Conditions = NetworkConditions.Delayed(s_hop);
            CoapServer server = world.MakeServer(
                "[2001:db8::7]:5683",
                options => options.Limits.Blockwise.RequestMemory = run.IsPlanted("no-assembly-bound") ? 1 << 30 : bound);
            server.MapForwardProxy(world.Proxy);
            world.Answer(request => CoapResults.Text(Text(request.Payload.Length)));
            await server.StartAsync();
            await world.StartAsync();
            await world.RunAsync(() => world.Client.SendAsync(Upload(10)));
            ScriptedPeer[] peers = [.. Enumerable.Range(0, ports).Select(i =>
                world.Network.CreatePeer(InMemoryNetwork.Address($"[2001:db8:66::1]:{20_000 + i}")))];
            long idle = LiveHeap.Measure();
            long most = 0;
            int failed = 0;
            int uploads = run.Size(40, 5);
            LatencyHistogram latencies = new();
            for (int i = 0; i < count; i++)
            {
                // Each is another body: of another port, or with another tag.
                byte[] begun = Forged.Message(
                    CoapMethod.Put, "", CoapMessageType.NonConfirmable,
                    options =>
                    {
                        options.Block1 = new BlockValue(0, true, 6);
                        options.Add(OptionNumber.RequestTag, BitConverter.GetBytes(i / ports));
                        options.Add(OptionNumber.ProxyUri, Encoding.UTF8.GetBytes($"{ProxyWorld.OriginUri}/x"));
                    },
                    new byte[block]);
                peers[i % ports].SendTo(InMemoryNetwork.Address("[2001:db8::7]:5683"), Forged.Stamp(begun, i & 0xffff, (uint)i).ToArray());
                if (i % (count / uploads) != (count / uploads) - 1)
                {
                    continue;
                }

                TimeSpan start = world.Clock.Elapsed;
                CoapResponse response = await world.RunAsync(() => world.Client.SendAsync(Upload(20_000)));
                failed += response.IsSuccess && response.GetText() == "20000" ? 0 : 1;
                latencies.Add((long)(world.Clock.Elapsed - start).TotalNanoseconds);
                most = Math.Max(most, LiveHeap.Measure() - idle);
            }

            Array.ForEach(peers, peer => peer.Dispose());
            run.Done =
                $"the first blocks of {count:N0} uploads from {ports} ports of one address, and never another one; meanwhile {uploads} "
                + $"uploads of 20,000 bytes of another client, 5 ms for each way; the proxy puts bodies together "
                + $"(StreamsAbove is larger than they may be)";
            run.AtMost("heap above idle, at most", most / LiveHeap.MiB, (2.0 * bound / LiveHeap.MiB) + 8, " MiB");
            run.AtLeast(
                "first blocks refused, or given up for newer ones",
                server.Endpoint.Counters[CoapCounter.BodiesRefused] + server.Endpoint.Counters[CoapCounter.BodiesEvicted],
                count - (bound / block));
            run.Exactly("uploads of the other client that failed", failed, 0);
            run.AtMost("p99 of them (virtual time, 40 blocks)", latencies.Microseconds(0.99) / 1000, 1500, " ms");
            run.Exactly("requests under way afterwards", world.Proxy.GetCounters().InProgress, 0);
        }
    }

    private static async Task<CoapClient> StartAsync(ProxyWorld world, int starts)
    {
        CoapClient greedy = world.MakeClient(
            "[2001:db8:66::1]", options => options.Parameters = CoapTransmissionParameters.Default with { NStart = starts });
        await world.StartAsync();
        await world.VerifyAsync();
        await world.RunAsync(() => greedy.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/verify")));
        return greedy;
    }

    private static CoapRequest Upload(int size)
    {
        CoapRequest request = new(CoapMethod.Put, "coap://[2001:db8::7]") { Content = CoapContent.Binary(new byte[size]) };
        request.Options.Add(new ProxyUriOption($"{ProxyWorld.OriginUri}/x"));
        return request;
    }

    private static string Text(int number) => number.ToString();
}
