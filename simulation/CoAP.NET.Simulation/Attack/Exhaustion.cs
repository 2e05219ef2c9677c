using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Tables that somebody tries to fill: observers, bodies in blocks, peers that come back.</summary>
internal static class Exhaustion
{
    public static IEnumerable<AttackRow> Rows =>
    [
        new("observe-flood", "Observer table exhaustion: ports of one address, and tokens of one peer", "7641-4.1-3, 7641-7-1",
            ObserversAsync) { Plants = ["no-source-bound"] },
        new("block-flood", "Block state exhaustion: half uploads, endless M=1, huge Size1, many representations",
            "7959-2.5-8, 7959-C-1, 7959-2.4-5", BlocksAsync) { Plants = ["no-assembly-bound"] },
        new("table-flood", "Dedup and peer table exhaustion by sources that come back", "6347-4.2.1-1, 7252-4.5-1", PeersAsync),
    ];

    private static async Task ObserversAsync(AttackRun run)
    {
        int count = run.Size(100_000, 1500);
        int most = run.Size(1000, 200);
        await using AttackServer server = await AttackServer.StartAsync(options =>
        {
            options.Limits.Observe.MaxUnverifiedObserversPerSource = run.IsPlanted("no-source-bound") ? int.MaxValue >> 8 : most;
            options.Limits.Observe.MaxObserversPerPeer = most;
        });
        KnownPeers known = new(server, run.Size(100, 10));
        int before = server.Server.ObserverCount;
        long idle = LiveHeap.Measure();
        byte[] watch = Forged.Message(CoapMethod.Get, "watched", options: options => options.Observe = 0);
        for (int i = 0; i < count; i++)
        {
            server.Wire.Receive(CoapAddress.FromIPv4(0xcb00_7105, (ushort)(1 + (i % 65_000))), Forged.Stamp(watch, i, (uint)i));
            if (i % 1000 == 0)
            {
                server.Clock.Advance(TimeSpan.FromMilliseconds(200));
            }
        }

        int bySource = server.Server.ObserverCount - before;
        known.Step();

        // One peer, who came back and so may have more than newcomers.
        CoapAddress one = CoapAddress.FromIPv4(0xcb00_7206, 4711);
        server.Wire.Receive(one, Forged.Stamp(watch, 0, 0));
        server.Clock.Advance(TimeSpan.FromSeconds(3));
        int beforeOne = server.Server.ObserverCount;
        for (int i = 1; i <= count; i++)
        {
            server.Wire.Receive(one, Forged.Stamp(watch, i % 60_000, (uint)i));
        }

        run.Done = $"{count:N0} registrations from the ports of one address, {count:N0} tokens of one peer";
        run.AtMost("observers of the address", bySource, most);
        run.AtMost("observers of the peer", server.Server.ObserverCount - beforeOne, most);
        run.AtMost("heap above idle", (LiveHeap.Measure() - idle) / LiveHeap.MiB, 16, " MiB");
        known.Check(run);
    }

