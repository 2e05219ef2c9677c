using System.IO.Pipelines;
using CoAP.NET.Requests;

namespace CoAP.NET;

/// <summary>
/// The body of a response as a stream that fetches blocks during reading, with a few prefetched, so that memory stays constant (RFC 7959).
/// </summary>
/// <remarks>
/// Created by <see cref="CoapClientRequestExtensions.OpenReadAsync(ICoapClient, CoapUri, CancellationToken)"/>. Reading throws when the
/// representation changes during the transfer, or the transfer fails.
/// </remarks>
public sealed class CoapResponseBodyStream : Stream
{
    // The number of unread bytes at which no further block is requested.
    private const int ReadAhead = 4096;

    private readonly Pipe _pipe =
        new(new PipeOptions(pauseWriterThreshold: ReadAhead, resumeWriterThreshold: ReadAhead / 2, useSynchronizationContext: false));
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource<CoapResponse> _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Stream _reader;
    private Task _fetching = Task.CompletedTask;
    private CoapResponse? _response;
    private int _isDisposed;

    private CoapResponseBodyStream() => _reader = _pipe.Reader.AsStream();

    /// <summary>The response: code and options, without the body.</summary>
    public CoapResponse Response => _response!;

    /// <summary>A task that completes, without an error, when nothing more is fetched.</summary>
    internal Task Fetching => _fetching;

    /// <inheritdoc/>
    public override bool CanRead => Volatile.Read(ref _isDisposed) == 0;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override bool CanWrite => false;

    /// <inheritdoc/>
    public override long Length => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <inheritdoc/>
    /// <exception cref="CoapException">The transfer failed.</exception>
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        _reader.ReadAsync(buffer, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="CoapException">The transfer failed.</exception>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        _reader.ReadAsync(buffer, offset, count, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="CoapException">The transfer failed.</exception>
    public override int Read(byte[] buffer, int offset, int count) => _reader.Read(buffer, offset, count);

    /// <inheritdoc/>
    public override void Flush()
    {
    }

    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void SetLength(long value) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    internal static async Task<CoapResponseBodyStream> OpenAsync(ICoapClient client, CoapRequest request,
        CancellationToken cancellationToken)
    {
        CoapResponseBodyStream stream = new();
        try
        {
            request.Destination = stream._pipe.Writer.AsStream(leaveOpen: true);
            request.Settings.Started = stream._started;
            stream._fetching = stream.FetchAsync(client, request);
            stream._response = await stream._started.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
            return stream;
        }
        catch
        {
            await stream.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    internal static async Task<CoapOpenedResponse> OpenAsync(ICoapClient client, CoapRequest request, int maxInMemory,
        CancellationToken cancellationToken)
    {
        // Most responses are small: create the reader of a large one only on demand.
        CoapOpenedResponse opened = new(maxInMemory);
        request.Settings.OpenedResponse = opened;
        try
        {
            opened.Response = await client.SendAsync(request, cancellationToken).ConfigureAwait(false);
            return opened;
        }
        catch when (opened.IsStreamed)
        {
            await opened.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Creates the stream of a response whose body has begun to arrive.</summary>
    /// <param name="head">The response without its body.</param>
    /// <param name="fetch">Fetches the body and writes it, until it is stopped.</param>
    internal static CoapResponseBodyStream Begin(CoapResponse head, Func<Stream, CancellationToken, Task> fetch)
    {
        CoapResponseBodyStream stream = new();
        stream._response = head;
        stream._fetching = stream.FillAsync(fetch);
        return stream;
    }

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        Stop();
        await _fetching.ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            Stop();
        }

        base.Dispose(disposing);
    }

    private async Task FillAsync(Func<Stream, CancellationToken, Task> fetch)
    {
        Exception? failure = null;
        try
        {
            await fetch(_pipe.Writer.AsStream(leaveOpen: true), _stop.Token).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever it is, the reader gets it
        catch (Exception exception)
#pragma warning restore CA1031
        {
            failure = exception;
        }

        await _pipe.Writer.CompleteAsync(failure).ConfigureAwait(false);
    }

    private async Task FetchAsync(ICoapClient client, CoapRequest request)
    {
        Exception? failure = null;
        try
        {
            CoapResponse response = await client.SendAsync(request, _stop.Token).ConfigureAwait(false);
            if (!_started.TrySetResult(response.EnsureSuccess()))
            {
                // An error in place of a later block.
                response.EnsureSuccess();
            }
        }
#pragma warning disable CA1031 // whatever it is, the reader gets it
        catch (Exception exception)
#pragma warning restore CA1031
        {
            failure = exception;
            _started.TrySetException(exception);
            _ = _started.Task.Exception;
        }

        await _pipe.Writer.CompleteAsync(failure).ConfigureAwait(false);
    }

    private void Stop()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
        {
            // Cancel the token before the reader: a waiting request ends, and no block is requested only because there is room now.
            _stop.Cancel();
            _reader.Dispose();
            _stop.Dispose();
        }
    }
}
