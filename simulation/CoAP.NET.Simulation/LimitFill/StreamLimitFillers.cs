using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.LimitFill;

/// <summary>Connections, and what is kept for them.</summary>
internal static class StreamLimitFillers
{
    private const int MiB = 1024 * 1024;

    // What a frame lacks that never becomes whole.
    private const int Missing = 100;

    public static IEnumerable<LimitFillCase> Rows =>
    [
        new(
            "partial-frames",
            "frames of which a part is there (`Connections.ReceiveMemory`)",
            "64 connections over `coap+tcp`, each sends 1 MiB less 100 B of a frame",
            settings => Frames(settings),
            async (source, _) => await source.HoldAsync(source.Target.Tcp, Frame(source.Size(MiB, MiB / 4))))
        {
            Holders = 64,
            HoldersInTests = 16,
            MiB = 64 + 16,
            Gauge = server => server.Endpoint.FrameAssemblyBytes,
            Most = settings => settings.Limits.Connections.ReceiveMemory,
        },
        new(
            "partial-ws",
            "WebSocket messages of which a part is there (`Connections.ReceiveMemory`)",
            "64 WebSockets, each sends 1 MiB less 100 B of a message in a fragment",
            settings => Frames(settings),
            async (source, _) => await WebSocketAsync(source, isOpen: true, Fragment(source.Size(MiB, MiB / 4))))
        {
            Holders = 64,
            HoldersInTests = 16,
            MiB = 64 + 16,
            Gauge = server => server.Endpoint.FrameAssemblyBytes,
            Most = settings => settings.Limits.Connections.ReceiveMemory,
        },
        new(
            "half-records",
            "records of TLS of which a part is there (`Connections.ReceiveMemory`)",
            "400 TLS connections, each sends half a record",
            settings =>
            {
                settings.Limits.Connections.MaxMessageSize = 128 * 1024;
                settings.Limits.Connections.ReceiveMemory = settings.Size(4, 1) * MiB;
            },
            async (source, _) => await HalfRecords.HoldAsync(source))
        {
            Scaled = "`Connections.ReceiveMemory` 4 MiB",
            Holders = 400,
            HoldersInTests = 60,
            MiB = 4 + 16,
            Proof = CoapCounter.ConnectionsEvicted,
            Gauge = server => server.Endpoint.FrameAssemblyBytes,
            Most = settings => settings.Limits.Connections.ReceiveMemory,
        },
        new(
            "unread-answers",
            "bytes that wait to be sent (`Connections.SendMemory`)",
            "100 connections, each asks for 1 MB eight times, with 12 B each, and reads nothing",
            settings => settings.Limits.Connections.SendMemory = settings.Size(64, 8) * MiB,
            async (source, _) => await source.HoldAsync(source.Target.Tcp, Asking(), receiveBuffer: 4096))
        {
            Scaled = "`Connections.SendMemory` 64 MiB",
            Holders = 100,
            HoldersInTests = 24,
            MiB = 64 + 24,
            Proof = CoapCounter.ConnectionsEvicted,
            Gauge = server => server.Endpoint.StreamSendBytes,
            Most = settings => settings.Limits.Connections.SendMemory,
        },
        new(
            "silent-tls",
            "places of TLS handshakes (`MaxHandshakes`)",
            "1,000 connections to the port of `coaps+tcp`, which say nothing",
            settings => settings.Limits.Connections.MaxHandshakes = settings.Size(1000, 8),
            async (source, _) => new LimitFiller(await source.ConnectAsync(source.Target.Tls)))
        {
            MiB = 32,
        },
        new(
            "half-tls",
            "places of TLS handshakes (`MaxHandshakes`)",
            "1,000 connections to the port of `coaps+tcp`, which say the first byte of a ClientHello",
            settings => settings.Limits.Connections.MaxHandshakes = settings.Size(1000, 8),
            async (source, _) =>
            {
                Socket socket = await source.ConnectAsync(source.Target.Tls);
                await source.SendAsync(socket, new byte[] { 0x16 });
                return new LimitFiller(socket);
            })
        {
            MiB = 48,
        },
        new(
            "silent-upgrades",
            "upgrades to WebSockets",
            "500 connections that say half a request to upgrade, 500 WebSockets that send no CSM",
            settings => settings.Limits.Connections.MaxCount = settings.Size(300, 60),
            async (source, number) => await WebSocketAsync(source, isOpen: number / 4 % 2 == 0, []))
        {
            Scaled = "`Connections.MaxCount` 300",
            HoldersInTests = 160,
            MiB = 48,
            Proof = CoapCounter.ConnectionsEvicted,
        },
        new(
            "idle-connections",
            "connections (`Connections.MaxCount`)",
            "1,000 connections that send their CSM and nothing else",
            settings => settings.Limits.Connections.MaxCount = settings.Size(300, 60),
            async (source, _) => await source.HoldAsync(source.Target.Tcp, default))
        {
            Scaled = "`Connections.MaxCount` 300",
            HoldersInTests = 100,
            MiB = 32,
            Proof = CoapCounter.ConnectionsEvicted,
        },
    ];

