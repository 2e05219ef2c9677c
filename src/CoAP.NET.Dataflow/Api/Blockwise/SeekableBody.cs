using CoAP.NET.Mesh;
using CoAP.NET.Resources;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Blockwise;

/// <summary>
/// The stream or file of an answer while a peer fetches its blocks: those after the first are read from it, without the handler. A stream
/// stays open as long, also one that cannot seek, of which a window is kept; a file is opened for each block. A file, also an open one, is
/// another representation when its length or time has changed. Thread-safe.
/// </summary>
#pragma warning disable CA1001 // neither a semaphore without a wait handle nor a source without a timer has anything to dispose
internal sealed class SeekableBody : IAfterRelease
#pragma warning restore CA1001
{
    private readonly SemaphoreSlim _reading = new(1, 1);
    private readonly Stream? _stream;
    private readonly string? _path;
    private readonly DateTime _lastWrite;
    private readonly CoapEnvironment _environment;
    private readonly BodyWindow? _window;

    // Data from a network may not arrive for long.
    private readonly CancellationTokenSource? _closing;
    private readonly long _length;
    private long _given;
    private int _isClosed;
    private bool _isDisposed;

    /// <summary>Makes one of a stream, which it owns from then on.</summary>
    public SeekableBody(CoapEnvironment environment, RouteTemplate route, CoapResult head, Stream stream, long length)
    {
        _environment = environment;
        Route = route;
        Head = head;
        _stream = stream;
        _length = length;
        if (stream is FileStream { SafeFileHandle: { } file })
        {
            _lastWrite = File.GetLastWriteTimeUtc(file);
        }
    }

    private SeekableBody(CoapEnvironment environment, RouteTemplate route, CoapResult head, Stream stream, BodyWindow window)
        : this(environment, route, head, stream, 0) => (_window, _closing) = (window, new CancellationTokenSource());

    /// <summary>Makes one of a file.</summary>
    public SeekableBody(CoapEnvironment environment, RouteTemplate route, CoapResult head, string path, long length, DateTime lastWrite)
    {
        _environment = environment;
        Route = route;
        Head = head;
        _path = path;
        _length = length;
        _lastWrite = lastWrite;
    }

    /// <summary>Makes one of a stream that is read from front to back, which it owns from then on.</summary>
    public static SeekableBody Sequential(
        CoapEnvironment environment, RouteTemplate route, CoapResult head, Stream stream, long start, long? size) =>
        new(environment, route, head, stream, new BodyWindow(stream, start, size));

    /// <summary>The route of the handler that returned it.</summary>
    public RouteTemplate Route { get; }

    /// <summary>Code, and the options of every block, the entity-tag among them.</summary>
    public CoapResult Head { get; }

    /// <summary>The size of the body in bytes; <see cref="long.MaxValue"/> where it is not known yet.</summary>
    public long Length => _window?.Length ?? _length;

    /// <summary>Whether something is open as long as it is kept.</summary>
    public bool IsOpen => _stream is not null;

    /// <summary>Whether it is read from front to back, and its end not known before.</summary>
    public bool IsSequential => _window is not null;

    /// <summary>Whether it was closed, by us.</summary>
    public bool IsClosed => Volatile.Read(ref _isClosed) != 0;

    /// <summary>Whether all of its bytes were read, so that a peer that requests several blocks at a time has them all.</summary>
    public bool WasGiven => IsSequential || Volatile.Read(ref _given) >= Length;

    /// <summary>Whether somebody keeps it for later blocks.</summary>
    public bool IsKept { get; set; }

    /// <summary>Opens the file for a block.</summary>
    /// <param name="offset">Where the block begins.</param>
    /// <param name="file">The file; null for a stream, which is open.</param>
    /// <returns>False when the body is gone, has changed, or that place was passed: then the handler has to run again.</returns>
    public bool TryOpen(long offset, out SafeFileHandle? file)
    {
        file = null;
        if (_path is null)
        {
            return !IsClosed && _window?.Reaches(offset) != false && !HasChanged();
        }

        try
        {
            file = SeekableFile.Open(_path);
            if (RandomAccess.GetLength(file) == Length && File.GetLastWriteTimeUtc(file) == _lastWrite)
            {
                return true;
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Gone, which the handler's next answer says.
        }

        file?.Dispose();
        file = null;
        return false;
    }

    /// <summary>Reads a part of the body.</summary>
    /// <param name="file">The result of <see cref="TryOpen"/>; disposed afterwards.</param>
    /// <param name="offset">The start of the part.</param>
    /// <param name="length">The maximum number of bytes to read.</param>
    /// <param name="cancellationToken">Cancels the read.</param>
    /// <returns>The part as a response.</returns>
    /// <exception cref="EndOfStreamException">The body became shorter.</exception>
    /// <exception cref="ObjectDisposedException">It was closed meanwhile, or another reader passed that position.</exception>
    public async Task<BodyPart> ReadAsync(SafeFileHandle? file, long offset, int length, CancellationToken cancellationToken)
    {
        if (_window is { } window)
        {
            return await ReadAsync(window, offset, length, cancellationToken).ConfigureAwait(false);
        }

        byte[] bytes = new byte[(int)Math.Min(Length - offset, length)];
        int read;
        if (file is not null)
        {
            using (file)
            {
                read = await SeekableFile.ReadAsync(file, bytes, offset, cancellationToken).ConfigureAwait(false);
            }
        }
        else
        {
            await _reading.WaitAsync(cancellationToken).ConfigureAwait(false);
            try
            {
                ObjectDisposedException.ThrowIf(_isDisposed, this);
                _stream!.Position = offset;
                read = await _stream.ReadAtLeastAsync(bytes, bytes.Length, throwOnEndOfStream: false, cancellationToken)
                    .ConfigureAwait(false);
                if (HasChanged())
                {
                    throw new IOException("The file was changed while its blocks were read, so that they would be parts of two states.");
                }
            }
            finally
            {
                _reading.Release();
            }
        }

        if (read < bytes.Length)
        {
            throw new EndOfStreamException($"The body became shorter than {Length} bytes while it was read.");
        }

        return PartOf(bytes, offset, Length, Length);
    }

    // An open file that is written in place. One that was closed meanwhile is gone too, which the handler's next answer says.
    private bool HasChanged()
    {
        if (_window is not null || _stream is not FileStream file)
        {
            return false;
        }

        try
        {
            return RandomAccess.GetLength(file.SafeFileHandle) != _length || File.GetLastWriteTimeUtc(file.SafeFileHandle) != _lastWrite;
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException or UnauthorizedAccessException)
        {
            return true;
        }
    }

    /// <summary>Reads on in a stream that cannot seek. One that fails is closed, so that the handler runs for what is asked next.</summary>
    private async Task<BodyPart> ReadAsync(BodyWindow window, long offset, int length, CancellationToken cancellationToken)
    {
        await _reading.WaitAsync(cancellationToken).ConfigureAwait(false);
        byte[] bytes;
        bool isRead = false;
        try
        {
            ObjectDisposedException.ThrowIf(_isDisposed || !window.IsBefore(offset), this);
            using CancellationTokenSource ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _closing!.Token);
            bytes = await window.ReadAsync(offset, length, ending.Token).ConfigureAwait(false);
            isRead = true;
        }
        finally
        {
            _reading.Release();
            if (!isRead)
            {
                _ = CloseAsync();
            }
        }

        long end = window.Length;
        return PartOf(bytes, offset, end == long.MaxValue ? offset + bytes.Length + 1 : end, window.Size);
    }

    private BodyPart PartOf(byte[] bytes, long offset, long total, long? size)
    {
        Interlocked.Add(ref _given, bytes.Length);
        BodyPart part = new(Head.Code, bytes) { Offset = offset, Total = total, Size = size, Source = this };
        part.As(Head);
        if (Head.OptionsToRead is { } options)
        {
            part.Options.AddAll(options);
        }

        return part;
    }

    // The transfer has ended.
    void IAfterRelease.OnReleased(CoapShard shard) => _ = CloseAsync();

    /// <summary>
    /// Nothing more is read: a stream is disposed, once the readers that wait for it are through. The stream is a user's, so no lock may be
    /// held. When it fails that is counted and logged, and changes no answer. Never throws.
    /// </summary>
    public async Task CloseAsync()
    {
        if (_stream is null || Interlocked.Exchange(ref _isClosed, 1) != 0)
        {
            return;
        }

        _closing?.Cancel();
        await _reading.WaitAsync().ConfigureAwait(false);
        try
        {
            _isDisposed = true;
            await _stream.DisposeAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // streams are users' code and may throw anything; often nobody waits for this
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _environment.Counters.Add(CoapCounter.HandlerErrors);
            Tell(exception);
        }
        finally
        {
            _reading.Release();
        }
    }

    // A logger is foreign code as well.
    private void Tell(Exception exception)
    {
        try
        {
            ResultLog.StreamNotClosed(_environment.Logger, Route, exception);
        }
#pragma warning disable CA1031
        catch (Exception)
#pragma warning restore CA1031
        {
            _environment.Counters.Add(CoapCounter.StageErrors);
        }
    }
}
