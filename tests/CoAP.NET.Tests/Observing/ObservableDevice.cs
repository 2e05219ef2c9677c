using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Observing;

/// <summary>
/// A device with one observable resource, as simple as can be: it notifies once, remembers nothing over a restart, and may move to another
/// address.
/// </summary>
internal sealed class ObservableDevice : IDisposable
{
    private readonly CoapDatagramSerializer _serializer = new();
    private readonly InMemoryNetwork _network;
    private readonly uint _maxAge;
    private readonly Dictionary<CoapToken, CoapAddress> _observers = [];
    private readonly Dictionary<ushort, CoapToken> _notifications = [];
    private ScriptedPeer _peer;
    private uint _sequence;
    private ushort _nextId;

    public ObservableDevice(InMemoryNetwork network, CoapAddress address, uint maxAge)
    {
        _network = network;
        _maxAge = maxAge;
        _peer = Attach(address);
    }

    public int Value { get; private set; }

    /// <summary>Whether it hears and says anything.</summary>
    public bool IsUp { get; set; } = true;

    public CoapAddress Address => _peer.Address;

    public int Observers => _observers.Count;

    public int Registrations { get; private set; }

    public int Cancellations { get; private set; }

    public void Change(bool confirmable)
    {
        Value++;
        _sequence = (_sequence + 1) & 0xff_ffff;
        if (!IsUp)
        {
            return;
        }

        foreach ((CoapToken token, CoapAddress address) in _observers.ToArray())
        {
            ushort id = _nextId++;
            _notifications[id] = token;
            Send(address, confirmable ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable, id, token, isNotification: true);
        }
    }

    public void Restart()
    {
        _observers.Clear();
        _notifications.Clear();
        _sequence = 0;
    }

    public void Move(CoapAddress address)
    {
        Restart();
        _peer.Dispose();
        _peer = Attach(address);
    }

    public void Dispose() => _peer.Dispose();

    private ScriptedPeer Attach(CoapAddress address)
    {
        ScriptedPeer peer = _network.CreatePeer(address);
        peer.Responder = datagram =>
        {
            if (IsUp)
            {
                Receive(datagram);
            }

            return true;
        };
        return peer;
    }

    private void Receive(ReceivedDatagram datagram)
    {
        CoapMessage message = _serializer.Deserialize(datagram.Data.Span);
        if (message.Type == CoapMessageType.Reset && _notifications.TryGetValue(message.MessageId, out CoapToken rejected))
        {
            _observers.Remove(rejected);
        }

        if (!message.Code.IsRequest)
        {
            return;
        }

        bool registers = message.Options.Observe == 0;
        if (registers)
        {
            Registrations++;
            _observers[message.Token] = datagram.From;
        }
        else if (message.Options.Observe == 1)
        {
            Cancellations++;
            _observers.Remove(message.Token);
        }

        Send(datagram.From, CoapMessageType.Acknowledgement, message.MessageId, message.Token, registers);
    }

    private void Send(CoapAddress to, CoapMessageType type, ushort id, CoapToken token, bool isNotification)
    {
        CoapMessage message = new(CoapCode.Content)
        {
            Type = type,
            MessageId = id,
            Token = token,
            Payload = Encoding.UTF8.GetBytes($"{Value}")
        };
        message.Options.MaxAge = FromSeconds(_maxAge);
        if (isNotification)
        {
            message.Options.Observe = _sequence;
        }

        _peer.SendTo(to, _serializer.Serialize(message));
    }
}
