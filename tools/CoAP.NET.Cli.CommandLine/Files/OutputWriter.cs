using System.IO.Pipelines;
using CoAP.NET.Files;

namespace CoAP.NET.Cli.Files;

/// <summary>
/// Writes the file that the user names for output. It collects the bytes in FILE.part and gives them the name at the end, so that a
/// failure does not change an existing file. A device, a pipe or a socket gets the bytes at once.
/// </summary>
/// <remarks>The part is always a file of this user with one name: other users cannot lead the bytes elsewhere by a link.</remarks>
internal sealed class OutputWriter : IAsyncDisposable
{
    private readonly FileStream _file;
    private bool _isOpen = true;
    private long _length;

    private OutputWriter(OutputPath path, FileStream file)
    {
        Path = path;
        _file = file;

        // Without positions: what a device has received cannot be taken back.
        Stream = path.IsReplaced ? file : PipeWriter.Create(file, new StreamPipeWriterOptions(leaveOpen: true)).AsStream();
    }

    /// <summary>The place.</summary>
    public OutputPath Path { get; }

    /// <summary>Takes the bytes, unbuffered: what was written is in the file, even if the process is killed.</summary>
    public Stream Stream { get; }

    /// <summary>The number of bytes in the part; 0 for a device, a pipe or a socket.</summary>
    public long Length => _isOpen && Path.IsReplaced ? _file.Length : _length;

    /// <summary>Returns the path of the part of a file.</summary>
    public static string PartOf(OutputPath path) => path.Target + ".part";

    /// <summary>Begins a new file.</summary>
    /// <param name="path">The place.</param>
    /// <param name="cancellationToken">Ends the wait for a reader of a pipe.</param>
    /// <exception cref="IOException">The file is not writable, or another process writes its part.</exception>
    /// <exception cref="UnauthorizedAccessException">The user may not write it.</exception>
    public static async Task<OutputWriter> CreateAsync(OutputPath path, CancellationToken cancellationToken)
    {
        if (!path.IsReplaced)
        {
            return new OutputWriter(path, await OpenSpecialAsync(path.Target, cancellationToken).ConfigureAwait(false));
        }

        string part = PartOf(path);
        if (FileStatus.Of(part).IsOwnFile)
        {
            // The part of an earlier run. Opened instead of removed: it may be the one that another process writes, and locks.
            FileStream left = OpenPart(part);
            left.SetLength(0);
            return new OutputWriter(path, left);
        }

        File.Delete(part);
        return new OutputWriter(path, new FileStream(part, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, bufferSize: 0));
    }

    /// <summary>Goes on at the end of a part.</summary>
    /// <exception cref="IOException">The part does not open, or other users may have written it.</exception>
    /// <exception cref="UnauthorizedAccessException">The user may not write it.</exception>
    public static OutputWriter Continue(OutputPath path)
    {
        FileStream file = OpenPart(PartOf(path));
        file.Seek(0, SeekOrigin.End);
        return new OutputWriter(path, file);
    }

    /// <summary>Writes a text.</summary>
    /// <exception cref="IOException">The file is not writable.</exception>
    /// <exception cref="UnauthorizedAccessException">The user may not write it.</exception>
    public static async Task WriteTextAsync(string path, string text, CancellationToken cancellationToken = default)
    {
        OutputWriter writer = await CreateAsync(OutputPath.Of(path), cancellationToken).ConfigureAwait(false);
        await using (writer.ConfigureAwait(false))
        {
            try
            {
                await writer.Stream.WriteAsync(System.Text.Encoding.UTF8.GetBytes(text), cancellationToken).ConfigureAwait(false);
                await writer.CommitAsync(cancellationToken).ConfigureAwait(false);
            }
            catch
            {
                await writer.DiscardAsync().ConfigureAwait(false);
                throw;
            }
        }
    }

    /// <summary>Completes the file: the bytes so far are all.</summary>
    /// <exception cref="IOException">The file cannot get its name; the part remains.</exception>
    /// <exception cref="UnauthorizedAccessException">The user may not replace the file; the part remains.</exception>
    public async Task CommitAsync(CancellationToken cancellationToken)
    {
        if (Path.IsReplaced)
        {
            Stream.SetLength(Stream.Position);
        }

        await Stream.FlushAsync(cancellationToken).ConfigureAwait(false);
        await DisposeAsync().ConfigureAwait(false);
        if (!Path.IsReplaced)
        {
            return;
        }

        // Again, because the request may have taken long.
        FileStatus.ThrowIfSpecial(Path.Target);
        File.Move(PartOf(Path), Path.Target, overwrite: true);
    }

    /// <summary>Ends without the file, and removes the part.</summary>
    public async Task DiscardAsync()
    {
        await DisposeAsync().ConfigureAwait(false);
        if (Path.IsReplaced)
        {
            File.Delete(PartOf(Path));
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_isOpen)
        {
            _length = Length;
            _isOpen = false;
            await _file.DisposeAsync().ConfigureAwait(false);
        }
    }

    // The file that opened must be the one that was looked at.
    private static FileStream OpenPart(string part)
    {
        FileStatus before = FileStatus.Of(part);
        if (before.IsOwnFile)
        {
            FileStream file = new(part, FileMode.Open, FileAccess.ReadWrite, FileShare.None, bufferSize: 0);
            if (FileStatus.Of(file.SafeFileHandle, part) == before)
            {
                return file;
            }

            file.Dispose();
        }

        throw new IOException(
            $"{part} is a link, has a second name, or is not a file of this user, so its bytes may be those of another user. Remove it.");
    }

    private static async Task<FileStream> OpenSpecialAsync(string path, CancellationToken cancellationToken)
    {
        // A pipe opens when a reader opens it too, and nothing but that ends the call.
        FileStream file = await Task.Factory.StartNew(
            () => new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
            .WaitAsync(cancellationToken).ConfigureAwait(false);
        if (FileStatus.Of(file.SafeFileHandle, path).Kind == FileKind.Regular)
        {
            // The standard output, with what the shell let others write there.
            file.Seek(0, SeekOrigin.End);
        }

        return file;
    }
}
