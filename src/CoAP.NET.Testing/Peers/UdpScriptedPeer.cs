using System.Net;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Testing.Peers;

namespace CoAP.NET.Testing;

/// <summary>
/// A <see cref="ScriptedPeer"/> with a real UDP socket on the loopback address and a free port, for tests against real programs.
/// </summary>
/// <remarks>All waiting has a time limit against hanging. The limit does not define how fast the other side must be.</remarks>
public sealed class UdpScriptedPeer : ScriptedPeerBase
{
    private const int MaxUdpPayload = 65_535;

    private readonly Socket _socket;
    private readonly TimeProvider _time;
    private readonly long _started;
    private readonly byte[] _buffer = new byte[MaxUdpPayload];

    /// <summary>Binds a socket.</summary>
    /// <param name="loopback">The loopback address; null for 127.0.0.1.</param>
    /// <param name="timeProvider">The clock of <see cref="ReceivedDatagram.Time"/> and of the limit; null for the system clock.</param>
    /// <exception cref="ArgumentException">The address is not a loopback address.</exception>
    public UdpScriptedPeer(IPAddress? loopback = null, TimeProvider? timeProvider = null)
    {
        loopback ??= IPAddress.Loopback;
        if (!IPAddress.IsLoopback(loopback))
        {
            throw new ArgumentException($"{loopback} is not a loopback address. Use one: tests keep their traffic on the machine.",
                nameof(loopback));
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

    /// <summary>The maximum time to wait for anything. Default 30 s.</summary>
    public TimeSpan HangLimit { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Waits for the next datagram.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The datagram.</returns>
    /// <exception cref="ScriptExpectationException">No datagram arrived within <see cref="HangLimit"/>.</exception>
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
            throw new ScriptExpectationException($"Nothing arrived at {EndPoint} within {HangLimit}.{Log()}");
        }

        CoapAddress from = CoapAddress.FromIPEndPoint((IPEndPoint)result.RemoteEndPoint);
        ReceivedDatagram datagram = new(_time.GetElapsedTime(_started), from, CoapAddress.FromIPEndPoint(EndPoint),
            _buffer.AsSpan(0, result.ReceivedBytes).ToArray());
        OnReceived(datagram);
        return datagram;
    }

    /// <summary>Waits for the next datagram, which must match.</summary>
    /// <param name="pattern">The expected pattern; see <see cref="ScriptedPeer"/>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The datagram, with the captures.</returns>
    /// <exception cref="ScriptExpectationException">The datagram differs, or none arrived within <see cref="HangLimit"/>.</exception>
    public async Task<ReceivedDatagram> ExpectAsync(string pattern, CancellationToken cancellationToken = default)
    {
        DatagramBytePattern parsed = DatagramBytePattern.Parse(pattern);
        return Script.Check(parsed, await ReceiveAsync(cancellationToken).ConfigureAwait(false), Log);
    }

    /// <summary>Closes the socket.</summary>
    public override void Dispose() => _socket.Dispose();

    private protected override void Transmit(CoapAddress to, ReadOnlySpan<byte> data) =>
        _socket.SendTo(data, SocketFlags.None, to.ToIPEndPoint());

    private string Log() => $"{Environment.NewLine}Received so far:{Environment.NewLine}{string.Join(Environment.NewLine, Received)}";
}