    /// <summary>A request as a frame, with a token.</summary>
    public static byte[] Request(CoapMethod method, string path, int token = 1, Action<CoapOptionCollection>? options = null,
        byte[]? payload = null)
    {
        byte[] bytes = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(bytes, token);
        CoapMessage message = new(method) { Token = new CoapToken(bytes), Payload = payload ?? [] };
        message.Options.Add(OptionNumber.UriPath, Encoding.UTF8.GetBytes(path));
        options?.Invoke(message.Options);
        return CoapStreamSerializer.Default.Serialize(message);
    }

    // More than the system takes of one connection by itself.
    private static byte[] Asking() => [.. Enumerable.Range(0, 8).SelectMany(token => Request(CoapMethod.Get, "huge", token))];

    private static void Frames(LimitFillSettings settings)
    {
        settings.Limits.Connections.MaxMessageSize = settings.Size(MiB, MiB / 4);
        settings.Limits.Connections.ReceiveMemory = settings.Size(64, 2) * MiB;
    }

    // A frame of the largest length there may be, without its end (RFC 8323 section 3.2).
    private static byte[] Frame(int size)
    {
        const int Header = 6;
        const int LongLength = 65_805;
        byte[] frame = new byte[size - Missing];
        frame[0] = 0xf0;
        BinaryPrimitives.WriteInt32BigEndian(frame.AsSpan(1), size - Header - LongLength);
        frame[5] = 0x02;
        frame[6] = 0xff;
        frame.AsSpan(7).Fill(0x61);
        return frame;
    }

    // The first fragment of a message, with a mask of zeros (RFC 6455 section 5.2).
    private static byte[] Fragment(int size)
    {
        const int Header = 14;
        byte[] bytes = new byte[Header + size - Missing];
        bytes[0] = 0x02;
        bytes[1] = 0xff;
        BinaryPrimitives.WriteInt64BigEndian(bytes.AsSpan(2), size - Missing);
        bytes[Header + 1] = 0x02;
        bytes[Header + 2] = 0xff;
        bytes.AsSpan(Header + 3).Fill(0x61);
        return bytes;
    }

    private static async Task<LimitFiller> WebSocketAsync(LimitFillSource source, bool isOpen, byte[] bytes)
    {
        string request =
            $"GET /.well-known/coap HTTP/1.1\r\nHost: 127.0.0.1:{source.Target.Web}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: coap\r\n";
        Socket socket = await source.ConnectAsync(source.Target.Web);
        await source.SendAsync(socket, Encoding.ASCII.GetBytes(request + (isOpen ? "\r\n" : "")));
        if (bytes.Length > 0)
        {
            // The CSM of a WebSocket message, then what is held.
            await source.SendAsync(socket, new byte[] { 0x82, 0x82, 0, 0, 0, 0, 0x00, 0xe1 });
            await source.SendAsync(socket, bytes);
        }

        return new LimitFiller(socket);
    }
}
