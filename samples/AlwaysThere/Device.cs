using System.Net;
using CoAP.NET;
using CoAP.NET.Testing;

namespace AlwaysThere;

/// <summary>
/// A device on a network in memory, made of raw messages as scripted peers are: it knows one resource, one observer, and how to misbehave.
/// Its value changes every half hour, and a notification is good for 40 minutes.
/// </summary>
internal sealed class Device : IDisposable
{
    private static readonly TimeSpan s_maxAge = TimeSpan.FromMinutes(40);

    private readonly InMemoryNetwork _network;
    private readonly ScriptedPeer _peer;
    private readonly ITimer _timer;
    private readonly TimeProvider _clock;
    private (CoapAddress Address, CoapToken Token)? _observer;
    private uint _number;
    private ushort _messageId;
    private Quirk _quirk;
    private long _quirkBegan;

    public Device(InMemoryNetwork network, CoapAddress address, TimeProvider clock)
    {
        _network = network;
        _clock = clock;
        _peer = network.CreatePeer(address);
        _peer.Responder = Answer;
        _timer = clock.CreateTimer(_ => Change(), null, TimeSpan.FromMinutes(30), TimeSpan.FromMinutes(30));
    }

    /// <summary>Its state: a counter.</summary>
    public int Value { get; private set; }

    /// <summary>How often an observer registered.</summary>
    public int Registrations { get; private set; }

    /// <summary>Where it is now.</summary>
    public CoapAddress Address => _peer.Address;

    private TimeSpan SinceQuirk => _clock.GetElapsedTime(_quirkBegan);

    /// <summary>Begins to misbehave.</summary>
    public void Have(Quirk quirk)
    {
        _quirk = quirk;
        _quirkBegan = _clock.GetTimestamp();
        switch (quirk)
        {
            case Quirk.ForgetsObservers or Quirk.AnswersNonToCon or Quirk.ResetsRequests or Quirk.NotFoundWhileBooting or Quirk.Overloaded:
                // With a reboot: so the client has to ask again, and meets the rest of it.
                _observer = null;
                break;
            case Quirk.CountsFromZero:
                _number = 0;
                break;
            case Quirk.AwayForANight:
                _observer = null;
                _network.Restart(_peer.Address, TimeSpan.FromHours(8));
                break;
            case Quirk.NewAddress:
                _observer = null;
                _network.Rebind(_peer.Address, Next(_peer.Address));
                break;
        }
    }

    // The next address of the network, with the same port.
    private static CoapAddress Next(CoapAddress address)
    {
        byte[] bytes = address.ToIPAddress().GetAddressBytes();
        bytes[^1]++;
        return CoapAddress.FromIPEndPoint(new IPEndPoint(new IPAddress(bytes), address.Port));
    }

    public void Dispose()
    {
        _timer.Dispose();
        _peer.Dispose();
    }

    private void Change()
    {
        Value++;
        if (_observer is not { } observer)
        {
            return;
        }

        if (_quirk == Quirk.SendsOldStates)
        {
            Send(observer.Address, State(CoapMessageType.NonConfirmable, observer.Token, ++_number + 1, Value));
            Send(observer.Address, State(CoapMessageType.NonConfirmable, observer.Token, _number++, Value - 1));
            return;
        }

        Send(observer.Address, State(CoapMessageType.NonConfirmable, observer.Token, ++_number, Value));
    }

    private bool Answer(ReceivedDatagram datagram)
    {
        if (!CoapDatagramSerializer.Default.TryDeserialize(datagram.Data, out CoapMessage? asked, out _))
        {
            return true;
        }

        if (asked.Type == CoapMessageType.Confirmable
            && (asked.IsEmpty || (_quirk == Quirk.ResetsRequests && SinceQuirk < TimeSpan.FromHours(1))))
        {
            // A Ping is answered by a Reset (RFC 7252 section 4.3); requests for an hour, too.
            Send(datagram.From, new CoapMessage { Type = CoapMessageType.Reset, MessageId = asked.MessageId });
        }
        else if (asked.Code == CoapCode.Get)
        {
            Serve(datagram.From, asked);
        }

        return true;
    }

    private void Serve(CoapAddress from, CoapMessage asked)
    {
        CoapMessage answer;
        if (_quirk == Quirk.NotFoundWhileBooting && SinceQuirk < TimeSpan.FromMinutes(20))
        {
            answer = new CoapMessage(CoapCode.NotFound) { Token = asked.Token };
        }
        else if (_quirk == Quirk.Overloaded && SinceQuirk < TimeSpan.FromHours(1))
        {
            answer = new CoapMessage(CoapCode.ServiceUnavailable) { Token = asked.Token };
            answer.Options.MaxAge = TimeSpan.FromMinutes(1);
        }
        else
        {
            bool registers = asked.Options.Observe == ObserveOption.RegisterValue;
            if (registers)
            {
                _observer = (from, asked.Token);
                Registrations++;
            }

            answer = State(CoapMessageType.Acknowledgement, asked.Token, registers ? ++_number : null, Value);
        }

        bool isOwn = _quirk == Quirk.AnswersNonToCon || asked.Type != CoapMessageType.Confirmable;
        answer.Type = isOwn ? CoapMessageType.NonConfirmable : CoapMessageType.Acknowledgement;
        answer.MessageId = isOwn ? ++_messageId : asked.MessageId;
        Send(from, answer);
    }

    private CoapMessage State(CoapMessageType type, CoapToken token, uint? number, int value)
    {
        CoapMessage state = new(CoapCode.Content)
        {
            Type = type,
            MessageId = ++_messageId,
            Token = token,
            Payload = System.Text.Encoding.UTF8.GetBytes($"{value}"),
        };
        state.Options.MaxAge = s_maxAge;
        if (number is { } observe)
        {
            state.Options.Observe = observe;
        }

        return state;
    }

    private void Send(CoapAddress to, CoapMessage message) => _peer.SendTo(to, CoapDatagramSerializer.Default.Serialize(message));
}
