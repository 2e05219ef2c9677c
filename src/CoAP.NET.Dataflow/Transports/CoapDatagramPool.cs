using System.Collections.Concurrent;

namespace CoAP.NET.Transports;

/// <summary>
/// Buffers for datagrams of one size. Bounded: what does not fit is left to the garbage collector. Safe for several threads.
/// </summary>
internal sealed class CoapDatagramPool
{
    // One slot in each thread serves run-to-completion without touching shared memory.
    [ThreadStatic]
    private static CoapDatagram? t_slot;

    [ThreadStatic]
    private static CoapDatagramPool? t_slotPool;

    private readonly ConcurrentQueue<CoapDatagram> _free = new();
    private readonly int _bufferSize;
    private readonly int _capacity;
    private readonly bool _pinned;
    private int _count;

    /// <summary>Makes a pool. Pinned buffers are for receive loops: the kernel knows their addresses; they leave the slots of the threads to the other pools.</summary>
    public CoapDatagramPool(int bufferSize, int capacity = 1024, bool pinned = false)
    {
        _bufferSize = bufferSize;
        _capacity = capacity;
        _pinned = pinned;
    }

    /// <summary>Called with each buffer that comes back; tests poison it.</summary>
    public static Action<byte[]>? Returned { get; set; }

    /// <summary>Called with each buffer that is given out; tests count them.</summary>
    public static Action<byte[]>? Rented { get; set; }

    public int BufferSize => _bufferSize;

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

    public void Return(CoapDatagram datagram)
    {
        Returned?.Invoke(datagram.Buffer);
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
