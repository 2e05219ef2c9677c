using CoAP.NET.Files;
using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore;

/// <summary>Keeps the state of contexts in a directory.</summary>
/// <remarks>
/// Each context has a small file, which the store replaces as a whole and writes through to the disk before a call completes. One process
/// owns the directory through a lock on its file <c>lock</c>; the store refuses a second process. The files contain sequence numbers and
/// hashes, no secret, and only their owner may read and write them. Thread-safe. A truncated or modified file is an error
/// (<see cref="OscoreStoreFault.Corrupt"/>), never a new beginning. Do not restore a directory from a backup, and do not copy it to another
/// machine: numbers would repeat. Move it, or delete it together with the keys.
/// </remarks>
public sealed class FileOscoreStore : IOscoreStore, IDisposable
{
    private const int Gates = 16;

    private readonly DirectoryLock _lock;
    private readonly CoapThreadScheduler _scheduler;
    private readonly Lock[] _gates = [.. Enumerable.Range(0, Gates).Select(static _ => new Lock())];

    private FileOscoreStore(string path, DirectoryLock directoryLock, CoapThreadScheduler scheduler)
    {
        Path = path;
        _lock = directoryLock;
        _scheduler = scheduler;
    }

    /// <summary>The directory, as a full path.</summary>
    internal string Path { get; }

    /// <summary>Opens a directory, and creates it if it does not exist.</summary>
    /// <param name="path">The directory.</param>
    /// <param name="scheduler">Runs the disk operations; null for the library's scheduler.</param>
    /// <returns>The store. Dispose it when no context uses it any more.</returns>
    /// <exception cref="OscoreStoreException">
    /// Another process has it (<see cref="OscoreStoreFault.InUse"/>), or the directory cannot be created or is not writable.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty.</exception>
    public static FileOscoreStore Open(string path, CoapThreadScheduler? scheduler = null)
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

        return new FileOscoreStore(path, DirectoryLock.Take(path), scheduler ?? CoapThreadScheduler.Default);
    }

    /// <inheritdoc/>
    public ValueTask<OscoreStoredState> OpenAsync(OscoreStoreKey key, CancellationToken cancellationToken) =>
        new(RunAsync(
            key,
            file =>
            {
                OscoreStateFile? last = OscoreStateFile.Read(file, key);
                OscoreStateFile now = last is null ? new OscoreStateFile(1, 0, null)
                    : last with { Epoch = last.Epoch + 1, Received = null };
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
                OscoreStateFile last = OfEpoch(file, key, epoch);
                OscoreStoreGuard.CheckBound(last.Bound, bound);
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
    /// Releases the directory for other processes. Contexts that still use the store can use only the numbers that they have reserved.
    /// </summary>
    public void Dispose()
    {
        // Pending writes must end before another process may begin.
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

    // Read from the disk each time, so that the store does not overwrite a file that was changed or replaced in the meantime.
    private static OscoreStateFile OfEpoch(string file, OscoreStoreKey key, ulong epoch)
    {
        OscoreStateFile last = OscoreStateFile.Read(file, key)
            ?? throw new OscoreStoreException(OscoreStoreFault.Corrupt,
                $"{file} is missing: it was removed while its security context was in use. The used numbers are unknown; give both ends "
                + "a new Master Secret.");
        return last.Epoch == epoch ? last : throw OscoreStoreGuard.Superseded();
    }

    private Task<T> RunAsync<T>(OscoreStoreKey key, Func<string, T> work, CancellationToken cancellationToken)
    {
        string file = System.IO.Path.Combine(Path, key + ".json");
        return DiskOperationRunner.RunAsync(
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
