using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Cli.Serving;

/// <summary>
/// A file that the server reads block by block, long after its handler returned. It reports how far: when its end was read, or when it is
/// closed before.
/// </summary>
internal sealed class ServedFileStream : FileStream
{
    private readonly long _length;
    private long _read;
    private Action<long>? _ended;

    public ServedFileStream(SafeFileHandle handle)
        : base(handle, FileAccess.Read, bufferSize: 1, handle.IsAsync) => _length = CanSeek ? Length : 0;

    public ServedFileStream(string path)
        : base(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 1,
            FileOptions.Asynchronous | FileOptions.RandomAccess) => _length = Length;

    /// <summary>Sets what receives the position behind the last byte that was read, once.</summary>
    public void OnEnd(Action<long> ended) => _ended = ended;

    /// <inheritdoc/>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int count = await base.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        _read = Math.Max(_read, Position);
        if (_read >= _length)
        {
            End();
        }

        return count;
    }

    /// <inheritdoc/>
    public override ValueTask DisposeAsync()
    {
        End();
        return base.DisposeAsync();
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            End();
        }

        base.Dispose(disposing);
    }

    private void End() => Interlocked.Exchange(ref _ended, null)?.Invoke(_read);
}
