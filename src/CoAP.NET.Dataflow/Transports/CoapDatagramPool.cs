using System.Collections.Concurrent;

namespace CoAP.NET.Transports;

/// <summary>A pool of datagrams with buffers of one size. Thread-safe.</summary>
/// <remarks>
/// <see cref="CoapDatagram.Dispose"/> returns a datagram to its pool. The pool is bounded; the garbage collector takes the rest.
/// </remarks>
internal sealed class CoapDatagramPool
{
    // One slot per thread serves run-to-completion without shared memory.
    [ThreadStatic]
    private static CoapDatagram? t_slot;

    [ThreadStatic]
    private static CoapDatagramPool? t_slotPool;

    private const int NoPoison = -1;

    private static volatile int s_poison = NoPoison;

    private readonly ConcurrentQueue<CoapDatagram> _free = new();
    private readonly int _bufferSize;
    private readonly int _capacity;
    private readonly bool _pinned;
    private int _count;

    /// <summary>Creates a pool.</summary>
    /// <param name="bufferSize">The size of each buffer in bytes, 1 or more, such as
    /// <see cref="CoapMessageLimits.MaxDatagramSize"/>.</param>
    /// <param name="capacity">
    /// The maximum number of pooled datagrams, 0 or more. Each thread that disposes datagrams keeps one more.
    /// </param>
    /// <param name="pinned">
    /// Whether to pin the buffers, as receive loops need that pass addresses to the operating system. A pinned pool keeps no datagram per
    /// thread.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="bufferSize"/> is below 1, or <paramref name="capacity"/> is below 0.
    /// </exception>
    public CoapDatagramPool(int bufferSize, int capacity = 1024, bool pinned = false)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(bufferSize, 1);
        ArgumentOutOfRangeException.ThrowIfNegative(capacity);
        _bufferSize = bufferSize;
        _capacity = capacity;
        _pinned = pinned;
    }

    /// <summary>
    /// Fills each returned buffer of any pool or receive loop of the process with this value, to reveal code that still reads it.
    /// </summary>
    /// <remarks>For tests, because it costs time for every message. Default null: buffers keep their content.</remarks>
    internal static byte? Poison
    {
        get => s_poison < 0 ? null : (byte)s_poison;
        set => s_poison = value ?? NoPoison;
    }

    /// <summary>Called with each rented buffer; tests count them.</summary>
    internal static Action<byte[]>? Rented { get; set; }

    /// <summary>Called with each returned buffer; tests count them.</summary>
    internal static Action<byte[]>? Returned { get; set; }

    /// <summary>The size of each buffer in bytes.</summary>
    public int BufferSize => _bufferSize;

    /// <summary>Rents a datagram.</summary>
    /// <remarks>Its length is 0. The buffer still holds old content; overwrite all of it, or leave it out.</remarks>
    /// <returns>The datagram. Its owner disposes it once.</returns>
    public CoapDatagram Rent()
    {
        CoapDatagram? datagram = null;
        if (t_slotPool == this)
        {
            datagram = t_slot;
            t_slot = null;
        }

        if (datagram is null)
        {
            if (_free.TryDequeue(out datagram))
            {
                Interlocked.Decrement(ref _count);
            }
            else
            {
                datagram = new CoapDatagram(GC.AllocateUninitializedArray<byte>(_bufferSize, _pinned), this);
            }
        }

        datagram.Length = 0;
        datagram.IsTruncated = false;
        datagram.IsLast = false;
        datagram.TransportTag = 0;
        datagram.Via = 0;
        datagram.MarkOwned();
        Rented?.Invoke(datagram.Buffer);
        return datagram;
    }

    /// <summary>Poisons and reports a returned buffer.</summary>
    internal static void OnReturned(byte[] buffer)
    {
        if (s_poison >= 0)
        {
            buffer.AsSpan().Fill((byte)s_poison);
        }

        Returned?.Invoke(buffer);
    }

    internal void Return(CoapDatagram datagram)
    {
        OnReturned(datagram.Buffer);
        if (t_slot is null && !_pinned)
        {
            t_slotPool = this;
            t_slot = datagram;
        }
        else if (Interlocked.Increment(ref _count) <= _capacity)
        {
            _free.Enqueue(datagram);
        }
        else
        {
            Interlocked.Decrement(ref _count);
        }
    }
}
