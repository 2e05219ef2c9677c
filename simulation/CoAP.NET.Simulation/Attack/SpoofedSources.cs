using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Very many addresses, each heard once or twice: what is kept of them, and whether anybody else notices.</summary>
internal static class SpoofedSources
{
    private const int Known = 100;
    private const int Steps = 12;
    private const int NewcomerBytes = 8 << 20;
    private const double MostHeap = 16;

    // The short form has a table of an eighth, and so a bound of an eighth, but for what does not depend on it.
    private const int ShortNewcomerBytes = 1 << 20;
    private const int BytesOfNewcomer = 1024;
    private const double ShortMostHeap = 2;

    private static readonly TimeSpan s_flood = TimeSpan.FromMinutes(1);

    public static IEnumerable<AttackRow> Rows =>
    [
        Row("sources-get", "a GET each", "7252-11.3-1", Once, Forged.Message(CoapMethod.Get, "hello")),
        Row("sources-blind", "a GET each, and blind acknowledgements and resets that guess Message IDs", "7252-4.2-6, 7252-11.4-1", Blind,
            Forged.Message(CoapMethod.Get, "hello")),
        Row("sources-garbage", "a broken message each (reset), a ping, and an unknown critical option", "7252-4.2-6", Garbage,
            Forged.Message(CoapMethod.Get, "hello", options: options => options.Add(9999, [1]))),
        Row("sources-post", "a POST each", "7252-4.5-1", Once, Forged.Message(CoapMethod.Post, "count")),
        Row("sources-block1", "the first block of an upload each, M=1, 1,024 bytes", "7959-2.5-8, 7959-C-1", Once,
            Forged.Message(CoapMethod.Put, "large-update", options: options => options.Block1 = new BlockValue(0, true, 6),
                payload: new byte[1024])),
        Row("sources-block2", "a later block of a representation each", "7959-2.4-5", Once,
            Forged.Message(CoapMethod.Get, "large", options: options => options.Block2 = new BlockValue(1, false, 6))),
        Row("sources-observe", "a registration each", "7641-4.1-3, 7641-7-1", Once,
            Forged.Message(CoapMethod.Get, "watched", options: options => options.Observe = 0)),
        Row("sources-mixed", "all of these by turns", "all of these", Mixed, []),
    ];

    private delegate void Forge(AttackWire wire, in CoapAddress from, int messageId, uint token, byte[] request);

    private static AttackRow Row(string name, string what, string rows, Forge forge, byte[] request) =>
        new(name, "Spoofed sources: " + what, "dedup, observer and session tables; " + rows, run => FloodAsync(run, forge, request))
        {
            Plants = name == "sources-get" ? ["large-table"] : []
        };

    private static async Task FloodAsync(AttackRun run, Forge forge, byte[] request)
    {
        int count = run.Sources(8000);
        int newcomerBytes = run.Size(NewcomerBytes, ShortNewcomerBytes);
        await using AttackServer server = await AttackServer.StartAsync(options =>
        {
            options.Limits.Peers.NewcomerMemory = run.IsPlanted("large-table") ? int.MaxValue : newcomerBytes;
            if (run.IsShort)
            {
                options.Limits.Amplification.TotalBytesPerSecond = 16 * 1024;
                options.Limits.Blockwise.RequestMemory = 8 << 20;
            }
        });
        KnownPeers known = new(server, run.Size(Known, 10));
        Dice dice = new(run.Seed);
        long idle = LiveHeap.Measure();
        long most = 0;
        int mostChannels = 0;
        int mostNewcomers = 0;
        int steps = run.Size(Steps, 3);
        const int batch = 100;
        TimeSpan pause = s_flood / (count / batch);
        for (int i = 0; i < count; i++)
        {
            ulong chance = dice.Next();
            CoapAddress from = CoapAddress.FromIPv4(0x0a00_0000 + (uint)i, (ushort)(1024 + (chance & 0x7fff)));
            forge(server.Wire, from, (int)(chance >> 16) & 0xffff, (uint)(chance >> 32), request);
            if (i % batch == batch - 1)
            {
                server.Clock.Advance(pause);
            }

            if (i % (count / steps) == (count / steps) - 1)
            {
                long heap = LiveHeap.Measure() - idle;
                most = Math.Max(most, heap);
                mostChannels = Math.Max(mostChannels, server.Server.Endpoint.Pipelines.Sum(pipeline => pipeline.Channels.Count));
                mostNewcomers =
                    Math.Max(mostNewcomers, server.Server.Endpoint.Pipelines.Sum(pipeline => pipeline.Channels.Newcomers));
                run.Report($"{i + 1:N0} sources, {heap / LiveHeap.MiB:0.00} MiB above idle, {mostChannels} "
                        + $"channels, {server.Server.ObserverCount} observers, {known.OthersDatagrams:N0} answers");
                known.Step();
            }
        }

        run.Done = $"{count:N0} addresses in a minute";
        run.AtMost("addresses that are remembered, at most", mostNewcomers, newcomerBytes / BytesOfNewcomer);
        run.AtMost("heap above idle, at most", most / LiveHeap.MiB, run.IsShort ? ShortMostHeap : MostHeap, " MiB");
        known.Check(run);
        run.Exactly("errors of stages", server.Counters[CoapCounter.StageErrors], 0);
    }

    private static readonly (Forge Forge, byte[] Request)[] s_all =
    [
        (Blind, Forged.Message(CoapMethod.Get, "hello")),
        (Garbage, Forged.Message(CoapMethod.Get, "hello", options: options => options.Add(9999, [1]))),
        (Blind, Forged.Message(CoapMethod.Post, "count")),
        (Blind, Forged.Message(CoapMethod.Put, "large-update", options: options => options.Block1 = new BlockValue(0, true, 6),
            payload: new byte[1024])),
        (Blind, Forged.Message(CoapMethod.Get, "large", options: options => options.Block2 = new BlockValue(1, false, 6))),
        (Blind, Forged.Message(CoapMethod.Post, "large-post", payload: new byte[8])),
        (Blind, Forged.Message(CoapMethod.Get, "watched", options: options => options.Observe = 0)),
    ];

    private static void Mixed(AttackWire wire, in CoapAddress from, int messageId, uint token, byte[] request)
    {
        (Forge forge, request) = s_all[from.Low % (ulong)s_all.Length];
        forge(wire, from, messageId, token, request);
    }

    private static void Once(AttackWire wire, in CoapAddress from, int messageId, uint token, byte[] request) =>
        wire.Receive(from, Forged.Stamp(request, messageId, token));

    private static void Blind(AttackWire wire, in CoapAddress from, int messageId, uint token, byte[] request)
    {
        wire.Receive(from, Forged.Stamp(request, messageId, token));
        wire.Receive(from, Forged.Empty(CoapMessageType.Acknowledgement, messageId + 1));
        wire.Receive(from, Forged.Empty(CoapMessageType.Reset, messageId + 2));
    }

    private static void Garbage(AttackWire wire, in CoapAddress from, int messageId, uint token, byte[] request)
    {
        wire.Receive(from, [0x4f, 1, (byte)(messageId >> 8), (byte)messageId, 0xff]);
        wire.Receive(from, [0x40, 0, (byte)(messageId >> 8), (byte)messageId]);
        wire.Receive(from, Forged.Stamp(request, messageId + 1, token));
    }
}