    private static async Task BlocksAsync(AttackRun run)
    {
        int count = run.Size(40_000, 1500);
        double most = run.Size(40, 4);
        await using AttackServer server = await AttackServer.StartAsync(options =>
        {
            if (run.IsPlanted("no-assembly-bound"))
            {
                options.Limits.Blockwise.MaxSourceFraction = 1;
                options.Limits.Blockwise.RequestMemory = 1L << 40;
            }
            else if (run.IsShort)
            {
                options.Limits.Blockwise.RequestMemory = 2 << 20;
                options.Limits.Blockwise.ResponseMemory = 1 << 20;
            }
        });
        KnownPeers known = new(server, run.Size(100, 10));
        CoapAddress peer = CoapAddress.FromIPv4(0xcb00_7206, 4711);
        byte[] hello = Forged.Message(CoapMethod.Get, "hello");
        server.Wire.Receive(peer, Forged.Stamp(hello, 65_535, 1));
        server.Clock.Advance(TimeSpan.FromSeconds(3));
        long idle = LiveHeap.Measure();
        long highest = 0;
        int id = 0;
        void Pause()
        {
            server.Clock.Advance(TimeSpan.FromSeconds(10));
            highest = Math.Max(highest, LiveHeap.Measure() - idle);
            known.Step();
        }

        // Half uploads, told apart by their Request-Tags, each of which claims four gigabytes.
        for (int i = 0; i < count; i++)
        {
            byte[] half = Forged.Message(
                CoapMethod.Put,
                "large-update",
                options: options =>
                {
                    options.Block1 = new BlockValue(0, true, 6);
                    options.Size1 = i % 2 == 0 ? uint.MaxValue : null;
                    options.Add(OptionNumber.RequestTag, BitConverter.GetBytes(i));
                },
                payload: new byte[1024]);
            server.Wire.Receive(peer, Forged.Stamp(half, ++id, (uint)id));
        }

        Pause();
        long refused = server.Counters[CoapCounter.BodiesTooLarge];
        int abandoned = (int)server.Counters[CoapCounter.BodiesEvicted];

        // One upload without an end.
        CoapCode last = default;
        int block = 0;
        for (; last != CoapCode.RequestEntityTooLarge && block < 4096; block++)
        {
            byte[] part = Forged.Message(CoapMethod.Put, "large-update",
                options: options => options.Block1 = new BlockValue(block, true, 6), payload: new byte[1024]);
            CoapAddress endless = peer with { Port = 4712 };
            AttackWire.Sink? others = server.Wire.Sent;
            server.Wire.Sent = (in to, bytes) => last = new CoapCode(bytes[1] >> 5, bytes[1] & 0x1f);
            server.Wire.Receive(endless, Forged.Stamp(part, ++id, (uint)id));
            server.Wire.Sent = others;
            server.Clock.Advance(TimeSpan.FromMilliseconds(5));
        }

        Pause();

        // Answers that must be kept for whoever fetches the rest.
        for (int i = 0; i < count; i++)
        {
            byte[] post = Forged.Message(CoapMethod.Post, "large-post",
                options: options => options.Add(OptionNumber.UriQuery, BitConverter.GetBytes(i | 0x4040_4040)), payload: new byte[8]);
            server.Wire.Receive(peer, Forged.Stamp(post, ++id, (uint)id));
        }

        Pause();
        run.Done =
            $"of one peer {count:N0} half uploads, every other one claiming 4 GiB; an upload without end; {count:N0} answers of 2,000 "
                + $"bytes to fetch in blocks";
        run.AtMost("heap above idle, at most (a peer's shares of bodies, answers and duplicates are 36 MiB)", highest / LiveHeap.MiB, most,
            " MiB");
        run.AtLeast("half uploads given up for newer ones", abandoned, count / 8);
        run.Exactly("claims of 4 GiB refused at once", refused, count / 2);
        run.Holds("the upload without end is answered 4.13", last == CoapCode.RequestEntityTooLarge);
        run.AtMost("after", block, 1025, " blocks");
        known.Check(run);
        server.Clock.Advance(TimeSpan.FromMinutes(10));
        run.AtMost("heap above idle ten minutes later", (LiveHeap.Measure() - idle) / LiveHeap.MiB, 2, " MiB");
    }

    private static async Task PeersAsync(AttackRun run)
    {
        int count = run.Size(200_000, 5000);
        int channels = run.Size(100_000, 2000);
        await using AttackServer server = await AttackServer.StartAsync(options =>
        {
            options.Limits.Peers.MaxCount = channels;
            if (run.IsShort)
            {
                options.Limits.Deduplication.Memory = 4 << 20;
            }
        });
        KnownPeers known = new(server, run.Size(100, 10));
        long idle = LiveHeap.Measure();
        byte[] post = Forged.Message(CoapMethod.Post, "count");
        int group = run.Size(8000, 1000);
        long highest = 0;
        int most = 0;
        for (int from = 0; from < count; from += group)
        {
            for (int round = 0; round < 2; round++)
            {
                for (int i = from; i < Math.Min(count, from + group); i++)
                {
                    server.Wire.Receive(CoapAddress.FromIPv4(0x0a00_0000 + (uint)i, 5683), Forged.Stamp(post, round, (uint)i));
                }

                server.Clock.Advance(TimeSpan.FromSeconds(2.5));
            }

            if (from / group % 5 == 4 || from + group >= count)
            {
                highest = Math.Max(highest, LiveHeap.Measure() - idle);
                most = Math.Max(most,
                    server.Server.Endpoint.Pipelines.Sum(pipeline => pipeline.Channels.Count - pipeline.Channels.Newcomers));
                known.Step();
            }
        }

        run.Done = $"{count:N0} addresses with two POSTs each, three seconds after one another, so that none is a newcomer";
        run.AtMost("peers that are no newcomers", most, channels);
        run.AtMost("heap above idle, at most", highest / LiveHeap.MiB, run.Size(128, 8), " MiB");
        known.Check(run);
    }
}
