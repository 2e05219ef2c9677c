using CoAP.NET.Diagnostics;
using CoAP.NET.Dtls;
using CoAP.NET.Dtls.Transport;

namespace CoAP.NET.Simulation.LimitFill;

/// <summary>Handshakes and sessions of DTLS.</summary>
internal static class DtlsLimitFillers
{
    // The messages that a client sends after its ClientHello, of which OpenSSL once reserved up to 100 KB for each number.
    private const int FirstNumber = 2;
    private const int LastNumber = 12;
    private const int LargestMessage = 100_000;
    private const int Page = 4096;

    public static IEnumerable<LimitFillCase> Rows =>
    [
        new(
            "dtls-fragments",
            "memory of DTLS handshakes (20 KiB each)",
            "1,000 handshakes, each returns its cookie and sends one byte of each page of eleven messages of 100 KB",
            settings => settings.Dtls.MaxHandshakesPerAddress = settings.Size(50, 10),
            async (source, _) => await HandshakeAsync(source, withFragments: true))
        {
            MiB = 48,
            Proof = CoapCounter.HandshakesEvicted,
            HoldersInTests = 60,
        },
        new(
            "dtls-handshakes",
            "places of DTLS handshakes (`MaxHandshakes`, `MaxHandshakesPerAddress`)",
            "1,000 handshakes, each returns its cookie and says no more",
            settings =>
            {
                settings.Dtls.MaxHandshakes = settings.Size(200, 40);
                settings.Dtls.MaxHandshakesPerAddress = settings.Size(200, 40);
            },
            async (source, _) => await HandshakeAsync(source, withFragments: false))
        {
            Scaled = "`MaxHandshakes` and `MaxHandshakesPerAddress` of DTLS 200",
            MiB = 64,
            Proof = CoapCounter.HandshakesEvicted,
            HoldersInTests = 60,
        },
        new(
            "dtls-sessions",
            "DTLS sessions (`MaxSessions`)",
            "300 sessions without an identity, by the server's certificate, while a device with a key sleeps",
            settings => settings.Dtls.MaxSessions = settings.Size(200, 10),
            async (source, _) => await SessionAsync(source))
        {
            Scaled = "`MaxSessions` 200",
            Holders = 300,
            HoldersInTests = 16,
            MiB = 48,
            Proof = CoapCounter.SessionsEvicted,
            KeepsSessions = true,
        },
    ];

    private static async Task<LimitFiller> HandshakeAsync(LimitFillSource source, bool withFragments)
    {
        HandshakeFiller holder = new(source, source.Datagrams(source.Target.Dtls), withFragments);
        await holder.BeginAsync();
        return holder;
    }

    private static async Task<LimitFiller> SessionAsync(LimitFillSource source)
    {
        // A transport with an address of its own could serve, too.
        CoapDtlsOptions dtls = new()
        {
            Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { { LimitFillServer.Identity, LimitFillServer.Key } } },
            Client = new CoapDtlsClientOptions { ValidateServerCertificate = (_, _, _, _) => new(true) },
        };
        CoapEndpoint endpoint = new();
        endpoint.AddTransport(
            new CoapDtlsTransport(dtls, new CoapUdpTransportOptions { Endpoints = { new IPEndPoint(source.Address, 0) } }));
        CoapClient client = new(endpoint);
        SessionFiller holder = new(endpoint);
        try
        {
            await client.GetAsync($"coaps://127.0.0.1:{source.Target.Dtls}/hello").WaitAsync(TimeSpan.FromMinutes(1));
        }
        catch (Exception exception) when (exception is CoapException or TimeoutException)
        {
            // It was given no session: that is the server's right.
        }

        source.Count(endpoint.Counters[CoapCounter.BytesSent]);
        return holder;
    }

    /// <summary>A client that keeps its session.</summary>
    private sealed class SessionFiller(CoapEndpoint endpoint) : LimitFiller(null)
    {
        public override async ValueTask DisposeAsync()
        {
            await endpoint.DisposeAsync();
            await base.DisposeAsync();
        }
    }

    /// <summary>A port that begins a handshake, and begins it again.</summary>
    private sealed class HandshakeFiller(LimitFillSource source, Socket socket, bool withFragments) : LimitFiller(socket)
    {
        private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);

        public override ValueTask KeepAsync() => new(BeginAsync());

        public async Task BeginAsync()
        {
            Socket socket = Socket!;
            byte[] buffer = new byte[2048];
            while (socket.Available > 0)
            {
                _ = await socket.ReceiveAsync(buffer);
            }

            await source.SendAsync(socket, DtlsHello.Make([], 0));
            using CancellationTokenSource hang = new(s_patience);
            try
            {
                int length = await socket.ReceiveAsync(buffer, hang.Token);
                if (DtlsHello.CookieOf(buffer.AsSpan(0, length)) is { } cookie)
                {
                    await source.SendAsync(socket, DtlsHello.Make(cookie, 1));
                }
            }
            catch (Exception exception) when (exception is OperationCanceledException or SocketException)
            {
                return;
            }

            if (withFragments)
            {
                foreach (byte[] datagram in Fragments())
                {
                    await source.SendAsync(socket, datagram);
                }
            }
        }

        private static IEnumerable<byte[]> Fragments()
        {
            ulong record = 2;
            for (int number = FirstNumber; number <= LastNumber; number++)
            {
                List<byte> datagram = [];
                for (int offset = 0; offset < LargestMessage; offset += Page)
                {
                    byte[] fragment = new byte[25 + 1];
                    DtlsHello.WriteRecord(fragment, record++);
                    fragment[13] = 11;
                    Write24(fragment.AsSpan(14), LargestMessage);
                    BinaryPrimitives.WriteUInt16BigEndian(fragment.AsSpan(17), (ushort)number);
                    Write24(fragment.AsSpan(19), offset);
                    Write24(fragment.AsSpan(22), 1);
                    datagram.AddRange(fragment);
                }

                yield return [.. datagram];
            }
        }

        private static void Write24(Span<byte> to, int value)
        {
            to[0] = (byte)(value >> 16);
            BinaryPrimitives.WriteUInt16BigEndian(to[1..], (ushort)value);
        }
    }
}
