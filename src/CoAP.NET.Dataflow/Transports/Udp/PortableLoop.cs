using System.Buffers;
using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Transports.Udp;

/// <summary>
/// The loop of one socket: receive, process to completion, repeat. A stand-by that takes over continues to receive on the same socket.
/// </summary>
internal sealed class PortableLoop : ReceiveLoop
{
    // Large enough for any datagram, because systems report truncation differently.
    private const int ScratchSize = 65_536;

    private readonly PortableUdpSocket _socket;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public PortableLoop(PortableUdpSocket socket)
        : base(socket.Owner.Context.Scheduler) => _socket = socket;

    /// <summary>Completes when nothing more is received.</summary>
    public Task Ended => _ended.Task;

    protected override LoopCountersAndLogger? ActiveReports =>
        _socket.Owner.Context is { } context ? new LoopCountersAndLogger(context.Counters, context.Logger) : null;

    protected override TimeSpan HandOverAfter => _socket.Owner.Options.HandOverAfter;

    protected override void Run(ReceiveLoopOwnership role)
    {
        byte[] scratch = ArrayPool<byte>.Shared.Rent(ScratchSize);
        try
        {
            SocketAddress from = new(_socket.Socket.AddressFamily);
            EndPoint? last = _socket.ProvidesLocalAddress ? new IPEndPoint(_socket.IsIPv6 ? IPAddress.IPv6Any : IPAddress.Any, 0) : null;
            while (!_socket.IsClosing)
            {
                if (TryReceive(scratch, from, ref last) is { } datagram)
                {
                    BeginTurn();
                    _socket.Owner.Context.Receive(datagram);
                    if (!role.ExitAll())
                    {
                        return;
                    }
                }
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(scratch);
        }

        MarkEnded();
        _ended.TrySetResult();
    }

    private CoapDatagram? TryReceive(byte[] scratch, SocketAddress from, ref EndPoint? last)
    {
        try
        {
            return last is null ? ReceiveAtAddress(scratch, from) : ReceiveAtWildcard(scratch, ref last);
        }
        catch (ObjectDisposedException)
        {
            return null;
        }
        catch (SocketException exception)
        {
            // Interrupted by closing, or an error of an earlier sent datagram, which does not affect receiving.
            if (!_socket.IsClosing
                && exception.SocketErrorCode is not (SocketError.ConnectionReset or SocketError.NetworkReset
                    or SocketError.ConnectionRefused or SocketError.MessageSize))
            {
                if (_socket.Owner.Receiving.IsDue())
                {
                    UdpLog.UdpReceiveFailed(_socket.Owner.Context.Logger, _socket.Local, exception.Message);
                }

                if (LostDescriptorErrors.Is(exception))
                {
                    _socket.OnLost(exception);
                }

                Watchdog.Pause();
            }

            return null;
        }
    }

    private CoapDatagram? ReceiveAtAddress(byte[] scratch, SocketAddress from)
    {
        int length = _socket.Socket.ReceiveFrom(scratch, SocketFlags.None, from);
        return MakeDatagram(scratch, length, SockaddrConverter.Read(from.Buffer.Span, _socket.IsIPv6), _socket.Local);
    }

    // The platform has no call for this without objects for each datagram. It makes no new ones for the remote address of the last time.
    private CoapDatagram? ReceiveAtWildcard(byte[] scratch, ref EndPoint from)
    {
        SocketFlags flags = SocketFlags.None;
        int length = _socket.Socket.ReceiveMessageFrom(scratch, ref flags, ref from, out IPPacketInformation information);
        CoapAddress local = _socket.Local;
        if (information.Address is { } address)
        {
            local = CoapAddress.Of(address, local.Port);
            if (SockaddrConverter.NeedsScope(local.High))
            {
                local = local with { ScopeId = (uint)information.Interface };
            }
        }

        return MakeDatagram(scratch, length, CoapAddress.FromIPEndPoint((IPEndPoint)from), local);
    }

    private CoapDatagram? MakeDatagram(byte[] scratch, int length, in CoapAddress remote, in CoapAddress local)
    {
        if (_socket.IsClosing)
        {
            // The datagram that ends the receive, or one before it.
            return null;
        }

        PortableUdpEngine owner = _socket.Owner;
        CoapDatagram datagram = owner.Pool.Rent();
        datagram.IsTruncated = length > datagram.Buffer.Length;
        datagram.Length = Math.Min(length, datagram.Buffer.Length);
        scratch.AsSpan(0, datagram.Length).CopyTo(datagram.Buffer);
        datagram.Remote = remote;
        datagram.Local = local;
        datagram.Transport = owner.Transport;
        datagram.TransportTag = _socket.Tag;
        datagram.Channel = null;
        return datagram;
    }
}
