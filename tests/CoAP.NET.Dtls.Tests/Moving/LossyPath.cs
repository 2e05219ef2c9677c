namespace CoAP.NET.Dtls.Tests.Moving;

/// <summary>
/// A bad network between one client and a server: both ways datagrams are lost, come twice, or after the next one. It forgets the client
/// like a NAT when it is told to. The same seed does the same as far as datagrams come in the same order.
/// </summary>
internal sealed class LossyPath(IPEndPoint server, int seed) : NatRelay(server)
{
    private readonly Lock _gate = new();
    private readonly Random _random = new(seed);
    private readonly List<byte[]> _heldOfClient = [];
    private readonly List<byte[]> _heldOfServer = [];

    /// <summary>How many of a hundred datagrams are lost; a third as many come twice, and as many after the next one.</summary>
    public int Loss { get; set; }

    /// <summary>After so many datagrams of the client it is forgotten, again and again; 0: never.</summary>
    public int ForgetsEvery
    {
        get;
        set
        {
            field = value;
            RebindsAt = value > 0 ? number => number % value == 0 : null;
        }
    }

    protected override IReadOnlyList<byte[]> Pass(byte[] datagram, bool isOfClient)
    {
        lock (_gate)
        {
            int draw = _random.Next(100);
            int loss = Loss;
            List<byte[]> held = isOfClient ? _heldOfClient : _heldOfServer;
            List<byte[]> passed = [];
            if (draw >= loss)
            {
                if (draw < loss + (loss / 3) && held.Count == 0)
                {
                    held.Add(datagram);
                    return passed;
                }

                passed.Add(datagram);
                if (draw >= 100 - (loss / 3))
                {
                    passed.Add(datagram);
                }
            }

            passed.AddRange(held);
            held.Clear();
            return passed;
        }
    }
}
