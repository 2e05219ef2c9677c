using CoAP.NET.Files;
using CoAP.NET.Resources;

namespace CoAP.NET.Requests;

/// <summary>
/// The stream or file of an answer while a peer fetches its blocks: those after the first are read from it, without the handler. A stream
/// stays open as long, also one that cannot seek, of which a window is kept; a file is opened for each block. A file, also an open one, is
/// another representation when its length or time has changed. Thread-safe.
/// </summary>
#pragma warning disable CA1001 // neither a semaphore without a wait handle nor a source without a timer has anything to dispose
internal sealed class ServedResponseBody : IDeferredWork
#pragma warning restore CA1001
{
    private readonly SemaphoreSlim _reading = new(1, 1);
    private readonly CoapEnvironment _environment;
    private readonly StreamOrFileResult _result;
    private readonly CoapETag _etag;
    private readonly FileStamp _stamp;
    private readonly long _length;
    private readonly StreamedResponseBodyWindow? _window;

    // Data from a network may not arrive for long.
    private readonly CancellationTokenSource? _closing;
    private long _given;
    private int _isClosed;
    private bool _isDisposed;

    /// <param name="environment">Provides counters and log.</param>
    /// <param name="route">The route of the handler.</param>
    /// <param name="result">Its result, with the options of every block. Owns the stream from now on.</param>
    /// <param name="etag">The entity-tag of every block.</param>
    /// <param name="stamp">The state of the file; the default for a stream.</param>
    public ServedResponseBody(CoapEnvironment environment, string route, StreamOrFileResult result, CoapETag etag, FileStamp stamp)
    {
        (_environment, Route, _result, _etag, _stamp) = (environment, route, result, etag, stamp);
        if (result is { Start: { } start, Stream: { } network })
        {
            (_window, _closing) = (new StreamedResponseBodyWindow(network, start, result.Size), new CancellationTokenSource());
            return;
        }

        _length = result.Stream?.Length ?? stamp.Length;
        if (result.Stream is FileStream file)
        {
            _stamp = FileStamp.Of(file.SafeFileHandle);
        }
    }

    /// <summary>The route of the handler that returned it.</summary>
    public string Route { get; }

    /// <summary>The size of the body in bytes; <see cref="long.MaxValue"/> where it is not known yet.</summary>
    public long Length => _window?.Length ?? _length;

    /// <summary>Whether something is open as long as it is kept.</summary>
    public bool IsOpen => _result.Stream is not null;

    /// <summary>Whether it is read from front to back, and its end not known before.</summary>
    public bool IsSequential => _window is not null;

    /// <summary>Whether it was closed, by us.</summary>
    public bool IsClosed => Volatile.Read(ref _isClosed) != 0;

    /// <summary>Whether all of its bytes were read, so that a peer that requests several blocks at a time has them all.</summary>
    public bool WasGiven => IsSequential || Volatile.Read(ref _given) >= Length;

    /// <summary>Whether a transfer keeps it for later blocks.</summary>
    public bool IsStored { get; set; }

    public static FileStream Open(string path) => new(path, new FileStreamOptions
    {
        Share = FileShare.ReadWrite | FileShare.Delete,
        Options = FileOptions.Asynchronous | FileOptions.RandomAccess,
        BufferSize = 0,
    });

    /// <summary>Opens the file for a block.</summary>
    /// <param name="offset">Where the block begins.</param>
    /// <param name="file">The file; null for a stream, which is open.</param>
    /// <returns>False when the body is gone, has changed, or that place was passed: then the handler has to run again.</returns>
    public bool TryOpen(long offset, out FileStream? file)
    {
        file = null;
        if (_result.Path is not { } path)
        {
            return !IsClosed && _window?.Reaches(offset) != false && !HasChanged(_result.Stream!);
        }

        try
        {
            file = Open(path);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Gone, which the handler's next answer says.
            return false;
        }

        if (!HasChanged(file))
        {
            return true;
        }

        file.Dispose();
        file = null;
        return false;
    }

    /// <summary>Reads a part of the body.</summary>
    /// <param name="file">The result of <see cref="TryOpen"/>; disposed afterwards.</param>
    /// <param name="offset">The start of the part; the end of the body if that is before it.</param>
    /// <param name="length">The maximum number of bytes to read.</param>
    /// <param name="cancellationToken">Cancels the read.</param>
    /// <returns>The part as a response.</returns>
    /// <exception cref="EndOfStreamException">The body became shorter.</exception>
    /// <exception cref="ObjectDisposedException">It was closed meanwhile, or another reader passed that position.</exception>
    public async Task<PartialBodyResult> ReadAsync(FileStream? file, long offset, int length, CancellationToken cancellationToken)
    {
        offset = Math.Min(offset, Length);
        if (file is not null)
        {
            await using (file.ConfigureAwait(false))
            {
                return PartOf(await ReadAtAsync(file, offset, length, cancellationToken).ConfigureAwait(false), offset);
            }
        }

        await _reading.WaitAsync(cancellationToken).ConfigureAwait(false);
        bool isRead = false;
        try
        {
            ObjectDisposedException.ThrowIf(_isDisposed || _window?.IsBefore(offset) == false, this);
            byte[] bytes = _window is null
                ? await ReadAtAsync(_result.Stream!, offset, length, cancellationToken).ConfigureAwait(false)
                : await ReadOnAsync(_window, offset, length, cancellationToken).ConfigureAwait(false);
            isRead = true;
            return PartOf(bytes, offset);
        }
        finally
        {
            _reading.Release();
            if (!isRead && IsSequential)
            {
                // What it lost cannot be read again: the handler runs for what is asked next.
                _ = CloseAsync();
            }
        }
    }

    private async Task<byte[]> ReadAtAsync(Stream stream, long offset, int length, CancellationToken cancellationToken)
    {
        byte[] bytes = new byte[(int)Math.Min(_length - offset, length)];
        stream.Position = offset;
        int read = await stream.ReadAtLeastAsync(bytes, bytes.Length, throwOnEndOfStream: false, cancellationToken).ConfigureAwait(false);
        return IsOpen && HasChanged(stream)
            ? throw new IOException("The file was changed while its blocks were read, so that they would be parts of two states.")
            : read == bytes.Length ? bytes
            : throw new EndOfStreamException($"The body became shorter than {_length} bytes while it was read.");
    }

    private async Task<byte[]> ReadOnAsync(StreamedResponseBodyWindow window, long offset, int length, CancellationToken cancellationToken)
    {
        using CancellationTokenSource ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _closing!.Token);
        return await window.ReadAsync(offset, length, ending.Token).ConfigureAwait(false);
    }

    // Also an open file that is written in place. One that was closed meanwhile is gone, which the handler's next answer says.
    private bool HasChanged(Stream stream)
    {
        try
        {
            return _window is null && stream is FileStream file && FileStamp.Of(file.SafeFileHandle) != _stamp;
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException or UnauthorizedAccessException)
        {
            return true;
        }
    }

    private PartialBodyResult PartOf(byte[] bytes, long offset)
    {
        Interlocked.Add(ref _given, bytes.Length);
        PartialBodyResult part = new(_result.Code, bytes)
        {
            Offset = offset,
            Total = Length is var total and not long.MaxValue ? total : offset + bytes.Length + 1,
            Size = _window is null ? _length : _window.Size,
            Source = this,
        };
        part.As(_result);
        if (_result.OptionsToRead is { } options)
        {
            part.OwnOptions.AddAll(options);
        }

        part.OwnOptions.ETag = _etag;
        return part;
    }

    // The transfer has ended.
    void IDeferredWork.OnReleased(CoapShard shard) => _ = CloseAsync();

    /// <summary>Nothing more is read: a stream is disposed, once the readers that wait for it are through. Never throws.</summary>
    public async Task CloseAsync()
    {
        if (_result.Stream is not { } stream || Interlocked.Exchange(ref _isClosed, 1) != 0)
        {
            return;
        }

        _closing?.Cancel();
        await _reading.WaitAsync().ConfigureAwait(false);
        _isDisposed = true;
        await ResultBodyStreamDisposer.CloseAsync(stream, Route, _environment).ConfigureAwait(false);
        _reading.Release();
    }
}
