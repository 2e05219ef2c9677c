using System.Net;
using System.Net.Sockets;
using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>
/// A <see cref="ScriptedPeer"/> with a real UDP socket on the loopback address and a free port, for tests against real programs. Everything that waits has a time limit
/// against hanging; it says nothing about how fast the other side must be.
/// </summary>
public sealed class UdpScriptedPeer : IDisposable
{
    private const int MaxUdpPayload = 65_535;

    private readonly Socket _socket;
    private readonly PeerScript _script = new();
    private readonly TimeProvider _time;
    private readonly long _started;
    private readonly byte[] _buffer = new byte[MaxUdpPayload];
    private bool _remoteIsSet;

    /// <summary>Binds a socket.</summary>
    /// <param name="loopback">The loopback address; null is 127.0.0.1.</param>
    /// <param name="timeProvider">The clock of <see cref="ReceivedDatagram.Time"/> and of the limit; null is the system's.</param>
    /// <exception cref="ArgumentException">The address is not a loopback address.</exception>
    public UdpScriptedPeer(IPAddress? loopback = null, TimeProvider? timeProvider = null)
    {
        loopback ??= IPAddress.Loopback;
        if (!IPAddress.IsLoopback(loopback))
        {
            throw new ArgumentException($"{loopback} is not a loopback address. Tests keep their traffic on the machine.", nameof(loopback));
        }

        _time = timeProvider ?? TimeProvider.System;
        _started = _time.GetTimestamp();
        _socket = new Socket(loopback.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        try
        {
            _socket.Bind(new IPEndPoint(loopback, 0));
        }
        catch
        {
            _socket.Dispose();
            throw;
        }

        EndPoint = (IPEndPoint)_socket.LocalEndPoint!;
    }

    /// <summary>Its address and port.</summary>
    public IPEndPoint EndPoint { get; }

    /// <summary>Where it sends to. The default address until it was set or somebody sent something; then the last sender, unless it was set.</summary>
    public CoapAddress Remote { get; set => (field, _remoteIsSet) = (value, value != default); }

    /// <summary>How long anything is waited for before the test is given up. Default 30 s.</summary>
    public TimeSpan HangLimit { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Everything that was received.</summary>
    public IReadOnlyList<ReceivedDatagram> Received => _script.Received;

    /// <summary>What patterns captured so far, by name; later ones replace earlier ones.</summary>
    public IReadOnlyDictionary<string, byte[]> Remembered => _script.Remembered;

    /// <summary>Sends bytes to <see cref="Remote"/>.</summary>
    /// <param name="hex">Bytes, text and remembered names, as in <see cref="BytePattern"/>.</param>
    /// <exception cref="FormatException">The text leaves open what to send.</exception>
    public void Send(string hex) => Send(_script.Bytes(hex));

    /// <summary>Sends bytes to <see cref="Remote"/>.</summary>
    /// <param name="data">The bytes.</param>
    /// <exception cref="InvalidOperationException">There is no remote address yet.</exception>
    public void Send(ReadOnlySpan<byte> data) => SendTo(Remote, data);

    /// <summary>Sends bytes.</summary>
    /// <param name="to">Where to.</param>
    /// <param name="data">The bytes.</param>
    /// <exception cref="InvalidOperationException">The address is the default one.</exception>
    public void SendTo(CoapAddress to, ReadOnlySpan<byte> data)
    {
        if (to == default)
        {
            throw new InvalidOperationException("The peer does not know where to send to. Set Remote, or let somebody send to it first.");
        }

        _socket.SendTo(data, SocketFlags.None, to.ToIPEndPoint());
    }

    /// <summary>Acknowledges a datagram with an Empty message (RFC 7252 section 4.2), to who sent it.</summary>
    /// <param name="received">What is acknowledged.</param>
    public void Acknowledge(ReceivedDatagram received)
    {
        ArgumentNullException.ThrowIfNull(received);
        SendTo(received.From, PeerScript.Acknowledgement(received.Head));
    }

    /// <summary>Rejects a datagram with a Reset message (RFC 7252 section 4.2), to who sent it.</summary>
    /// <param name="received">What is rejected.</param>
    public void Reset(ReceivedDatagram received)
    {
        ArgumentNullException.ThrowIfNull(received);
        SendTo(received.From, PeerScript.Reset(received.Head));
    }

    /// <summary>Answers a request in the acknowledgement (RFC 7252 section 5.2.1).</summary>
    /// <param name="request">The request.</param>
    /// <param name="code">The code of the response.</param>
    /// <param name="rest">What follows the token: options, <c>ff</c>, payload, written as in <see cref="BytePattern"/>.</param>
    public void Piggyback(ReceivedDatagram request, CoapCode code, string rest = "")
    {
        ArgumentNullException.ThrowIfNull(request);
        SendTo(request.From, _script.Response(CoapMessageType.Acknowledgement, code, request.Head.MessageId, request.Head, rest));
    }

    /// <summary>Answers a request in a message of its own (RFC 7252 sections 5.2.2 and 5.2.3).</summary>
    /// <param name="request">The request.</param>
    /// <param name="type">Confirmable or Non-confirmable; others are sent too.</param>
    /// <param name="messageId">The Message ID.</param>
    /// <param name="code">The code of the response.</param>
    /// <param name="rest">What follows the token: options, <c>ff</c>, payload, written as in <see cref="BytePattern"/>.</param>
    public void Respond(ReceivedDatagram request, CoapMessageType type, ushort messageId, CoapCode code, string rest = "")
    {
        ArgumentNullException.ThrowIfNull(request);
        SendTo(request.From, _script.Response(type, code, messageId, request.Head, rest));
    }

    /// <summary>Remembers bytes by a name, as if a pattern had captured them.</summary>
    /// <param name="name">The name.</param>
    /// <param name="bytes">The bytes.</param>
    public void Remember(string name, ReadOnlySpan<byte> bytes) => _script.Remember(name, bytes);

    /// <summary>Waits for the next datagram.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The datagram.</returns>
    /// <exception cref="ScriptException">None came within <see cref="HangLimit"/>.</exception>
    public async Task<ReceivedDatagram> ReceiveAsync(CancellationToken cancellationToken = default)
    {
        EndPoint anybody = new IPEndPoint(_socket.AddressFamily == AddressFamily.InterNetwork ? IPAddress.Any : IPAddress.IPv6Any, 0);
        using CancellationTokenSource limit = new(HangLimit, _time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        SocketReceiveFromResult result;
        try
        {
            result = await _socket.ReceiveFromAsync(_buffer, SocketFlags.None, anybody, either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ScriptException($"Nothing arrived at {EndPoint} within {HangLimit}.{Log()}");
        }

        CoapAddress from = CoapAddress.FromIPEndPoint((IPEndPoint)result.RemoteEndPoint);
        if (!_remoteIsSet)
        {
            (Remote, _remoteIsSet) = (from, false);
        }

        ReceivedDatagram datagram = new(_time.GetElapsedTime(_started), from, CoapAddress.FromIPEndPoint(EndPoint), _buffer.AsSpan(0, result.ReceivedBytes).ToArray());
        _script.Log(datagram);
        return datagram;
    }

    /// <summary>Waits for the next datagram, which must match.</summary>
    /// <param name="pattern">What it must look like; see <see cref="BytePattern"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The datagram, with what was captured.</returns>
    /// <exception cref="ScriptException">It differs, or none came within <see cref="HangLimit"/>.</exception>
    public async Task<ReceivedDatagram> ExpectAsync(string pattern, CancellationToken cancellationToken = default)
    {
        BytePattern parsed = BytePattern.Parse(pattern);
        return _script.Check(parsed, await ReceiveAsync(cancellationToken).ConfigureAwait(false), Log);
    }

    /// <summary>Closes the socket.</summary>
    public void Dispose() => _socket.Dispose();

    private string Log() => $"{Environment.NewLine}Received so far:{Environment.NewLine}{string.Join(Environment.NewLine, Received)}";
}
