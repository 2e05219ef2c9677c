namespace CoAP.NET.Oscore;

/// <summary>
/// A directory that one process has: it holds an exclusive lock on the file <c>lock</c> there (flock on Unix, which other programs honour
/// as well). The file stays when the lock ends, as a removed one could be locked twice.
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
    /// <param name="directory">The directory.</param>
    /// <exception cref="OscoreStoreException">Another one has it, or the file cannot be made.</exception>
    public static DirectoryLock Take(string directory)
    {
        string path = Path.Combine(directory, FileName);
        FileStream file = Open(path, directory);
        for (int attempt = 0; TryOpenAgain(path) is { } other; attempt++)
        {
            // Whoever had it before removed the file between our opening and our lock: this is another one of that name.
            file.Dispose();
            file = other;
            if (attempt == MaxAttempts)
            {
                file.Dispose();
                throw new OscoreStoreException(OscoreStoreFault.Failed,
                    $"{path} can be opened twice: its file system has no locks, or they are switched off. Sequence numbers cannot be kept "
                    + "there, as two processes could use the same ones; choose a directory on a local disk.");
            }
        }

        return new DirectoryLock(directory, file);
    }

    /// <summary>Ends with a message where the lock was given back.</summary>
    /// <exception cref="OscoreStoreException">It was.</exception>
    public void ThrowIfReleased()
    {
        if (!_file.CanWrite)
        {
            throw new OscoreStoreException(OscoreStoreFault.Superseded,
                $"The store of sequence numbers in {_path} is disposed of; nothing can be sent with its security contexts. Keep it as long "
                + "as they are used.");
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
                $"{directory} is in use: another process has {path} locked. Security contexts are used by one process at a time; end the "
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
