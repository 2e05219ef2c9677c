namespace CoAP.NET.Simulation.Attack;

/// <summary>
/// An honest client with all that a server keeps of one: it asked before, observes, uploads a body and downloads another one block by
/// block, and sent a POST whose duplicate comes late. It counts what was not as it has to be.
/// </summary>
internal sealed class KnownPeer(AttackServer server, int number, bool verifies)
{
    public const int BodyLength = 20 * BlockSize;

    private const int BlockSize = 64;
    private const int SizeExponent = 2;
    private const uint WatchToken = 0x7761_7463;

    private readonly List<byte[]> _received = [];
    private readonly byte[] _body = Forged.Pattern(number, BodyLength);
    private byte[] _post = [];
    private byte[]? _echo;
    private int _messageId = number * 64;
    private int _uploaded;
    private int _downloaded;

    public CoapAddress Address { get; } = CoapAddress.FromIPv4(0xc633_6400 + ((uint)number << 8), (ushort)(20_000 + number));

    /// <summary>What went wrong, in the order in which it did.</summary>
    public List<string> Troubles { get; } = [];

    /// <summary>The newest state of /watched that it was told.</summary>
    public int Told { get; private set; } = -1;

    public bool IsDone => _uploaded == BodyLength / BlockSize;

    public void OnReceived(ReadOnlySpan<byte> bytes) => _received.Add(bytes.ToArray());

    /// <summary>Speaks for the first time.</summary>
    public void Meet()
    {
        _ = Ask(Forged.Message(CoapMethod.Get, "hello"), CoapCode.Content);
        if (verifies)
        {
            CoapMessage? challenge = Ask(Forged.Message(CoapMethod.Put, "fresh"), CoapCode.Unauthorized);
            _echo = challenge?.Options.Echo?.ToArray();
            Must(_echo is not null, "no Echo");
            _ = Ask(Forged.Message(CoapMethod.Put, "fresh", options: options => options.Add(OptionNumber.Echo, _echo)), CoapCode.Changed);
        }
    }

    /// <summary>Comes back after some seconds, and begins what takes long.</summary>
    public void Settle()
    {
        _ = Ask(Forged.Message(CoapMethod.Get, "hello"), CoapCode.Content);
        byte[] watch = Forged.Message(CoapMethod.Get, "watched", options: options => options.Observe = 0);
        CoapMessage? answer = Ask(watch, CoapCode.Content, WatchToken);
        Must(answer?.Options.Observe is not null, "no observer");
        _post = Forged.Message(CoapMethod.Post, "count");
        _ = Ask(_post, CoapCode.Changed);
        _post = Forged.Stamp(_post, _messageId - 1, (uint)(_messageId - 1)).ToArray();
        Step();
    }

    /// <summary>Acknowledges what it was told, and goes on by a block in both directions.</summary>
    public void Step()
    {
        Acknowledge();
        if (!IsDone)
        {
            bool isLast = ++_uploaded == BodyLength / BlockSize;
            int block = _uploaded - 1;
            byte[] part = Forged.Message(
                CoapMethod.Put,
                $"store/{number}",
                options: options => options.Block1 = new BlockValue(block, !isLast, SizeExponent),
                payload: _body[(block * BlockSize)..((block + 1) * BlockSize)]);
            _ = Ask(part, isLast ? CoapCode.Changed : CoapCode.Continue);
        }

        byte[] next = Forged.Message(CoapMethod.Get, "large",
            options: options => options.Block2 = new BlockValue(_downloaded % 31, false, SizeExponent));
        CoapMessage? got = Ask(next, CoapCode.Content);
        Must(got is null || got.Payload.Span.StartsWith(Encoding.UTF8.GetBytes($"line {_downloaded % 31:D6} ")),
            "another block");
        _downloaded++;
    }

    /// <summary>Expects to have been told of the last change.</summary>
    public void Listen()
    {
        Acknowledge();
        Must(Told == server.State, "not told of a change at once");
    }

    /// <summary>Sends its POST again, as it was.</summary>
    public void Repeat()
    {
        Acknowledge();
        server.Wire.Receive(Address, _post);
        Must(_received.Count == 1 && Forged.MessageIdOf(_received[0]) == Forged.MessageIdOf(_post),
            "the duplicate of a POST has no answer");
        _received.Clear();
    }

    /// <summary>Takes notifications and acknowledges them.</summary>
    public void Acknowledge()
    {
        foreach (byte[] bytes in _received.ToArray())
        {
            if (Forged.TokenOf(bytes) != WatchToken)
            {
                continue;
            }

            CoapMessage notification = Forged.Read(bytes);
            if (notification.Options.Observe is not null
                && int.TryParse(Encoding.UTF8.GetString(notification.Payload.Span), out int state))
            {
                Told = Math.Max(Told, state);
            }

            if (notification.Type == CoapMessageType.Confirmable)
            {
                server.Wire.Receive(Address, Forged.Empty(CoapMessageType.Acknowledgement, notification.MessageId));
            }
        }

        _received.Clear();
    }

    private CoapMessage? Ask(byte[] request, CoapCode expected, uint token = 0)
    {
        int id = _messageId++;
        server.Wire.Receive(Address, Forged.Stamp(request, id, token == 0 ? (uint)id : token));
        int place = _received.FindIndex(bytes => Forged.MessageIdOf(bytes) == (ushort)id
            && Forged.TypeOf(bytes) == CoapMessageType.Acknowledgement);
        if (place < 0)
        {
            Must(false, "no answer");
            return null;
        }

        CoapMessage answer = Forged.Read(_received[place]);
        _received.RemoveAt(place);
        Must(answer.Code == expected, $"{answer.Code} in place of {expected}");
        return answer;
    }

    private void Must(bool holds, string trouble)
    {
        if (!holds)
        {
            Troubles.Add(trouble);
        }
    }
}
