using CoAP.NET.Simulation.Attack;

namespace CoAP.NET.Simulation.LimitFill;

/// <summary>
/// A client that comes while others hold what they can, from an address that nobody knows: it asks, uploads, downloads and observes, and
/// returns an Echo where it is asked for one.
/// </summary>
/// <param name="server">Its server.</param>
/// <param name="number">Which newcomer: each has an address of its own.</param>
internal sealed class HonestNewcomer(AttackServer server, int number)
{
    private const int BlockSize = 64;
    private const int SizeExponent = 2;
    private const int Blocks = 20;

    private readonly CoapAddress _address = CoapAddress.FromIPv4(0xc633_0001 + ((uint)number << 8), 5683);
    private readonly List<string> _troubles = [];
    private byte[]? _echo;
    private CoapMessage? _answer;
    private int _id = 1;

    /// <summary>What went wrong.</summary>
    public IReadOnlyList<string> Troubles => _troubles;

    /// <summary>How many requests it sent.</summary>
    public int Asked { get; private set; }

    /// <summary>Does all that a client does.</summary>
    public void Work()
    {
        Ask("GET", CoapMethod.Get, "hello", CoapCode.Content);
        byte[] body = Forged.Pattern(number, KnownPeer.BodyLength);
        for (int block = 0; block < Blocks; block++)
        {
            bool isLast = block == Blocks - 1;
            byte[] part = body[(block * BlockSize)..((block + 1) * BlockSize)];
            BlockValue value = new(block, !isLast, SizeExponent);
            Ask("upload", CoapMethod.Put, "large-update", isLast ? CoapCode.Changed : CoapCode.Continue, options => options.Block1 = value,
                part);
        }

        for (int block = 0; block < Blocks; block++)
        {
            BlockValue value = new(block, false, SizeExponent);
            Ask("download", CoapMethod.Get, "large", CoapCode.Content, options => options.Block2 = value);
        }

        Ask("observe", CoapMethod.Get, "watched", CoapCode.Content, options => options.Observe = 0);
        if (_answer?.Options.Observe is null)
        {
            _troubles.Add("observe: not registered");
        }
    }

    /// <summary>Sends a request to the group, and waits for the answer as long as a member may take.</summary>
    /// <param name="group">The group.</param>
    /// <param name="path">The resource.</param>
    public void AskGroup(CoapAddress group, string path)
    {
        int id = _id++;
        Asked++;
        _answer = null;
        Watch((uint)id, () =>
        {
            server.Wire.Receive(_address, Forged.Stamp(Forged.Message(CoapMethod.Get, path, CoapMessageType.NonConfirmable), id, (uint)id),
                group);
            server.Clock.Advance(TimeSpan.FromSeconds(6));
        });
        if (_answer?.Code != CoapCode.Content)
        {
            _troubles.Add("group: no answer");
        }
    }

    private void Ask(string what, CoapMethod method, string path, CoapCode expected, Action<CoapOptionCollection>? configure = null,
        byte[]? payload = null)
    {
        Asked++;
        for (int attempt = 0; attempt < 2; attempt++)
        {
            int id = _id++;
            byte[]? echo = _echo;
            byte[] request = Forged.Message(
                method,
                path,
                options: options =>
                {
                    configure?.Invoke(options);
                    if (echo is not null)
                    {
                        options.Add(OptionNumber.Echo, echo);
                    }
                },
                payload: payload);
            _answer = null;
            Watch((uint)id, () => server.Wire.Receive(_address, Forged.Stamp(request, id, (uint)id)));
            if (_answer?.Code != CoapCode.Unauthorized || _answer.Options.Echo is not { } challenge)
            {
                break;
            }

            _echo = challenge.ToArray();
        }

        if (_answer?.Code != expected)
        {
            _troubles.Add($"{what}: {(_answer is { } other ? $"{other.Code} in place of {expected}" : "no answer")}");
        }
    }

    private void Watch(uint token, Action act)
    {
        AttackWire.Sink? before = server.Wire.Sent;
        server.Wire.Sent = (in to, bytes) =>
        {
            if (to == _address && Forged.TokenOf(bytes) == token)
            {
                _answer = Forged.Read(bytes);
            }

            before?.Invoke(to, bytes);
        };
        try
        {
            act();
        }
        finally
        {
            server.Wire.Sent = before;
        }
    }
}
