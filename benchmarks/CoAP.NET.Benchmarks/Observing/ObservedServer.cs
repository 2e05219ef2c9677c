using System.Buffers.Binary;
using System.Net;
using CoAP.NET.Execution;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// A real server with a resource and its observers in memory, which acknowledge what is Confirmable after the last one was told.
/// </summary>
internal sealed class ObservedServer
{
    // Non-confirmable notifications to a peer have 3 s between them while its round-trip time is not known (RFC 7641 section 4.5.1). By the
    // stepped clock that costs nothing.
    private static readonly long s_pace = TimeSpan.FromSeconds(4).Ticks;

    private readonly SteppedClock _clock = new();
    private readonly InlineRole _role = new();
    private readonly MemoryTransport _transport = new(CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Loopback, 5683)));
    private readonly Queue<(ushort MessageId, CoapAddress Peer)> _unacknowledged = new();
    private HashSet<CoapAddress>? _told = [];
    private readonly CoapServer _server;
    private readonly bool _confirmable;
    private readonly int _observers;
    private readonly byte[] _last = new byte[256];
    private int _lastLength;
    private int _count;
    private int _state;

    public ObservedServer(int observers, bool confirmable)
    {
        (_observers, _confirmable) = (observers, confirmable);
        CoapEndpointOptions options = new() { TimeProvider = _clock };

        // These peers say nothing by which their addresses could be verified; every tenth notification would be Confirmable.
        options.Limits.Observe.MaxUnacknowledgedNotifications = 1_000_000;
        _server = new CoapServer(options);
        byte[] payload = new byte[12];
        _server.MapGet("/state", _ =>
        {
            BinaryPrimitives.WriteInt32BigEndian(payload, _state);
            return new CoapResult(CoapCode.Content, payload);
        }).Observable(observe => (observe.Confirmable, observe.SameForAll) = (confirmable, true));
        _server.Endpoint.AddTransport(_transport);
        _server.StartAsync().GetAwaiter().GetResult();
        _transport.Sent = Take;
        Register();
    }

    /// <summary>The resource changes, all observers are told, and what is Confirmable is acknowledged.</summary>
    public void Change()
    {
        UserCodeScope.Role = _role;
        _clock.Step(s_pace);
        _transport.Time.Tick();
        _state++;
        _told?.Clear();
        int before = _count;
        _server.Notify("/state");
        for (int idle = 0; _count - before < _observers; idle++)
        {
            int sent = _count;
            _transport.Time.Tick();
            idle = _count == sent ? idle : 0;
            if (idle > 1000)
            {
                throw new InvalidOperationException($"{_count - before} of {_observers} observers were told.");
            }
        }

        Span<byte> acknowledgement = [0x60, 0x00, 0x00, 0x00];
        while (_unacknowledged.TryDequeue(out (ushort MessageId, CoapAddress Peer) one))
        {
            BinaryPrimitives.WriteUInt16BigEndian(acknowledgement[2..], one.MessageId);
            _transport.Deliver(acknowledgement, one.Peer);
        }

        _transport.Time.Tick();
        if (_count - before != _observers)
        {
            throw new InvalidOperationException($"{_count - before} notifications to {_observers} observers.");
        }
    }

    /// <summary>Whether the last change reached every observer, in the right type and with the newest state.</summary>
    public void CheckLast()
    {
        CoapMessage last = CoapDatagramSerializer.Default.Deserialize(_last.AsMemory(0, _lastLength));
        if (_told!.Count != _observers
            || last.Type != (_confirmable ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable)
            || last.Code != CoapCode.Content || !last.Options.Contains(OptionNumber.Observe)
            || BinaryPrimitives.ReadInt32BigEndian(last.Payload.Span) != _state)
        {
            throw new InvalidOperationException($"{_told.Count} of {_observers} observers were told; the last one was sent {last}.");
        }
    }

    /// <summary>From here on nothing is remembered of who was told, which would be measured, too.</summary>
    public void StopChecking() => _told = null;

    private void Register()
    {
        UserCodeScope.Role = _role;
        CoapMessage request = new(CoapCode.Get) { Type = CoapMessageType.Confirmable, Token = new CoapToken([0x4a, 0x11, 0xf0, 0x0d]) };
        request.Options.Add(new ObserveOption(ObserveOption.RegisterValue)).Add(new UriPathOption("state"));
        byte[] bytes = CoapDatagramSerializer.Default.Serialize(request);
        for (int i = 0; i < _observers; i++)
        {
            _transport.Deliver(bytes, MemoryServer.PeerAt(i));
            _transport.Time.Tick();
        }

        if (_server.ObserverCount != _observers || _count != _observers)
        {
            throw new InvalidOperationException($"{_server.ObserverCount} of {_observers} observers were registered.");
        }
    }

    private void Take(ReadOnlySpan<byte> bytes, CoapAddress peer)
    {
        _count++;
        bytes.CopyTo(_last);
        _lastLength = bytes.Length;
        if ((bytes[0] & 0x30) == 0)
        {
            _unacknowledged.Enqueue((BinaryPrimitives.ReadUInt16BigEndian(bytes[2..]), peer));
        }

        _told?.Add(peer);
    }
}
