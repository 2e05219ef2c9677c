using System.Net.Security;
using System.Runtime.CompilerServices;

namespace CoAP.NET.Transports;

/// <summary>
/// The socket under TLS. Each write is progress of a handshake, as it answers a whole flight of the peer.
/// Afterwards it charges the connection for the buffer that <see cref="SslStream"/> holds while it waits for the rest of a record.
/// </summary>
/// <param name="wire">The socket; goes with it.</param>
/// <param name="handshake">Told of progress until <see cref="BeginRecords"/>; null for handshakes that take no place.</param>
internal sealed class TlsSocketStream(SocketWire wire, HandshakePlaces.Handshake? handshake = null) : Stream
{
    /// <summary>
    /// The most that SslStream takes of the array pool for a record: 16 KiB and the overhead of encryption (RFC 8446 section 5.2), rounded
    /// up to a power of two.
    /// </summary>
    public const int RecordBuffer = 32 * 1024;

    private HandshakePlaces.Handshake? _handshake = handshake;
    private ReadCharge? _charge;
    private TlsRecordTrack _track;

    // Whether SslStream may have a buffer. It waits with a read of no byte first, and has none where that is between two records.
    private bool _hasBuffer;
    private bool _isRefused;
    private int _recordReceived;

    /// <summary>How many bytes are there of a record whose rest is waited for; 0 when none is. For any thread.</summary>
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

    /// <summary>The handshake is done: what is read from here on are records of the connection.</summary>
    public void BeginRecords(ReadCharge charge)
    {
        _handshake = null;
        _charge = charge;
        wire.RunInline();
    }

    /// <summary>Reading stops for a while, with whatever SslStream holds.</summary>
    /// <returns>False when there is no memory for it.</returns>
    public bool TryPause() => !_hasBuffer || _charge is not { } charge || charge.TrySetLink(RecordBuffer);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        _handshake?.OnProgress();
        return wire.WriteAsync(buffer, cancellationToken);
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        bool isMidRecord = _track.Received > 0;
        _hasBuffer = !buffer.IsEmpty || isMidRecord;
        ValueTask<int> read = buffer.IsEmpty ? wire.WaitAsync(cancellationToken) : wire.ReadAsync(buffer, cancellationToken);
        if (!isMidRecord)
        {
            // All that came was decrypted, and the connection has it or gets it now.
            _ = _charge?.TrySetLink(0);
            if (buffer.IsEmpty)
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
            // The read has the buffer until it ends, so it is ended here and says why.
            _isRefused = true;
            wire.Close();
        }

        Volatile.Write(ref _recordReceived, _track.Received);
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

    // Nobody waits with a thread.
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        wire.Close();
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
        }
    }
}
