using System.Threading.Channels;
using CoAP.NET.Execution;

namespace CoAP.NET.Cli.Serving;

/// <summary>
/// Notifies observers of changes. It uses file system events and a periodic check, because some file systems send no events; it then
/// compares the observed files with their last sent state.
/// </summary>
internal sealed class FolderMonitor : IAsyncDisposable
{
    // When full, it forgets the path with the oldest request or change; its observers register again when Max-Age ends (RFC 7641 section
    // 3.3.1).
    private const int MostTracked = 10_000;

    // Programs write files in several steps: one notification for all of them.
    private static readonly TimeSpan s_settle = TimeSpan.FromMilliseconds(20);

    private readonly ServedFolderPathMapper _paths;
    private readonly TimeProvider _timeProvider;
    private readonly TimeSpan _interval;
    private readonly Lock _gate = new();
    private readonly LruDictionary<string, TrackedFile> _tracked = new(MostTracked);
    private readonly Channel<bool> _wake =
        Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private readonly CancellationTokenSource _stop = new();
    private FileSystemWatcher? _watcher;
    private Task _running = Task.CompletedTask;

    public FolderMonitor(ServedFolderPathMapper paths, TimeProvider timeProvider, TimeSpan interval)
    {
        _paths = paths;
        _timeProvider = timeProvider;
        _interval = interval;
    }

    /// <summary>Starts the watch.</summary>
    /// <param name="notify">Gets the path of a change, in URI form.</param>
    public void Start(Action<string> notify)
    {
        _watcher = TryWatch();
        _running = RunAsync(notify);
    }

    public void Track(string uriPath, IReadOnlyList<string> segments)
    {
        TrackedFile tracked = new([.. segments], StateOf(segments));
        lock (_gate)
        {
            _tracked.Set(uriPath, tracked);
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        _watcher?.Dispose();
        await _stop.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task RunAsync(Action<string> notify)
    {
        using PeriodicTimer timer = new(_interval, _timeProvider);
        Task<bool> tick = timer.WaitForNextTickAsync(_stop.Token).AsTask();
        Task<bool> told = _wake.Reader.WaitToReadAsync(_stop.Token).AsTask();
        while (!_stop.IsCancellationRequested)
        {
            await Task.WhenAny(tick, told).ConfigureAwait(false);
            if (tick.IsCompleted)
            {
                tick = timer.WaitForNextTickAsync(_stop.Token).AsTask();
            }

            if (told.IsCompleted)
            {
                await Task.Delay(s_settle, _timeProvider, _stop.Token).ConfigureAwait(false);
                _wake.Reader.TryRead(out _);
                told = _wake.Reader.WaitToReadAsync(_stop.Token).AsTask();
            }

            _stop.Token.ThrowIfCancellationRequested();
            Compare(notify);
        }
    }

    private void Compare(Action<string> notify)
    {
        KeyValuePair<string, TrackedFile>[] all;
        lock (_gate)
        {
            all = [.. _tracked.Entries];
        }

        foreach ((string uriPath, TrackedFile tracked) in all)
        {
            CoapETag state = StateOf(tracked.Segments);
            if (state == tracked.State)
            {
                continue;
            }

            lock (_gate)
            {
                // A path with a request in the meantime already has a newer state; a repeated notification is harmless.
                if (_tracked.TryGetValue(uriPath, out _))
                {
                    _tracked.Set(uriPath, tracked with { State = state });
                }
            }

            notify(uriPath);
        }
    }

    // Returns a tag that distinguishes representations; empty if there is no file.
    private CoapETag StateOf(IReadOnlyList<string> segments)
    {
        try
        {
            ServedItem item = _paths.Find(segments);
            return item.Kind switch
            {
                ServedItemKind.File => FileEntityTag.Of(item.FullPath) ?? default,
                ServedItemKind.Folder =>
                    CoapETag.FromContent(CoapLinkFormat.ToContent(new FolderListing(_paths).Of(item.FullPath, "/")).Bytes.Span),
                _ => default,
            };
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return default;
        }
    }

    private FileSystemWatcher? TryWatch()
    {
        FileSystemWatcher? watcher = null;
        try
        {
            watcher = new FileSystemWatcher(_paths.Root)
            {
                IncludeSubdirectories = true,
                NotifyFilter = NotifyFilters.FileName | NotifyFilters.DirectoryName | NotifyFilters.LastWrite | NotifyFilters.Size,
            };
            watcher.Changed += (_, _) => _wake.Writer.TryWrite(true);
            watcher.Created += (_, _) => _wake.Writer.TryWrite(true);
            watcher.Deleted += (_, _) => _wake.Writer.TryWrite(true);
            watcher.Renamed += (_, _) => _wake.Writer.TryWrite(true);
            watcher.Error += (_, _) => _wake.Writer.TryWrite(true);
            watcher.EnableRaisingEvents = true;
            return watcher;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or PlatformNotSupportedException)
        {
            // The system has no more watches: only the timer remains.
            watcher?.Dispose();
            return null;
        }
    }

    private sealed record TrackedFile(string[] Segments, CoapETag State);
}
