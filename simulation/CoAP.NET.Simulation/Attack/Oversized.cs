using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Whatever has a length, made too long.</summary>
internal static class Oversized
{
    public static IEnumerable<AttackRow> Rows =>
        [new("oversized", "Oversized everything: datagram, token, options, URI, body, block number", "7252-4.6-1, 7252-5.4-1, 7959-2.9.3-1",
            RunAsync)];

    private static async Task RunAsync(AttackRun run)
    {
        await using AttackServer server = await AttackServer.StartAsync();
        KnownPeers known = new(server, run.Size(50, 10));
        long idle = LiveHeap.Measure();
        CoapDatagramSerializer serializer =
            new(new CoapSerializerOptions { MaxMessageSize = 1 << 20, MaxTokenLength = CoapToken.MaxExtendedLength, MaxOptions = 100_000 });
        byte[] Make(Action<CoapMessage> change, CoapMethod method = CoapMethod.Get)
        {
            CoapMessage message = new(method) { Token = new CoapToken([1, 2, 3, 4]) };
            message.Options.Add(OptionNumber.UriPath, "large-update"u8);
            change(message);
            return serializer.Serialize(message);
        }

        (string Name, byte[] Bytes)[] all =
        [
            ("a datagram of 65,507 bytes", Make(message => message.Payload = new byte[65_480], CoapMethod.Put)),
            ("a payload beyond the largest datagram", Make(message => message.Payload = new byte[3000], CoapMethod.Put)),
            ("a token of 65 bytes", Make(message => message.Token = new CoapToken(new byte[65]))),
            ("a token of 1,900 bytes", Make(message => message.Token = new CoapToken(new byte[1900]))),
            ("a token of 65,804 bytes", Make(message => message.Token = new CoapToken(new byte[65_804]))),
            ("a token whose length is 15", [0x4f, 1, 0, 0, 0, 0, 0, 0]),
            ("300 options", Make(message => Repeat(message, 300, OptionNumber.UriQuery, "a"u8))),
            ("1,500 empty options", Make(message => Repeat(message, 1500, OptionNumber.IfMatch, []))),
            ("a query of 256 bytes", Make(message => message.Options.Add(OptionNumber.UriQuery, new byte[256]))),
            ("a segment of 1,800 bytes", Make(message => message.Options.Add(OptionNumber.UriPath, new byte[1800]))),
            ("1,000 segments", Make(message => Repeat(message, 1000, OptionNumber.UriPath, "a"u8))),
            ("a host of 1,000 bytes", Make(message => message.Options.Add(OptionNumber.UriHost, new byte[1000]))),
            ("an option of 60,000 bytes", Make(message => message.Options.Add(2048, new byte[60_000]))),
            ("an option that is longer than the message", [0x40, 1, 0, 0, 0xbe, 0xff, 0xff, 1, 2, 3]),
            ("an option number beyond 65,535", [0x40, 1, 0, 0, 0xe0, 0xff, 0xff]),
            ("a block number of 2^20-1", Make(message => message.Options.Block2 = new BlockValue(BlockValue.MaxNumber, false, 6))),
            ("a block number of 2^20-1 in an upload",
                Make(message =>
                    (message.Options.Block1, message.Payload) = (new BlockValue(BlockValue.MaxNumber, false, 6), new byte[1024]),
                    CoapMethod.Put)),
            ("a claim of 4 GiB",
                Make(message =>
                    (message.Options.Block1, message.Options.Size1, message.Payload) = (new BlockValue(0, true, 6), uint.MaxValue,
                        new byte[1024]), CoapMethod.Put)),
            ("a block longer than it says",
                Make(message => (message.Options.Block1, message.Payload) = (new BlockValue(0, true, 0), new byte[1024]),
                    CoapMethod.Put)),
            ("an entity-tag of 100 bytes", Make(message => message.Options.Add(OptionNumber.ETag, new byte[100]))),
            ("an Echo of 1,000 bytes", Make(message => message.Options.Add(OptionNumber.Echo, new byte[1000]))),
            ("1,000 Request-Tags", Make(message => Repeat(message, 1000, OptionNumber.RequestTag, [1]), CoapMethod.Put)),
        ];
        int rounds = run.Size(200, 5);
        Victims victims = new(server);
        long handlerErrors = server.Counters[CoapCounter.HandlerErrors];
        for (int round = 0; round < rounds; round++)
        {
            for (int i = 0; i < all.Length; i++)
            {
                Span<byte> bytes = all[i].Bytes;
                bytes[2] = (byte)round;
                bytes[3] = (byte)i;
                long errors = server.Counters[CoapCounter.StageErrors] + server.Counters[CoapCounter.HandlerErrors];
                victims.Forge(CoapAddress.FromIPv4(0xcb00_7105 + (uint)i, (ushort)(1000 + round)), bytes);
                if (server.Counters[CoapCounter.StageErrors] + server.Counters[CoapCounter.HandlerErrors] != errors)
                {
                    run.Report($"{all[i].Name}: an error of the server's");
                }
            }

            server.Clock.Advance(TimeSpan.FromMilliseconds(50));
        }

        known.Attach();
        foreach (string error in server.Log.Take())
        {
            run.Report(error);
        }

        run.Done = $"{rounds} times each: {string.Join(", ", all.Select(one => one.Name))}";
        run.AtMost("bytes out / in", (double)victims.BytesOut / victims.BytesIn, 1);
        run.AtMost("heap above idle", (LiveHeap.Measure() - idle) / LiveHeap.MiB, 16, " MiB");
        run.Exactly("errors of stages and handlers",
            server.Counters[CoapCounter.StageErrors] + server.Counters[CoapCounter.HandlerErrors] - handlerErrors, 0);
        known.Check(run);
    }

    private static void Repeat(CoapMessage message, int count, int number, ReadOnlySpan<byte> value)
    {
        for (int i = 0; i < count; i++)
        {
            message.Options.Add(number, value);
        }
    }
}
