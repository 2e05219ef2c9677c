using CoAP.NET.Proxy;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Attacks on a forward proxy, and by way of it on others: open relays, forged requesters, servers that are slow or never
/// end.</summary>
internal static class Proxies
{
    private const string Target = "coap://203.0.113.9/x";

    private static readonly TimeSpan s_hop = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(60);

    public static IEnumerable<AttackRow> Rows =>
    [
        new("proxy-relay", "Open proxy: targets that are not allowed, in every spelling, and names that are rebound",
            "7252-5.7.2-3, 7252-11.2-3", OpenRelay.RunAsync) { Plants = ["no-target-check"] },
        new("proxy-spoofed", "Spoofed sources: a request each that a proxy shall send on", "7252-11.3-1, 9175-2.4-1, 7252-11.2-3",
            SpoofedAsync) { Plants = ["no-verification"] },
        new("proxy-slow", "Slow upstreams: requests of greedy sources to servers that acknowledge and never answer", "7252-5.7.1-1",
            SlowAsync) { Plants = ["no-request-bound"] },
        .. GreedyClients.Rows,
        new("proxy-body", "Upstreams whose answers never end, claim 4 GiB, or are another one with each block", "7959-2.4-5, 7959-C-1",
            BodiesAsync) { Plants = ["no-body-bound"] },
        .. GreatBodies.Rows,
        .. HttpClients.Rows,
    ];

    private static async Task SpoofedAsync(AttackRun run)
    {
        int count = run.Sources(8000);
        AttackWire upstream = new(CoapAddress.FromIPv4(0xc000_0203, 40_000));
        TimeProvider clock = TimeProvider.System;
        CoapProxy proxy = null!;
        await using AttackServer server = await AttackServer.StartAsync(
            options =>
            {
                clock = options.TimeProvider;
                options.Limits.Peers.NewcomerMemory = run.Size(8 << 20, 1 << 20);
                if (run.IsShort)
                {
                    options.Limits.Amplification.TotalBytesPerSecond = 16 * 1024;
                    options.Limits.Blockwise.RequestMemory = 8 << 20;
                }
            },
            server =>
            {
                CoapProxyOptions options = new()
                {
                    RequireVerified = !run.IsPlanted("no-verification"),
                    ConfigureClient = endpoint => endpoint.TimeProvider = clock,
                };
                options.Targets.AllowNetwork("203.0.113.0/24");
                proxy = new CoapProxy(options);
                proxy.Client.Endpoint.AddTransport(upstream);
                server.MapForwardProxy(proxy);
            });
        await using CoapProxy disposed = proxy;
        KnownPeers known = new(server, run.Size(100, 10));
        Dice dice = new(run.Seed);
        byte[][] kinds =
        [
            Onward(CoapMethod.Get),
            Onward(CoapMethod.Get, type: CoapMessageType.NonConfirmable),
            Onward(CoapMethod.Get, options: options => options.Observe = 0),
            Onward(CoapMethod.Post, payload: new byte[64]),
            Onward(CoapMethod.Put, options: options => options.Block1 = new BlockValue(0, true, 6), payload: new byte[1024]),
            Onward(CoapMethod.Get, options: options => options.Add(OptionNumber.Echo, Forged.Pattern(7, 16))),
            Onward(CoapMethod.Get, options: options => options.Add(OptionNumber.NoResponse, [26])),
            Forged.Message(CoapMethod.Get, "x", options: options =>
            {
                options.Add(OptionNumber.UriHost, "203.0.113.9"u8);
                options.Add(new ProxySchemeOption("coap"));
            }),
        ];
        long idle = LiveHeap.Measure();
        long most = 0;
        long received = 0;
        long sentBefore = server.Wire.Bytes;
        const int batch = 100;
        TimeSpan pause = TimeSpan.FromMinutes(1) / (count / batch);
        for (int i = 0; i < count; i++)
        {
            ulong chance = dice.Next();
            CoapAddress from = CoapAddress.FromIPv4(0x0a00_0000 + (uint)i, (ushort)(1024 + (chance & 0x7fff)));
            int messageId = (int)(chance >> 16) & 0xffff;
            server.Wire.Receive(from, Forged.Stamp(kinds[i % kinds.Length], messageId, (uint)(chance >> 32)));
            received += kinds[i % kinds.Length].Length;

            // As if the victim had taken it: a blind acknowledgement verifies nobody.
            server.Wire.Receive(from, Forged.Empty(CoapMessageType.Acknowledgement, messageId + 1));
            if (i % batch == batch - 1)
            {
                server.Clock.Advance(pause);
            }

            if (i % (count / 3) == (count / 3) - 1)
            {
                most = Math.Max(most, LiveHeap.Measure() - idle);
                known.Step();
            }
        }

        long sent = server.Wire.Bytes - sentBefore;
        CoapProxyCounters counters = proxy.GetCounters();
        run.Done =
            $"{count:N0} addresses in a minute, {kinds.Length} kinds of requests: Proxy-Uri, Proxy-Scheme, Observe, uploads, forged Echo";
        run.Exactly("datagrams to the server that they name", upstream.Datagrams, 0);
        run.Exactly("requests sent on, and under way", counters.Forwarded + counters.InProgress, 0);
        run.AtLeast("challenged or refused", counters.Challenges, 1);
        run.AtMost("bytes out / bytes in, that of known peers beside", (double)sent / received, 2);
        run.AtMost("heap above idle, at most", most / LiveHeap.MiB, run.Size(16, 4), " MiB");
        known.Check(run);
        run.Holds("the request of a client that answers its challenge is sent on",
            await IsSentOnAsync(server, proxy));
        known.Attach();
    }

