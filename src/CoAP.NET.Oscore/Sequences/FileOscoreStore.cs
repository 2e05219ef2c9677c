namespace CoAP.NET.Oscore;

/// <summary>
/// Keeps the state of contexts in a directory: a small file for each, replaced as a whole and written through to the disk before a call
/// completes. The directory belongs to one process, which holds a lock on the file <c>lock</c> in it; a second one is refused. Files hold
/// sequence numbers and hashes and no secret, and only their owner may read and write them. Thread-safe.
/// </summary>
/// <remarks>
/// A file that is cut or changed is an error (<see cref="OscoreStoreFault.Corrupt"/>), never a new beginning. Do not restore a directory
/// from a backup, and do not copy it to another machine: numbers would be used twice. Move it, or delete it together with the keys.
/// </remarks>
public sealed class FileOscoreStore : IOscoreStore, IDisposable
{
    private const int Gates = 16;

    private readonly DirectoryLock _lock;
    private readonly CoapScheduler _scheduler;
    private readonly Lock[] _gates = [.. Enumerable.Range(0, Gates).Select(static _ => new Lock())];

    private FileOscoreStore(string path, DirectoryLock directoryLock, CoapScheduler scheduler)
    {
        Path = path;
        _lock = directoryLock;
        _scheduler = scheduler;
    }

    /// <summary>The directory, as a full path.</summary>
    public string Path { get; }

    /// <summary>Opens a directory, and makes it where there is none.</summary>
    /// <param name="path">The directory.</param>
    /// <param name="scheduler">Does what waits for the disk; null for the threads of the library.</param>
    /// <returns>The store. Dispose of it when no context uses it any more.</returns>
    /// <exception cref="OscoreStoreException">Another process has it (<see cref="OscoreStoreFault.InUse"/>), or it cannot be made or
    /// written.</exception>
    public static FileOscoreStore Open(string path, CoapScheduler? scheduler = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        path = System.IO.Path.GetFullPath(path);
        try
        {
            DurableFile.MakeDirectory(path);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new OscoreStoreException(OscoreStoreFault.Failed,
                $"The directory {path} for sequence numbers cannot be made: {exception.Message}", exception);
        }

        return new FileOscoreStore(path, DirectoryLock.Take(path), scheduler ?? CoapScheduler.Default);
    }

    /// <inheritdoc/>
    public ValueTask<OscoreStoredState> OpenAsync(OscoreStoreKey key, CancellationToken cancellationToken) =>
        new(RunAsync(
            key,
            file =>
            {
                StateFile? last = StateFile.Read(file, key);
                StateFile now = last is null ? new StateFile(1, 0, null) : last with { Epoch = last.Epoch + 1, Received = null };
                now.Write(file, key);
                return new OscoreStoredState(now.Epoch, now.Bound, last is null, last?.Received);
            },
            cancellationToken));

    /// <inheritdoc/>
    public ValueTask ReserveAsync(OscoreStoreKey key, ulong epoch, ulong bound, CancellationToken cancellationToken) =>
        new(RunAsync(
            key,
            file =>
            {
                StateFile last = OfEpoch(file, key, epoch);
                StoredStates.CheckBound(last.Bound, bound);
                (last with { Bound = bound }).Write(file, key);
                return true;
            },
            cancellationToken));

    /// <inheritdoc/>
    public ValueTask CloseAsync(OscoreStoreKey key, ulong epoch, OscoreReceivedNumbers received, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(received);
        return new ValueTask(RunAsync(
            key,
            file =>
            {
                (OfEpoch(file, key, epoch) with { Epoch = epoch + 1, Received = received }).Write(file, key);
                return true;
            },
            cancellationToken));
    }

    /// <summary>
    /// Releases the directory for other processes. Contexts that still use the store can send no more than what is reserved.
    /// </summary>
    public void Dispose()
    {
        // What writes just now must have ended before another process may begin.
        foreach (Lock gate in _gates)
        {
            gate.Enter();
        }

        _lock.Dispose();
        foreach (Lock gate in _gates)
        {
            gate.Exit();
        }
    }

    // Read from the disk each time: what was changed or exchanged behind our back must not be overwritten.
    private static StateFile OfEpoch(string file, OscoreStoreKey key, ulong epoch)
    {
        StateFile last = StateFile.Read(file, key)
            ?? throw new OscoreStoreException(OscoreStoreFault.Corrupt,
                $"{file} is gone: somebody removed it while its security context was in use. Which numbers were used is not known any "
                + "more; give both ends a new Master Secret.");
        return last.Epoch == epoch ? last : throw StoredStates.Superseded();
    }

    private Task<T> RunAsync<T>(OscoreStoreKey key, Func<string, T> work, CancellationToken cancellationToken)
    {
        string file = System.IO.Path.Combine(Path, key + ".json");
        return DiskWork.RunAsync(
            _scheduler,
            _gates[(uint)key.GetHashCode() % Gates],
            file,
            () =>
            {
                _lock.ThrowIfReleased();
                return work(file);
            },
            cancellationToken);
    }
}
