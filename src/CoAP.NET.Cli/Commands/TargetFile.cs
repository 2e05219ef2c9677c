namespace CoAP.NET.Cli.Commands;

/// <summary>
/// The file of <c>--output</c>. A new file gets its name when it is complete, so that a failed request does not change an existing one.
/// </summary>
internal sealed class TargetFile : IAsyncDisposable
{
    private readonly string _path;
    private readonly string? _partPath;
    private bool _isKept;

    private TargetFile(string path, string? partPath, FileStream stream)
    {
        _path = path;
        _partPath = partPath;
        Stream = stream;
    }

    public FileStream Stream { get; }

    /// <summary>Opens the file.</summary>
    /// <param name="path">The path.</param>
    /// <param name="offset">The position of the first received byte. Above zero the file is continued, and must exist.</param>
    public static TargetFile Open(string path, long offset)
    {
        if (offset == 0)
        {
            string part = path + ".part";
            return new TargetFile(path, part, new FileStream(part, FileMode.Create, FileAccess.ReadWrite, FileShare.Read));
        }

        FileStream stream = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.Read);
        if (stream.Length < offset)
        {
            stream.Dispose();
            throw new UsageException($"{path} has less than the {offset} bytes after which to continue the download.");
        }

        stream.Position = offset;
        return new TargetFile(path, null, stream);
    }

    /// <summary>Completes the file.</summary>
    public async Task KeepAsync(CancellationToken cancellationToken)
    {
        Stream.SetLength(Stream.Position);
        await Stream.FlushAsync(cancellationToken).ConfigureAwait(false);
        await Stream.DisposeAsync().ConfigureAwait(false);
        _isKept = true;
        if (_partPath is not null)
        {
            File.Move(_partPath, _path, overwrite: true);
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Stream.DisposeAsync().ConfigureAwait(false);
        if (!_isKept && _partPath is not null)
        {
            File.Delete(_partPath);
        }
    }
}
