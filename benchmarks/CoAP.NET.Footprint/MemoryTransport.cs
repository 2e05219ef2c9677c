using System.Buffers.Binary;
using CoAP.NET.Serialization;

namespace CoAP.NET.Footprint;

/// <summary>
/// A transport without a network: <see cref="Ask"/> hands in the datagram of a request and has its answer when it returns, on the same
/// thread unless the library took the handler for a slow one. It allocates nothing for that. For one thread at a time; an endpoint may have
/// several, as it may have several sockets.
/// </summary>
internal sealed class MemoryTransport : CoapDatagramTransport
{
    private const int TokenLength = 4;
    private const int HeadLength = 4 + TokenLength;

    private static readonly CoapAddress s_local = CoapAddress.FromIPv4(0xc000_0201, 5683);
    private static readonly byte[] s_request = Bytes(new CoapMessage(CoapCode.Get), options => options.Add(new UriPathOption("hello")));
    private static readonly byte[] s_answer = Bytes(
        new CoapMessage(CoapCode.Content)
        {
            Type = CoapMessageType.Acknowledgement,
            Payload = System.Text.Encoding.UTF8.GetBytes(Frames.Hello)
        },
        options => options.Add(new ContentFormatOption(CoapContentFormat.TextPlain)));

    // Nothing but an answer that never comes may take so long.
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    // It comes back before Ask returns: a request without a payload leaves nothing of it behind.
    private readonly CoapDatagram _datagram = new(128);
    private readonly byte[] _expected = [.. s_answer];
    private readonly byte[] _plain = [.. s_request];
    private readonly byte[] _opened = new byte[256];
    private ProtectedPeer? _context;
    private CoapAddress _peer;
    private bool _isAnswered;

    /// <summary>The size of an answer in bytes.</summary>
    public static int AnswerLength => s_answer.Length;

    public override string Scheme => "coap";

    public override IReadOnlyList<CoapAddress> LocalAddresses => [s_local];

    public ICoapDatagramTransportContext Context { get; private set; } = null!;

    /// <summary>Right answers.</summary>
    public long Answers { get; private set; }

    /// <summary>
    /// Requests whose answer came from another thread. By the system's clock a handler counts as slow when the system keeps its thread off
    /// the processor again and again; the requests after that say nothing about speed.
    /// </summary>
    public long Late { get; private set; }

    /// <summary>Requests without an answer.</summary>
    public long Lost { get; private set; }

    /// <summary>Answers to somebody else, to another request, twice, or of other bytes.</summary>
    public long Wrong { get; private set; }

    /// <summary>The address of a peer: 10.0.0.0 and a number of up to 2^24.</summary>
    public static CoapAddress AddressOf(int peer) => CoapAddress.FromIPv4(0x0a00_0000 + (uint)peer, 5683);

    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        Context = context;
        _datagram.Local = s_local;
        return ValueTask.CompletedTask;
    }

    /// <summary>Has a peer send a Confirmable GET, and checks the answer.</summary>
    /// <param name="peer">The number of the peer.</param>
    /// <param name="count">How many it sent before: its Message ID, and with the peer's number its token.</param>
    /// <param name="context">Protects the request and opens the response; null for a request without protection.</param>
    public void Ask(int peer, int count, ProtectedPeer? context = null)
    {
        Write(_plain, peer, count);
        Write(_expected, peer, count);
        _context = context;
        _datagram.Length = context?.Protect(_plain, _datagram.Buffer) ?? _plain.Length;
        if (context is null)
        {
            _plain.CopyTo(_datagram.Buffer, 0);
        }

        _peer = AddressOf(peer);
        _datagram.Remote = _peer;
        _datagram.Transport = this;
        _datagram.Channel = null;
        _isAnswered = false;
        Context.Receive(_datagram);
        if (!Volatile.Read(ref _isAnswered))
        {
            WaitForAnswer();
        }
    }

    public override void Send(CoapDatagram datagram)
    {
        if (!_isAnswered && datagram.Remote == _peer && Open(datagram.Span).SequenceEqual(_expected))
        {
            Answers++;
        }
        else
        {
            Wrong++;
        }

        datagram.Dispose();
        Volatile.Write(ref _isAnswered, true);
    }

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private ReadOnlySpan<byte> Open(ReadOnlySpan<byte> answer)
    {
        if (_context is null)
        {
            return answer;
        }

        answer.CopyTo(_opened);
        return _opened.AsSpan(0, _context.Open(_opened.AsSpan(0, answer.Length)));
    }

    private void WaitForAnswer()
    {
        Watch begin = new();
        SpinWait spin = default;
        while (!Volatile.Read(ref _isAnswered))
        {
            if (begin.Elapsed > s_patience)
            {
                Lost++;
                return;
            }

            spin.SpinOnce();
        }

        Late++;
    }

    private static void Write(Span<byte> message, int peer, int count)
    {
        BinaryPrimitives.WriteUInt16BigEndian(message[2..], (ushort)count);
        BinaryPrimitives.WriteUInt32BigEndian(message[4..], (uint)((count * 0x9e37_79b1L) + peer));
    }

    private static byte[] Bytes(CoapMessage message, Action<CoapOptionCollection> options)
    {
        message.Token = new CoapToken(new byte[TokenLength]);
        options(message.Options);
        byte[] bytes = CoapDatagramSerializer.Default.Serialize(message);
        return bytes.Length > HeadLength ? bytes : throw new InvalidOperationException("A message without options.");
    }
}
