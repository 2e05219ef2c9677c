using System.Formats.Asn1;
using System.Runtime.ExceptionServices;
using MessageHeader = CoAP.NET.Dtls.Handshakes.MessageHeader;
using Wire = CoAP.NET.Dtls.Tests.Handshakes.Wire;

namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>
/// Handshakes in which one datagram is changed on its way: each bit, each length, each cut, fragments with other bytes, with holes, far
/// away and of any length, other numbers. COAP_TEST_CAMPAIGN above 1 runs all of them, and otherwise some of each kind.
/// </summary>
public sealed class MutatedHandshakeTests
{
    private const int Group = 40;

    private static readonly int[] s_lengths = [0, 1, 0xFF, 0xFFFF, 0x10000, 0xFFFFFE, 0xFFFFFF];

    [Theory]
    [Trait("Category", "Campaign")]
    [InlineData(HandshakeKind.Psk, 17)]
    [InlineData(HandshakeKind.EcdhePsk, 61)]
    [InlineData(HandshakeKind.EcdsaMutual, 97)]
    [InlineData(HandshakeKind.RawPublicKeys, 97)]
    public void A_mutated_datagram_causes_no_exception_leaves_no_state_and_harms_no_other_handshake(HandshakeKind kind, int each)
    {
        VirtualClock clock = new();
        using ClientBench bench = new(SettingsOf(kind, clock));
        List<Exception> unexpected = [];
        int thread = Environment.CurrentManagedThreadId;
        AppDomain.CurrentDomain.FirstChanceException += Note;
        try
        {
            Run(bench, clock, kind, CampaignSetting.Of("COAP_TEST_CAMPAIGN", 1) > 1 ? 1 : each);
        }
        finally
        {
            AppDomain.CurrentDomain.FirstChanceException -= Note;
        }

        Assert.Empty(unexpected.Select(static exception => exception.ToString()).Distinct());

        // A refusal, a signature or a point that is wrong, a certificate that is none, alternative names that cannot be read, a curve that
        // does not exist.
        void Note(object? sender, FirstChanceExceptionEventArgs thrown)
        {
            if (Environment.CurrentManagedThreadId == thread
                && thrown.Exception is not (AlertException or CryptographicException or CoapDtlsException or OperationCanceledException
                    or AsnContentException or DecoderFallbackException or PlatformNotSupportedException))
            {
                unexpected.Add(thrown.Exception);
            }
        }
    }

    private static void Run(ClientBench bench, VirtualClock clock, HandshakeKind kind, int each)
    {
        List<byte[]> honest = [];
        bench.Changes = (_, bytes) =>
        {
            honest.Add([.. bytes]);
            return [bytes];
        };
        int tag = 1;
        Begin(bench, tag);
        Assert.NotNull(bench.Client.Find(ClientBench.Path(tag)));
        (int Datagram, Func<byte[], byte[][]> Change)[] cases = [.. honest
            .SelectMany(static (bytes, i) => Changes(bytes).Select(change => (i, change)))
            .Where((_, number) => number % each == 0)];
        Assert.True(cases.Length > 100, $"{kind}: {cases.Length} cases");
        foreach ((int Datagram, Func<byte[], byte[][]> Change)[] group in cases.Chunk(Group))
        {
            // Another client has begun, and goes on after all of them.
            int beside = ++tag;
            bench.Changes = static (isOfClient, bytes) =>
                isOfClient || Wire.TypeOf(bytes) == HandshakeType.HelloVerifyRequest ? [bytes] : [];
            Begin(bench, beside);
            Assert.Null(bench.Client.Find(ClientBench.Path(beside)));
            foreach ((int datagram, Func<byte[], byte[][]> change) in group)
            {
                int at = 0;
                bench.Changes = (_, bytes) => at++ == datagram ? change(bytes) : [bytes];
                Begin(bench, ++tag);
            }

            bench.Changes = null;
            Pass(FromSeconds(1));
            Assert.NotNull(bench.Client.Find(ClientBench.Path(beside)));
            Pass(FromSeconds(30));
            Assert.Equal((0, 0), (bench.Client.HandshakeCount, bench.Server.HandshakeCount));
            CheckSessions(bench, tag - group.Length, tag);
        }

        void Pass(TimeSpan time)
        {
            clock.Advance(time);
            bench.Clock.Advance(time);
            bench.Client.Tick();
            bench.Server.Tick();
            bench.Carry();
        }
    }

    // A client that has a session can use it, unless the server never got its last flight.
    private static void CheckSessions(ClientBench bench, int first, int last)
    {
        bench.ServerSink.CountsOnly = true;
        for (int tag = first; tag <= last; tag++)
        {
            if (bench.Client.Find(ClientBench.Path(tag)) is { } session)
            {
                int before = bench.ServerSink.Counted;
                Assert.True(session.Send([1]));
                bench.Carry();
                Assert.Equal(before + 1, bench.ServerSink.Counted);
                bench.Client.End(session, DtlsSessionEndReason.Closed, tells: true);
            }
        }

        bench.Carry();
    }

    private static void Begin(ClientBench bench, int tag)
    {
        Task<DtlsSession> task = bench.BeginAsync(tag);
        _ = task.ContinueWith(static ended => ended.Exception, TaskScheduler.Default);
    }

