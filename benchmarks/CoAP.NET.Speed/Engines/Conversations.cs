namespace CoAP.NET.Speed.Engines;

/// <summary>What all engines must answer alike.</summary>
internal static class Conversations
{
    private const int BodyBytes = 100 * 1024;
    private const int ManyRequests = 100;
    private const int UnknownCritical = 9999;

    private static readonly byte[] s_body = MakeBody();
    private static readonly byte[] s_hello = Frames.Request(CoapCode.Get, "hello", token: 0x0101);

    public static IReadOnlyList<Conversation> All { get; } =
    [
        AfterCsm("a request", 2, s_hello),
        new("CSM and request in one piece", [[.. Frames.Csm, .. s_hello]], 2),
        new("byte by byte", [.. Frames.Csm.Concat(s_hello).Select(one => new[] { one })], 2),
        AfterCsm($"{ManyRequests} requests in one piece, answered in order", ManyRequests + 1,
            [.. Enumerable.Range(1, ManyRequests).SelectMany(i => Frames.Request(CoapCode.Get, "hello", token: (ushort)i))]),
        AfterCsm("a body of 100 KiB in one message", 2, Frames.Request(CoapCode.Put, "sum", s_body, 0x0102)),
        AfterCsm("a body of 256 KiB in the answer", 2, Frames.Request(CoapCode.Get, "large", token: 0x0103)),
        AfterCsm("one block of it", 2,
            Frames.Request(CoapCode.Get, "large", token: 0x0104, options: options => options.Add(new Block2Option(3, false, 1024)))),
        AfterCsm("a body in three blocks, and back", 5, Block(0, true), Block(1, true), Block(2, false),
            Frames.Request(CoapCode.Get, "stored", token: 0x0106)),
        AfterCsm("Observe: registration, a change, its notification", 4, Observe(0),
            Frames.Request(CoapCode.Put, "state", token: 0x0108)) with { IsOrdered = false },
        AfterCsm("no such resource", 2, Frames.Request(CoapCode.Get, "nowhere", token: 0x0109)),
        AfterCsm("no such method there", 2, Frames.Request(CoapCode.Post, "hello", token: 0x010a)),
        AfterCsm("an unknown critical option", 2,
            Frames.Request(CoapCode.Get, "hello", token: 0x010b, options: options => options.Add(UnknownCritical, [1]))),
        AfterCsm("Ping and an Empty message", 3, [0x01, 0xe2, 0x77], [0x00, 0x00], s_hello),
        AfterCsm("Release", -1, s_hello, [0x00, 0xe4]),
        AfterCsm("a frame with a token of 15 bytes in its first byte", -1, [0x0f, 0x01, 0x00]),
        AfterCsm("a frame of 2 GiB", -1, [0xf0, 0x80, 0x00, 0x00, 0x00, 0x01]),
        new("a request before the CSM", [s_hello], -1),
        new("the client ends its side after a request", [Frames.Csm, s_hello], -1, Ends: true),
    ];

    private static Conversation AfterCsm(string name, int frames, params byte[][] pieces) => new(name, [Frames.Csm, .. pieces], frames);

    private static byte[] Block(int number, bool hasMore) => Frames.Request(
        CoapCode.Put, "stored", s_body.AsMemory(number * 1024, hasMore ? 1024 : 100), (ushort)(0x0200 + number),
        options => options.Add(new Block1Option(number, hasMore, 1024)));

    private static byte[] Observe(uint value) =>
        Frames.Request(CoapCode.Get, "state", token: 0x0107, options: options => options.Add(new ObserveOption(value)));

    private static byte[] MakeBody()
    {
        byte[] body = new byte[BodyBytes];
        new Random(1).NextBytes(body);
        return body;
    }
}
