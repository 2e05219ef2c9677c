using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Bench;

/// <summary>
/// Devices of one server, each with a DTLS session, an identity and an address of its own, and a socket only while it speaks.
/// </summary>
/// <param name="server">The server.</param>
internal sealed class SecureDevices(IPEndPoint server) : IDisposable
{
    private const int PerBlock = 250;

    // Two minutes, in which even a machine that does much else answers: only an answer that never comes is a fault.
    private const int Tries = 240;
    private const int TimeOfTry = 500;

    private readonly SecureClient _client = new(SecureClient.PskCcm8);
    private readonly List<SecurePeer> _devices = [];

    // Their port, which nobody else gets while this is bound.
    private readonly Socket _port = Bind(new IPEndPoint(IPAddress.Any, 0));
    private readonly byte[] _buffer = new byte[2048];

    /// <summary>Requests with a wrong answer.</summary>
    public int Errors { get; private set; }

    /// <summary>Has further devices open a session each; they are silent afterwards.</summary>
    /// <exception cref="InvalidOperationException">A handshake failed.</exception>
    public void Open(int count)
    {
        for (int i = 0; i < count; i++)
        {
            int number = _devices.Count;
            SecurePeer peer = new(_client, $"device-{number}");
            using Socket socket = SocketOf(number);
            _devices.Add(peer);
            Send(socket, peer.Begin());
            for (int tries = 0; peer.IsConnecting; tries++)
            {
                int length = Receive(socket);
                Send(socket, length > 0 ? peer.Take(_buffer.AsSpan(0, length)) : tries < Tries ? peer.Look()
                    : throw new InvalidOperationException($"Handshake {number} had no answer."));
            }
        }
    }

    /// <summary>Has further devices begin a handshake each, and leave it open.</summary>
    /// <param name="count">How many.</param>
    /// <param name="sendsKeyExchange">Whether they also send the flight with ClientKeyExchange, for which the server needs the key.</param>
    /// <param name="behind">How many datagrams of 1,000 bytes each sends behind it.</param>
    /// <exception cref="InvalidOperationException">A handshake had no answer.</exception>
    public void LeaveOpen(int count, bool sendsKeyExchange, int behind = 0)
    {
        // A record of a handshake message.
        byte[] record = [22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 1, 0, 987 >> 8, 987 & 0xff, 16, .. new byte[986]];
        for (int i = 0; i < count; i++)
        {
            int number = _devices.Count;
            SecurePeer peer = new(_client, $"device-{number}");
            using Socket socket = SocketOf(number);
            _devices.Add(peer);

            // The request for a cookie, and the flight of the server.
            IReadOnlyList<byte[]> next = peer.Begin();
            for (int answers = 0; answers < 2; answers++)
            {
                Send(socket, next);
                next = peer.Take(ReceiveAnswer(socket, $"Handshake {number} had no answer."));
            }

            if (sendsKeyExchange)
            {
                Send(socket, next);
            }

            for (int sent = 0; sent < behind; sent++)
            {
                record[10]++;
                socket.Send(record);
            }

            peer.Forget();
        }
    }

    /// <summary>Has devices ask within their sessions, one after another: a Confirmable GET each.</summary>
    /// <param name="step">Every how manyth.</param>
    /// <exception cref="InvalidOperationException">A request had no answer, as the server has no session with the device.</exception>
    public void Ask(int step = 1)
    {
        byte[] record = new byte[256];
        for (int i = 0; i < _devices.Count; i += step)
        {
            SecurePeer peer = _devices[i];
            using Socket socket = SocketOf(i);
            CoapMessage request = new(CoapCode.Get)
            {
                Type = CoapMessageType.Confirmable,
                MessageId = (ushort)(step * 7),
                Token = new CoapToken([1, 2, 3, 4])
            };
            request.Options.Add(new UriPathOption("hello"));
            socket.Send(record.AsSpan(0, peer.Seal(CoapDatagramSerializer.Default.Serialize(request), record)));
            ReadOnlySpan<byte> answer = peer.Open(ReceiveAnswer(socket, $"Device {i} had no answer to its request."));
            if (answer.IsEmpty
                || CoapDatagramSerializer.Default.Deserialize(answer) is not { Code: var code, MessageId: var id, Payload: var payload }
                || code != CoapCode.Content || id != request.MessageId
                || !payload.Span.SequenceEqual(System.Text.Encoding.UTF8.GetBytes(Frames.Hello)))
            {
                Errors++;
            }
        }
    }

    public void Dispose()
    {
        foreach (SecurePeer peer in _devices)
        {
            peer.Dispose();
        }

        _port.Dispose();
    }

    private static Socket Bind(IPEndPoint source)
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { ReceiveTimeout = TimeOfTry };
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
        socket.Bind(source);
        return socket;
    }

    private Socket SocketOf(int number)
    {
        IPAddress address =
            new([127, (byte)(2 + (number / PerBlock / PerBlock)), (byte)(number / PerBlock % PerBlock), (byte)(1 + (number % PerBlock))]);
        Socket socket = Bind(new IPEndPoint(address, ((IPEndPoint)_port.LocalEndPoint!).Port));
        socket.Connect(server);
        return socket;
    }

    private static void Send(Socket socket, IReadOnlyList<byte[]> datagrams)
    {
        foreach (byte[] datagram in datagrams)
        {
            socket.Send(datagram);
        }
    }

    private Span<byte> ReceiveAnswer(Socket socket, string absence)
    {
        for (int tries = 0; tries < Tries; tries++)
        {
            if (Receive(socket) is > 0 and int length)
            {
                return _buffer.AsSpan(0, length);
            }
        }

        throw new InvalidOperationException(absence);
    }

    // 0 when nothing came.
    private int Receive(Socket socket)
    {
        try
        {
            return socket.Receive(_buffer);
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.TimedOut)
        {
            return 0;
        }
    }
}