    private static IEnumerable<Func<byte[], byte[][]>> Changes(byte[] honest)
    {
        for (int i = 0; i < honest.Length; i++)
        {
            int at = i;
            for (int bit = 0; bit < 8; bit++)
            {
                int mask = 1 << bit;
                yield return bytes => [Set(bytes, at, value => value ^ mask)];
            }

            yield return bytes => [Set(bytes, at, static value => value + 1)];
            yield return bytes => [Set(bytes, at, static value => value - 1)];
            yield return bytes => [bytes[..Math.Min(at, bytes.Length)]];
        }

        foreach (Func<MessageHeader, byte[], byte[][]> change in Rewrites())
        {
            yield return bytes => [.. Wire.Records(bytes).SelectMany(record => Rewrite(record, change))];
        }
    }

    // What becomes of each unprotected message of a datagram.
    private static IEnumerable<Func<MessageHeader, byte[], byte[][]>> Rewrites()
    {
        foreach (int one in s_lengths)
        {
            int length = one;
            yield return (header, body) => [Fragment(header with { Length = length }, 0, body)];
            yield return (header, body) => [Fragment(header, length, body)];
            yield return (header, body) => [Fragment(header with { Length = length }, length / 2, body), Fragment(header, 0, body)];
            yield return (header, body) =>
            {
                byte[] fragment = Fragment(header, 0, body);
                (fragment[9], fragment[10], fragment[11]) = ((byte)(length >> 16), (byte)(length >> 8), (byte)length);
                return [fragment];
            };
        }

        foreach (int one in new[] { -1, 1, 2, 5, 6, 7, 8, 255, 256, 32_767, 65_535 })
        {
            int step = one;
            yield return (header, body) => [Fragment(header with { Number = (ushort)(header.Number + step) }, 0, body)];
            yield return (header, body) =>
                [Fragment(header with { Number = (ushort)(header.Number + step) }, 0, body), Fragment(header, 0, body)];
        }

        yield return (header, body) =>
            [Fragment(header, 0, body.AsSpan(0, body.Length / 3)), Fragment(header, body.Length / 2, body.AsSpan(body.Length / 2))];
        yield return (header, body) =>
            [Fragment(header, 0, body.AsSpan(0, 2 * body.Length / 3)), Fragment(header, body.Length / 3, Other(body[(body.Length / 3)..]))];
        yield return (header, body) =>
            [Fragment(header, body.Length / 3, Other(body[(body.Length / 3)..])), Fragment(header, 0, body)];
        yield return (header, body) =>
            [.. Enumerable.Range(0, body.Length / 2).Select(i => Fragment(header, 2 * i, body.AsSpan(2 * i, 1)))];
        yield return (header, body) => [Fragment(header, 0, []), Fragment(header, 0, body), Fragment(header, body.Length, [])];
        yield return (header, body) => [Fragment(header, 0, body), Fragment(header, 0, Other(body)), Fragment(header, 0, body)];
        yield return (header, body) => [[.. Fragment(header, 0, body), .. Fragment(header, 0, body), 1]];
    }

    private static IEnumerable<byte[]> Rewrite(byte[] record, Func<MessageHeader, byte[], byte[][]> change) =>
        Wire.TypeOf(record) is null || !MessageHeader.TryRead(record.AsSpan(RecordHeader.Size), out MessageHeader header)
            ? [record]
            : change(header, record[(RecordHeader.Size + MessageHeader.Size)..]).Select(static (content, i) =>
                Wire.Record(ContentType.Handshake, content, 100 + (ulong)i));

    private static byte[] Fragment(in MessageHeader header, int offset, ReadOnlySpan<byte> bytes) => Wire.Fragment(header, offset, bytes);

    private static byte[] Other(byte[] bytes) => [.. bytes.Select(static one => (byte)(one ^ 0x55))];

    private static byte[] Set(byte[] bytes, int at, Func<int, int> change)
    {
        if (at < bytes.Length)
        {
            bytes[at] = (byte)change(bytes[at]);
        }

        return bytes;
    }

    private static BenchSettings SettingsOf(HandshakeKind kind, VirtualClock clock) => new()
    {
        Client = HandshakeScene.ClientSettings(kind) with { Time = clock },
        Server = HandshakeScene.ServerSettings(kind) with { Time = clock },
        Sessions = new DtlsClientSettings
        {
            SelectPsk = static (_, _) => new(new CoapPskCredential(HandshakeScene.Identity, BenchSettings.Key)),
            Certificates = new PeerCertificateValidator
            {
                IsOfServers = true,
                Authorities = [HandshakeScene.ServerCertificate],
                Decides = static (leaf, _, _, _) => new(leaf.Equals(HandshakeScene.ServerCertificate)),
            },
            ValidateRawPublicKey = static (_, key, _) => new(IsKeyOf(HandshakeScene.ServerKey, key)),
        },
        ServerTrusts = static (leaf, _, _) => new(leaf.Equals(HandshakeScene.ClientCertificate)),
        ServerTrustsKey = static (key, _) => new(IsKeyOf(HandshakeScene.ClientKey, key)),
    };

    private static bool IsKeyOf(ECDsa pair, ReadOnlyMemory<byte> key) => key.Span.SequenceEqual(pair.ExportSubjectPublicKeyInfo());
}
