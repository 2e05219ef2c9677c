namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// Spoils buffers that are given back, and counts those of one size: a buffer of each datagram that an endpoint gets or sends must come
/// back. The size is one that nobody else uses.
/// </summary>
internal sealed class BufferCount : IDisposable
{
    private static readonly Lock s_gate = new();
    private static readonly List<BufferCount> s_all = [];
    private readonly int _size;
    private long _returned;

    public BufferCount(int size)
    {
        _size = size;
        lock (s_gate)
        {
            s_all.Add(this);
            CoapDatagramPool.Returned = OnReturned;
        }
    }

    public long Returned => Volatile.Read(ref _returned);

    public void Dispose()
    {
        lock (s_gate)
        {
            s_all.Remove(this);
            if (s_all.Count == 0)
            {
                CoapDatagramPool.Returned = null;
            }
        }
    }

    private static void OnReturned(byte[] buffer)
    {
        buffer.AsSpan().Fill(BufferPoison.Value);
        foreach (BufferCount count in s_all.ToArray())
        {
            if (count._size == buffer.Length)
            {
                Interlocked.Increment(ref count._returned);
            }
        }
    }
}