    private static async Task<bool> IsSentOnAsync(AttackServer server, CoapProxy proxy)
    {
        CoapAddress honest = CoapAddress.FromIPv4(0xc633_6401, 4711);
        long before = proxy.GetCounters().Forwarded;
        CoapMessage? answer = null;
        server.Wire.Sent = (in to, bytes) =>
        {
            if (to == honest && Forged.Read(bytes) is { Code.IsEmpty: false } message)
            {
                answer = message;
            }
        };
        server.Wire.Receive(honest, Forged.Stamp(Onward(CoapMethod.Get), 1, 1));
        using CancellationTokenSource hang = new(s_timeout);
        while (answer is null && proxy.GetCounters().Forwarded == before && !hang.IsCancellationRequested)
        {
            await Task.Yield();
        }

        byte[]? echo = answer?.Options.Echo?.ToArray();
        if (echo is null)
        {
            // It was sent on without a challenge, or refused for another reason.
            return false;
        }

        server.Wire.Receive(honest, Forged.Stamp(Onward(CoapMethod.Get, options: options => options.Add(OptionNumber.Echo, echo)), 2, 2));
        while (proxy.GetCounters().Forwarded == before && !hang.IsCancellationRequested)
        {
            await Task.Yield();
        }

        return proxy.GetCounters().Forwarded > before;
    }

