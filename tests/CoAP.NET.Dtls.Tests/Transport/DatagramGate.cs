namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>Lets datagrams pass until so many did, and loses all others until it is opened again.</summary>
internal sealed class DatagramGate
{
    private TaskCompletionSource _closed = new(RunContinuationsAsynchronously);
    private int _left = int.MaxValue;

    /// <summary>Ends when the first datagram was lost.</summary>
    public Task Closed => _closed.Task;

    /// <summary>From now on so many pass.</summary>
    /// <param name="count">How many.</param>
    public void CloseAfter(int count)
    {
        _closed = new TaskCompletionSource(RunContinuationsAsynchronously);
        Volatile.Write(ref _left, count);
    }

    /// <summary>From now on all pass.</summary>
    public void Open() => Volatile.Write(ref _left, int.MaxValue);

    /// <summary>Whether a datagram passes.</summary>
    public bool Passes()
    {
        if (Volatile.Read(ref _left) == int.MaxValue || Interlocked.Decrement(ref _left) >= 0)
        {
            return true;
        }

        _closed.TrySetResult();
        return false;
    }
}
