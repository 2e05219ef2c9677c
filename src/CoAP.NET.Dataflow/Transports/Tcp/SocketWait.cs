using System.Threading.Tasks.Sources;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// A reusable wait for a <see cref="LoopTcpSocket"/> to read or to write. The gate of the socket guards <see cref="Begin"/>, <see
/// cref="TryEnd"/> and <see cref="IsWaiting"/>; the code that ended a wait reports it afterwards, once.
/// </summary>
internal sealed class SocketWait : IValueTaskSource<int>
{
    private ManualResetValueTaskSourceCore<int> _source;

    public bool IsWaiting { get; private set; }

    public ValueTask<int> Begin()
    {
        _source.Reset();
        IsWaiting = true;
        return new ValueTask<int>(this, _source.Version);
    }

    /// <summary>Ends the wait.</summary>
    /// <returns>Whether there was a wait; the caller then reports its end.</returns>
    public bool TryEnd()
    {
        bool was = IsWaiting;
        IsWaiting = false;
        return was;
    }

    /// <summary>Reports how the wait ended.</summary>
    /// <param name="count">The result.</param>
    /// <param name="error">The error; null for success.</param>
    /// <param name="runsInline">Whether the continuation runs inside this call.</param>
    public void Report(int count, Exception? error, bool runsInline)
    {
        if (error is not null)
        {
            Fail(error);
            return;
        }

        _source.RunContinuationsAsynchronously = !runsInline;
        _source.SetResult(count);
    }

    public void Fail(Exception error)
    {
        _source.RunContinuationsAsynchronously = true;
        _source.SetException(error);
    }

    public int GetResult(short token) => _source.GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);
}
