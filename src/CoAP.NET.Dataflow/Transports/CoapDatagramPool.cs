using System.Collections.Concurrent;

namespace CoAP.NET.Transports;

/// <summary>
/// Datagrams with buffers of one size that are used again: <see cref="CoapDatagram.Dispose"/> gives one back to the pool that it came from.
/// Bounded: what does not fit is left to the garbage collector. Thread-safe.
/// </summary>
public sealed class CoapDatagramPool
{
    // One slot in each thread serves run-to-completion without touching shared memory.
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

    /// <summary>Makes a pool.</summary>
    /// <param name="bufferSize">The size of each buffer in bytes, 1 or more, such as <see cref="CoapLimits.MaxDatagramSize"/>.</param>
    /// <param name="capacity">How many datagrams it keeps at most, 0 or more; each thread that disposes them keeps one besides.</param>
    /// <param name="pinned">
    /// Whether the garbage collector leaves the buffers where they are, as receive loops need that give their addresses to the operating
    /// system. Such a pool keeps none for each thread.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The size is below 1, or the capacity below 0.</exception>
    public CoapDatagramPool(int bufferSize, int capacity = 1024, bool pinned = false)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(bufferSize, 1);
        ArgumentOutOfRangeException.ThrowIfNegative(capacity);
        _bufferSize = bufferSize;
        _capacity = capacity;
        _pinned = pinned;
    }

    /// <summary>
    /// What each buffer is filled with that comes back to any pool or receive loop of the process, so that code which still reads one is
    /// found out. Null, the default: buffers keep what is in them. For tests; it costs time with every message.
    /// </summary>
    public static byte? Poison
    {
        get => s_poison < 0 ? null : (byte)s_poison;
        set => s_poison = value ?? NoPoison;
    }

    /// <summary>Called with each buffer that is given out; tests count them.</summary>
    internal static Action<byte[]>? Rented { get; set; }

    /// <summary>Called with each buffer that comes back; tests count them.</summary>
    internal static Action<byte[]>? Returned { get; set; }

    /// <summary>The size of each buffer in bytes.</summary>
    public int BufferSize => _bufferSize;

    /// <summary>
    /// Gives a datagram out. Its length is 0; what is in its buffer is left over from others, and all of it is to be overwritten or left
    /// out.
    /// </summary>
    /// <returns>The datagram; its owner disposes it, once.</returns>
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
        datagram.MarkOwned();
        Rented?.Invoke(datagram.Buffer);
        return datagram;
    }

    /// <summary>A buffer is no longer used.</summary>
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
