using CoAP.NET.Testing.Peers;

namespace CoAP.NET.Dtls.Tests.Moving;

/// <summary>
/// A device whose messages are written byte by byte: a DTLS session with a Connection ID, and a socket that may be exchanged for another in
/// its midst, as a NAT does that forgot it. It knows no Echo.
/// </summary>
internal sealed class ScriptedDevice : IDtlsSessionOutput, IDisposable
{
    private static readonly TimeSpan s_hangLimit = FromMinutes(2);

    // As many devices as there may be share them; they live as long as the tests.
    private static readonly SharedHandshakeContext s_withPathChecks =
        new(new HandshakeSettings { IsServer = false, Suites = [CipherSuite.All[0]], OwnCidLength = 0 });

    private static readonly SharedHandshakeContext s_withCid = new(s_withPathChecks.Settings with { OffersPathChecks = false });
    private static readonly SharedHandshakeContext s_withoutCid =
        new(new HandshakeSettings { IsServer = false, Suites = [CipherSuite.All[0]] });

    private readonly DtlsClient _client;
    private readonly IPEndPoint _server;
    private readonly DtlsPath _path;
    private readonly byte[] _buffer = new byte[2_048];
    private readonly List<byte[]> _messages = [];
    private readonly Dictionary<string, byte[]> _remembered = [];
    private Socket _socket;
    private bool _isHeld;
    private bool _isOpened;

    private ScriptedDevice(IPEndPoint server, bool withCid, IPEndPoint? source, bool checksPaths)
    {
        _server = server;
        _path = new DtlsPath(CoapAddress.FromIPEndPoint(server), default, 0);
        SharedHandshakeContext context = checksPaths ? s_withPathChecks : withCid ? s_withCid : s_withoutCid;
        DtlsClientSettings settings = new()
        {
            SelectPsk = (_, _) => new(new CoapPskCredential(Transport.SecureEndpoints.Identity, Transport.SecureEndpoints.Key))
        };
        _client = new DtlsClient(context, settings, this, TimeProvider.System, CoapRandomSource.Secure, (_, work) => work());
        _socket = Open(source);
    }

    /// <summary>The session; it is there once <see cref="ConnectAsync"/> has ended.</summary>
    public DtlsSession Session { get; private set; } = null!;

    /// <summary>The datagrams that were sent, as they were on the wire.</summary>
    public List<byte[]> Sent { get; } = [];

    /// <summary>Bytes that were sent from the present port.</summary>
    public int SentBytes { get; private set; }

    /// <summary>Bytes that came to the present port and were read.</summary>
    public int ReceivedBytes { get; private set; }

    /// <summary>Bytes that came to the present port, and wait to be read.</summary>
    public int Waiting => _socket.Available;

    /// <summary>Whether a session was ended by the server.</summary>
    public bool IsEnded { get; private set; }

    /// <summary>Where it is.</summary>
    public IPEndPoint Source => (IPEndPoint)_socket.LocalEndPoint!;

    /// <summary>Makes one that has its session.</summary>
    /// <param name="server">The server.</param>
    /// <param name="withCid">Whether it knows of Connection IDs.</param>
    /// <param name="source">Where it is; null: at any port.</param>
    /// <param name="checksPaths">Whether it knows of Return Routability Checks.</param>
    public static async Task<ScriptedDevice> ConnectAsync(
        IPEndPoint server, bool withCid = true, IPEndPoint? source = null, bool checksPaths = false)
    {
        ScriptedDevice device = new(server, withCid, source, checksPaths);
        Task<DtlsSession> connecting = device._client.ConnectAsync(device._path, null, CancellationToken.None);
        while (!device._isOpened)
        {
            await device.ReadAsync();
        }

        device.Session = await connecting;
        return device;
    }

    /// <summary>Sends a message.</summary>
    /// <param name="message">A <see cref="DatagramBytePattern"/>, with what earlier ones remembered.</param>
    public void Send(string message) => Assert.True(Session.Send(DatagramBytePattern.Parse(message).ToBytes(_remembered)));

    /// <summary>Makes the datagram of a message and keeps it back.</summary>
    /// <param name="message">As for <see cref="Send"/>.</param>
    public byte[] Seal(string message)
    {
        _isHeld = true;
        Send(message);
        _isHeld = false;
        return Sent[^1];
    }

    /// <summary>Waits for a message like this; others are kept for later.</summary>
    /// <param name="message">A <see cref="DatagramBytePattern"/>.</param>
    /// <returns>The message.</returns>
    public async Task<byte[]> ExpectAsync(string message)
    {
        DatagramBytePattern pattern = DatagramBytePattern.Parse(message);
        for (int next = 0; ; next++)
        {
            while (next >= _messages.Count)
            {
                await ReadAsync();
            }

            if (pattern.Match(_messages[next], _remembered) is { IsMatch: true } match)
            {
                byte[] found = _messages[next];
                _messages.RemoveAt(next);
                foreach ((string name, byte[] value) in match.Captures)
                {
                    _remembered[name] = value;
                }

                return found;
            }
        }
    }

    /// <summary>Whether a message was read that nobody has expected yet.</summary>
    public bool HasGot(Predicate<byte[]> wanted) => _messages.Exists(wanted);

    /// <summary>Reads all that has come.</summary>
    public async Task DrainAsync()
    {
        while (_socket.Available > 0)
        {
            await ReadAsync();
        }
    }

    /// <summary>Reads what comes until something is so.</summary>
    /// <param name="condition">The condition.</param>
    public Task ReadUntilAsync(Func<bool> condition) => Eventually.IsTrueAsync(() =>
    {
        while (_socket.Available > 0)
        {
            int length = _socket.Receive(_buffer);
            ReceivedBytes += length;
            _client.Receive(_path, _buffer.AsSpan(0, length));
        }

        return condition();
    });

    /// <summary>Sends from another port from now on; what comes to the old one is lost.</summary>
    public void Move()
    {
        _socket.Dispose();
        _socket = Open();
        (SentBytes, ReceivedBytes) = (0, 0);
    }

    /// <summary>Sends bytes that are no message, from the present port.</summary>
    /// <param name="datagram">The bytes.</param>
    public void SendRaw(ReadOnlySpan<byte> datagram) => _socket.Send(datagram);

    /// <summary>Is gone without a word.</summary>
    public void Vanish()
    {
        _isHeld = true;
        Dispose();
    }

    public void Dispose()
    {
        _client.Dispose();
        _socket.Dispose();
    }

    void IDtlsSessionOutput.Send(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        Sent.Add(datagram.ToArray());
        if (!_isHeld)
        {
            SentBytes += datagram.Length;
            _socket.Send(datagram);
        }
    }

    void IDtlsSessionOutput.Opened(DtlsSession session) => _isOpened = true;

    void IDtlsSessionOutput.Received(DtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content) => _messages.Add(content.ToArray());

    void IDtlsSessionOutput.Moved(DtlsSession session, in DtlsPath from)
    {
    }

    void IDtlsSessionOutput.Closed(DtlsSession session, DtlsSessionEndReason reason) => IsEnded = reason != DtlsSessionEndReason.Closed;

    private Socket Open(IPEndPoint? source = null)
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        if (source is not null)
        {
            socket.Bind(source);
        }

        socket.Connect(_server);
        return socket;
    }

    private async Task ReadAsync()
    {
        using CancellationTokenSource guard = new(s_hangLimit);
        int length = await _socket.ReceiveAsync(_buffer, guard.Token);
        ReceivedBytes += length;
        _client.Receive(_path, _buffer.AsSpan(0, length));
    }
}
