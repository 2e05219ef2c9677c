using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Security.Cryptography;
using System.Text;

namespace CoAP.NET.Tests.Transports.WebSockets;

/// <summary>A web server of a few lines that opens WebSockets, and shows what it was asked.</summary>
internal sealed class WebServer : IDisposable
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);

    public WebServer() => _listener.Start();

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Takes the next connection and reads the head of its request.</summary>
    public async Task<(Stream Stream, string Head)> AcceptAsync()
    {
        Socket socket = await _listener.AcceptSocketAsync().WaitAsync(s_hang);
        NetworkStream stream = new(socket, ownsSocket: true);
        List<byte> head = [];
        byte[] one = new byte[1];
        while (head is not [.., 13, 10, 13, 10])
        {
            await stream.ReadExactlyAsync(one).AsTask().WaitAsync(s_hang);
            head.Add(one[0]);
        }

        return (stream, Encoding.ASCII.GetString([.. head]));
    }

    /// <summary>Opens the WebSocket that was asked for.</summary>
    /// <param name="head">The head of the request.</param>
    /// <param name="stream">Its connection.</param>
    /// <param name="subProtocol">What is selected; null for nothing.</param>
    public static async Task UpgradeAsync(string head, Stream stream, string? subProtocol = "coap")
    {
        string key = FieldOf(head, "Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
#pragma warning disable CA5350 // RFC 6455 section 4.2.2 says so
        string accept = Convert.ToBase64String(SHA1.HashData(Encoding.ASCII.GetBytes(key)));
#pragma warning restore CA5350
        string protocol = subProtocol is null ? string.Empty : $"Sec-WebSocket-Protocol: {subProtocol}\r\n";
        await stream.WriteAsync(
            Encoding.ASCII.GetBytes(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: "
                    + $"Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n{protocol}\r\n"));
    }

    /// <summary>Takes a connection and opens its WebSocket.</summary>
    public async Task<WebSocket> OpenAsync()
    {
        (Stream stream, string head) = await AcceptAsync();
        await UpgradeAsync(head, stream);
        return WebSocket.CreateFromStream(stream,
            new WebSocketCreationOptions { IsServer = true, SubProtocol = "coap", KeepAliveInterval = TimeSpan.Zero });
    }

    /// <summary>A header field of a request.</summary>
    public static string? FieldOf(string head, string name) =>
        head.Split("\r\n")
            .FirstOrDefault(line => line.StartsWith(name + ":", OrdinalIgnoreCase))?[(name.Length + 1)..].Trim();

    public void Dispose() => _listener.Dispose();
}
