namespace CoAP.NET.Oscore.Sequences;

/// <summary>
/// A directory that one process owns: it holds an exclusive lock on the file <c>lock</c> there (flock on Unix, which other programs honour
/// as well). The file remains after the lock ends, because a removed file could be locked twice.
/// </summary>
internal sealed class DirectoryLock : IDisposable
{
    private const string FileName = "lock";
    private const int MaxAttempts = 8;

    private readonly FileStream _file;
    private readonly string _path;

    private DirectoryLock(string path, FileStream file)
    {
        _path = path;
        _file = file;
    }

    /// <summary>Takes the lock.</summary>
    /// <exception cref="OscoreStoreException">Another process has it, or the file cannot be created.</exception>
    public static DirectoryLock Take(string directory)
    {
        string path = Path.Combine(directory, FileName);
        FileStream file = Open(path, directory);
        for (int attempt = 0; TryOpenAgain(path) is { } other; attempt++)
        {
            // The previous owner removed the file between our opening and our lock: the name now belongs to another file.
            file.Dispose();
            file = other;
            if (attempt == MaxAttempts)
            {
                file.Dispose();
                throw new OscoreStoreException(OscoreStoreFault.Failed,
                    $"{path} opens twice in spite of its lock: its file system has no locks, or they are switched off. It is not suitable "
                    + "for sequence numbers, because two processes could use the same ones; choose a directory on a local disk.");
            }
        }

        return new DirectoryLock(directory, file);
    }

    /// <summary>Throws if the lock is released.</summary>
    /// <exception cref="OscoreStoreException">The lock is released.</exception>
    public void ThrowIfReleased()
    {
        if (!_file.CanWrite)
        {
            throw new OscoreStoreException(OscoreStoreFault.Superseded,
                $"The store of sequence numbers in {_path} is disposed, so its security contexts cannot send. Keep it as long as they are "
                + "in use.");
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _file.Dispose();

    private static FileStream Open(string path, string directory)
    {
        try
        {
            return Open(path);
        }
        catch (IOException exception) when (exception is not FileNotFoundException and not DirectoryNotFoundException)
        {
            throw new OscoreStoreException(OscoreStoreFault.InUse,
                $"{directory} is in use: another process has {path} locked. Only one process at a time may use security contexts; end the "
                + "other one, or give this one contexts and a directory of its own.", exception);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new OscoreStoreException(OscoreStoreFault.Failed, $"{path} cannot be locked: {exception.Message}", exception);
        }
    }

    private static FileStream? TryOpenAgain(string path)
    {
        try
        {
            return Open(path);
        }
        catch (IOException)
        {
            return null;
        }
    }

    private static FileStream Open(string path)
    {
        FileStreamOptions options = new()
        {
            Mode = FileMode.OpenOrCreate,
            Access = FileAccess.ReadWrite,
            Share = FileShare.None,
            BufferSize = 0,
        };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        return new FileStream(path, options);
    }
}
