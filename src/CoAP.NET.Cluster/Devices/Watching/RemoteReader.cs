namespace CoAP.NET.Cluster;

/// <summary>
/// Reads a watch for another node by polls: one response after the other, each kept until the next poll acknowledges it. Thread-safe.
/// </summary>
/// <param name="watch">The watch.</param>
/// <param name="reader">Holds the news for the node.</param>
/// <param name="time">The clock.</param>
#pragma warning disable CA1001 // the source has neither timer nor handle
internal sealed class RemoteReader(DeviceWatch watch, WatchReader reader, TimeProvider time)
#pragma warning restore CA1001
{
    private static readonly TimeSpan s_longestPoll = TimeSpan.FromSeconds(20);

    private readonly Lock _gate = new();
    private uint _number;
    private byte[]? _sent;
    private CancellationTokenSource? _polling;
    private long _polledAt = time.GetTimestamp();

    /// <summary>Holds the news for the node.</summary>
    public WatchReader Reader => reader;

    /// <summary>The watch.</summary>
    public DeviceWatch Watch => watch;

    /// <summary>The time since the last poll; 0 during one.</summary>
    public TimeSpan Idle
    {
        get
        {
            lock (_gate)
            {
                return _polling is null ? time.GetElapsedTime(_polledAt) : TimeSpan.Zero;
            }
        }
    }

    /// <summary>Answers a poll as soon as there are news.</summary>
    /// <param name="last">The number of the last received response.</param>
    /// <param name="cancellationToken">Ends the poll.</param>
    /// <returns>The response; null if a later poll replaced this one.</returns>
    public async Task<byte[]?> PollAsync(uint last, CancellationToken cancellationToken)
    {
        using CancellationTokenSource polling = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        CancellationTokenSource? before;
        lock (_gate)
        {
            (before, _polling) = (_polling, polling);
        }

        try
        {
            await (before?.CancelAsync() ?? Task.CompletedTask).ConfigureAwait(false);
        }
        catch (ObjectDisposedException)
        {
            // It has just been answered.
        }

        long began = time.GetTimestamp();
        try
        {
            while (true)
            {
                Task news = Reader.News.Next;
                lock (_gate)
                {
                    if (_polling != polling)
                    {
                        return null;
                    }

                    if (_sent is not null && last != _number)
                    {
                        return _sent;
                    }

                    List<WatchItem> items = watch.Take(Reader);
                    if (items.Count > 0 || time.GetElapsedTime(began) >= s_longestPoll)
                    {
                        _number++;
                        return _sent = WatchWire.Write(_number, items);
                    }
                }

                using CancellationTokenSource over = CancellationTokenSource.CreateLinkedTokenSource(polling.Token);
                await Task.WhenAny(news, Task.Delay(s_longestPoll, time, over.Token)).ConfigureAwait(false);
                await over.CancelAsync().ConfigureAwait(false);
                polling.Token.ThrowIfCancellationRequested();
            }
        }
        catch (OperationCanceledException) when (polling.IsCancellationRequested)
        {
            return null;
        }
        finally
        {
            lock (_gate)
            {
                if (_polling == polling)
                {
                    (_polling, _polledAt) = (null, time.GetTimestamp());
                }
            }
        }
    }
}
