using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>Holds the bytes of one message on its way through the mesh, with its source or destination.</summary>
/// <remarks>
/// A datagram has one owner at a time. The owner hands it on or disposes it, exactly once. A datagram that is never disposed becomes
/// garbage; that is not an error.
/// </remarks>
public sealed class CoapDatagram : IDisposable, IReadPausingItem
{
    // The state decides which thread may touch the buffer. A receive loop lends the datagrams of its slots; a lent datagram returns in
    // place, without any queue.
    private const int Free = 0;
    private const int Owned = 1;
    private const int Lent = 2;
    private const int Returning = 3;

    private readonly CoapDatagramPool? _pool;
    private readonly bool _isView;
    private int _state;

    /// <summary>Creates a datagram with a buffer of its own, outside any pool.</summary>
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

    /// <summary>The whole buffer. The message occupies <see cref="Length"/> bytes from <see cref="Offset"/> on.</summary>
    public byte[] Buffer { get; private set; }

    /// <summary>The start of the message in <see cref="Buffer"/>, in bytes.</summary>
    /// <remarks>The offset differs from 0 only for frames of a stream, which may share a buffer.</remarks>
    public int Offset { get; private set; }

    /// <summary>The number of bytes that belong to the message.</summary>
    public int Length { get; set; }

    /// <summary>The bytes of the message.</summary>
    public ReadOnlyMemory<byte> Data => Buffer.AsMemory(Offset, Length);

    /// <summary>The bytes of the message.</summary>
    public ReadOnlySpan<byte> Span => Buffer.AsSpan(Offset, Length);

    /// <summary>The peer's address.</summary>
    public CoapAddress Remote { get; set; }

    /// <summary>The local address: inbound the destination of the datagram, outbound its source.</summary>
    /// <remarks>The wildcard address when it is unknown.</remarks>
    public CoapAddress Local { get; set; }

    /// <summary>Whether the datagram was longer than the buffer and lost its end.</summary>
    public bool IsTruncated { get; set; }

    /// <summary>The transport that received or sends the datagram.</summary>
    public CoapTransport? Transport { get; set; }

    /// <summary>Identifies the socket or connection within the transport; 0 when the transport has only one.</summary>
    public int TransportTag { get; set; }

    /// <summary>Outbound, to a group: how many routers the datagram may pass (TTL, hop limit).</summary>
    /// <remarks>The range is 1 to 255. 0 selects the default of the operating system, which is 1.</remarks>
    public byte HopLimit { get; set; }

    ReadPause IReadPausingItem.ReadPause => new(Channel?.Pausable);

    /// <summary>The peer's channel at the time of <see cref="IDatagramPrefetchContext.Expect"/>; a hint for the Channel stage.</summary>
    internal CoapChannel? Expected { get; set; }

    /// <summary>Inbound: identifies the node that relayed the datagram; 0 for a datagram of a socket of this process.</summary>
    internal int Via { get; set; }

    /// <summary>Inbound: when it was received (<see cref="CoapEnvironment.Now"/>); 0 for now. The stages use it as their time.</summary>
    internal long ReceivedAt { get; set; }

    /// <summary>Inbound: whether the datagram arrived after the endpoint began to stop.</summary>
    internal bool IsLate { get; set; }

    /// <summary>The peer's channel. The Channel stage sets it inbound, the Handler stage outbound.</summary>
    public CoapChannel? Channel { get; set; }

    /// <summary>Outbound, on a connection: whether the connection closes after this frame (RFC 8323 section 5.6).</summary>
    public bool IsLast { get; set; }

    /// <summary>Copies the datagram into a buffer of its own, for example for each target of a <c>BroadcastBlock</c>.</summary>
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
            IsLate = IsLate,
            ReceivedAt = ReceivedAt,
            Via = Via,
            Channel = Channel,
        };
        Span.CopyTo(copy.Buffer);
        return copy;
    }

    /// <summary>Returns the buffer. Further calls do nothing.</summary>
    public void Dispose()
    {
        // The next use of the object, also without a pool, receives at another time.
        ReceivedAt = 0;
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
                    // A view that the loop abandoned becomes garbage, together with its buffer.
                    _pool?.Return(this);
                }

                return;
            }

            state = seen;
        }
    }

    /// <summary>Creates a view: a datagram that shows one frame after another of a shared buffer (<see cref="Show"/>).</summary>
    /// <remarks>
    /// When <see cref="TryTakeBack"/> returns false, the view and the buffer belong to the pipeline, and the loop needs new ones.
    /// </remarks>
    internal static CoapDatagram MakeView() => new();

    /// <summary>Points a view at a frame and lends it to the pipeline.</summary>
    /// <param name="buffer">The buffer.</param>
    /// <param name="offset">The start of the frame in the buffer.</param>
    /// <param name="length">Its length in bytes.</param>
    internal void Show(byte[] buffer, int offset, int length)
    {
        Buffer = buffer;
        Offset = offset;
        Length = length;
        Lend();
    }

    /// <summary>Whether the buffer is in use; leak checks read it.</summary>
    internal bool IsOut => Volatile.Read(ref _state) is Owned or Lent;

    internal void MarkOwned() => Volatile.Write(ref _state, Owned);

    /// <summary>For a receive loop: lends a datagram of its slots to the pipeline, which owns it until it disposes it.</summary>
    internal void Lend() => Volatile.Write(ref _state, Lent);

    /// <summary>
    /// For a receive loop: returns true when a lent datagram has come back and its slot can be filled again. Otherwise the datagram belongs
    /// to the pool from now on.
    /// </summary>
    internal bool TryTakeBack() =>
        Volatile.Read(ref _state) == Free || Interlocked.CompareExchange(ref _state, Owned, Lent) == Free;
}