    private static async Task SlowAsync(AttackRun run)
    {
        int sources = run.Size(12, 3);
        int each = run.Size(200, 30);
        int max = run.Size(1000, 40);
        int maxOfSource = run.Size(100, 15);
        await using ProxyWorld world = new(options =>
        {
            options.Limits.MaxRequests = run.IsPlanted("no-request-bound") ? 1_000_000 : max;
            options.Limits.MaxRequestsPerSource = run.IsPlanted("no-request-bound") ? 1_000_000 : maxOfSource;
            options.Limits.CacheBytes = 0;
            options.Timeout = s_timeout;
        });
        world.Network.Conditions = NetworkConditions.Delayed(s_hop);
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Text("here"));
        CoapClient[] greedy = [.. Enumerable.Range(0, sources).Select(i => world.MakeClient(
            $"[2001:db8:{0x7000 + i:x}::1]", options => options.Parameters = CoapTransmissionParameters.Default with { NStart = each }))];
        await world.StartAsync();
        await world.VerifyAsync();
        foreach (CoapClient client in greedy)
        {
            await world.RunAsync(() => client.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/verify")));
        }

        // Each slow server is one that a greedy source owns, so that no other request waits for it in a queue.
        List<ScriptedPeer> peers = [];
        List<Task<CoapResponse>> slow = [];
        int honestCount = run.Size(400, 20);
        (double withoutIt, int failedBefore) = await MeasureAsync(world, "before", honestCount);
        long before = world.Proxy.GetCounters().Requests;
        int mostOfSource = 0;
        for (int i = 0; i < sources; i++)
        {
            int held = world.Proxy.GetCounters().InProgress;
            for (int k = 0; k < each; k++)
            {
                string host = $"[2001:db8:1::{0x100 + i:x}:{k + 1:x}]";
                ScriptedPeer peer = world.Network.CreatePeer(InMemoryNetwork.Address($"{host}:5683"));
                peer.Responder = received =>
                {
                    peer.Acknowledge(received);
                    return true;
                };
                peers.Add(peer);
                CoapRequest request = ProxyWorld.Ask($"coap://{host}/");
                request.Confirmable = false;
                slow.Add(greedy[i].SendAsync(request));
            }

            long came = before + ((i + 1) * each);
            await world.Clock.AdvanceUntilAsync(() => world.Proxy.GetCounters().Requests >= came, s_timeout);
            mostOfSource = Math.Max(mostOfSource, world.Proxy.GetCounters().InProgress - held);
        }

        int underWay = world.Proxy.GetCounters().InProgress;
        (double beside, int failed) = await MeasureAsync(world, "beside", honestCount);
        CoapResponse[] ends = await world.RunAsync(() => Task.WhenAll(slow));
        peers.ForEach(peer => peer.Dispose());
        run.Done = $"{sources} verified sources with {each} requests each, to as many servers that acknowledge and never answer; meanwhile "
            + $"{honestCount} requests of another source to another server, 5 ms for each way";
        run.AtMost("requests under way of one source, at most", mostOfSource, maxOfSource);
        run.AtMost("requests under way in all", underWay, max);
        run.AtLeast("so many of the slow requests were sent on", underWay, maxOfSource);
        run.Exactly("requests of others that failed", failedBefore + failed, 0);
        run.AtMost(
            $"p99 of others (virtual time; {withoutIt:0.#} ms without the attack)",
            beside,
            withoutIt + 1,
            " ms");
        run.Exactly("slow requests answered by other than 5.03 and 5.04",
            ends.Count(end => end.Code != CoapCode.ServiceUnavailable && end.Code != CoapCode.GatewayTimeout), 0);
        int timeouts = ends.Count(end => end.Code == CoapCode.GatewayTimeout);
        run.Mention($"5.04 {timeouts:N0}, 5.03 {ends.Length - timeouts:N0}");
        run.Exactly("requests under way a minute later", world.Proxy.GetCounters().InProgress, 0);
    }

    /// <summary>Sends requests of the honest client, one after the other.</summary>
    /// <param name="world">Where.</param>
    /// <param name="name">What they ask for; nothing of it is cached yet.</param>
    /// <param name="count">How many.</param>
    /// <returns>The latency of 99 % of them in ms of virtual time, and how many failed.</returns>
    internal static async Task<(double P99, int Failed)> MeasureAsync(ProxyWorld world, string name, int count)
    {
        LatencyHistogram latencies = new();
        int failed = 0;
        for (int i = 0; i < count; i++)
        {
            TimeSpan begin = world.Clock.Elapsed;
            CoapResponse response = await world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/{name}/{i}"));
            failed += response.IsSuccess ? 0 : 1;
            latencies.Add((long)(world.Clock.Elapsed - begin).TotalNanoseconds);
        }

        return (latencies.Microseconds(0.99) / 1000, failed);
    }

