namespace CoAP.NET.Transports.Streams;

/// <summary>
/// Sends the answers to earlier frames of a batch when the thread of their connection stays in user code. No stand-by takes over there,
/// so a timer sends them when a loop would have handed over. One timer for each engine, active only while there is such a connection.
/// </summary>
internal sealed class UserCodeBlockedConnectionFlusher(TimeProvider time) : IDisposable
{
    private readonly Lock _gate = new();
    private readonly HashSet<AsyncIOConnection> _watched = [];
    private ITimer? _timer;
    private bool _isDisposed;

    public void Watch(AsyncIOConnection connection)
    {
        lock (_gate)
        {
            if (!_isDisposed && _watched.Add(connection) && _watched.Count == 1)
            {
                _timer ??= time.CreateTimer(
                    static state => ((UserCodeBlockedConnectionFlusher)state!).Flush(), this, Timeout.InfiniteTimeSpan,
                        Timeout.InfiniteTimeSpan);
                _timer.Change(UserCodePolicy.HandOverAfter, Timeout.InfiniteTimeSpan);
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
        AsyncIOConnection[] late;
        lock (_gate)
        {
            late = [.. _watched];
            _watched.Clear();
        }

        foreach (AsyncIOConnection connection in late)
        {
            connection.FlushLate();
        }
    }
}
