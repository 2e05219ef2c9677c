using System.Diagnostics.CodeAnalysis;
using System.Net.Security;
using System.Runtime.CompilerServices;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// The socket under TLS. During the handshake each write counts as progress, because it answers a whole flight of the peer. Afterwards it
/// charges the connection for the buffer that <see cref="SslStream"/> holds while it waits for the rest of a record.
/// </summary>
/// <param name="socket">The socket; disposed with this stream.</param>
/// <param name="handshake">Gets the progress until <see cref="BeginRecords"/>; null for handshakes without a place.</param>
internal sealed class TlsInnerStream(ConnectedTcpSocket socket, HandshakeLimiter.Handshake? handshake = null) : Stream
{
    /// <summary>
    /// The maximum buffer of SslStream for a record: 16 KiB and the overhead of encryption (RFC 8446 section 5.2), rounded up to a power of
    /// two.
    /// </summary>
    public const int RecordBuffer = 32 * 1024;

    private HandshakeLimiter.Handshake? _handshake = handshake;
    private ConnectionReaderMemoryCharge? _charge;
    private TlsRecordTracker _track;

    // Whether SslStream may hold a buffer. It first waits with a read of no byte, and holds none if that is between two records.
    private bool _hasBuffer;
    private bool _isRefused;
    private int _recordReceived;

    // SslStream guards reads and writes against each other, but not against its shutdown, which reads as well: OpenSSL crashes when both
    // process a message of the handshake, such as the session tickets that follow it.
    private readonly Lock _gate = new();
    private bool _isDecrypting;
    private TaskCompletionSource? _decrypted;
    private TaskCompletionSource? _shutDown;

    // Whether the reads of this stream are for a read of the connection, not for its handshake.
    private bool _isReading;

    /// <summary>The available bytes of the incomplete record; 0 for none. Thread-safe.</summary>
    public int RecordReceived => Volatile.Read(ref _recordReceived);

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>Ends the handshake: further input consists of records of the connection.</summary>
    public void BeginRecords(ConnectionReaderMemoryCharge charge)
    {
        _handshake = null;
        _charge = charge;
        socket.RunInline();
    }

    /// <summary>Prepares a pause of reading, with the memory that SslStream holds.</summary>
    /// <returns>False when there is no memory for it.</returns>
    public bool TryPause() => !_hasBuffer || _charge is not { } charge || charge.TrySetLink(RecordBuffer);

    /// <summary>Reads from the TLS connection over this stream, while it does not shut down.</summary>
    /// <param name="tls">The connection.</param>
    /// <param name="buffer">The memory for the bytes.</param>
    /// <returns>The number of bytes.</returns>
    public ValueTask<int> ReadAsync(SslStream tls, Memory<byte> buffer)
    {
        if (!TryDecrypt(out Task? shutDown))
        {
            return ReadAfterAsync(shutDown, tls, buffer);
        }

        _isReading = true;
        ValueTask<int> read;
        try
        {
            read = tls.ReadAsync(buffer, CancellationToken.None);
        }
        catch
        {
            EndReading();
            throw;
        }

        if (!read.IsCompleted)
        {
            return FinishAsync(read);
        }

        EndReading();
        return read;
    }

    /// <summary>Sends close_notify on the TLS connection over this stream, while no thread decrypts, and no thread writes.</summary>
    public async Task ShutdownAsync(SslStream tls)
    {
        TaskCompletionSource shutDown = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Task decrypted = Task.CompletedTask;
        lock (_gate)
        {
            if (_shutDown is not null)
            {
                // Another thread does it.
                return;
            }

            _shutDown = shutDown;
            if (_isDecrypting)
            {
                _decrypted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                decrypted = _decrypted.Task;
            }
        }

        await decrypted.ConfigureAwait(false);
        Task written;
        try
        {
            // What must not run beside a read is over when the call returns.
            written = tls.ShutdownAsync();
        }
        finally
        {
            lock (_gate)
            {
                _shutDown = null;
            }

            shutDown.SetResult();
        }

        await written.ConfigureAwait(false);
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        _handshake?.OnProgress();
        return socket.WriteAsync(buffer, cancellationToken);
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        bool isMidRecord = _track.Received > 0;
        _hasBuffer = !buffer.IsEmpty || isMidRecord;
        ValueTask<int> read = buffer.IsEmpty ? socket.WaitAsync(cancellationToken) : socket.ReadAsync(buffer, cancellationToken);
        if (!isMidRecord)
        {
            // All received bytes were decrypted, and the connection has them or gets them now.
            _ = _charge?.TrySetLink(0);
            if (buffer.IsEmpty && read.IsCompleted)
            {
                return read;
            }
        }

        if (read.IsCompletedSuccessfully)
        {
            int count = read.Result;
            _track.Follow(buffer.Span[..count]);
            return ValueTask.FromResult(count);
        }

        if (isMidRecord && _charge?.TrySetLink(RecordBuffer) == false)
        {
            // The read holds the buffer until it ends, so it is ended here with an error.
            _isRefused = true;
            socket.Close();
        }

        Volatile.Write(ref _recordReceived, _track.Received);
        if (_isReading)
        {
            EndDecrypting();
        }

        return WaitAsync(read, buffer);
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public override void Flush()
    {
    }

    // No thread waits synchronously.
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        socket.Close();
        base.Dispose(disposing);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> WaitAsync(ValueTask<int> read, Memory<byte> buffer)
    {
        try
        {
            int count = await read.ConfigureAwait(false);
            _track.Follow(buffer.Span[..count]);
            return count;
        }
        catch (Exception) when (_isRefused)
        {
            throw _charge!.Refusal();
        }
        finally
        {
            Volatile.Write(ref _recordReceived, 0);
            while (_isReading && !TryDecrypt(out Task? shutDown))
            {
                await shutDown.ConfigureAwait(false);
            }
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> FinishAsync(ValueTask<int> read)
    {
        try
        {
            return await read.ConfigureAwait(false);
        }
        finally
        {
            EndReading();
        }
    }

    private async ValueTask<int> ReadAfterAsync(Task shutDown, SslStream tls, Memory<byte> buffer)
    {
        await shutDown.ConfigureAwait(false);
        return await ReadAsync(tls, buffer).ConfigureAwait(false);
    }

    private bool TryDecrypt([NotNullWhen(false)] out Task? shutDown)
    {
        lock (_gate)
        {
            shutDown = _shutDown?.Task;
            _isDecrypting = shutDown is null;
            return _isDecrypting;
        }
    }

    private void EndReading()
    {
        _isReading = false;
        EndDecrypting();
    }

    private void EndDecrypting()
    {
        TaskCompletionSource? decrypted;
        lock (_gate)
        {
            _isDecrypting = false;
            decrypted = _decrypted;
            _decrypted = null;
        }

        decrypted?.SetResult();
    }
}