    private static async Task BodiesAsync(AttackRun run)
    {
        int bound = run.Size(1 << 20, 32 << 10);
        int requests = run.Size(24, 6);
        const int blockSize = 1024;
        await using ProxyWorld world = new(
            options =>
            {
                options.Limits.MaxBodySize = run.IsPlanted("no-body-bound") ? 1 << 30 : bound;

                // What passes block by block takes no memory that could run out.
                options.Limits.StreamsAbove = 1 << 30;
            },
            new InMemoryNetworkOptions { MaxTraceLength = 0 });
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Text("here"));
        await world.StartAsync();
        await world.VerifyAsync();
        CoapClient client = world.MakeClient(
            "[2001:db8:78::1]", options => options.Parameters = CoapTransmissionParameters.Default with { NStart = requests });
        await world.RunAsync(() => client.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/verify")));
        long idle = LiveHeap.Measure();

        // It stops some way beyond the bound, so that a proxy without one ends as well.
        int patience = (bound / blockSize) + 40;
        int[] asked = new int[requests];
        long highest = 0;
        List<ScriptedPeer> peers = [];
        for (int i = 0; i < requests; i++)
        {
            int at = i;
            ScriptedPeer peer = world.Network.CreatePeer(InMemoryNetwork.Address($"[2001:db8:1::{i + 0x100:x}]:5683"));
            peer.Responder = received =>
            {
                byte[] request = received.Data.ToArray();
                BlockValue? wanted = Forged.Read(request).Options.Block2;
                if (++asked[at] <= patience)
                {
                    peer.SendTo(received.From, Forged.Response(
                        request,
                        CoapMessageType.Acknowledgement,
                        CoapCode.Content,
                        "",
                        options =>
                        {
                            options.Block2 = new BlockValue(wanted?.Number ?? 0, true, 6);
                            options.Size2 = at % 3 == 1 ? uint.MaxValue : null;
                            options.Add(OptionNumber.ETag, at % 3 == 2 ? BitConverter.GetBytes(asked[at]) : [1]);
                        },
                        new byte[blockSize]));
                }

                if (asked[at] == bound / blockSize && at % 3 == 0)
                {
                    highest = Math.Max(highest, LiveHeap.Measure() - idle);
                }

                return true;
            };
            peers.Add(peer);
        }

        Task<CoapResponse>[] all = [.. Enumerable.Range(0, requests).Select(i =>
            client.SendAsync(ProxyWorld.Ask($"coap://[2001:db8:1::{i + 0x100:x}]/endless")))];
        CoapResponse[] ends = await world.RunAsync(() => Task.WhenAll(all));
        long after = LiveHeap.Measure() - idle;
        peers.ForEach(peer => peer.Dispose());
        CoapResponse honest = await world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/after"));
        run.Done =
            $"{requests} requests at a time to servers that answer blocks of 1,024 bytes without end; a third claims 4 GiB, a third has "
            + $"another ETag with each block; the proxy holds bodies whole (StreamsAbove is larger than they may be)";
        run.AtMost("blocks taken of one answer, at most", asked.Max(), (bound / blockSize) + 1);
        run.Exactly("answers other than 5.02", ends.Count(end => end.Code != CoapCode.BadGateway), 0);
        run.AtMost("heap above idle while they come (memory for a body doubles)", highest / LiveHeap.MiB,
            (2 * requests * bound / LiveHeap.MiB) + run.Size(16, 4), " MiB");
        run.AtMost("heap above idle afterwards", after / LiveHeap.MiB, run.Size(16, 4), " MiB");
        run.Exactly("requests under way afterwards", world.Proxy.GetCounters().InProgress, 0);
        run.Holds("another server is asked as before", honest.IsSuccess);
    }

    private static byte[] Onward(
        CoapMethod method,
        CoapMessageType type = CoapMessageType.Confirmable,
        Action<CoapOptionCollection>? options = null,
        byte[]? payload = null) =>
        Forged.Message(
            method,
            "",
            type,
            all =>
            {
                options?.Invoke(all);
                all.Add(OptionNumber.ProxyUri, Encoding.UTF8.GetBytes(Target));
            },
            payload);
}
