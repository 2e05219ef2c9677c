using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A client on a real socket that sends messages of its own, and repeats nothing.</summary>
internal sealed class RawCoapClient : IAsyncDisposable
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    private readonly Socket _socket;
    private readonly CoapMessageSerializer _serializer;
    private readonly NetworkStream? _stream;

    private RawCoapClient(Socket socket, bool isStream)
    {
        _socket = socket;
        _serializer = isStream ? CoapStreamSerializer.Default : CoapDatagramSerializer.Default;
        _stream = isStream ? new NetworkStream(socket) : null;
    }

    public static async Task<RawCoapClient> ConnectAsync(CoapServer server, bool isStream)
    {
        Socket socket = isStream ? new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
            : new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        await socket.ConnectAsync(IPAddress.Loopback, server.LocalEndpoints[0].Port);
        return new RawCoapClient(socket, isStream);
    }

    /// <summary>The number of the request that a response belongs to.</summary>
    public static int NumberOf(CoapMessage response)
    {
        Span<byte> token = stackalloc byte[2];
        response.Token.CopyTo(token);
        return (token[0] << 8) | token[1];
    }

    /// <summary>Sends a CSM, if the transport is a stream.</summary>
    public async Task SendCsmAsync()
    {
        if (_stream is not null)
        {
            await SendAsync(new CoapMessage(CoapCode.Csm));
        }
    }

    /// <summary>Asks for /x.</summary>
    public Task GetAsync(int number, CoapMessageType type = CoapMessageType.NonConfirmable)
    {
        CoapMessage request = new(CoapCode.Get)
        {
            Type = type,
            MessageId = (ushort)number,
            Token = new CoapToken([(byte)(number >> 8), (byte)number]),
        };
        request.Options.Add(OptionNumber.UriPath, "x"u8);
        return SendAsync(request);
    }

    /// <summary>The next messages, except the CSM.</summary>
    public async Task<List<CoapMessage>> ReadResponsesAsync(int count)
    {
        List<CoapMessage> responses = [];
        while (responses.Count < count)
        {
            CoapMessage message = await ReadAsync().WaitAsync(s_hang);
            if (message.Code != CoapCode.Csm)
            {
                responses.Add(message);
            }
        }

        return responses;
    }

    public ValueTask DisposeAsync()
    {
        _stream?.Dispose();
        _socket.Dispose();
        return ValueTask.CompletedTask;
    }

    private async Task<CoapMessage> ReadAsync()
    {
        if (_stream is not null)
        {
            return await _serializer.DeserializeAsync(_stream);
        }

        byte[] buffer = new byte[2048];
        return _serializer.Deserialize(buffer.AsMemory(0, await _socket.ReceiveAsync(buffer)));
    }

    private async Task SendAsync(CoapMessage message) => await _socket.SendAsync(_serializer.Serialize(message));
}
