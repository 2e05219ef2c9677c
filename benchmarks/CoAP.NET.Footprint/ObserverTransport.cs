using System.Buffers.Binary;
using CoAP.NET.Serialization;

namespace CoAP.NET.Footprint;

/// <summary>
/// A transport without a network, whose peers observe one resource with one token each. Notifications are counted, and acknowledged when
/// that is asked for. For one thread.
/// </summary>
internal sealed class ObserverTransport : CoapDatagramTransport
{
    private const int TokenLength = 4;

    private static readonly CoapAddress s_local = CoapAddress.FromIPv4(0xc000_0201, 5683);

    private readonly CoapDatagram _datagram = new(128);
    private readonly byte[] _registration = Registration();
    private readonly List<(CoapAddress Peer, ushort MessageId)> _notified = [];
    private ICoapDatagramTransportContext? _context;

    public override string Scheme => "coap";

    public override IReadOnlyList<CoapAddress> LocalAddresses => [s_local];

    /// <summary>Answers that say that the client is an observer.</summary>
    public int Registered { get; private set; }

    /// <summary>Confirmable notifications that were not acknowledged yet.</summary>
    public int Unacknowledged => _notified.Count;

    /// <summary>The bytes of the last of them.</summary>
    public int NotificationLength { get; private set; }

    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        _datagram.Local = s_local;
        return ValueTask.CompletedTask;
    }

    /// <summary>Has a peer register, or register again.</summary>
    /// <param name="peer">The number of the peer.</param>
    /// <param name="round">How often it did before.</param>
    public void Register(int peer, int round)
    {
        BinaryPrimitives.WriteUInt16BigEndian(_registration.AsSpan(2), (ushort)round);
        BinaryPrimitives.WriteInt32BigEndian(_registration.AsSpan(4), peer);
        Receive(MemoryTransport.AddressOf(peer), _registration);
    }

    /// <summary>Has all peers acknowledge what they were sent.</summary>
    public void Acknowledge()
    {
        (CoapAddress Peer, ushort MessageId)[] notified = [.. _notified];
        _notified.Clear();
        byte[] acknowledgement = [0x60, 0, 0, 0];
        foreach ((CoapAddress peer, ushort messageId) in notified)
        {
            BinaryPrimitives.WriteUInt16BigEndian(acknowledgement.AsSpan(2), messageId);
            Receive(peer, acknowledgement);
        }
    }

    public override void Send(CoapDatagram datagram)
    {
        CoapMessage message = CoapDatagramSerializer.Default.Deserialize(datagram.Span);
        if (message.Options.Observe is not null)
        {
            if (message.Type == CoapMessageType.Acknowledgement)
            {
                Registered++;
            }
            else if (message.Type == CoapMessageType.Confirmable)
            {
                _notified.Add((datagram.Remote, message.MessageId));
                NotificationLength = datagram.Length;
            }
        }

        datagram.Dispose();
    }

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private static byte[] Registration()
    {
        CoapMessage message = new(CoapCode.Get) { Token = new CoapToken(new byte[TokenLength]) };
        message.Options.Observe = ObserveOption.RegisterValue;
        message.Options.Add(new UriPathOption("state"));
        return CoapDatagramSerializer.Default.Serialize(message);
    }

    private void Receive(CoapAddress peer, ReadOnlySpan<byte> message)
    {
        message.CopyTo(_datagram.Buffer);
        _datagram.Length = message.Length;
        _datagram.Remote = peer;
        _datagram.Transport = this;
        _datagram.Channel = null;
        _context!.Receive(_datagram);
    }
}
