namespace CoAP.NET.Transports;

/// <summary>
/// Connections whose thread went into user code while answers to earlier frames waited for the end of the batch: when that takes more than some milliseconds, they leave.
/// One timer for an engine, set only when there is somebody to look after.
/// </summary>
internal sealed class LateOutput(TimeProvider time) : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(4);

    private readonly Lock _gate = new();
    private readonly HashSet<AsyncConnection> _watched = [];
    private ITimer? _timer;
    private bool _isDisposed;

    public void Watch(AsyncConnection connection)
    {
        lock (_gate)
        {
            if (!_isDisposed && _watched.Add(connection) && _watched.Count == 1)
            {
                _timer ??= time.CreateTimer(static state => ((LateOutput)state!).Flush(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
                _timer.Change(s_patience, Timeout.InfiniteTimeSpan);
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _watched.Clear();
            _timer?.Dispose();
        }
    }

    private void Flush()
    {
        AsyncConnection[] late;
        lock (_gate)
        {
            late = [.. _watched];
            _watched.Clear();
        }

        foreach (AsyncConnection connection in late)
        {
            connection.FlushLate();
        }
    }
}
