using CoAP.NET.Transports;

namespace CoAP.NET.Mesh;

/// <summary>
/// The bytes of one message on their way through the mesh, with where they came from or go to. It has one owner at a time:
/// who gets it hands it on or disposes it, exactly once; a lost one is garbage, not an error.
/// </summary>
public sealed class CoapDatagram : IDisposable, IPausableItem
{
    // Who may touch the buffer. A receive loop lends the datagrams of its slots: such a one comes back in place, without any queue.
    private const int Free = 0;
    private const int Owned = 1;
    private const int Lent = 2;
    private const int Returning = 3;

    private readonly CoapDatagramPool? _pool;
    private readonly bool _isView;
    private int _state;

    /// <summary>Makes a datagram with a buffer of its own, outside any pool.</summary>
    /// <param name="capacity">The size of the buffer in bytes.</param>
    public CoapDatagram(int capacity)
        : this(new byte[capacity], null)
    {
    }

    internal CoapDatagram(byte[] buffer, CoapDatagramPool? pool)
    {
        Buffer = buffer;
        _pool = pool;
    }

    private CoapDatagram()
    {
        Buffer = [];
        _isView = true;
    }

    /// <summary>The whole buffer; the message is the <see cref="Length"/> bytes from <see cref="Offset"/> on.</summary>
    public byte[] Buffer { get; private set; }

    /// <summary>
    /// Where the message begins in <see cref="Buffer"/>, in bytes; other than 0 only for the frames of a stream, of which several may share
    /// a buffer.
    /// </summary>
    public int Offset { get; private set; }

    /// <summary>The number of bytes that belong to the message.</summary>
    public int Length { get; set; }

    /// <summary>The bytes of the message.</summary>
    public ReadOnlyMemory<byte> Data => Buffer.AsMemory(Offset, Length);

    /// <summary>The bytes of the message.</summary>
    public ReadOnlySpan<byte> Span => Buffer.AsSpan(Offset, Length);

    /// <summary>The peer's address.</summary>
    public CoapAddress Remote { get; set; }

    /// <summary>Our own address: inbound the one that was asked, outbound the one to answer from; the wildcard when unknown.</summary>
    public CoapAddress Local { get; set; }

    /// <summary>Whether the datagram was longer than the buffer, so that its end is missing.</summary>
    public bool IsTruncated { get; set; }

    /// <summary>The transport it came through or leaves by.</summary>
    public CoapTransport? Transport { get; set; }

    /// <summary>A number by which the transport knows its own socket or connection; 0 when it has only one.</summary>
    public int TransportTag { get; set; }

    /// <summary>
    /// Outbound, to a group: how many routers it may pass, 1 to 255 (TTL, hop limit); 0 for the default of the operating system, which is
    /// 1.
    /// </summary>
    public byte HopLimit { get; set; }

    ReadingHold IPausableItem.Hold => new(Channel?.Pausable);

    /// <summary>
    /// The channel that the peer had when the datagram was announced (<see cref="ICoapDatagramContext.Expect"/>); a hint for the Channel
    /// stage.
    /// </summary>
    internal CoapChannel? Expected { get; set; }

    /// <summary>The peer's channel; set by the Channel stage inbound and by the Handler stage outbound.</summary>
    public CoapChannel? Channel { get; set; }

    /// <summary>
    /// Outbound, on a connection: whether it is the last frame, after which the connection is closed (RFC 8323 section 5.6).
    /// </summary>
    public bool IsLast { get; set; }

    /// <summary>A copy with a buffer of its own, such as each target of a <c>BroadcastBlock</c> needs.</summary>
    /// <returns>The copy.</returns>
    public CoapDatagram Copy()
    {
        CoapDatagram copy = new(Length)
        {
            Length = Length,
            Remote = Remote,
            Local = Local,
            IsTruncated = IsTruncated,
            Transport = Transport,
            TransportTag = TransportTag,
            HopLimit = HopLimit,
            IsLast = IsLast,
            Channel = Channel,
        };
        Span.CopyTo(copy.Buffer);
        return copy;
    }

    /// <summary>Gives the buffer back. Repeating it does nothing.</summary>
    public void Dispose()
    {
        if (_pool is null && !_isView)
        {
            return;
        }

        int state = Volatile.Read(ref _state);
        while (state is Owned or Lent)
        {
            int seen = Interlocked.CompareExchange(ref _state, Returning, state);
            if (seen == state)
            {
                Channel = null;
                Transport = null;
                if (state == Lent)
                {
                    if (!_isView)
                    {
                        CoapDatagramPool.OnReturned(Buffer);
                    }

                    Volatile.Write(ref _state, Free);
                }
                else
                {
                    // A view that the loop gave up is garbage, and its buffer with it.
                    _pool?.Return(this);
                }

                return;
            }

            state = seen;
        }
    }

    /// <summary>
    /// Makes a datagram that shows one frame after another of a buffer that holds many (<see cref="Show"/>). If <see cref="TryTakeBack"/>
    /// says that the pipeline kept it, both it and the buffer belong to whoever has it, and the loop needs new ones.
    /// </summary>
    internal static CoapDatagram MakeView() => new();

    /// <summary>Has a view show a frame and lends it to the pipeline.</summary>
    /// <param name="buffer">The buffer.</param>
    /// <param name="offset">Where the frame begins.</param>
    /// <param name="length">Its length in bytes.</param>
    internal void Show(byte[] buffer, int offset, int length)
    {
        Buffer = buffer;
        Offset = offset;
        Length = length;
        Lend();
    }

    /// <summary>Whether somebody has the buffer of it; for whoever looks for lost ones.</summary>
    internal bool IsOut => Volatile.Read(ref _state) is Owned or Lent;

    internal void MarkOwned() => Volatile.Write(ref _state, Owned);

    /// <summary>For a receive loop: gives a datagram of its slots to the pipeline, which owns it until it disposes it.</summary>
    internal void Lend() => Volatile.Write(ref _state, Lent);

    /// <summary>
    /// For a receive loop: whether a lent datagram came back, so that its slot may be filled again. If not, it belongs to the pool from now
    /// on.
    /// </summary>
    internal bool TryTakeBack() =>
        Volatile.Read(ref _state) == Free || Interlocked.CompareExchange(ref _state, Owned, Lent) == Free;
}
