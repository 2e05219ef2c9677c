namespace CoAP.NET.Speed.Loops;

/// <summary>What strangers do at a server with coaps, over and over.</summary>
internal enum StrangerAct
{
    /// <summary>A hello without a cookie, each from another address, as with a forged one.</summary>
    HelloWithoutCookie,

    /// <summary>A hello with a cookie that is wrong.</summary>
    HelloWithWrongCookie,

    /// <summary>Both hellos, each pair from another address, and a malformed ClientKeyExchange.</summary>
    GarbageBehindCookie,

    /// <summary>Two hellos in turn, each with its cookie, so that each begins the handshake again.</summary>
    Restart,
}

/// <summary>Strangers that do one act over and over, without a key (closed loop): each waits for the answer.</summary>
/// <param name="server">The server.</param>
/// <param name="peers">How many strangers.</param>
/// <param name="client">The shape of their hellos.</param>
/// <param name="act">What they do.</param>
internal sealed class StrangerLoop(IPEndPoint server, int peers, SecureClient client, StrangerAct act)
    : HandshakeLoop(server, peers, client)
{
    private const byte Alert = 21;
    private const byte Handshake = 22;
    private const byte ServerHello = 2;
    private const byte HelloVerifyRequest = 3;
    private const int MessageAt = 13;
    private const double LostAfter = 0.5;

    // Behind the headers of record and message, version, random, an empty session ID and a length.
    private const int CookieAt = 13 + 12 + 2 + 32 + 1 + 1;

    private static readonly byte[] s_garbage =
    [
        Handshake, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 9, 0, 52, 16, 0, 0, 40, 0, 2, 0, 0, 0, 0, 0, 40, .. Enumerable.Repeat((byte)0xff, 40),
    ];

    private readonly byte[]?[][] _hellos = [.. Enumerable.Range(0, peers).Select(_ => new byte[]?[2])];
    private readonly int[] _next = new int[peers];
    private readonly long[] _heard = new long[peers];

    private long _lost;

    // None of them ever ends.
    protected override double Patience => 0;

    protected override long Lost => _lost;

    protected override void Begin(int peer)
    {
        _hellos[peer].AsSpan().Clear();
        _heard[peer] = Now;
        base.Begin(peer);
    }

    protected override void BeginNext(int peer)
    {
        if (act is StrangerAct.HelloWithoutCookie or StrangerAct.GarbageBehindCookie)
        {
            Begin(peer);
        }
        else
        {
            SendNext(peer);
        }
    }

    // What is lost is not sent again: the stranger begins again.
    protected override void Look()
    {
        for (int peer = 0; peer < _heard.Length; peer++)
        {
            if (Now - _heard[peer] > Ticks(LostAfter))
            {
                _lost++;
                Begin(peer);
            }
        }
    }

    protected override void Answer(int peer, Span<byte> datagram)
    {
        _heard[peer] = Now;
        bool isQuestion = datagram[0] == Handshake && datagram[MessageAt] == HelloVerifyRequest;
        bool isFlight = datagram[0] == Handshake && datagram[MessageAt] == ServerHello;
        switch (act)
        {
            case StrangerAct.HelloWithoutCookie when isQuestion:
                Complete(peer);
                break;
            case StrangerAct.HelloWithWrongCookie when isQuestion && _hellos[peer][0] is not null:
                Complete(peer);
                break;
            case StrangerAct.HelloWithWrongCookie when isQuestion:
                byte[] hello = Continue(peer, datagram)[0];
                hello[CookieAt] ^= 0xff;
                _hellos[peer][0] = _hellos[peer][1] = hello;
                SendNext(peer);
                break;
            case StrangerAct.GarbageBehindCookie when isQuestion:
                Send(peer, Continue(peer, datagram));
                break;
            case StrangerAct.GarbageBehindCookie when isFlight:
                Send(peer, [s_garbage]);
                break;
            case StrangerAct.GarbageBehindCookie when datagram[0] == Alert:
                Complete(peer);
                break;
            case StrangerAct.Restart when isQuestion && _hellos[peer][0] is null:
                _hellos[peer][0] = Continue(peer, datagram)[0];
                Connect(peer);
                break;
            case StrangerAct.Restart when isQuestion:
                _hellos[peer][1] = Continue(peer, datagram)[0];
                SendNext(peer);
                break;
            case StrangerAct.Restart when isFlight:
                Complete(peer);
                break;
            default:
                break;
        }
    }

    private void SendNext(int peer)
    {
        byte[] hello = _hellos[peer][_next[peer]++ % 2]!;
        if (act == StrangerAct.HelloWithWrongCookie)
        {
            hello[CookieAt + 1]++;
        }

        Send(peer, [hello]);
    }
}
